/** A loan is computed from all of its events: their number is limited, and the time to read them grows linearly with it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import type { Command } from '../../src/core/decide/decide.ts';
import type { LoanEvent } from '../../src/core/event.ts';
import { statement } from '../../src/core/statement.ts';
import { MOST_EVENTS, refuseLongHistory } from '../../src/loans/door/history-limits.ts';
import { contractOf, live } from '../support/life.ts';
import { ACTOR, PLAIN, repay, type TestLoans, testLoans } from '../support/loans.ts';

const NONE = { moved: 0, reamortized: 0 };
const DAY = date('2026-03-01');
const event = (more: object) =>
  ({ date: DAY, recordedOn: DAY, recordedAt: `${DAY}T12:00:00.000Z`, ...more }) as LoanEvent;
const PAID = event({ type: 'paymentSubmitted', refId: 'P', amount: 1, purpose: 'installment' });

describe('the number of transactions', () => {
  const at = (version: number, command: Command['do']) =>
    refuseLongHistory({ version, termsChanges: NONE, installments: 12 }, command, [PAID])?.refused ?? null;

  test('is limited fifty below the maximum, except for operations that end the loan', () => {
    expect(at(MOST_EVENTS - 51, 'loan-repay')).toBeNull();
    expect(at(MOST_EVENTS - 50, 'loan-repay')).toBe('not_supported');
    expect(at(MOST_EVENTS - 50, 'publish')).toBe('not_supported');
    expect(at(MOST_EVENTS - 50, 'close')).toBeNull();
    expect(at(MOST_EVENTS - 1, 'return-repayment')).toBeNull();
    expect(at(MOST_EVENTS - 1, 'undo')).toBeNull();
    expect(at(MOST_EVENTS, 'close')).toBe('not_supported');
  });
});

describe('changes of terms', () => {
  const changedAfter = (moved: number, reamortized: number, installments: number) =>
    refuseLongHistory({ version: 100, termsChanges: { moved, reamortized }, installments }, 'reamortize', [
      event({ type: 'reamortized' }),
    ]);

  test('are limited by the number of installments', () => {
    expect(changedAfter(0, 100, 60)).toBeNull();
    expect(changedAfter(0, 50, 360)).toBeNull();
    expect(changedAfter(0, 70, 360)?.refused).toBe('not_supported');
    expect(changedAfter(0, 0, 2_600)).toBeNull();
    expect(changedAfter(1, 0, 2_600)).toBeNull();
    expect(changedAfter(20, 0, 2_600)?.refused).toBe('not_supported');
  });

  test('that cost nothing to fold are not counted', () => {
    const rate = event({ type: 'rateChanged', rate: contractOf().rate, why: 'contract' });
    expect(
      refuseLongHistory(
        { version: 100, termsChanges: { moved: 900, reamortized: 900 }, installments: 360 },
        'change-rate',
        [rate],
      ),
    ).toBeNull();
  });
});

describe('in the service', () => {
  let room: TestLoans;
  beforeAll(async () => {
    room = await testLoans();
  });
  afterAll(() => room.close());

  test('a loan whose history is full refuses a payment, repeats an old one and can be ended', async () => {
    const loanId = await room.live();
    await room.done(loanId, repay('FIRST', 100));
    // The limit is checked against the version; no event is written for it here.
    await room.db.query('UPDATE loans SET version = $1', [MOST_EVENTS - 50]);
    const long = room.another();
    const tried = (command: Command) =>
      long.write(ACTOR, { loanId, command, reason: null, answer: () => 'ok' }, { ...PLAIN, dryRun: true });
    const refused = await tried(repay('SECOND', 100));
    expect(refused).toMatchObject({ kind: 'refused', refusal: { refused: 'not_supported', retryable: false } });
    expect(refused).toMatchObject({ refusal: { detail: expect.stringContaining('board the remaining balance') } });
    expect((await tried(repay('FIRST', 100))).kind).toBe('done');
    expect((await tried({ do: 'return-repayment', refId: 'FIRST', date: null, reason: 'NSF' })).kind).toBe('done');
  });
});

describe('undone changes of terms', () => {
  test('no longer count, in memory and after a load', async () => {
    const room = await testLoans();
    const long = contractOf({ frequency: 'Weekly', count: 2_600, firstPaymentDate: date('2026-01-08') });
    const loanId = await room.create({}, { contract: long });
    await room.done(loanId, { do: 'start-underwriting' });
    await room.done(loanId, { do: 'complete-underwriting', approved: true, dealIndex: 0, reason: null });
    await room.done(loanId, { do: 'initiate-repayment', date: null, opening: null });
    const reamortize: Command = { do: 'reamortize', date: null, reason: 'lower payment' };
    const tried = async (loans = room.loans) =>
      (
        await loans.write(
          ACTOR,
          { loanId, command: reamortize, reason: null, answer: () => 'ok' },
          { ...PLAIN, dryRun: true },
        )
      ).kind;
    const { version } = await room.done(loanId, reamortize);
    expect([await tried(), await tried(room.another())]).toEqual(['refused', 'refused']);
    await room.done(loanId, { do: 'undo', sequence: version, reason: 'mistake' });
    expect([await tried(), await tried(room.another())]).toEqual(['done', 'done']);
    await room.close();
  });
});

test('a statement of many payments and quotes reads each of them once', () => {
  const life = live().fund();
  const many = Array.from({ length: 1_500 }, (_, i) => {
    const recordedAt = new Date(Date.UTC(2026, 2, 1) + i).toISOString();
    return i % 2 === 0
      ? { ...event({ type: 'paymentSubmitted', refId: `P-${i}`, amount: 1, purpose: 'installment' }), recordedAt }
      : {
          ...event({ type: 'payoffQuoted', quoteId: `Q-${i}`, kind: 'payoff', amount: 9_000_00, goodThrough: DAY }),
          recordedAt,
        };
  }) as LoanEvent[];
  const { rows } = statement([...life.events, ...many], DAY);
  expect(rows.filter(({ kind }) => kind === 'payment').map(({ reference }) => reference)).toEqual(
    many.flatMap((one) => (one.type === 'paymentSubmitted' ? [one.refId] : [])),
  );
  expect(rows.filter(({ kind }) => kind === 'quoted')).toHaveLength(750);
});
