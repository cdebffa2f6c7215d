import { expect, test } from 'vitest';
import { assessedApplication } from '../../test/support/full-body.ts';
import { addDays, date, type PlainDate } from '../core/calendar.ts';
import { decide, decideCreation } from '../core/decide/decide.ts';
import { BUCKETS, delinquency } from '../core/delinquency.ts';
import { fold, stateOn } from '../core/fold.ts';
import { type Loan, type LoanStatus, STATUSES } from '../core/loan.ts';
import { isRefusal } from '../core/refusal.ts';
import { statusOf } from '../core/status.ts';
import { type Story, storiesUntil } from './stories.ts';

type Lived = { loan: Loan; decision: 'APPROVED' | 'DECLINED' | null; overridden: boolean; grade: string | null };

/** A whole story in memory, through the engine and the product's underwriting alone. Throws when a step is refused. */
function live({ about, person, on: began, application, withRecord, steps }: Story, today: PlainDate): Lived {
  // A loan that comes with a record was assessed on the day after its application.
  const assessedHere = steps.find(({ isAssessment }) => isAssessment)?.on ?? began;
  const assessedOn = withRecord ? addDays(application.on, 1) : assessedHere;
  const { creation, assessment } = assessedApplication(person, application, assessedOn, began);
  const { contract, policy } = creation;
  let { file } = creation;
  let minute = 0;
  const when = (on: PlainDate) => ({
    today: on,
    at: `${on}T${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute++ % 60).padStart(2, '0')}:00.000Z`,
  });
  const created = decideCreation(contract, policy, when(began));
  if (isRefusal(created)) throw new Error(`${about}: ${created.detail}`);
  let { folding } = created;
  const events = [...created.events];
  let day = began;
  for (const { on, command } of steps) {
    if (on !== day) minute = 0;
    day = on;
    const wanted = command({ loan: stateOn(folding, on) ?? fold(events, on), file });
    if (wanted === null) continue;
    const decision = decide({ folding, events }, wanted, when(on), file);
    if (decision === 'needs_events') throw new Error(`${about}: it had its events`);
    if (isRefusal(decision)) throw new Error(`${about}: ${wanted.do} on ${on}: ${decision.detail}`);
    events.push(...decision.events);
    folding = decision.folding;
    if (wanted.do === 'start-underwriting') {
      file = { ...file, decision: assessment.decision, deals: assessment.deals, grade: assessment.details.grade };
    }
  }
  const overridden = events.some(
    (event) => (event.type === 'approved' || event.type === 'rejected') && event.overridden,
  );
  return { loan: fold(events, today), decision: file.decision, overridden, grade: file.grade || null };
}

// Ends of months, leap days, the days on which installments fall due and those after them.
const DAYS = ['2028-02-29'];
const MORE = [
  '2026-10-23',
  '2026-06-15',
  '2027-01-01',
  '2026-03-01',
  '2028-03-01',
  '2026-12-31',
  '2026-05-31',
  '2026-10-22',
  '2026-09-02',
  '2026-11-19',
];

test.each(process.env.TEST_LONG ? [...DAYS, ...MORE] : DAYS)(
  'told from %s, nothing is refused, and every status and bucket is there',
  (text) => {
    const today = date(text);
    const stories = storiesUntil(today);
    expect(stories.length).toBeGreaterThanOrEqual(95);
    const lives = stories.map((story) => live(story, today));
    const loans = lives.map(({ loan }) => loan);
    const by = (pick: (loan: Loan) => string) => new Set(loans.map(pick));
    expect([...by((loan) => statusOf(loan))].sort()).toEqual([...STATUSES].sort());
    expect([...by((loan) => delinquency(loan).bucket)].sort()).toEqual([...BUCKETS].sort());

    const told = (about: string) => loans[stories.findIndex((story) => story.about === about)] as Loan;
    const shows: [about: string, status: LoanStatus, sign: (loan: Loan) => boolean][] = [
      ['paid ahead', 'Current', (loan) => delinquency(loan).paidAhead > 0],
      ['late within the days of grace', 'Current', (loan) => delinquency(loan).daysPastDue > 0],
      ['charged off, the car sold and some paid since', 'ChargedOff', (loan) => (loan.chargeOff?.recovered ?? 0) > 0],
      ['settled for less', 'ClosedEarly', (loan) => loan.totals.principalForgiven > 0],
      ['paid off on a quote', 'ClosedEarly', ({ quotes }) => quotes[0]?.honouredOn !== null],
      [
        'extended by a period',
        'Current',
        ({ installments, terms }) => installments.at(-1)?.dueDate !== terms?.dueDates.at(-1),
      ],
      ['variable rate, raised', 'Current', ({ rate, contract }) => rate.digits !== contract.rate.digits],
      [
        'a payment returned, now late',
        'Delinquent',
        ({ payments }) => payments.some(({ status }) => status === 'Returned'),
      ],
      [
        'a payoff returned, the loan open again',
        'Current',
        ({ payments }) => payments.some(({ status }) => status === 'Returned'),
      ],
      ['a late fee waived', 'Current', ({ totals }) => totals.feesWaived > 0],
      ['fees charged and paid', 'Current', ({ totals }) => totals.feesPaid === 2_000],
      ['closed early with a prepayment penalty', 'ClosedEarly', ({ totals }) => totals.feesPaid >= 15_000],
      [
        'closed early, too much paid and refunded',
        'ClosedEarly',
        ({ totals, credit }) => totals.refunded === 18_000 && credit === 0,
      ],
      ['boarded two payments behind, caught up', 'Current', ({ openedOn, on }) => openedOn !== null && openedOn < on],
      [
        'balloon to come',
        'Current',
        ({ installments }) => (installments.at(-1)?.amount ?? 0) > 5 * (installments[0]?.amount ?? 0),
      ],
      ['approved with another deal than asked for', 'Approved', ({ contract }) => contract.count === 48],
    ];
    // The product itself approves and declines as the stories need it.
    expect(lives.filter(({ overridden }) => overridden)).toEqual([]);
    const rejected = lives.filter(({ loan }) => statusOf(loan) === 'Rejected');
    expect(rejected.map(({ decision }) => decision)).toEqual(rejected.map(() => 'DECLINED'));
    expect(rejected.length).toBeGreaterThanOrEqual(4);
    const grades = new Set(lives.flatMap(({ grade }) => grade ?? []));
    expect([...grades].sort()).toEqual(['A', 'B', 'C', 'D', 'E', 'F']);

    const [waiting] = loans.flatMap(({ payments }) => payments.filter((payment) => payment.status === 'Submitted'));
    expect(waiting, 'a payment to acknowledge, whatever day it is').toBeDefined();
    for (const [about, status, sign] of shows) {
      expect([about, statusOf(told(about)), sign(told(about))]).toEqual([about, status, true]);
    }
  },
  60_000,
);

test('in the order they begin, with the newest application at the end and nothing after the day before', () => {
  const today = date('2026-06-15');
  const stories = storiesUntil(today);
  const begin = stories.map(({ on }) => on);
  expect(begin).toEqual([...begin].sort());
  expect(stories.at(-1)).toMatchObject({ application: { on: addDays(today, -1) }, steps: [] });
  for (const { on: began, application, steps } of stories) {
    const days = steps.map(({ on }) => on);
    expect(days).toEqual([...days].sort());
    for (const on of days) expect(on >= began && on >= application.on && on < today).toBe(true);
  }
});
