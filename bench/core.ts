/**
 * How fast the engine is: a 60-installment schedule (limit 50 µs), and the replay of a 72-month loan with 150 events (limit 2 ms). It
 * ends by checking that what it computed is right: fast and wrong is wrong.
 *   npm run bench:core            (BENCH_SECONDS=2)
 */
import { addDays, type PlainDate } from '../src/core/calendar.ts';
import { type Command, decide, decideCreation, type When } from '../src/core/decide.ts';
import { delinquency } from '../src/core/delinquency.ts';
import type { LoanEvent } from '../src/core/event.ts';
import { fold } from '../src/core/fold.ts';
import { type Contract, DEFAULT_POLICY, type Policy, type ScheduleTerms } from '../src/core/loan.ts';
import { cents } from '../src/core/money.ts';
import { payoff } from '../src/core/payoff.ts';
import { percent } from '../src/core/rate.ts';
import { isRefusal } from '../src/core/refusal.ts';
import { buildSchedule, dueDatesFrom, type Schedule } from '../src/core/schedule.ts';
import { audit, scheduleOf } from '../test/simulate/auditor.ts';

const SCHEDULE_LIMIT_US = 50;
const REPLAY_LIMIT_MS = 2;
const ROUNDS = 5;
const seconds = Number(process.env.BENCH_SECONDS ?? 2);

const start = '2024-01-31' as PlainDate;
const policy: Policy = {
  ...DEFAULT_POLICY,
  lateFee: { flat: cents(2_500), percent: null, floor: null, cap: null, graceDays: 10 },
};
const contract: Contract = {
  amount: cents(2_845_000),
  rate: percent('9.49'),
  dayCount: 'actual/365',
  rounding: 'half-up',
  frequency: 'Monthly',
  count: 72,
  contractDate: start,
  firstPaymentDate: '2024-03-15' as PlainDate,
  amortization: 'FullAmortization',
  balloon: cents(0),
  interestOnlyCount: 0,
  payment: null,
  prepaymentPenalty: cents(0),
};

const figures = [
  { what: '60-installment schedule', limit: SCHEDULE_LIMIT_US, unit: 'µs', took: median(() => timeOf(schedule) * 1e3) },
];
const { events, today } = seasonedLoan();
figures.push({
  what: `replay of a 72-month loan with ${events.length} events`,
  limit: REPLAY_LIMIT_MS * 1e3,
  unit: 'µs',
  took: median(() => timeOf(() => fold(events, today)) * 1e3),
});
for (const { what, limit, unit, took } of figures) {
  const perSecond = Math.round(1e6 / took).toLocaleString('en-US');
  const verdict = took <= limit ? 'ok' : 'TOO SLOW';
  console.log(`${what}: ${took.toFixed(1)} ${unit} (${perSecond}/s), limit ${limit} ${unit}: ${verdict}`);
}
checkSchedule();
checkReplay();
console.log('both computed what the auditor computes, to the cent');
process.exitCode = figures.every(({ took, limit }) => took <= limit) ? 0 : 1;

function schedule(): Schedule {
  const built = buildSchedule(terms60());
  if (isRefusal(built)) throw new Error(built.detail);
  return built;
}

function terms60(): ScheduleTerms {
  return {
    disbursements: [{ date: start, amount: contract.amount }],
    rate: contract.rate,
    rateChanges: [],
    dayCount: 'actual/365',
    rounding: 'half-up',
    interestStart: start,
    dueDates: dueDatesFrom('2024-03-15' as PlainDate, 'Monthly', 60),
    amortization: 'FullAmortization',
    balloon: cents(0),
    interestOnlyCount: 0,
    skip: [],
    payment: null,
  };
}

/** Six years of payments on time, late, partial, ahead, returned and backdated, with what servicing brings beside them. */
function seasonedLoan(): { events: LoanEvent[]; today: PlainDate } {
  let today = start;
  let moment = 0;
  const now = (): When => {
    moment += 1;
    return { today, at: `${today}T${String(moment).padStart(6, '0')}Z` };
  };
  const created = decideCreation(contract, policy, now());
  if (isRefusal(created)) throw new Error(created.detail);
  const history: LoanEvent[] = [...created.events];
  const say = (command: Command) => {
    const answer = decide(history, command, now());
    if (isRefusal(answer)) throw new Error(`${command.do}: ${answer.detail}`);
    history.push(...answer.events);
  };
  say({ do: 'start-underwriting' });
  say({ do: 'complete-underwriting', approved: true, overridden: false, reason: null, contract: null });
  say({ do: 'initiate-repayment', date: null, opening: null });
  const dueDates = dueDatesFrom('2024-03-15' as PlainDate, 'Monthly', 71);
  dueDates.forEach((due, n) => {
    const late = n % 6 === 1 ? 13 : n % 4 === 2 ? 3 : 0;
    today = addDays(due, late);
    const loan = fold(history, today);
    const refId = `p${String(n).padStart(2, '0')}`;
    const { nextDueAmount } = delinquency(loan);
    const amount = cents(n % 9 === 4 ? Math.floor(nextDueAmount / 2) : nextDueAmount);
    const pay = { do: 'loan-repay', refId, amount, principalOnly: false, acceptOverpayment: false } as const;
    say({ ...pay, date: n % 10 === 5 ? addDays(today, -2) : null, reason: null });
    if (n % 14 === 6) say({ do: 'return-repayment', refId, date: null, reason: 'R01' });
    else say({ do: 'acknowledge-repayment', refId });
    if (n === 20) say({ do: 'extend', periods: 1, date: null });
    if (n === 30) say({ do: 'change-rate', rate: percent('6'), date: null, why: 'scra' });
    if (n === 42) say({ do: 'change-rate', rate: percent('9.49'), date: null, why: 'scra' });
  });
  return { events: history, today };
}

function checkSchedule(): void {
  const { rows, totals } = schedule();
  const audited = scheduleOf(terms60());
  const same = rows.every((row, i) => row.payment === Number(audited[i]?.payment) && row.dueDate === audited[i]?.due);
  if (!same || rows.length !== 60 || rows.at(-1)?.balance !== 0 || totals.principal !== contract.amount) {
    throw new Error('The schedule is wrong.');
  }
}

function checkReplay(): void {
  const loan = fold(events, today);
  const terms = loan.terms as ScheduleTerms;
  const { frequency, prepaymentPenalty } = contract;
  const audited = audit({ terms, policy, frequency, prepaymentPenalty, events, asOf: today });
  const late = delinquency(loan);
  const engine = [loan.principal, loan.interest, payoff(loan).payoff, late.pastDueAmount, late.daysPastDue];
  const other = [audited.principal, audited.interest, audited.payoff, audited.pastDueAmount, audited.daysPastDue];
  if (engine.join() !== other.join()) throw new Error(`The replay is wrong: ${engine} instead of ${other}.`);
}

/** Milliseconds a call, over a share of the time given. */
function timeOf(call: () => unknown): number {
  const until = performance.now() + (seconds * 1e3) / ROUNDS;
  const began = performance.now();
  let calls = 0;
  for (let now = began; now < until; now = performance.now()) {
    for (let i = 0; i < 10; i++) call();
    calls += 10;
  }
  return (performance.now() - began) / calls;
}

function median(measure: () => number): number {
  measure();
  const took = Array.from({ length: ROUNDS }, measure).sort((a, b) => a - b);
  return took[Math.floor(ROUNDS / 2)] as number;
}
