/**
 * The speed of the engine: a 60-installment schedule (limit 50 µs), the replay of a 72-month loan with 150 events (limit 2 ms), and a
 * payment or its acknowledgement decided on a folded loan of 60 months with 36 payments (limit 60 µs each).
 * It ends by checking that the results are correct.
 *   npm run bench:core            (BENCH_SECONDS=2)
 */
import { addDays, type PlainDate } from '../src/core/calendar.ts';
import {
  type Command,
  type Decision,
  decide,
  decideCreation,
  type History,
  type When,
} from '../src/core/decide/decide.ts';
import { delinquency } from '../src/core/delinquency.ts';
import type { LoanEvent } from '../src/core/event.ts';
import { fold, foldAll } from '../src/core/fold.ts';
import type { Contract, Loan, ScheduleTerms } from '../src/core/loan.ts';
import { type Cents, cents } from '../src/core/money.ts';
import { payoff } from '../src/core/payoff.ts';
import { DEFAULT_POLICY, type Policy } from '../src/core/policy.ts';
import { percent } from '../src/core/rate.ts';
import { isRefusal } from '../src/core/refusal.ts';
import { buildSchedule, dueDatesFrom, type Schedule } from '../src/core/schedule.ts';
import { audit, scheduleOf } from '../test/support/auditor/auditor.ts';
import { end, median, setting } from './measure.ts';

const SCHEDULE_LIMIT_US = 50;
const REPLAY_LIMIT_MS = 2;
const DECISION_LIMIT_US = 60;
const ROUNDS = 5;
const seconds = setting('BENCH_SECONDS', 2);

const start = '2024-01-31' as PlainDate;
const firstDue = '2024-03-15' as PlainDate;
const policy: Policy = {
  ...DEFAULT_POLICY,
  lateFee: { flat: cents(2_500), percent: null, floor: null, cap: null, graceDays: 10, judge: 'currentFirst' },
};
const contract: Contract = {
  amount: cents(2_845_000),
  rate: percent('9.49'),
  variable: false,
  dayCount: 'actual/365',
  rounding: 'half-up',
  frequency: 'Monthly',
  count: 72,
  contractDate: start,
  firstPaymentDate: firstDue,
  amortization: 'FullAmortization',
  balloon: cents(0),
  interestOnlyCount: 0,
  payment: null,
  prepaymentPenalty: cents(0),
};

const figures = [
  {
    what: '60-installment schedule',
    limit: SCHEDULE_LIMIT_US,
    unit: 'µs',
    took: middleOf(() => timeOf(schedule) * 1e3),
  },
];
const { events, today } = seasonedLoan();
figures.push({
  what: `replay of a 72-month loan with ${events.length} events`,
  limit: REPLAY_LIMIT_MS * 1e3,
  unit: 'µs',
  took: middleOf(() => timeOf(() => fold(events, today)) * 1e3),
});
const hot = hotLoan();
figures.push(
  {
    what: 'a payment on a folded loan of 60 months with 36 payments',
    limit: DECISION_LIMIT_US,
    unit: 'µs',
    took: middleOf(() => timeOf(() => decide(hot.history, hot.pay, hot.when)) * 1e3),
  },
  {
    what: 'the acknowledgement of that payment',
    limit: DECISION_LIMIT_US,
    unit: 'µs',
    took: middleOf(() => timeOf(() => decide(hot.paid, hot.acknowledge, hot.when)) * 1e3),
  },
);
for (const { what, limit, unit, took } of figures) {
  const perSecond = Math.round(1e6 / took).toLocaleString('en-US');
  const verdict = took <= limit ? 'ok' : 'TOO SLOW';
  console.log(`${what}: ${took.toFixed(1)} ${unit} (${perSecond}/s), limit ${limit} ${unit}: ${verdict}`);
}
checkSchedule();
checkReplay();
checkDecisions();
console.log('all results match the auditor to the cent');
end(figures.every(({ took, limit }) => took <= limit));

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
    dueDates: dueDatesFrom(firstDue, 'Monthly', 60),
    amortization: 'FullAmortization',
    balloon: cents(0),
    interestOnlyCount: 0,
    skip: [],
    payment: null,
  };
}

/** Six years of payments on time, late, partial, ahead, returned and backdated, with the other events of servicing. */
function seasonedLoan(): { events: LoanEvent[]; today: PlainDate } {
  const { history, say } = begunLoan(contract);
  const dueDates = dueDatesFrom(firstDue, 'Monthly', 71);
  let today = start;
  dueDates.forEach((due, n) => {
    const late = n % 6 === 1 ? 13 : n % 4 === 2 ? 3 : 0;
    today = addDays(due, late);
    const loan = fold(history, today);
    const refId = `p${String(n).padStart(2, '0')}`;
    const { nextDueAmount } = delinquency(loan);
    const amount = cents(n % 9 === 4 ? Math.floor(nextDueAmount / 2) : nextDueAmount);
    say(today, payment(refId, amount, n % 10 === 5 ? addDays(today, -2) : null));
    if (n % 14 === 6) say(today, { do: 'return-repayment', refId, date: null, reason: 'R01' });
    else say(today, { do: 'acknowledge-repayment', refId });
    if (n === 20) say(today, { do: 'extend', periods: 1, date: null, reason: 'hardship', override: true });
    if (n === 30) {
      const service = { from: today, to: dueDates[42] ?? null };
      say(today, { do: 'change-rate', rate: percent('6'), date: null, why: 'scra', service, reason: 'orders' });
    }
  });
  return { events: history, today };
}

/** Three years of payments on their due dates, each acknowledged, and the next one. */
function hotLoan() {
  const { history, say } = begunLoan({ ...contract, count: 60 });
  for (const [n, due] of dueDatesFrom(firstDue, 'Monthly', 36).entries()) {
    say(due, payment(`p${n}`, delinquency(fold(history, due)).nextDueAmount, null));
    say(addDays(due, 2), { do: 'acknowledge-repayment', refId: `p${n}` });
  }
  const today = '2027-03-15' as PlainDate;
  const when = { today, at: `${today}T12:00:00.000Z` };
  const pay = payment('p36', delinquency(fold(history, today)).nextDueAmount, null);
  const folded: History = { folding: foldAll(history), events: null };
  const answer = decided(folded, pay, when);
  const paid: History = { folding: answer.folding, events: null };
  const acknowledge: Command = { do: 'acknowledge-repayment', refId: 'p36' };
  return { events: history, history: folded, pay, paid, acknowledge, when };
}

function begunLoan(of: Contract) {
  let moment = 0;
  const at = (today: PlainDate): When => {
    moment += 1;
    return { today, at: `${today}T${String(moment).padStart(6, '0')}Z` };
  };
  const created = decideCreation(of, policy, at(start));
  if (isRefusal(created)) throw new Error(created.detail);
  const history: LoanEvent[] = [...created.events];
  const say = (today: PlainDate, command: Command) => {
    history.push(...decided({ folding: foldAll(history), events: history }, command, at(today)).events);
  };
  say(start, { do: 'start-underwriting' });
  say(start, { do: 'complete-underwriting', approved: true, dealIndex: 0, reason: null });
  say(start, { do: 'initiate-repayment', date: null, opening: null });
  return { history, say };
}

function decided(history: History, command: Command, when: When): Decision {
  const answer = decide(history, command, when);
  if (answer === 'needs_events' || isRefusal(answer)) throw new Error(`${command.do}: ${JSON.stringify(answer)}`);
  return answer;
}

function payment(refId: string, amount: Cents, date: PlainDate | null): Command {
  return { do: 'loan-repay', refId, amount, date, purpose: 'installment', acceptOverpayment: false, reason: null };
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
  checkLoan(fold(events, today), events);
}

/** The states that decisions compute without the event list must equal those of the auditor, which has the list. */
function checkDecisions(): void {
  const { history, pay, paid, acknowledge, when } = hot;
  const first = decided(history, pay, when);
  const second = decided(paid, acknowledge, when);
  checkLoan(first.loan, [...hot.events, ...first.events]);
  checkLoan(second.loan, [...hot.events, ...first.events, ...second.events]);
}

function checkLoan(loan: Loan, events: readonly LoanEvent[]): void {
  const terms = loan.terms as ScheduleTerms;
  const { frequency, prepaymentPenalty } = contract;
  const audited = audit({ terms, policy, frequency, prepaymentPenalty, events, asOf: loan.on });
  const late = delinquency(loan);
  const engine = [loan.principal, loan.interest, payoff(loan).payoff, late.pastDueAmount, late.daysPastDue];
  const other = [audited.principal, audited.interest, audited.payoff, audited.pastDueAmount, audited.daysPastDue];
  if (engine.join() !== other.join()) throw new Error(`The loan is wrong: ${engine} instead of ${other}.`);
}

/** Milliseconds per call, over a share of the given time. */
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

/** The middle of some rounds, after one that does not count. */
function middleOf(measure: () => number): number {
  measure();
  return median(Array.from({ length: ROUNDS }, measure));
}
