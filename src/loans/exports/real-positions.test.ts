/** An export of positions that the nightly cycle made: month ends, a restatement, and how it was known before. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rowsOf } from '../../../test/support/exports.ts';
import { ACTOR, repay, type TestLoans, testLoans } from '../../../test/support/loans.ts';
import { date } from '../../core/calendar.ts';
import type { ExportQuery } from './source.ts';

const ALL = { asOf: null, knownAt: null, from: null, to: null, lenderId: null, statuses: [], personal: false };

let room: TestLoans;
let [paying, late] = ['', ''];
const at = (day: string) => {
  room.clock.now = Date.parse(`${day}T12:00:00Z`);
};
const night = (through: string) => room.loans.cycle.runCyclesThrough(ACTOR.organizationId, date(through));

beforeAll(async () => {
  room = await testLoans();
  at('2026-01-05');
  paying = await room.live({ lenderId: 'L-1', state: 'OH' });
  late = await room.live({ lenderId: 'L-2', state: 'OH' });
  await room.create();
  at('2026-02-05');
  await night('2026-02-04');
  await room.done(paying, repay('P-1', 88_849));
  at('2026-03-02');
  await night('2026-03-01');
}, 60_000);
afterAll(() => room.close());

async function exported(more: Partial<ExportQuery> = {}) {
  const started = await room.loans.exports.start(ACTOR, 'positions', { ...ALL, ...more }, null);
  if ('wrong' in started) throw new Error(`Not started: ${started.wrong}`);
  let text = '';
  for await (const piece of started.text('ndjson')) text += piece;
  return rowsOf(text, 'ndjson');
}

const shown = (rows: Record<string, string>[], loanId: string) =>
  rows.filter((row) => row.loanId === loanId).map((row) => [row.date, row.loanStatus, row.principal]);

test('has the month ends of every funded loan, with the figures of the table', async () => {
  const rows = await exported();
  expect(rows).toHaveLength(4);
  expect(shown(rows, late)).toEqual([
    ['2026-01-31', 'Current', '10000.00'],
    ['2026-02-28', 'Delinquent', '10000.00'],
  ]);
  const stored = await room.db.query<Record<string, string>>(
    `SELECT to_char(date, 'YYYY-MM-DD') AS date, status AS "loanStatus", to_char(principal / 100.0, 'FM999990.00') AS principal,
       to_char(principal_received / 100.0, 'FM999990.00') AS received, state
     FROM positions WHERE loan_id = $1 ORDER BY date`,
    [`\\x${paying.slice(2)}`],
  );
  expect(shown(rows, paying)).toEqual(stored.map((row) => [row.date, row.loanStatus, row.principal]));
  const received = rows.filter(({ loanId }) => loanId === paying).map((row) => row.principalReceived);
  expect(received).toEqual(stored.map((row) => row.received));
  expect(Number(received[1])).toBeGreaterThan(0);
  // The table has the borrower's state, for reports; a row of a loan does not show it.
  expect(stored.map(({ state }) => state)).toEqual(['OH', 'OH']);
  for (const row of rows) expect(Object.values(row)).not.toContain('OH');
});

test('after a payment of the past, the restatement, and before it was known what was reported then', async () => {
  const before = await exported({ lenderId: 'L-2' });
  const back = { ...repay('P-2', 88_849), date: date('2026-02-10') };
  await room.done(late, back);
  // Not before the cycle of its day has run.
  expect((await exported({ lenderId: 'L-2' })).map(({ principal }) => principal)).toEqual(
    before.map(({ principal }) => principal),
  );
  at('2026-03-03');
  await night('2026-03-02');
  const [, restated] = await exported({ lenderId: 'L-2' });
  expect([restated?.date, restated?.knownOn]).toEqual(['2026-02-28', '2026-03-02']);
  expect(Number(restated?.principal)).toBeLessThan(10_000);
  const [, then] = await exported({ lenderId: 'L-2', knownAt: '2026-03-01T23:00:00.000Z' });
  expect([then?.knownOn, then?.principal]).toEqual(['2026-02-28', '10000.00']);
});
