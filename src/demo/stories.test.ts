import { expect, test } from 'vitest';
import { creationOf } from '../../test/support/creation.ts';
import { addDays, date, type PlainDate } from '../core/calendar.ts';
import { decide, decideCreation } from '../core/decide/decide.ts';
import { BUCKETS, delinquency } from '../core/delinquency.ts';
import { fold, stateOn } from '../core/fold.ts';
import { type Loan, type LoanStatus, STATUSES } from '../core/loan.ts';
import { isRefusal } from '../core/refusal.ts';
import { statusOf } from '../core/status.ts';
import { applicationBody } from './application.ts';
import { type Story, storiesUntil } from './stories.ts';

/** A whole life in memory, by the engine alone. Throws where anything is refused. */
function live({ about, application, steps }: Story, number: number, today: PlainDate): Loan {
  const body = applicationBody(number, { ...application, size: 'small' });
  const { contract, policy, file } = creationOf(body, application.on);
  let minute = 0;
  const when = (on: PlainDate) => ({
    today: on,
    at: `${on}T${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute++ % 60).padStart(2, '0')}:00.000Z`,
  });
  const created = decideCreation(contract, policy, when(application.on));
  if (isRefusal(created)) throw new Error(`${about}: ${created.detail}`);
  let { folding } = created;
  const events = [...created.events];
  let day = application.on;
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
  }
  return fold(events, today);
}

// Ends of months, leap days, the days on which installments fall due and those after them.
const DAYS = ['2028-02-29', '2026-10-23'];
const MORE = [
  '2026-06-15',
  '2027-01-01',
  '2026-03-01',
  '2028-03-01',
  '2026-12-31',
  '2026-05-31',
  '2026-10-22',
  '2026-09-02',
];

test.each(process.env.TEST_LONG ? [...DAYS, ...MORE] : DAYS)(
  'told from %s, nothing is refused, and every status and bucket is there',
  (text) => {
    const today = date(text);
    const stories = storiesUntil(today);
    expect(stories.length).toBeGreaterThanOrEqual(95);
    const loans = stories.map((story, i) => live(story, i + 1, today));
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
    for (const [about, status, sign] of shows) {
      expect([about, statusOf(told(about)), sign(told(about))]).toEqual([about, status, true]);
    }
  },
  60_000,
);

test('in the order they begin, with the newest application at the end and nothing after the day before', () => {
  const today = date('2026-06-15');
  const stories = storiesUntil(today);
  const begin = stories.map(({ application }) => application.on);
  expect(begin).toEqual([...begin].sort());
  expect(stories.at(-1)).toMatchObject({ application: { on: addDays(today, -1) }, steps: [] });
  for (const { application, steps } of stories) {
    const days = steps.map(({ on }) => on);
    expect(days).toEqual([...days].sort());
    for (const on of days) expect(on >= application.on && on < today).toBe(true);
  }
});
