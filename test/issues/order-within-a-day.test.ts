/**
 * Within a day events take effect by kind, and within a kind as they were recorded. So a payment leaves the earlier ones of its day as they
 * were answered, and whatever does change how one was applied says so in `changes`.
 */
import { describe, expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import type { Changed } from '../../src/core/changes.ts';
import { type Command, type Decision, decide } from '../../src/core/decide/decide.ts';
import { foldAll } from '../../src/core/fold.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import { journalOf } from '../../src/ledger/journal.ts';
import { contractOf, FLAT_LATE_FEE, type Life, live, money, payment } from '../support/life.ts';

const DAY = '2026-02-01';
/** Sorted as text, each comes before the one above it. */
const REFERENCES = [
  'c2d7f0a1-9a54-4c7e-8d15-2a4f5b1c0e01',
  '7f3b9d52-0c11-4b6a-9e2f-6d0a8c3e7f02',
  '018f4e2c-5d3a-7b90-8f6e-1c2d3e4f5a03',
] as const;
const [FIRST, SECOND, THIRD] = REFERENCES;

const splits = ({ loan }: Pick<Decision, 'loan'>) =>
  loan.payments.map(({ refId, allocation: { interest, principal, fees } }) => [refId, interest, principal, fees]);

const charge = (amount: string): Command => ({
  do: 'assess-fee',
  feeId: 'tow',
  kind: 'fee',
  name: 'towing',
  amount: money(amount),
  date: null,
});

const hold: Command = {
  do: 'place-hold',
  holdId: 'h',
  kind: 'bankruptcy',
  from: null,
  to: null,
  bankruptcy: { chapter: 13, filed: date('2026-02-12'), reaffirmed: false, discharged: null },
  detailed: false,
  reason: 'Petition',
};

/** The parts of payments among the changes. */
const restated = (changes: readonly Changed[] | null) =>
  (changes ?? []).flatMap((one) => ('refId' in one ? [[one.refId, one.what, one.before, one.after]] : []));

describe('payments under references that sort backwards', () => {
  test('each is decided from the folded loan alone, and the earlier ones stay as they were', () => {
    const { events } = live().fund();
    let folding = foldAll(events);
    const seen: unknown[] = [];
    REFERENCES.forEach((refId, i) => {
      const when = { today: date(DAY), at: `${DAY}T12:00:0${i}.000Z` };
      const answer = decide({ folding, events: null }, payment('300', refId), when);
      if (answer === 'needs_events' || isRefusal(answer)) throw new Error(JSON.stringify(answer));
      expect(answer.changes).toBeNull();
      folding = answer.folding;
      seen.push(splits(answer));
    });
    // The first pays the 100.00 of interest that has accrued.
    const all = [
      [FIRST, 10_000, 20_000, 0],
      [SECOND, 0, 30_000, 0],
      [THIRD, 0, 30_000, 0],
    ];
    expect(seen).toEqual([all.slice(0, 1), all.slice(0, 2), all]);
  });

  test('each posts what it was answered with', () => {
    const life = live().fund();
    for (const refId of REFERENCES) life.pay(DAY, '300', refId);
    const { lines } = journalOf(life.events);
    const receipts = lines.slice(-3).map((own) => {
      const receipt = own.filter(({ entry }) => entry === 'receipt');
      return Object.fromEntries(receipt.map(({ account, amount }) => [account, amount]));
    });
    expect(receipts).toEqual([
      { cashClearing: 30_000, interestReceivable: -10_000, loanPrincipal: -20_000 },
      { cashClearing: 30_000, loanPrincipal: -30_000 },
      { cashClearing: 30_000, loanPrincipal: -30_000 },
    ]);
  });

  test('two that were recorded in the same moment keep their order', () => {
    const life = live().fund().pay(DAY, '300', FIRST).pay(DAY, '300', SECOND);
    const [later, last] = life.events.slice(-2).map((event) => ({ ...event, recordedAt: `${DAY}T12:00:00.000Z` }));
    const events = [...life.events.slice(0, -2), later, last] as typeof life.events;
    expect(foldAll(events).working.payments.map(({ refId }) => refId)).toEqual([FIRST, SECOND]);
  });
});

/** 888.49 is due on 1 February; 1,000.00 pays 100.00 of interest, 788.49 of principal due, then fees, then 111.51 more of principal. */
const paidOn = (day: string, life: Life = live().fund()) => life.pay(day, '1000', FIRST).pay(day, '20', SECOND);

describe('what takes effect before a payment of its day says what it changes of it', () => {
  test('a fee: 50.00 of the first payment go to it', () => {
    const life = paidOn(DAY);
    const { changes } = life.take(DAY, charge('50'));
    expect(changes).toEqual([
      { date: DAY, what: 'principal', before: 908_000, after: 913_000 },
      { date: DAY, what: 'paymentPrincipal', refId: FIRST, before: 90_000, after: 85_000 },
      { date: DAY, what: 'paymentFees', refId: FIRST, before: 0, after: 5_000 },
    ]);
    expect(splits({ loan: life.loan(DAY) })).toEqual([
      [FIRST, 10_000, 85_000, 5_000],
      [SECOND, 0, 2_000, 0],
    ]);
  });

  test('the fee posts the correction, so that the books of the day are the loan', () => {
    const life = paidOn(DAY);
    life.take(DAY, charge('50'));
    const own = journalOf(life.events)
      .lines.at(-1)
      ?.filter(({ entry }) => entry === 'receipt');
    expect(own?.map(({ account, amount }) => [account, amount])).toEqual([
      ['loanPrincipal', 5_000],
      ['feeReceivable', -5_000],
    ]);
  });

  test('a fee on a day without a payment changes nothing that was known', () => {
    const life = paidOn(DAY);
    expect(life.take('2026-02-02', charge('50')).changes).toBeNull();
  });

  test('the undoing of that fee', () => {
    const life = live().fund();
    life.take(DAY, charge('50'));
    const sequence = life.events.length;
    const { changes } = paidOn(DAY, life).take(DAY, { do: 'undo', sequence, reason: 'Wrong loan' });
    expect(restated(changes)).toEqual([
      [FIRST, 'paymentPrincipal', 85_000, 90_000],
      [FIRST, 'paymentFees', 5_000, 0],
    ]);
  });

  test('a hold: it forbids the late fee of its day, which a payment of that day had paid', () => {
    const late = '2026-02-12';
    const life = paidOn(late, live(contractOf(), { lateFee: FLAT_LATE_FEE }).fund());
    const { changes } = life.take(late, hold);
    // 1,020.00 less 136.67 of interest for 41 days, and less 25.00.
    expect(changes).toEqual([
      { date: late, what: 'principal', before: 914_167, after: 911_667 },
      { date: late, what: 'lateFee', before: 2_500, after: 0 },
      { date: late, what: 'paymentPrincipal', refId: FIRST, before: 83_833, after: 86_333 },
      { date: late, what: 'paymentFees', refId: FIRST, before: 2_500, after: 0 },
    ]);
  });

  test('a hold on the day of a late fee that nobody has paid', () => {
    const late = '2026-02-12';
    const { changes } = live(contractOf(), { lateFee: FLAT_LATE_FEE }).fund().take(late, hold);
    expect(changes).toEqual([
      { date: late, what: 'fees', before: 2_500, after: 0 },
      { date: late, what: 'lateFee', before: 2_500, after: 0 },
    ]);
  });

  test('an extension: nothing is past due any more, so the payment of its day pays the fee before principal', () => {
    const life = live().fund();
    life.take('2026-02-05', charge('50'));
    life.pay('2026-02-12', '800', FIRST);
    const extend: Command = { do: 'extend', periods: 1, date: null, reason: 'Hardship', override: true };
    const { changes } = life.take('2026-02-12', extend);
    // 41 days of interest are 136.67.
    expect(restated(changes)).toEqual([
      [FIRST, 'paymentPrincipal', 66_333, 61_333],
      [FIRST, 'paymentFees', 0, 5_000],
    ]);
  });
});

describe('what looks back says so for every payment that it changes', () => {
  const taken: Record<string, Command> = {
    'a return': { do: 'return-repayment', refId: FIRST, date: null, reason: 'No funds' },
    'a reversal': { do: 'reverse-repayment', refId: FIRST, reason: 'Wrong loan' },
  };
  test.each(Object.entries(taken))('%s: the next payment of the day pays the interest', (_, command) => {
    const { changes } = paidOn(DAY).take('2026-02-03', command);
    expect(restated(changes)).toEqual([
      [FIRST, 'paymentInterest', 10_000, 0],
      [FIRST, 'paymentPrincipal', 90_000, 0],
      [SECOND, 'paymentInterest', 0, 2_000],
      [SECOND, 'paymentPrincipal', 2_000, 0],
    ]);
  });

  test('a backdated payment: the later ones pay less interest; on a day with others it comes after them', () => {
    const life = live().fund().pay('2026-01-16', '100', THIRD).pay('2026-02-01', '500', FIRST);
    const before = life.take('2026-02-03', { ...payment('1000', SECOND), date: date('2026-01-16') });
    expect(splits(before).slice(0, 2)).toEqual([
      [THIRD, 5_000, 5_000, 0],
      [SECOND, 0, 100_000, 0],
    ]);
    // 15 days on 9,950.00, then on 8,950.00.
    expect(restated(before.changes)).toEqual([
      [FIRST, 'paymentInterest', 4_975, 4_475],
      [FIRST, 'paymentPrincipal', 45_025, 45_525],
    ]);
  });

  test('an acknowledgement changes how no payment is applied', () => {
    const life = paidOn(DAY);
    expect(life.take(DAY, { do: 'acknowledge-repayment', refId: FIRST }).changes).toBeNull();
  });
});
