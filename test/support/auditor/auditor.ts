/**
 * A second implementation of the servicing rules, for comparison: it walks every calendar day from the first disbursement, adds up
 * the interest of each night as an exact fraction of whole numbers, and applies the rules one after another in the simplest way. It
 * shares nothing with the engine, is slow, and uses no closed form. Where the two differ by a cent, one of them is wrong.
 *
 * Amounts are bigint cents, days are whole numbers (days since 1970-01-01).
 */
import type { Fact, Frequency, LateFee, Policy, Rate, Terms } from './facts.ts';

export type Life = {
  readonly terms: Terms;
  readonly policy: Policy;
  /** The frequency of the due dates. */
  readonly frequency: Frequency;
  readonly prepaymentPenalty: number;
  /** In the order in which they were recorded. Events before funding may be included and are ignored. */
  readonly events: readonly Fact[];
  readonly asOf: string;
};

export type Audit = {
  principal: number;
  interest: number;
  fees: number;
  credit: number;
  payoff: number;
  perDiem: number;
  pastDueAmount: number;
  daysPastDue: number;
  bucket: string;
  nextDueDate: string | null;
  nextDueAmount: number;
  closedBy: string | null;
  payments: Record<string, { fees: number; interest: number; principal: number; credit: number; balance: number }>;
  feeList: Record<string, { date: string; amount: number; paid: number; waived: number; forgiven: number }>;
  installments: { n: number; dueDate: string; amount: number; paid: number; open: number }[];
};

export function audit(life: Life): Audit {
  return report(walk(life, toDay(life.asOf)));
}

/** The figures that the books of a loan are written from. Fees are all that were ever charged. */
export type Standing = {
  readonly principal: bigint;
  /** Interest of stretches that have ended: the unpaid part, and all that was ever earned. */
  readonly interest: bigint;
  readonly earned: bigint;
  /** Interest of the open stretch. */
  readonly accrued: bigint;
  readonly credit: bigint;
  readonly fees: { readonly assessed: bigint; readonly paid: bigint; readonly waived: bigint };
  /** The part of those fees that an earlier servicer had charged. */
  readonly feesBrought: { readonly open: bigint; readonly waived: bigint };
  readonly chargedOff: boolean;
  /** It has been recorded here: what it earns from now on is earned here. */
  readonly owned: boolean;
  readonly day: number;
  /** The ended stretches, and the open one. */
  readonly stretches: readonly Earned[];
  readonly inService: boolean;
  /** The stretches of the contract from this day on, if every payment comes on its day. */
  readonly outlook: () => Earned[];
  /** Money is still to be lent. */
  readonly lendsMore: boolean;
};

/** A stretch, what it earned, and what it would have earned by an earlier day. */
export type Earned = { from: number; to: number; principal: bigint; interest: bigint; by: (day: number) => bigint };

type Watch = (state: State, event: Fact | null) => void;

/**
 * The same walk, reported event by event: the loan after the previous event and after this one. The first report has null for the event
 * and goes from nothing to the money lent; the last has null as well, and contains what happened since the last event. `applied` is what
 * a payment paid, null for one that was returned or reversed.
 */
export function follow(
  life: Life,
  tell: (event: Fact | null, before: Standing, after: Standing, applied: Paid | null) => void,
): Audit {
  const begun = walk(life, Number.NEGATIVE_INFINITY);
  const { principal, since: day } = begun;
  let before: Standing = { ...NOTHING, principal, outlook: outlookFrom({ ...begun, day }) };
  tell(null, NOTHING, before, null);
  const next = (state: State, event: Fact | null, applied: Paid | null) => {
    const after = standingOf(state);
    tell(event, before, after, applied);
    before = after;
  };
  const watch: Watch = (state, event) => {
    const refId = event?.type === 'paymentSubmitted' ? event.refId : '';
    next(state, event, state.payments.get(refId) ?? null);
  };
  const state = walk(life, toDay(life.asOf), watch);
  next(state, null, null);
  return report(state);
}

const NOTHING: Standing = {
  ...{ principal: 0n, interest: 0n, earned: 0n, accrued: 0n, credit: 0n, chargedOff: false, owned: true },
  fees: { assessed: 0n, paid: 0n, waived: 0n },
  feesBrought: { open: 0n, waived: 0n },
  ...{ day: 0, stretches: [], inService: false, outlook: () => [], lendsMore: false },
};

function standingOf(state: State): Standing {
  const { principal, interest, credit, chargedOff, ended } = state;
  const earned = ended.reduce((sum, stretch) => sum + stretch.interest, 0n);
  const fees = { assessed: 0n, paid: 0n, waived: 0n };
  for (const { amount, paid, waived } of state.fees) {
    fees.assessed += amount;
    fees.paid += paid;
    fees.waived += waived;
  }
  const brought = state.fees.find(({ id }) => id === 'opening');
  const feesBrought = { open: brought ? unpaidOf(brought) : 0n, waived: brought?.waived ?? 0n };
  const accrued = openInterest(state, state.day);
  const owned = state.day >= ownedFrom(state.life);
  const { day, service, terms } = state;
  const open = { from: state.since, to: day, principal, rate: state.rate };
  const all = state.accruing && day > state.since ? [...ended, open] : ended;
  const stretches = all.map((one) => earnedIn(one, terms));
  const lendsMore = terms.disbursements.some(({ date }) => toDay(date) > day);
  const outlook = outlookFrom({ ...state, installments: state.installments.map((one) => ({ ...one })) });
  const also = { day, stretches, inService: service !== null, outlook, lendsMore };
  return { principal, interest, earned, accrued, credit, fees, feesBrought, chargedOff, owned, ...also };
}

function earnedIn(one: Stretch, terms: Terms): Earned {
  const by = (day: number) => interestOf({ ...one, to: day }, terms);
  const { from, to, principal } = one;
  return { from, to, principal, interest: by(to), by };
}

/** Everything past due is paid at once, and the last installment pays whatever is left. */
function outlookFrom(state: State): () => Earned[] {
  const { day: begins, terms, installments, service, agreed, rate: present } = state;
  return () => {
    const sorted = [...installments].sort((a, b) => a.due - b.due || a.n - b.n);
    const last = sorted.at(-1);
    const due = sorted.filter((one) => !isPaid(one) || one === last);
    let { principal, interest } = state;
    interest += openInterest(state, begins);
    let [rate, agreedRate] = [present, agreed];
    let since = begins;
    const found: Earned[] = [];
    const end = Math.max(begins, ...due.map((one) => one.due), ...terms.disbursements.map(({ date }) => toDay(date)));
    for (let day = begins; day <= end; day++) {
      const paid = due.filter((one) => Math.max(begins, one.due) === day);
      const lent = terms.disbursements.filter(({ date }) => day > begins && toDay(date) === day);
      const changed = terms.rateChanges.filter(({ date }) => day > begins && toDay(date) === day);
      const leaves = service !== null && service.over === day && day > begins;
      if (paid.length + lent.length + changed.length === 0 && !leaves) continue;
      if (day > since) {
        const one = earnedIn({ from: since, to: day, principal, rate }, terms);
        found.push(one);
        interest += one.interest;
        since = day;
      }
      for (const { amount } of lent) principal += BigInt(amount);
      for (const change of changed) agreedRate = change.rate;
      if (leaves || changed.length > 0) {
        rate = service === null || day >= service.over ? agreedRate : lowerRate(agreedRate, service.rate);
      }
      for (const one of paid) {
        const owed = principal + interest;
        const open = one.amount > one.paid ? one.amount - one.paid : 0n;
        const money = one === last ? owed : open;
        const toInterest = smaller(money, interest);
        interest -= toInterest;
        principal -= smaller(principal, money - toInterest);
      }
      if (principal === 0n && !terms.disbursements.some(({ date }) => toDay(date) > day)) break;
    }
    return found;
  };
}

/** The day on which the figures of an earlier servicer were recorded; every day is later where there are none. */
function boardedOn({ events }: Life): number {
  const opened = events.find(({ type }) => type === 'opened');
  return opened === undefined ? Number.NEGATIVE_INFINITY : toDay(opened.recordedOn);
}

/** The day from which interest is the owner's: that of the figures, if no other was given. */
function ownedFrom({ events }: Life): number {
  const opened = events.find((event) => event.type === 'opened');
  return opened === undefined ? Number.NEGATIVE_INFINITY : toDay(opened.ownedFrom ?? opened.date);
}

// ---- days ----

type Civil = { year: number; month: number; day: number };
const civilDays = new Map<number, Civil>();

const knownDays = new Map<string, number>();

function toDay(text: string): number {
  const known = knownDays.get(text) ?? Date.parse(`${text}T00:00:00Z`) / 86_400_000;
  knownDays.set(text, known);
  return known;
}

function toText(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}

function civil(day: number): Civil {
  let known = civilDays.get(day);
  if (known === undefined) {
    const date = new Date(day * 86_400_000);
    known = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
    civilDays.set(day, known);
  }
  return known;
}

function monthLength(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** The day `keep` of the month `months` later, or that month's last day. */
function monthsLater(day: number, months: number, keep: number): number {
  const { year, month } = civil(day);
  const first = new Date(Date.UTC(year, month - 1 + months, 1));
  const length = monthLength(first.getUTCFullYear(), first.getUTCMonth() + 1);
  return first.getTime() / 86_400_000 + Math.min(keep, length) - 1;
}

// ---- interest ----

type Stretch = { from: number; to: number; principal: bigint; rate: Rate };

/** The fraction of a year between two days, counted day by day, over `basis`. */
function time(from: number, to: number, dayCount: Terms['dayCount']): { units: bigint; basis: bigint } {
  const fixed = { 'actual/365': 365n, 'actual/360': 360n, 'actual/364': 364n }[dayCount as string];
  if (fixed !== undefined) {
    let units = 0n;
    for (let day = from; day < to; day++) units += 1n;
    return { units, basis: fixed };
  }
  if (dayCount === 'actual/actual') {
    // A day of a common year is 366, one of a leap year 365, of 365 × 366.
    let units = 0n;
    for (let day = from; day < to; day++) units += monthLength(civil(day).year, 2) === 29 ? 365n : 366n;
    return { units, basis: 365n * 366n };
  }
  return { units: BigInt(thirty(civil(from), civil(to), dayCount)), basis: 360n };
}

/**
 * Months of thirty days. A night's share depends on where its stretch began (the 31st counts after the 15th and does not after the
 * 30th), so the count is taken from the stretch's beginning and not from one day to the next.
 */
function thirty(from: Civil, to: Civil, dayCount: Terms['dayCount']): number {
  const last = ({ year, month, day }: Civil) => day === monthLength(year, month);
  let one = from.day;
  let two = to.day;
  if (dayCount === '30E/360' || dayCount === '30E/360 ISDA') {
    if (one === 31 || (dayCount === '30E/360 ISDA' && last(from))) one = 30;
    if (two === 31 || (dayCount === '30E/360 ISDA' && last(to))) two = 30;
  } else {
    const february = dayCount === '30/360 US' && from.month === 2 && last(from);
    if (february && to.month === 2 && last(to)) two = 30;
    if (february) one = 30;
    if (two === 31 && one >= 30) two = 30;
    if (one === 31) one = 30;
  }
  return 360 * (to.year - from.year) + 30 * (to.month - from.month) + (two - one);
}

function round(numerator: bigint, denominator: bigint, mode: 'half-up' | 'half-even'): bigint {
  const whole = numerator / denominator;
  const rest = numerator - whole * denominator;
  if (2n * rest === denominator) return mode === 'half-up' || whole % 2n === 1n ? whole + 1n : whole;
  return 2n * rest > denominator ? whole + 1n : whole;
}

function interestOf({ from, to, principal, rate }: Stretch, terms: Terms): bigint {
  if (to <= from) return 0n;
  const { units, basis } = time(from, to, terms.dayCount);
  return round(principal * BigInt(rate.digits) * units, 10n ** BigInt(rate.scale + 2) * basis, terms.rounding);
}

// ---- the schedule ----

type Installment = {
  n: number;
  due: number;
  amount: bigint;
  principal: bigint;
  interest: bigint;
  paid: bigint;
  /** Paid at an earlier servicer. */
  settled: boolean;
  judged: boolean;
  /** The part that counts when late fees are judged by the installment most recently due. */
  counts: bigint;
};

/** Between two payments: parts with constant principal and rate. */
type Period = { n: number; parts: { from: number; to: number; added: bigint; rate: Rate; units: bigint }[] };

function periodsOf(terms: Terms): Period[] {
  const start = toDay((terms.disbursements[0] as { date: string }).date);
  const interestStart = toDay(terms.interestStart);
  const lent = new Map<number, bigint>();
  for (const { date, amount } of terms.disbursements) {
    lent.set(toDay(date), (lent.get(toDay(date)) ?? 0n) + BigInt(amount));
  }
  let rate: Rate = terms.rate;
  const rates = new Map<number, Rate>();
  for (const change of terms.rateChanges) {
    if (toDay(change.date) < start) rate = change.rate;
    else rates.set(toDay(change.date), change.rate);
  }
  const periods: Period[] = [];
  let parts: Period['parts'] = [];
  let open: Period['parts'][number] | null = null;
  let day = start;
  terms.dueDates.forEach((date, i) => {
    if (terms.skip.includes(i + 1)) return;
    for (; day < toDay(date); day++) {
      rate = rates.get(day) ?? rate;
      if (open === null || lent.has(day) || rates.has(day) || day === interestStart) {
        open = { from: day, to: day, added: lent.get(day) ?? 0n, rate, units: 0n };
        parts.push(open);
      }
      // Nights before interest starts cost nothing.
      if (day >= interestStart) open.to = day + 1;
    }
    // A disbursement on a due date comes before that day's payment.
    const today = lent.get(day);
    if (today !== undefined) parts.push({ from: day, to: day, added: today, rate, units: 0n });
    lent.delete(day);
    for (const part of parts) part.units = time(part.from, part.to, terms.dayCount).units;
    periods.push({ n: i + 1, parts });
    parts = [];
    open = null;
  });
  return periods;
}

function paysInterestOnly(terms: Terms, n: number): boolean {
  if (terms.interestOnlyCount > 0) return n <= terms.interestOnlyCount;
  return terms.amortization === 'InterestOnly' && n < terms.dueDates.length;
}

/**
 * By how much the last installment, without the balloon, is larger than the others when each of those is `halfCents`. Nothing is rounded:
 * every amount is a whole number over a denominator that grows by one factor in each period. Only the sign is used.
 */
function lastIsLargerBy(terms: Terms, periods: Period[], brought: bigint, halfCents: bigint): bigint {
  const scale = Math.max(terms.rate.scale, ...terms.rateChanges.map(({ rate }) => rate.scale));
  const factor = 10n ** BigInt(scale + 2) * time(0, 0, terms.dayCount).basis;
  let denominator = 2n;
  let principal = 0n;
  let unpaid = 2n * brought;
  for (const { n, parts } of periods) {
    principal *= factor;
    unpaid *= factor;
    denominator *= factor;
    for (const { added, rate, units } of parts) {
      principal += added * denominator;
      unpaid += (principal / factor) * BigInt(rate.digits) * 10n ** BigInt(scale - rate.scale) * units;
    }
    const payment = halfCents * (denominator / 2n);
    if (n === terms.dueDates.length) return principal + unpaid - BigInt(terms.balloon) * denominator - payment;
    const asked = paysInterestOnly(terms, n) ? unpaid : payment;
    const paid = smaller(asked, principal + unpaid);
    const interest = smaller(paid, unpaid);
    unpaid -= interest;
    principal -= paid - interest;
  }
  throw new Error('The last installment cannot be skipped.');
}

/** Level payments that were computed before, by terms and interest carried over: a loan is computed many times. */
const levelPayments = new WeakMap<Terms, Map<bigint, bigint>>();

function levelPayment(terms: Terms, brought = 0n): bigint {
  const known = levelPayments.get(terms) ?? new Map<bigint, bigint>();
  levelPayments.set(terms, known);
  const level = known.get(brought) ?? findLevelPayment(terms, brought);
  known.set(brought, level);
  return level;
}

/** The payment that clears the loan lies between two cents; the nearer one is the level payment. */
function findLevelPayment(terms: Terms, brought: bigint): bigint {
  const periods = periodsOf(terms);
  const larger = (halfCents: bigint) => lastIsLargerBy(terms, periods, brought, halfCents);
  let low = 0n;
  let high = 1n;
  while (larger(2n * high) > 0n) high *= 2n;
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (larger(2n * middle) >= 0n) low = middle;
    else high = middle;
  }
  const half = larger(2n * low + 1n);
  if (half === 0n) return terms.rounding === 'half-up' || low % 2n === 1n ? high : low;
  return half > 0n ? high : low;
}

export function scheduleOf(terms: Terms): { n: number; due: string; payment: bigint; interest: bigint }[] {
  return installmentsOf(terms).map(({ n, due, amount, interest }) => ({
    n,
    due: toText(due),
    payment: amount,
    interest,
  }));
}

/** `brought` is interest that is already owed when the schedule begins; its first payment pays it. */
function installmentsOf(terms: Terms, brought = 0n): Installment[] {
  const periods = periodsOf(terms);
  const count = terms.dueDates.length;
  const allInterestOnly = terms.amortization === 'InterestOnly' && terms.interestOnlyCount === 0;
  const level = terms.payment !== null ? BigInt(terms.payment) : allInterestOnly ? 0n : levelPayment(terms, brought);
  const lastLent = toDay((terms.disbursements.at(-1) as { date: string }).date);
  const rows: Installment[] = [];
  let principal = 0n;
  let unpaid = brought;
  for (const { n, parts } of periods) {
    for (const { from, to, added, rate } of parts) {
      principal += added;
      unpaid += interestOf({ from, to, principal, rate }, terms);
    }
    while (rows.length + 1 < n) rows.push(installment(terms, rows.length + 1, 0n, 0n));
    const owed = principal + unpaid;
    const asked = n === count ? owed : paysInterestOnly(terms, n) ? unpaid : level;
    const payment = asked < owed ? asked : owed;
    const interest = payment < unpaid ? payment : unpaid;
    unpaid -= interest;
    principal -= payment - interest;
    rows.push(installment(terms, n, payment, interest));
    if (principal === 0n && unpaid === 0n && lastLent <= toDay(terms.dueDates[n - 1] as string)) break;
  }
  return rows;
}

function installment(terms: Terms, n: number, amount: bigint, interest: bigint): Installment {
  const due = toDay(terms.dueDates[n - 1] as string);
  return {
    n,
    due,
    amount,
    interest,
    principal: amount - interest,
    paid: 0n,
    settled: false,
    judged: false,
    counts: 0n,
  };
}

// ---- the walk ----

type Fee = {
  id: string;
  kind: string;
  date: number;
  amount: bigint;
  paid: bigint;
  waived: bigint;
  late: boolean;
  /** The part not charged because of military service. */
  forgiven: bigint;
};
/** `over`: the first day after it. */
type Service = { since: number; over: number; rate: Rate };
type Paid = { fees: bigint; interest: bigint; principal: bigint; credit: bigint; balance: bigint };
/** The allocation of a payment, and its order. */
type Allocated = { paid: Paid; order: { what: 'fees' | 'interest' | 'principal'; amount: bigint; fee: Fee | null }[] };
type Quote = {
  kind: string;
  amount: bigint;
  from: number;
  through: number;
  at: string;
  received: bigint;
  honoured: number | null;
};

type State = {
  life: Life;
  watch: Watch | null;
  terms: Terms;
  day: number;
  principal: bigint;
  /** Unpaid interest of stretches that have ended. */
  interest: bigint;
  /** In force, and as it would be without military service. */
  rate: Rate;
  agreed: Rate;
  service: Service | null;
  accruing: boolean;
  since: number;
  ended: (Stretch & { interest: bigint })[];
  rates: { from: number; rate: Rate }[];
  installments: Installment[];
  rhythm: Rhythm;
  fees: Fee[];
  /** Late fees that are known to be due on a later day. */
  waiting: { day: number; n: number; amount: bigint }[];
  lateInstallments: Set<number>;
  lateFeeMoney: bigint;
  /** Payments that satisfy no installment. */
  others: { day: number; paid: Paid }[];
  credit: bigint;
  payments: Map<string, Paid>;
  /** All payments by now, including those that were returned or reversed. */
  submitted: { refId: string; purpose: string; day: number }[];
  quotes: Quote[];
  chargedOff: boolean;
  /** Everything is due. */
  accelerated: boolean;
  /** The opening figures of an earlier servicer have been applied. */
  opened: boolean;
};

const BEFORE_LATE_FEES = [
  'opened',
  'disbursed',
  'rateChanged',
  'militaryService',
  'dueDateChanged',
  'extended',
  'reaged',
];
const AFTER_LATE_FEES = [
  'feeAssessed',
  'feeWaived',
  'payoffQuoted',
  'paymentSubmitted',
  'reamortized',
  'creditRefunded',
  'accelerated',
  'chargedOff',
  'writtenDown',
];

function walk(life: Life, until: number, watch: Watch | null = null): State {
  const { terms, events } = life;
  const start = toDay((terms.disbursements[0] as { date: string }).date);
  const state: State = {
    life,
    watch,
    terms,
    day: start,
    principal: BigInt((terms.disbursements[0] as { amount: number }).amount),
    interest: 0n,
    rate: terms.rate,
    agreed: terms.rate,
    service: null,
    accruing: true,
    since: Math.max(start, toDay(terms.interestStart)),
    ended: [],
    rates: [{ from: start, rate: terms.rate }],
    installments: installmentsOf(terms),
    rhythm: rhythmOf(life.frequency, toDay(terms.dueDates[0] as string)),
    fees: [],
    waiting: [],
    lateInstallments: new Set(),
    lateFeeMoney: 0n,
    others: [],
    submitted: [],
    credit: 0n,
    payments: new Map(),
    quotes: [],
    chargedOff: false,
    accelerated: false,
    opened: false,
  };
  const stamp = { recordedOn: terms.disbursements[0]?.date, recordedAt: '' };
  const all = [
    ...terms.disbursements.slice(1).map((one) => ({ type: 'disbursed', ...one, ...stamp })),
    ...terms.rateChanges.map((one) => ({ type: 'rateChanged', why: 'contract', ...one, ...stamp })),
    ...events,
  ] as Fact[];
  const ownsFrom = ownedFrom(life);
  const byDay = Map.groupBy(all, (event) => Math.max(start, toDay(event.date)));
  for (; state.day <= until; state.day++) {
    const everything = byDay.get(state.day) ?? [];
    if (leaveService(state)) watch?.(state, null);
    if (state.day === ownsFrom) watch?.(state, null);
    if (everything.length === 0) {
      lateFees(state);
      continue;
    }
    // Events recorded once the loan is charged off cannot have come before that.
    const ends = everything.filter(({ type }) => type === 'chargedOff').map(({ recordedAt }) => recordedAt);
    const end = ends.sort()[0];
    const today = everything.filter(({ recordedAt }) => end === undefined || recordedAt <= end);
    for (const type of BEFORE_LATE_FEES) for (const event of kind(today, type)) happen(state, event);
    lateFees(state);
    for (const type of AFTER_LATE_FEES) for (const event of kind(today, type)) happen(state, event);
    const later = everything.filter((event) => !today.includes(event));
    for (const type of [...BEFORE_LATE_FEES, ...AFTER_LATE_FEES]) {
      for (const event of kind(later, type)) happen(state, event);
    }
  }
  state.day = until;
  return state;
}

/** Events of a kind, as they were recorded. */
function kind(today: readonly Fact[], type: string): Fact[] {
  return today.filter((event) => event.type === type);
}

function openInterest(state: State, on: number): bigint {
  if (!state.accruing) return 0n;
  return interestOf({ from: state.since, to: on, principal: state.principal, rate: state.rate }, state.terms);
}

function endStretch(state: State): void {
  const { day, since, principal, rate } = state;
  if (day <= since) return;
  if (state.accruing) {
    const interest = openInterest(state, day);
    state.ended = [...state.ended, { from: since, to: day, principal, rate, interest }];
    state.interest += interest;
  }
  state.since = day;
}

function happen(state: State, event: Fact): void {
  takeEffect(state, event);
  state.watch?.(state, event);
}

function takeEffect(state: State, event: Fact): void {
  switch (event.type) {
    case 'opened': {
      state.opened = true;
      state.principal = BigInt(event.principal);
      state.interest = BigInt(event.interest);
      state.ended = [];
      state.since = state.day;
      state.waiting = [];
      state.fees = [];
      if (event.fees > 0) addFee(state, 'opening', 'fee', BigInt(event.fees), false);
      for (const one of state.installments) {
        // Late fees whose grace days had ended by then were the earlier servicer's.
        if (one.due + (state.life.policy.lateFee?.graceDays ?? 0) + 1 <= state.day) one.judged = true;
        if (event.paidThrough === null || one.due > toDay(event.paidThrough)) continue;
        one.settled = true;
        one.paid = one.amount;
        one.counts = one.amount;
      }
      return;
    }
    case 'disbursed':
      endStretch(state);
      state.principal += BigInt(event.amount);
      return;
    case 'rateChanged':
      endStretch(state);
      state.agreed = event.rate;
      state.rates.push({ from: state.day, rate: event.rate });
      state.rate = rateInForce(state);
      return;
    case 'militaryService': {
      const service = serviceOf(state, event);
      if (service === null) return;
      endStretch(state);
      if (service.over <= state.day) return;
      state.service = service;
      state.rate = rateInForce(state);
      lowerPayments(state, service);
      return;
    }
    case 'extended':
      forgiveMissed(move(state, () => (due) => times(event.periods, due, state.rhythm)));
      return;
    case 'dueDateChanged': {
      const to = toDay(event.to);
      // As agreed: installments due before stay, whatever is recorded of them later.
      const from = event.from === null ? null : toDay(event.from);
      const { rhythm } = state;
      if (rhythm.kind === 'months') {
        // Another day of the month from now on.
        const { day } = civil(to);
        move(state, (oldest) => (due) => monthsLater(due, monthsApart(from ?? oldest, to), day), from);
        state.rhythm = { ...rhythm, day };
      } else {
        move(state, (oldest) => (due) => due + to - (from ?? oldest), from);
        if (rhythm.kind === 'pair') state.rhythm = pairOf(civil(to).day);
      }
      return;
    }
    case 'reaged':
      forgiveMissed(
        move(state, (oldest) => {
          let periods = 0;
          while (times(periods, oldest, state.rhythm) < state.day) periods += 1;
          return (due) => times(periods, due, state.rhythm);
        }),
      );
      return;
    case 'reamortized':
      reamortize(state);
      return;
    case 'feeAssessed':
      addFee(state, event.feeId, event.kind, BigInt(event.amount), false);
      settleFromCredit(state);
      return;
    case 'feeWaived': {
      const fee = state.fees.find(({ id }) => id === event.feeId);
      if (fee !== undefined) fee.waived += smaller(BigInt(event.amount), unpaidOf(fee));
      return;
    }
    case 'payoffQuoted': {
      // It was made from what had been paid by then: if any of that was returned or reversed afterwards, the quote is void.
      const { events } = state.life;
      const broken = events.some(
        (back) =>
          isTakenBack(back) &&
          back.recordedAt >= event.recordedAt &&
          events.some(
            (one) => one.type === 'paymentSubmitted' && one.refId === back.refId && one.recordedAt < event.recordedAt,
          ),
      );
      if (broken) return;
      state.quotes.push({
        amount: BigInt(event.amount),
        from: state.day,
        through: toDay(event.goodThrough),
        at: event.recordedAt,
        received: 0n,
        honoured: null,
        kind: event.kind,
      });
      return;
    }
    case 'paymentSubmitted': {
      state.submitted.push({ refId: event.refId, purpose: event.purpose, day: state.day });
      if (!state.life.events.some((one) => isTakenBack(one) && one.refId === event.refId)) pay(state, event);
      return;
    }
    case 'creditRefunded': {
      const covered = smaller(BigInt(event.amount), state.credit);
      state.credit -= covered;
      const lent = BigInt(event.amount) - covered;
      // The credit that the quotes counted has been refunded: all earlier quotes are void.
      state.quotes = state.quotes.filter(
        ({ honoured, through, at }) => honoured !== null || through < state.day || at > event.recordedAt,
      );
      // A refund beyond the credit becomes principal.
      if (lent > 0n) endStretch(state);
      state.principal += lent;
      return;
    }
    case 'accelerated':
      state.accelerated = true;
      for (const one of state.installments) one.due = Math.min(one.due, state.day);
      return;
    case 'chargedOff':
      endStretch(state);
      // Nothing is owed: nothing to charge off.
      if (
        state.principal === 0n &&
        state.interest === 0n &&
        state.fees.every((fee) => fee.amount === fee.paid + fee.waived)
      ) {
        return;
      }
      state.chargedOff = true;
      state.accruing = state.life.policy.accrueAfterChargeOff;
      return;
    default:
      return;
  }
}

function isTakenBack(event: Fact): event is Extract<Fact, { type: 'paymentReturned' | 'paymentReversed' }> {
  return event.type === 'paymentReturned' || event.type === 'paymentReversed';
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function unpaidOf(fee: Fee): bigint {
  return fee.amount - fee.paid - fee.waived;
}

/** 50 USC 3937: fees are interest, so no more is charged than 6 % leaves. */
function addFee(state: State, id: string, kind: string, amount: bigint, late: boolean): void {
  const charged = smaller(amount, roomFor(state, amount));
  state.fees.push({
    id,
    kind,
    date: state.day,
    amount: charged,
    paid: 0n,
    waived: 0n,
    late,
    forgiven: amount - charged,
  });
}

// ---- military service ----

/** Null: it was corrected later by a report with the same first day. The next service, where there is one, ends it. */
function serviceOf({ life, day }: State, event: Extract<Fact, { type: 'militaryService' }>): Service | null {
  const reports = life.events.filter((one) => one.type === 'militaryService');
  if (reports.some((one) => one.from === event.from && one.recordedAt > event.recordedAt)) return null;
  const ends = [event.to === null ? Number.POSITIVE_INFINITY : toDay(event.to) + 1];
  for (const one of reports) if (one.from > event.from) ends.push(toDay(one.from));
  return { since: day, over: Math.min(...ends), rate: event.rate };
}

function leaveService(state: State): boolean {
  if (state.service === null || state.day < state.service.over) return false;
  endStretch(state);
  state.service = null;
  state.rate = rateInForce(state);
  return true;
}

function lowerRate(one: Rate, other: Rate): Rate {
  return one.digits * 10 ** other.scale <= other.digits * 10 ** one.scale ? one : other;
}

function rateInForce({ agreed, service }: State): Rate {
  return service === null ? agreed : lowerRate(agreed, service.rate);
}

const SIX: Rate = { digits: 6, scale: 0 };

/** The part of an amount that may be charged: interest at 6 % of the days in service, less actual interest and the fees of those days. */
function roomFor(state: State, amount: bigint): bigint {
  const { service, terms, day, since, principal, rate } = state;
  if (service === null) return amount;
  const present = state.accruing ? [{ from: since, to: day, principal, rate, interest: openInterest(state, day) }] : [];
  let room = 0n;
  for (const stretch of [...state.ended, ...present]) {
    if (stretch.from < service.since) continue;
    room += interestOf({ ...stretch, rate: SIX }, terms) - stretch.interest;
  }
  for (const fee of state.fees) {
    if (fee.date >= service.since && fee.id !== 'opening') room -= fee.amount - fee.waived;
  }
  return room < 0n ? 0n : room;
}

// ---- installments ----

/** The distance from one due date to the next. A pair is two days a month, fifteen days apart. */
type Rhythm =
  | { kind: 'days'; days: number }
  | { kind: 'months'; months: number; day: number }
  | { kind: 'pair'; early: number };

function pairOf(day: number): Rhythm {
  return { kind: 'pair', early: day <= 15 ? day : day - 15 };
}

/** The first due date sets the day of the month; the others keep it. */
function rhythmOf(frequency: Frequency, first: number): Rhythm {
  const { day } = civil(first);
  switch (frequency) {
    case 'Weekly':
      return { kind: 'days', days: 7 };
    case 'BiWeekly':
      return { kind: 'days', days: 14 };
    case 'SemiMonthly':
      return pairOf(day);
    default:
      return { kind: 'months', months: { Monthly: 1, Quarterly: 3, SemiAnnual: 6, Annual: 12 }[frequency], day };
  }
}

/** A date that is not one of the rhythm's keeps its own day, or its own pair. */
function times(count: number, due: number, rhythm: Rhythm): number {
  const { day } = civil(due);
  if (rhythm.kind === 'days') return due + count * rhythm.days;
  if (rhythm.kind === 'months') {
    const keep = monthsLater(due, 0, rhythm.day) === due ? rhythm.day : day;
    return monthsLater(due, count * rhythm.months, keep);
  }
  const fits = day === rhythm.early || monthsLater(due, 0, rhythm.early + 15) === due;
  const early = fits ? rhythm.early : day <= 15 ? day : day - 15;
  let next = due;
  for (let i = 0; i < count; i++) {
    next = civil(next).day === early ? monthsLater(next, 0, early + 15) : monthsLater(next, 1, early);
  }
  return next;
}

/**
 * All unpaid installments move as the oldest of them does. One in the past that counts as paid stays where it is, and so does
 * a skipped one. The last takes what is left of the loan, so where no other has an amount due it moves alone, paid or not.
 */
function move(
  state: State,
  by: (oldest: number) => (due: number) => number,
  from: number | null = null,
): Installment[] {
  const { installments, day, life } = state;
  // A loan that is paid off has nothing to move.
  if (state.principal === 0n && state.interest === 0n) return [];
  const last = installments.at(-1) as Installment;
  const after = installments.filter((one) => from === null || one.due >= from);
  const unpaid = after.filter(
    (one) => !isPaid(one) && (one === last || one.due >= day || !countsAsPaid(one.paid, one.amount, life.policy)),
  );
  // Those before the first with an amount due stay as well.
  const first = unpaid.findIndex((one) => one.paid < one.amount || one === last);
  const left = first < 0 ? after.filter((one) => one === last) : unpaid.slice(first);
  if (left.length === 0) return [];
  const moved = by((left[0] as Installment).due);
  for (const one of left) one.due = moved(one.due);
  installments.sort((a, b) => a.due - b.due || a.n - b.n);
  return left;
}

/** Nothing is past due any more: money that was allocated to the moved installments counts for them. */
function forgiveMissed(moved: readonly Installment[]): void {
  for (const one of moved) one.counts = one.paid;
}

function monthsApart(from: number, to: number): number {
  const [a, b] = [civil(from), civil(to)];
  return 12 * (b.year - a.year) + b.month - a.month;
}

/**
 * 50 USC 3937: each payment falls by the interest forgiven in its period, on the balance of the schedule. Installments that are paid or
 * due stay as they were. For one that was moved, the interest forgiven in the period that was agreed counts in proportion to the days
 * of service in its present period.
 */
function lowerPayments(state: State, service: Service): void {
  const { terms, installments, day } = state;
  let balance = installments.reduce((sum, { principal }) => sum + principal, 0n);
  let since = Math.max(toDay(terms.interestStart), toDay((terms.disbursements[0] as { date: string }).date));
  let sinceAgreed = since;
  for (const one of installments) {
    if (terms.skip.includes(one.n)) continue;
    const agreed = toDay(terms.dueDates[one.n - 1] as string);
    const { principal } = one;
    if (one.due > day && !isPaid(one)) {
      if (one.due === agreed && since === sinceAgreed) {
        lower(one, forgivenIn(state, service, { from: since, to: one.due, balance }));
      } else {
        const period = { from: sinceAgreed, to: agreed, principal: balance };
        const low = lowerRate(state.agreed, service.rate);
        const whole =
          interestOf({ ...period, rate: state.agreed }, terms) - interestOf({ ...period, rate: low }, terms);
        const served = Math.min(one.due, service.over) - Math.max(since, service.since);
        if (served > 0) lower(one, round(whole * BigInt(served), BigInt(one.due - since), terms.rounding));
      }
    }
    balance -= principal;
    since = one.due;
    sinceAgreed = agreed;
  }
}

/** Interest first; a payment that was less than its interest then pays less principal. */
function lower(one: Installment, by: bigint): void {
  const interest = smaller(by, one.interest);
  const principal = smaller(by - interest, one.principal);
  one.interest -= interest;
  one.principal -= principal;
  one.amount -= interest + principal;
}

/** Night after night of service: what the agreed rate costs above the lower one; rounded where the agreed rate or the balance changes. */
function forgivenIn(
  { terms, rates, day }: State,
  service: Service,
  { from, to, balance }: { from: number; to: number; balance: bigint },
): bigint {
  const coming = terms.rateChanges.filter(({ date }) => toDay(date) > day);
  const all = [...rates, ...coming.map(({ date, rate }) => ({ from: toDay(date), rate }))];
  const agreedOn = (on: number) => all.findLast((change) => change.from <= on)?.rate ?? terms.rate;
  const lentAfter = (on: number) =>
    terms.disbursements.reduce((sum, { date, amount }) => (toDay(date) > on ? sum + BigInt(amount) : sum), 0n);
  const end = Math.min(to, service.over);
  let since = Math.max(from, service.since);
  let forgiven = 0n;
  for (let night = since + 1; night <= end; night++) {
    const ends = night === end || lentAfter(night) !== lentAfter(since) || all.some((change) => change.from === night);
    if (!ends) continue;
    const owed = balance - lentAfter(since);
    const stretch = { from: since, to: night, principal: owed < 0n ? 0n : owed };
    const rate = agreedOn(since);
    forgiven += interestOf({ ...stretch, rate }, terms);
    forgiven -= interestOf({ ...stretch, rate: lowerRate(rate, service.rate) }, terms);
    since = night;
  }
  return forgiven;
}

/**
 * Installments that are due keep their open amounts, which pay the interest owed and then principal; the rest of the principal is spread
 * over the others. Interest beyond what is due is added to the first of them.
 */
function reamortize(state: State): void {
  const { terms, day } = state;
  const left = state.installments.filter((one) => one.due > day && !isPaid(one));
  const due = [...asked(state, day).values()].reduce((sum, amount) => sum + amount, 0n);
  const interest = state.interest + openInterest(state, day);
  const principal = state.principal - (due > interest ? due - interest : 0n);
  if (left.length === 0 || principal <= 0n) return;
  // With nothing due, the present stretch is the beginning of the new first period and is rounded with it.
  const interestStart = due === 0n ? state.since : day;
  const date = toText(Math.min(interestStart, day));
  const brought = due === 0n ? state.interest : interest > due ? interest - due : 0n;
  const passed = state.installments.length - left.length;
  const lastDue = (left.at(-1) as Installment).due;
  const balloon = BigInt(terms.balloon) < principal ? terms.balloon : 0;
  // A loan that pays interest alone to its end stays one; for others the interest-only period may have ended.
  const toTheEnd = terms.amortization === 'InterestOnly' && terms.interestOnlyCount === 0;
  const anew = {
    ...terms,
    disbursements: [
      { date, amount: Number(principal) },
      ...terms.disbursements.filter((one) => toDay(one.date) > day && toDay(one.date) < lastDue),
    ],
    rate: state.agreed,
    rateChanges: terms.rateChanges.filter((one) => toDay(one.date) > day),
    interestStart: toText(interestStart),
    dueDates: left.map((one) => toText(one.due)),
    balloon,
    amortization: toTheEnd ? 'InterestOnly' : balloon > 0 ? 'Balloon' : 'FullAmortization',
    interestOnlyCount: Math.min(Math.max(0, terms.interestOnlyCount - passed), left.length - 1),
    skip: left.flatMap(({ n }, i) => (terms.skip.includes(n) && i < left.length - 1 ? [i + 1] : [])),
    payment: null,
  };
  const rows = installmentsOf(anew as unknown as Terms, brought);
  let balance = rows.reduce((sum, row) => sum + row.principal, 0n);
  let since = interestStart;
  left.forEach((one, i) => {
    const row = rows[i];
    // Money paid on it in advance has already reduced the principal.
    one.amount = one.paid + (row?.amount ?? 0n);
    one.principal = row?.principal ?? 0n;
    one.interest = row?.interest ?? 0n;
    // At the agreed rate, and in military service less the interest forgiven.
    if (row === undefined || state.service === null || terms.skip.includes(one.n)) return;
    const { principal: scheduled } = one;
    lower(one, forgivenIn(state, state.service, { from: since, to: one.due, balance }));
    balance -= scheduled;
    since = one.due;
  });
}

/** An installment of 0 is not paid: its amount can still rise. */
function isPaid({ amount, paid, settled }: Installment): boolean {
  return settled || (paid >= amount && paid > 0n);
}

/** The amount of each installment due by a day. Together never more than is owed; once the last is due, all of it. */
function asked(state: State, on: number): Map<Installment, bigint> {
  let room = state.principal + state.interest + openInterest(state, on);
  const open = new Map<Installment, bigint>();
  for (const one of state.installments) {
    if (one.due > on) break;
    const wants = one === state.installments.at(-1) ? room : one.amount - one.paid;
    const gets = wants < 0n ? 0n : smaller(wants, room);
    open.set(one, gets);
    room -= gets;
  }
  return open;
}

/** The amount of every installment, when all that is past due is paid today and each later one on its due date. */
function askedInTime({ ...state }: State): Map<Installment, bigint> {
  const { terms, installments, day: today } = state;
  const open = new Map<Installment, bigint>();
  const end = Math.max(today, (installments.at(-1) as Installment).due);
  const lent = Map.groupBy(terms.disbursements, ({ date }) => toDay(date));
  const rates = Map.groupBy(terms.rateChanges, ({ date }) => toDay(date));
  const due = Map.groupBy(installments, (one) => Math.max(one.due, today));
  for (; state.day <= end; state.day++) {
    if (state.day > today) {
      leaveService(state);
      for (const { amount } of lent.get(state.day) ?? []) {
        endStretch(state);
        state.principal += BigInt(amount);
      }
      for (const { rate } of rates.get(state.day) ?? []) {
        endStretch(state);
        state.agreed = rate;
        state.rate = rateInForce(state);
      }
    }
    for (const one of due.get(state.day) ?? []) {
      const interest = state.interest + openInterest(state, state.day);
      const owed = state.principal + interest;
      const wants = one === installments.at(-1) ? owed : one.amount - one.paid;
      const gets = wants < 0n ? 0n : smaller(wants, owed);
      open.set(one, gets);
      if (gets === 0n) continue;
      endStretch(state);
      state.interest -= smaller(gets, interest);
      state.principal -= gets - smaller(gets, interest);
    }
  }
  return open;
}

/** Paid to 90 % (policy) of its amount: counts as paid for past-due status. */
function countsAsPaid(paid: bigint, whole: bigint, { satisfiedPercent }: Policy): boolean {
  return paid * 100n >= whole * BigInt(satisfiedPercent);
}

/** Money for other purposes that came after its due date has reduced the amount due: it is judged without that money. */
function wholeOf({ others, installments }: State, one: Installment, open: bigint): bigint {
  const asks = one.paid + open;
  let before = asks;
  for (const { day, paid } of others) if (day > one.due) before += paid.interest + paid.principal;
  if (one === installments.at(-1)) return before;
  return before > one.amount ? (asks > one.amount ? asks : one.amount) : before;
}

// ---- late fees ----

function lateFees(state: State): void {
  const { policy } = state.life;
  if (policy.lateFee === null || state.chargedOff || state.accelerated) return;
  const held = isHeld(state);
  for (const { n, amount } of state.waiting.filter(({ day }) => day === state.day)) {
    if (!held) charge(state, n, amount);
  }
  for (const one of state.installments) {
    if (one.judged || one.due + policy.lateFee.graceDays + 1 > state.day) continue;
    one.judged = true;
    // And so were those of the days before the loan was recorded here.
    if (state.opened && state.day < boardedOn(state.life)) continue;
    if (held) continue;
    const wanted = asked(state, state.day);
    const open = wanted.get(one) as bigint;
    // 16 CFR 444.4: money applied to late fees would have gone to the oldest open installments.
    let excused = state.lateFeeMoney;
    for (const [older, amount] of wanted) {
      if (older === one) break;
      excused -= smaller(excused, amount);
    }
    const whole = wholeOf(state, one, open);
    const paid = one.paid + excused;
    const came = policy.lateFee.judge === 'currentFirst' && one.counts > paid ? one.counts : paid;
    if (open === 0n || countsAsPaid(came, whole, policy)) continue;
    state.lateInstallments.add(one.n);
    const amount = lateFee(policy.lateFee, whole, state.terms.rounding);
    if (amount === 0n) continue;
    const known = knownLate(state, one.n);
    if (known === state.day) charge(state, one.n, amount);
    else state.waiting.push({ day: known, n: one.n, amount });
  }
}

/** Kinds of holds under which no late fee is charged; a bankruptcy only while its debt is not reaffirmed after the discharge. */
const NO_LATE_FEES = ['bankruptcy', 'military', 'deceased', 'fraud', 'disaster'];

function isHeld({ life: { events }, day }: State): boolean {
  return events.some((hold) => {
    if (hold.type !== 'holdPlaced' || !NO_LATE_FEES.includes(hold.kind) || toDay(hold.date) > day) return false;
    if (hold.to !== null && toDay(hold.to) < day) return false;
    const { discharged = null, reaffirmed = false } = hold.bankruptcy ?? {};
    if (reaffirmed && discharged !== null && toDay(discharged) <= day) return false;
    // Its end may have become known late: nothing is charged before that.
    const isEnd = (end: (typeof events)[number]) => end.type === 'holdReleased' && end.holdId === hold.holdId;
    return !events.some((end) => isEnd(end) && toDay(('feesFrom' in end ? end.feesFrom : null) ?? end.date) <= day);
  });
}

function lateFee({ flat, percent, floor, cap }: LateFee, installment: bigint, rounding: Terms['rounding']): bigint {
  if (percent === null) return BigInt(flat ?? 0);
  let amount = round(installment * BigInt(percent.digits), 10n ** BigInt(percent.scale + 2), rounding);
  if (floor !== null && amount < BigInt(floor)) amount = BigInt(floor);
  if (cap !== null && amount > BigInt(cap)) amount = BigInt(cap);
  return amount;
}

function charge(state: State, n: number, amount: bigint): void {
  addFee(state, `late-${n}`, 'penalty', amount, true);
}

/**
 * The first day on which an installment was known to be late, given the returns recorded by then: until a return is recorded,
 * its payment counts.
 */
function knownLate({ life, day }: State, n: number): number {
  const later = life.events.flatMap((event) => {
    const recorded = toDay(event.recordedOn);
    return isTakenBack(event) && recorded > day ? [recorded] : [];
  });
  for (const known of [day, ...later.sort((a, b) => a - b)]) {
    const events = life.events.filter((event) => !isTakenBack(event) || toDay(event.recordedOn) <= known);
    if (events.length === life.events.length) return known;
    if (walk({ ...life, events }, day).lateInstallments.has(n)) return known;
  }
  return day;
}

// ---- payments ----

/** All interest, all principal, then the fees in their order: penalties before fees, those of earlier days first. */
const PROCEEDS = [
  'pastDue.interest',
  'due.interest',
  'inAdvance.interest',
  'inAdvance.principal',
  'pastDue.penalty',
  'pastDue.fee',
  'due.penalty',
  'due.fee',
];

function pay(state: State, event: Extract<Fact, { type: 'paymentSubmitted' }>): void {
  endStretch(state);
  const { day, installments, life } = state;
  const maturity = (installments.at(-1) as Installment).due;
  const open = asked(state, day);
  let [pastDue, due] = [0n, 0n];
  for (const [one, amount] of open) {
    if (one.due < day) pastDue += amount;
    else due += amount;
  }
  const interest = interestByTime(state, maturity);
  const early = day < maturity && state.principal > 0n && !state.chargedOff;
  const penalty = early ? penaltyOf(state) : 0n;
  const paid: Paid = { fees: 0n, interest: 0n, principal: 0n, credit: 0n, balance: 0n };
  let left = BigInt(event.amount);
  let lateFeeMoney = 0n;
  const order: Allocated['order'] = [];

  const takePrincipal = (held: bigint) => {
    const amount = smaller(left, smaller(held < 0n ? 0n : held, state.principal));
    state.principal -= amount;
    paid.principal += amount;
    left -= amount;
    order.push({ what: 'principal', amount, fee: null });
  };
  const proceeds = ['insurance', 'sale', 'productRefund'].includes(event.purpose);
  if (event.purpose === 'principal') takePrincipal(state.principal);
  for (const bucket of proceeds ? PROCEEDS : life.policy.waterfall) {
    const [when, what] = bucket.split('.') as ['pastDue' | 'due' | 'inAdvance', string];
    if (what === 'interest') {
      const amount = smaller(left, interest[when]);
      interest[when] -= amount;
      state.interest -= amount;
      paid.interest += amount;
      left -= amount;
      order.push({ what: 'interest', amount, fee: null });
    } else if (what === 'principal') {
      const covered = paid.interest + paid.principal;
      const beyond = covered > pastDue ? covered - pastDue : 0n;
      if (when === 'inAdvance' || event.purpose !== 'installment') takePrincipal(state.principal);
      else takePrincipal(when === 'pastDue' ? pastDue - covered : due - beyond);
    } else {
      for (const fee of state.fees) {
        const time = fee.date < day ? 'pastDue' : 'due';
        if (fee.kind !== what || time !== when) continue;
        const amount = smaller(left, unpaidOf(fee));
        fee.paid += amount;
        paid.fees += amount;
        left -= amount;
        order.push({ what: 'fees', amount, fee });
        if (fee.late) lateFeeMoney += amount;
      }
    }
  }

  if (event.purpose === 'installment' && !state.chargedOff) {
    satisfy(state, paid.interest + paid.principal);
    state.lateFeeMoney += lateFeeMoney;
    countForJudgement(state, paid.interest + paid.principal + lateFeeMoney);
  } else state.others.push({ day, paid });
  // Paying everything off before the last due date costs the prepayment penalty, out of the rest of the payment.
  if (penalty > 0n && state.principal === 0n) {
    addFee(state, `prepayment-${event.refId}`, 'penalty', penalty, false);
    const fee = state.fees.at(-1) as Fee;
    fee.paid = smaller(left, fee.amount);
    paid.fees += fee.paid;
    left -= fee.paid;
    order.push({ what: 'fees', amount: fee.paid, fee });
  }
  paid.credit = left;
  state.credit += left;
  paid.balance = state.principal;
  state.payments.set(event.refId, paid);
  honour(state, event, { paid, order });
  settleFromCredit(state);
  paid.balance = state.principal;
}

function penaltyOf(state: State): bigint {
  const penalty = BigInt(state.life.prepaymentPenalty);
  return smaller(penalty, roomFor(state, penalty));
}

/** The payoff is less the borrower's credit: once that covers everything owed, it pays it. */
function settleFromCredit(state: State): void {
  const interest = state.interest + openInterest(state, state.day);
  const maturity = (state.installments.at(-1) as Installment).due;
  const early = state.day < maturity && state.principal > 0n && !state.chargedOff;
  const penalty = early ? penaltyOf(state) : 0n;
  const owed = state.fees.reduce((sum, fee) => sum + unpaidOf(fee), state.principal + interest + penalty);
  if (owed > state.credit) return;
  if (state.principal > 0n) endStretch(state);
  if (penalty > 0n) addFee(state, `prepayment-credit-${toText(state.day)}`, 'penalty', penalty, false);
  payFromCredit(state);
}

/** Interest, principal and fees, as far as the credit goes. */
function payFromCredit(state: State): void {
  const take = (owed: bigint) => {
    const amount = smaller(owed, state.credit);
    state.credit -= amount;
    return amount;
  };
  state.interest -= take(state.interest);
  state.principal -= take(state.principal);
  for (const fee of state.fees) fee.paid += take(unpaidOf(fee));
}

/** Unpaid interest is the newest there is. What accrued by a due date is due with it; after the last one, at once. */
function interestByTime(state: State, maturity: number): { pastDue: bigint; due: bigint; inAdvance: bigint } {
  const { day, installments, ended, terms } = state;
  const total = state.interest;
  if (day > maturity) return { pastDue: total, due: 0n, inAdvance: 0n };
  const before = installments.findLast(({ due }) => due < day)?.due;
  let recent = 0n;
  for (const stretch of ended) {
    if (before !== undefined && stretch.to <= before) continue;
    recent += stretch.interest;
    if (before !== undefined && stretch.from < before) recent -= interestOf({ ...stretch, to: before }, terms);
  }
  if (before === undefined || recent > total) recent = total;
  const dueToday = installments.some(({ due }) => due === day);
  return { pastDue: total - recent, due: dueToday ? recent : 0n, inAdvance: dueToday ? 0n : recent };
}

function satisfy({ installments }: State, money: bigint): void {
  let left = money;
  for (const one of installments) {
    const wants = one === installments.at(-1) ? left : one.amount - one.paid;
    if (wants <= 0n) continue;
    const gets = smaller(wants, left);
    one.paid += gets;
    left -= gets;
  }
}

/** The installment that was due last, the one before it, and so on to the first; then what is to come; the rest is the last one's. */
function countForJudgement({ installments, day }: State, money: bigint): void {
  const come = installments.filter(({ due }) => due <= day).reverse();
  const toCome = installments.filter(({ due }) => due > day);
  let left = money;
  for (const one of [...come, ...toCome]) {
    const wants = one.amount > one.counts ? one.amount - one.counts : 0n;
    const gets = smaller(wants, left);
    one.counts += gets;
    left -= gets;
  }
  (installments.at(-1) as Installment).counts += left;
}

/**
 * A quoted amount that is paid in time pays off the loan. Money received before the quote does not count for it, and money of the
 * collateral or an insurer counts for no settlement. Of several quotes that are paid the one with the highest amount is honoured; the others are void.
 */
function honour(state: State, event: Extract<Fact, { type: 'paymentSubmitted' }>, did: Allocated): void {
  const { paid } = did;
  const borrowers = event.purpose === 'installment' || event.purpose === 'principal';
  const running = state.quotes.filter(
    ({ honoured, from, through, at, kind: what }) =>
      honoured === null &&
      state.day >= from &&
      state.day <= through &&
      event.recordedAt >= at &&
      (borrowers || what === 'payoff'),
  );
  for (const quote of running) quote.received += BigInt(event.amount);
  const complete = running.filter(({ received, amount }) => received >= amount);
  const quote = complete.reduce<Quote | null>((most, one) => (most && most.amount >= one.amount ? most : one), null);
  if (quote === null) return;
  quote.honoured = state.day;
  state.quotes = state.quotes.filter(
    ({ honoured, through, at }) => honoured !== null || through < state.day || at > event.recordedAt,
  );
  // The quote was reduced by the credit, so the credit is used before anything is waived.
  if (paid.credit === 0n) payFromCredit(state);
  // More than was quoted is not owed: the borrower gets it back, the last cent paid first.
  let excess = quote.received - quote.amount - paid.credit;
  for (const { what, amount, fee } of did.order.reverse()) {
    if (!borrowers || excess <= 0n) break;
    const back = smaller(excess, amount);
    excess -= back;
    paid[what] -= back;
    paid.credit += back;
    state.credit += back;
    if (fee !== null) fee.paid -= back;
  }
  state.principal = 0n;
  state.interest = 0n;
  for (const fee of state.fees) fee.waived += unpaidOf(fee);
  paid.balance = 0n;
}

// ---- the figures ----

function report(state: State): Audit {
  const { day, principal, credit, installments, life } = state;
  const { policy } = life;
  const interest = state.interest + openInterest(state, day);
  const fees = state.fees.reduce((sum, fee) => sum + unpaidOf(fee), 0n);
  const last = installments.at(-1) as Installment;
  const penalty = day < last.due && principal > 0n && !state.chargedOff ? penaltyOf(state) : 0n;
  const owed = principal + interest + fees + penalty;

  const open = askedInTime(state);
  const isMatured = last.due < day;
  const isLate = (one: Installment, amount: bigint) =>
    one === last || !countsAsPaid(one.paid, wholeOf(state, one, amount), policy);
  const pastDue = [...open].filter(
    ([one, amount]) => one.due < day && amount > 0n && (isMatured || isLate(one, amount)),
  );
  // After the last due date whatever is owed is late, but what was not late before counts from that date alone; so do fees.
  let oldest: number | null = null;
  for (const [one, amount] of pastDue) {
    const since = isLate(one, amount) ? one.due : last.due;
    if (oldest === null || since < oldest) oldest = since;
  }
  const onlyFees = principal + interest === 0n && fees > 0n;
  if (onlyFees) {
    for (const fee of state.fees.filter((one) => unpaidOf(one) > 0n)) {
      const isOld = fee.id.startsWith('late-') || fee.id === 'opening' || fee.date < last.due;
      const since = isOld ? last.due : fee.date;
      if (since < day && (oldest === null || since < oldest)) oldest = since;
    }
  }
  const daysPastDue = oldest === null ? 0 : day - oldest;

  // The oldest past due, else the one due today or next, else a shortage that counts as paid; with it all earlier shortages.
  const wanting = [...open].filter(([, amount]) => amount > 0n);
  const next = (onlyFees ? null : oldest) ?? (wanting.find(([one]) => one.due >= day) ?? wanting[0])?.[0].due ?? null;
  const sum = (amounts: Iterable<bigint>) => [...amounts].reduce((total, amount) => total + amount, 0n);
  const nextAmount = sum(
    wanting.filter(([one]) => next !== null && (one.due <= next || one.due < day)).map(([, amount]) => amount),
  );
  const everything = sum(wanting.map(([, amount]) => amount));
  const ofInstallments = state.accelerated ? everything : sum(pastDue.map(([, amount]) => amount));
  const pastDueAmount = onlyFees && daysPastDue > 0 ? fees : ofInstallments;

  const yearDays =
    state.terms.dayCount === 'actual/actual'
      ? toDay(`${Number(toText(day).slice(0, 4)) + 1}-01-01`) - toDay(`${toText(day).slice(0, 4)}-01-01`)
      : state.terms.dayCount.startsWith('actual/')
        ? Number(state.terms.dayCount.slice(7))
        : 360;
  const perYear = 10n ** BigInt(state.rate.scale + 2) * BigInt(yearDays);
  const whole = state.accruing ? round(principal * BigInt(state.rate.digits), perYear, state.terms.rounding) : 0n;
  return {
    principal: Number(principal),
    interest: Number(interest),
    fees: Number(fees),
    credit: Number(credit),
    payoff: Number(owed > credit ? owed - credit : 0n),
    perDiem: Number(whole),
    pastDueAmount: Number(pastDueAmount),
    daysPastDue,
    bucket: bucketOf(daysPastDue),
    nextDueDate: next === null ? null : toText(next),
    nextDueAmount: Number(state.accelerated ? everything : nextAmount),
    closedBy: principal + interest + fees === 0n ? endedBy(state) : null,
    payments: Object.fromEntries(
      [...state.payments].map(([refId, { fees, interest, principal, credit, balance }]) => [
        refId,
        {
          fees: Number(fees),
          interest: Number(interest),
          principal: Number(principal),
          credit: Number(credit),
          balance: Number(balance),
        },
      ]),
    ),
    feeList: Object.fromEntries(
      state.fees.map(({ id, date, amount, paid, waived, forgiven }) => [
        id,
        {
          date: toText(date),
          amount: Number(amount),
          paid: Number(paid),
          waived: Number(waived),
          forgiven: Number(forgiven),
        },
      ]),
    ),
    installments: installments.map((one) => ({
      n: one.n,
      dueDate: toText(one.due),
      amount: Number(one.amount),
      paid: Number(one.paid),
      open: Number(open.get(one)),
    })),
  };
}

/** Nothing is owed: how the loan ended, if every payment that counts was confirmed. */
function endedBy({ submitted, payments, quotes, chargedOff, life }: State): string | null {
  const confirmed = (refId: string) =>
    life.events.some((event) => event.type === 'paymentAcknowledged' && event.refId === refId);
  if (submitted.length === 0 || ![...payments.keys()].every(confirmed)) return null;
  const last = submitted.findLast(({ refId }) => {
    const paid = payments.get(refId);
    return paid !== undefined && paid.fees + paid.interest + paid.principal > 0n;
  });
  const settled = quotes.some(
    ({ kind, honoured }) => kind === 'settlement' && honoured !== null && (last === undefined || last.day <= honoured),
  );
  if (settled) return 'settlement';
  if (chargedOff) return 'recovery';
  return last?.purpose === 'sale' || last?.purpose === 'insurance' ? last.purpose : 'payoff';
}

function bucketOf(days: number): string {
  if (days === 0) return 'current';
  if (days >= 120) return '120+';
  const from = days < 30 ? 1 : days - (days % 30);
  return `${from}-${days < 30 ? 29 : from + 29}`;
}
