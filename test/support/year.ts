/**
 * A year of loans through the service, in a sandbox whose clock goes on day by day. The auditor is told what was answered, and nothing else: its
 * books of any day follow from these facts and from the contracts as they were agreed.
 */
import { type Audit, audit, type Life } from './auditor/auditor.ts';
import { asText, daysFrom, monthEnd, plusDays } from './auditor/days.ts';
import type { Fact } from './auditor/facts.ts';
import { type Audited, addBalances, type Balances, keepBooks } from './auditor/plain-books.ts';
import { CHARGE_OFF_DAYS, type Intent, LENDER_POLICIES, LENDERS, type PlannedLoan } from './auditor/year-plan.ts';
import type { SandboxBook } from './sandbox-book.ts';
import { creation } from './statuses.ts';

/** A loan of the year, by the facts that were confirmed. */
export class LoanOfTheYear {
  readonly planned: PlannedLoan;
  readonly facts: Fact[] = [];
  loanId = '';
  readonly #kept = new Map<string, Audited>();
  readonly #pastDue = new Map<string, number>();

  constructor(planned: PlannedLoan) {
    this.planned = planned;
  }

  /** By what was known at the end of a day; null before it was recorded. */
  life(asOf: string, knownBy = asOf): Life | null {
    let count = this.facts.length;
    while (count > 0 && (this.facts[count - 1] as Fact).recordedOn > knownBy) count -= 1;
    if (count === 0) return null;
    const { terms, policy, frequency } = this.planned;
    return { terms, policy, frequency, prepaymentPenalty: 0, events: this.facts.slice(0, count), asOf };
  }

  books(day: string): Audited | null {
    const life = this.life(day);
    if (life === null) return null;
    const key = `${day} ${life.events.length}`;
    const kept = this.#kept.get(key) ?? keepBooks(life, (earlier) => this.#pastDueOn(life, earlier));
    this.#kept.set(key, kept);
    return kept;
  }

  /** Facts are only added, so those that bear on a day are known by their number. */
  #pastDueOn(life: Life, day: string): number {
    const bears = ({ type, date }: Fact) => date <= day || type === 'paymentReturned' || type === 'paymentReversed';
    const key = `${day} ${life.events.filter(bears).length}`;
    const known = this.#pastDue.get(key) ?? audit({ ...life, asOf: day }).daysPastDue;
    this.#pastDue.set(key, known);
    return known;
  }

  isChargedOff(knownBy = '9999-12-31'): boolean {
    return this.facts.some(({ type, recordedOn }) => type === 'chargedOff' && recordedOn <= knownBy);
  }

  /** Whether the borrower owed anything at the end of a day, as it was known then. */
  owes(day: string): boolean {
    const audited = this.books(day)?.audit;
    return audited !== undefined && audited.principal + audited.interest + audited.fees > 0;
  }

  /** Money that stayed, less what is owed back and what was given back, as it was known at the end of a day. */
  moneyApplied(day: string): bigint {
    const facts = this.facts.filter(({ recordedOn }) => recordedOn <= day);
    const gone = new Set(
      facts.flatMap((fact) => (fact.type === 'paymentReturned' || fact.type === 'paymentReversed' ? [fact.refId] : [])),
    );
    let applied = this.books(day)?.balances.get('borrowerCredits') ?? 0n;
    for (const fact of facts) {
      if (fact.type === 'paymentSubmitted' && !gone.has(fact.refId)) applied += BigInt(fact.amount);
      if (fact.type === 'creditRefunded') applied -= BigInt(fact.amount);
    }
    return applied;
  }
}

export class Year {
  readonly book: SandboxBook;
  readonly loans: readonly LoanOfTheYear[];
  readonly counts: Record<string, number> = {};
  today: string;
  #moment = 0;
  readonly #out = new Set<LoanOfTheYear>();

  constructor(book: SandboxBook, plan: readonly PlannedLoan[], from: string) {
    this.book = book;
    this.loans = plan.map((planned) => new LoanOfTheYear(planned));
    this.today = from;
  }

  /** A policy for each lender, in force from the first day on. */
  async agree(): Promise<void> {
    for (const lenderId of LENDERS) {
      const { nonAccrualDays, records, returnFee } = LENDER_POLICIES[lenderId];
      const values = {
        ...{ nonAccrualDays, chargeOffDays: CHARGE_OFF_DAYS, returnFee: asText(returnFee) },
        ...{ chargeOff: records ? 'record' : 'propose', overpaymentDays: 10 },
      };
      await this.book.post('policies', { policyId: `P-${lenderId}`, lenderId, from: this.today, values });
    }
  }

  /** Everything that happens on the present day; then the clock goes on to the next. */
  async liveADay(): Promise<void> {
    const { today } = this;
    for (const loan of this.loans) {
      if (loan.planned.begins === today) await this.#begin(loan);
      if (loan.loanId === '') continue;
      for (const intent of loan.planned.intents) if (intent.day === today) await this.#act(loan, intent);
      if (today === monthEnd(today)) await this.#endOfMonth(loan);
    }
    for (const loan of this.loans) this.#countNonAccrual(loan);
    const next = plusDays(today, 1);
    await this.book.on(next);
    this.today = next;
  }

  balances(day: string, lenderId: string | null): Balances {
    const sum: Balances = new Map();
    for (const loan of this.loans) {
      if (lenderId !== null && loan.planned.lenderId !== lenderId) continue;
      const books = loan.books(day);
      if (books !== null) addBalances(sum, books.balances);
    }
    return sum;
  }

  async #begin(loan: LoanOfTheYear): Promise<void> {
    const { body, terms, charges, opening } = loan.planned;
    const { loanId } = await this.book.post('loans', creation(body));
    await this.book.post('start-underwriting', { loanId });
    await this.book.post('complete-underwriting', { loanId, approved: true });
    await this.book.post('initiate-repayment', { loanId });
    loan.loanId = loanId;
    const date = terms.disbursements[0]?.date as string;
    this.#note(loan, { type: 'funded', date, ...(charges === null ? {} : { charges }) });
    if (opening !== null) this.#note(loan, opening);
  }

  /** Someone who can tell that a loan is due to be charged off does it, or the service does. */
  async #endOfMonth(loan: LoanOfTheYear): Promise<void> {
    const { lenderId } = loan.planned;
    if (loan.isChargedOff() || this.#now(loan).daysPastDue < CHARGE_OFF_DAYS) return;
    const date = this.today;
    if (LENDER_POLICIES[lenderId].records) {
      this.#note(loan, { type: 'chargedOff', collateral: 0, date });
      this.#count('charged off by the cycle');
      return;
    }
    const collateral = Math.floor(this.#now(loan).principal * 0.4);
    const body = { loanId: loan.loanId, reason: '120 days past due', collateral: asText(collateral) };
    await this.book.post('charge-off', body);
    this.#note(loan, { type: 'chargedOff', collateral, date });
    this.#count('charged off');
  }

  async #act(loan: LoanOfTheYear, intent: Intent): Promise<void> {
    const { loanId, facts } = loan;
    const now = this.#now(loan);
    const date = this.today;
    const paid = (refId: string) => facts.find((fact) => fact.type === 'paymentSubmitted' && fact.refId === refId);
    const stayed = (refId: string) =>
      paid(refId) !== undefined &&
      !facts.some(
        (fact) => (fact.type === 'paymentReturned' || fact.type === 'paymentReversed') && fact.refId === refId,
      );
    switch (intent.do) {
      case 'pay': {
        if (loan.isChargedOff()) return;
        const wanted = this.#amountOf(loan, intent.amount, now) + (intent.beyond ?? 0);
        // Nobody pays a loan that is paid off.
        if (now.payoff === 0 || wanted <= 0) return;
        const isPayoff = intent.amount === 'payoff';
        const amount = isPayoff ? wanted : Math.min(wanted, now.payoff);
        const { refId, purpose = 'installment' } = intent;
        const backdated = intent.date !== undefined && intent.date >= loan.planned.begins ? intent.date : date;
        const body = {
          ...{ loanId, refId, amount: asText(amount), purpose },
          // By what is owed on an earlier day the same amount may be more than the payoff.
          ...(isPayoff || backdated < date ? { acceptOverpayment: true } : {}),
          ...(backdated < date ? { paymentDate: backdated, reason: 'From the lockbox' } : {}),
        };
        await this.book.post('loan-repay', body);
        this.#note(loan, { type: 'paymentSubmitted', refId, amount, purpose, date: backdated });
        this.#count(backdated < date ? 'backdated' : purpose === 'installment' ? 'payments' : `for ${purpose}`);
        return;
      }
      case 'acknowledge':
        if (!stayed(intent.refId)) return;
        await this.book.post('acknowledge-repayment', { loanId, refId: intent.refId });
        this.#note(loan, { type: 'paymentAcknowledged', refId: intent.refId, date });
        this.#count('acknowledged');
        return;
      case 'return': {
        if (!stayed(intent.refId)) return;
        await this.book.post('return-repayment', { loanId, refId: intent.refId, code: 'R01' });
        const { returnFee } = LENDER_POLICIES[loan.planned.lenderId];
        if (returnFee > 0) {
          const feeId = `return-${intent.refId}`;
          this.#note(loan, { type: 'feeAssessed', feeId, kind: 'fee', amount: returnFee, date });
        }
        this.#note(loan, { type: 'paymentReturned', refId: intent.refId, date });
        this.#count('returned');
        return;
      }
      case 'reverse':
        if (!stayed(intent.refId)) return;
        await this.book.post('reverse-repayment', { loanId, refId: intent.refId, reason: 'Of another loan' });
        this.#note(loan, { type: 'paymentReversed', refId: intent.refId, date });
        this.#count('reversed');
        return;
      case 'refund': {
        const amount = intent.amount === 'credit' ? now.credit : Math.floor(now.credit / 2);
        if (amount === 0) return;
        const { refId } = intent;
        await this.book.post('refund-credit', { loanId, refId, amount: asText(amount) });
        this.#note(loan, { type: 'creditRefunded', refId, amount, date });
        this.#count('refunded');
        return;
      }
      case 'charge a fee': {
        if (now.payoff === 0 || loan.isChargedOff()) return;
        const { feeId, amount } = intent;
        const fee = { feeId, name: 'Document fee', kind: 'fee', amount: asText(amount) };
        await this.book.post('assess-fee', { loanId, ...fee });
        this.#note(loan, { type: 'feeAssessed', feeId, kind: 'fee', amount, date });
        this.#count('fees');
        return;
      }
      case 'waive': {
        const open = Object.entries(now.feeList).map(([feeId, fee]) => ({
          feeId,
          left: fee.amount - fee.paid - fee.waived,
        }));
        const one = open.findLast(({ left }) => left > 0);
        if (one === undefined) return;
        const amount = Math.max(1, Math.floor((one.left * intent.percent) / 100));
        const body = { loanId, feeId: one.feeId, amount: asText(amount), reason: 'Goodwill' };
        await this.book.post('waive-fee', body);
        this.#note(loan, { type: 'feeWaived', feeId: one.feeId, amount, date });
        this.#count('waived');
        return;
      }
      case 'recover': {
        if (!loan.isChargedOff() || now.payoff === 0) return;
        const amount = Math.min(intent.amount, now.payoff);
        await this.book.post('record-recovery', { loanId, refId: intent.refId, amount: asText(amount) });
        this.#note(loan, { type: 'paymentSubmitted', refId: intent.refId, amount, purpose: 'installment', date });
        this.#count('recovered');
        return;
      }
      case 'write down': {
        const kept = Number(loan.books(date)?.balances.get('loanPrincipal') ?? 0n);
        if (!loan.isChargedOff() || kept === 0) return;
        const amount = Math.max(1, Math.floor(kept / 3));
        await this.book.post('write-down', { loanId, amount: asText(amount), reason: 'Sold for less' });
        this.#note(loan, { type: 'writtenDown', amount, date });
        this.#count('written down');
        return;
      }
    }
  }

  #amountOf({ planned }: LoanOfTheYear, amount: Extract<Intent, { do: 'pay' }>['amount'], now: Audit): number {
    if (amount === 'past due') return now.pastDueAmount;
    if (amount === 'payoff') return now.payoff;
    if (typeof amount === 'string') return now.credit;
    const one = now.installments.find(({ n }) => n === amount.n);
    const isLast = amount.n === planned.terms.dueDates.length;
    return Math.floor(((isLast ? now.nextDueAmount : (one?.amount ?? 0)) * amount.percent) / 100);
  }

  #now(loan: LoanOfTheYear): Audit {
    const life = loan.life(this.today);
    if (life === null) throw new Error('The loan is not recorded yet.');
    return audit(life);
  }

  /** Interest that is owed, and that no account has. */
  #countNonAccrual(loan: LoanOfTheYear): void {
    const books = loan.books(this.today);
    if (books === null || loan.isChargedOff()) return;
    const { audit: figures, balances } = books;
    const counted = (balances.get('interestReceivable') ?? 0n) + (balances.get('accruedInterest') ?? 0n);
    const isOut = figures.interest > 0 && counted === 0n;
    if (isOut === this.#out.has(loan)) return;
    this.#count(isOut ? 'non-accrual begun' : 'non-accrual ended');
    if (isOut) this.#out.add(loan);
    else this.#out.delete(loan);
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  #note(loan: LoanOfTheYear, fact: object): void {
    this.#moment += 1;
    const recordedAt = `${this.today}T${String(this.#moment).padStart(9, '0')}`;
    loan.facts.push({ ...fact, recordedOn: this.today, recordedAt } as unknown as Fact);
  }
}

export function daysOf(from: string, to: string): string[] {
  return Array.from({ length: daysFrom(from, to) + 1 }, (_, i) => plusDays(from, i));
}
