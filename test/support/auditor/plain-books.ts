/**
 * The auditor's own books of a loan: plain double entry, written movement by movement while the auditor walks through the loan's days. It
 * shares nothing with the ledger of the service; the rules are those of docs/books.md. Debits are positive, credits negative.
 *
 * The books as of a day are computed again from what was known at the end of that day, so nothing here keeps state.
 */
import { type Audit, audit as auditOf, follow, type Life, type Standing } from './auditor.ts';
import { Deferred } from './deferred.ts';
import type { Fact } from './facts.ts';

export type Balances = Map<string, bigint>;

/** The allocation of a payment that was not returned or reversed. */
type Applied = { readonly interest: bigint; readonly credit: bigint };

export type Audited = { readonly audit: Audit; readonly balances: Balances };

/**
 * The books of a loan on the day of `life.asOf`; its events are those that were known by then. `pastDueOn`: its days past due at the end of an
 * earlier day by these events, for a caller that remembers them.
 */
export function keepBooks(
  life: Life,
  pastDueOn = (day: string) => auditOf({ ...life, asOf: day }).daysPastDue,
): Audited {
  const book = new Book(life);
  const audit = follow(life, (event, before, after, applied) => book.write(event, before, after, applied));
  const uncounted = uncountedIn(life, audit, pastDueOn);
  if (uncounted(life.asOf) !== null) book.leaveUncounted();
  book.amortize((day) => dayNumber(uncounted(dayText(day))), dayNumber(life.asOf) as number);
  return { audit, balances: book.balances };
}

/**
 * The day on which non-accrual had begun, as the end of a day shows it; null: interest counts. It begins when the days past due are reached
 * and ends with a day at whose end nothing is past due. Between two days on which something happens days past due only grow, so it is enough to
 * look at the end of each of them and at the day before the next one.
 */
function uncountedIn(life: Life, last: Audit, pastDueOn: (day: string) => number): (day: string) => string | null {
  const { nonAccrualDays, returnToAccrual } = life.policy;
  if (nonAccrualDays === null) return () => null;
  if (returnToAccrual.payments > 0) throw new Error('The auditor counts no installments.');
  const dueOn = (day: string) => (day === life.asOf ? last.daysPastDue : pastDueOn(day));
  const funded = life.events.find(({ type }) => type === 'funded');
  const first = funded?.date ?? life.asOf;
  const isDeferred =
    (funded?.type === 'funded' && funded.charges !== undefined) ||
    life.events.some((event) => event.type === 'opened' && event.purchase !== undefined);
  // If nothing is deferred, only the last day counts.
  if (!isDeferred && (last.daysPastDue === 0 || last.daysPastDue >= nonAccrualDays)) {
    return () => (last.daysPastDue === 0 ? null : life.asOf);
  }
  const days = [...new Set(life.events.map(({ date }) => date))]
    .filter((day) => day >= first && day < life.asOf)
    .sort();
  const changes: { day: string; since: string | null }[] = [];
  let since: string | null = null;
  const turn = (day: string, to: string | null) => {
    since = to;
    changes.push({ day, since });
  };
  for (const [i, day] of [...days, life.asOf].entries()) {
    const before = dueOn(day);
    if (before === 0 && since !== null) turn(day, null);
    else if (before >= nonAccrualDays && since === null) turn(day, day);
    const next = days[i + 1] ?? life.asOf;
    let end = day < next ? dayBefore(next) : day;
    if (since !== null || end <= day || dueOn(end) < nonAccrualDays) continue;
    let start = day;
    while (dayText((dayNumber(start) as number) + 1) < end) {
      const middle = dayText(Math.floor(((dayNumber(start) as number) + (dayNumber(end) as number)) / 2));
      if (dueOn(middle) >= nonAccrualDays) end = middle;
      else start = middle;
    }
    turn(end, end);
  }
  return (day) => changes.findLast((change) => change.day <= day)?.since ?? null;
}

const dayNumber = (day: string | null) => (day === null ? null : Date.parse(`${day}T00:00:00Z`) / 86_400_000);
const dayText = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10);
const dayBefore = (day: string) => new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);

export function addBalances(to: Balances, more: Balances): void {
  for (const [account, amount] of more) to.set(account, (to.get(account) ?? 0n) + amount);
}

class Book {
  balances: Balances = new Map();
  /** Payments that were acknowledged. */
  readonly #confirmed: ReadonlySet<string>;
  /** After a charge-off: principal that is kept for the collateral, and money that has taken its place. */
  #kept = 0n;
  #sold = 0n;
  /** Interest of before the owner had the loan that is still owed. It is the oldest, so money pays it first. */
  #broughtInterest = 0n;
  /** The same of the stretch that was open when it became the owner's. */
  #broughtAccrued = 0n;
  #chargedOff = false;
  #deferred: Deferred | null = null;
  #starts = 0;

  constructor({ events, terms }: Life) {
    this.#confirmed = new Set(events.flatMap((one) => (one.type === 'paymentAcknowledged' ? [one.refId] : [])));
    const funded = events.find((event) => event.type === 'funded');
    const charges = funded?.charges;
    if (charges === undefined) return;
    const lent = terms.disbursements[0]?.date ?? terms.interestStart;
    this.#starts = dayNumber(terms.interestStart > lent ? terms.interestStart : lent) as number;
    const costs = BigInt(charges.reserve) + BigInt(charges.costs);
    this.#deferred = new Deferred({ fees: BigInt(charges.kept), costs, discount: 0n });
    this.#move('deferredCosts', 'cash', BigInt(charges.reserve) + BigInt(charges.costs));
    this.#move('cash', 'deferredFees', BigInt(charges.kept));
  }

  write(event: Fact | null, before: Standing, after: Standing, applied: Applied | null): void {
    this.#deferred?.see(event, before, after, this.#starts);
    if (event?.type === 'opened') {
      this.#open(event, after);
      this.#deferred?.see(event, before, after, this.#starts);
      return;
    }
    if (before.chargedOff) this.#afterChargeOff(event, before, after, applied);
    else this.#whileOnTheBooks(event, before, after, applied);
    // Interest of the open stretch is income of its days; the entry grows and ends with the stretch.
    const accrued = after.chargedOff ? 0n : after.accrued;
    this.#move('accruedInterest', 'interestIncome', accrued - (before.chargedOff ? 0n : before.accrued));
    if (!before.owned && after.owned) {
      this.#broughtAccrued = accrued;
      this.#move('interestIncome', 'opening', accrued);
    }
    this.#chargedOff = after.chargedOff;
  }

  /** Nothing of what an earlier servicer did is in these books. */
  #open(event: Extract<Fact, { type: 'opened' }>, after: Standing): void {
    this.balances = new Map();
    this.#deferred = null;
    if (event.purchase !== undefined) {
      const { price, creditDiscount } = event.purchase;
      const discount = after.principal + after.interest - BigInt(price) - BigInt(creditDiscount);
      this.#move('opening', 'purchaseDiscount', discount);
      this.#move('opening', 'allowance', BigInt(creditDiscount));
      this.#starts = after.day;
      this.#deferred = new Deferred({ fees: 0n, costs: 0n, discount });
    }
    this.#move('loanPrincipal', 'opening', after.principal);
    this.#move('interestReceivable', 'opening', after.interest);
    this.#broughtInterest = after.interest;
    this.#broughtAccrued = 0n;
    this.#move('feeReceivable', 'opening', BigInt(event.fees));
  }

  /** Into income while it earns; what is left of a charged-off loan is lost with it. */
  amortize(uncounted: (day: number) => number | null, asOf: number): void {
    if (this.#deferred === null) return;
    const { amortized, left } = this.#deferred.amounts(uncounted, asOf);
    this.#move('deferredFees', 'interestIncome', amortized.fees);
    this.#move('interestIncome', 'deferredCosts', amortized.costs);
    this.#move('purchaseDiscount', 'interestIncome', amortized.discount);
    if (!this.#deferred.chargedOff) return;
    this.#move('deferredFees', 'chargeOffExpense', left.fees);
    this.#move('chargeOffExpense', 'deferredCosts', left.costs);
    this.#move('purchaseDiscount', 'chargeOffExpense', left.discount);
  }

  /** So far past due that interest counts only when it is received: opening interest goes back to `opening`. */
  leaveUncounted(): void {
    if (this.#chargedOff) return;
    this.#move('opening', 'interestReceivable', this.#broughtInterest);
    this.#move('interestIncome', 'interestReceivable', this.balances.get('interestReceivable') ?? 0n);
    this.#move('interestIncome', 'accruedInterest', this.balances.get('accruedInterest') ?? 0n);
    this.#move('opening', 'interestIncome', this.#broughtAccrued);
  }

  #whileOnTheBooks(event: Fact | null, before: Standing, after: Standing, applied: Applied | null): void {
    const earned = after.earned - before.earned;
    const feesPaid = after.fees.paid - before.fees.paid;
    this.#move('interestReceivable', after.owned ? 'interestIncome' : 'opening', earned);
    if (!after.owned) this.#broughtInterest += earned;
    if (after.owned && earned !== 0n) {
      this.#broughtInterest += this.#broughtAccrued;
      this.#broughtAccrued = 0n;
    }
    this.#move('feeReceivable', 'feeIncome', after.fees.assessed - before.fees.assessed);
    const broughtWaived = after.feesBrought.waived - before.feesBrought.waived;
    this.#lose('fee', after.fees.waived - before.fees.waived, broughtWaived);
    /** By how much less is owed, for whatever reason. */
    const less = {
      interest: before.interest + earned - after.interest,
      principal: before.principal - after.principal,
    };
    if (event === null || event.type === 'disbursed') {
      this.#move('loanPrincipal', 'cash', -less.principal);
    } else if (event.type === 'creditRefunded') {
      // The part not covered by the credit is lent again.
      this.#move('borrowerCredits', 'cash', before.credit - after.credit);
      this.#move('loanPrincipal', 'cash', -less.principal);
    } else {
      const paid = event.type === 'paymentSubmitted' && applied !== null;
      const money = paid ? this.#receive(event) : 0n;
      const toCredit = after.credit - before.credit;
      const given = less.interest + less.principal + feesPaid - (money - toCredit);
      const forgiven = given === 0n ? { interest: 0n, principal: 0n } : forgivenOf(given, less, before, after, applied);
      this.#credit('borrowerCredits', toCredit);
      this.#credit('feeReceivable', feesPaid);
      this.#payInterest(less.interest - forgiven.interest);
      this.#credit('loanPrincipal', less.principal - forgiven.principal);
      this.#loseInterest(forgiven.interest);
      this.#move('chargeOffExpense', 'loanPrincipal', forgiven.principal);
    }
    if (after.chargedOff && event?.type === 'chargedOff') this.#chargeOff(event, after);
  }

  #chargeOff({ collateral }: Extract<Fact, { type: 'chargedOff' }>, after: Standing): void {
    const value = BigInt(collateral);
    this.#kept = value < after.principal ? value : after.principal;
    const { assessed, paid, waived } = after.fees;
    this.#move('chargeOffExpense', 'loanPrincipal', after.principal - this.#kept);
    this.#loseInterest(after.interest);
    this.#lose('fee', assessed - paid - waived, after.feesBrought.open);
  }

  #payInterest(amount: bigint): void {
    this.#credit('interestReceivable', amount);
    this.#broughtInterest -= amount < this.#broughtInterest ? amount : this.#broughtInterest;
  }

  #loseInterest(amount: bigint): void {
    const brought = amount < this.#broughtInterest ? amount : this.#broughtInterest;
    this.#lose('interest', amount, brought);
    this.#broughtInterest -= brought;
  }

  /** Taken out of the income it was posted to; opening interest was never income here, and is a loss. */
  #lose(what: 'interest' | 'fee', amount: bigint, brought: bigint): void {
    this.#move(`${what}Income`, `${what}Receivable`, amount - brought);
    this.#move('chargeOffExpense', `${what}Receivable`, brought);
  }

  /** The borrower still owes the debt; the books have only the kept principal, recoveries, and credits. */
  #afterChargeOff(event: Fact | null, before: Standing, after: Standing, applied: Applied | null): void {
    const toCredit = after.credit - before.credit;
    // Money that goes out after it is lost at once.
    if (event?.type === 'creditRefunded' || event?.type === 'disbursed') {
      this.#move('borrowerCredits', 'cash', -toCredit);
      this.#move('chargeOffExpense', 'cash', after.principal - before.principal);
    } else {
      const money = event?.type === 'paymentSubmitted' && applied !== null ? this.#receive(event) : 0n;
      const stays = money - toCredit;
      const forCollateral = stays < this.#kept ? stays : this.#kept;
      this.#credit('borrowerCredits', toCredit);
      this.#credit('loanPrincipal', forCollateral);
      this.#credit('recoveryIncome', stays - forCollateral);
      this.#kept -= forCollateral;
      this.#sold += forCollateral;
    }
    if (event?.type === 'writtenDown') this.#writeDown(BigInt(event.amount));
    // A settlement leaves nothing to keep.
    if (after.principal < this.#kept) this.#writeDown(this.#kept - after.principal);
  }

  /** Money of an earlier day that was not known yet was written down as well: the loss stays, and that money is a recovery. */
  #writeDown(amount: bigint): void {
    const kept = amount < this.#kept ? amount : this.#kept;
    const sold = amount - kept < this.#sold ? amount - kept : this.#sold;
    this.#move('chargeOffExpense', 'loanPrincipal', kept);
    this.#move('chargeOffExpense', 'recoveryIncome', sold);
    this.#kept -= kept;
    this.#sold -= sold;
  }

  #receive({ refId, amount }: { refId: string; amount: number }): bigint {
    this.#debit(this.#confirmed.has(refId) ? 'cash' : 'cashClearing', BigInt(amount));
    return BigInt(amount);
  }

  #move(debit: string, credit: string, amount: bigint): void {
    this.#debit(debit, amount);
    this.#credit(credit, amount);
  }

  #debit(account: string, amount: bigint): void {
    if (amount !== 0n) this.balances.set(account, (this.balances.get(account) ?? 0n) + amount);
  }

  #credit(account: string, amount: bigint): void {
    this.#debit(account, -amount);
  }
}

/** The split of the amount that a quote waived. A credit that was used before pays interest first. */
function forgivenOf(
  given: bigint,
  less: { interest: bigint; principal: bigint },
  before: Standing,
  after: Standing,
  applied: Applied | null,
): { interest: bigint; principal: bigint } {
  if (applied === null || given < 0n) throw new Error(`${given} cents are waived without a quote.`);
  const used = before.credit + applied.credit - after.credit;
  const unpaid = less.interest - applied.interest;
  const interest = unpaid - (used < unpaid ? used : unpaid);
  return { interest, principal: given - interest };
}
