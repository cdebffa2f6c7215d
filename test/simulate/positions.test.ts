/**
 * Positions of a random book, against the reads of single loans: the row of every month end as it was known at the end of that month, and as
 * it is known now, is what the loan shows as of that date by what was recorded by then. `TEST_LONG=1` runs more books; `SEED` chooses others.
 */
import { expect, test } from 'vitest';
import { addDays, date, lastOfMonth, type PlainDate } from '../../src/core/calendar.ts';
import { daysPastDue } from '../../src/core/delinquency.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { ACTOR, repay, testLoans, testMasterKeys } from '../support/loans.ts';
import { WHOLE } from '../support/whole.ts';

const LONG = process.env.TEST_LONG !== undefined;
const SEED = Number(process.env.SEED ?? 1);
const BOOKS = LONG ? 20 : 1;
const MONTHS = LONG ? 14 : WHOLE ? 5 : 3;
const LOANS = LONG ? 10 : 4;
const ORG = ACTOR.organizationId;

/** Numbers below `n`, always the same for a seed. */
function dice(seed: number): (n: number) => number {
  let state = seed * 2_654_435_761;
  return (n) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return state % n;
  };
}

test.each(Array.from({ length: BOOKS }, (_, i) => SEED + i))(
  'positions are what loans show: seed %i',
  { timeout: 600_000 },
  async (seed) => {
    const room = await testLoans();
    const roll = dice(seed);
    const at = (day: string, time = '12:00') => {
      room.clock.now = Date.parse(`${day}T${time}:00Z`);
    };
    try {
      at('2026-01-03');
      const ids: string[] = [];
      for (let i = 0; i < LOANS; i++) ids.push(await room.live({ lenderId: `L-${i % 2}` }));
      const paid: { loanId: string; refId: string }[] = [];
      let done = 0;
      const attempt = async (loanId: string, command: object, reason = 'A reason'): Promise<boolean> => {
        const { kind } = await room.write(loanId, command as never, { reason });
        if (kind === 'done') done += 1;
        return kind === 'done';
      };
      const over: string[] = [];
      const undoLast = async (loanId: string): Promise<void> => {
        const [last] = await room.db.query<{ hash: string }>(
          `SELECT '0x' || encode(hash, 'hex') AS hash FROM events WHERE loan_id = $1 AND type IN ('rescinded', 'boardingCancelled')
           ORDER BY sequence DESC LIMIT 1`,
          [Buffer.from(loanId.slice(2), 'hex')],
        );
        if (last !== undefined)
          await attempt(loanId, { do: 'undo', transactionHash: last.hash, reason: 'Of another loan' });
      };
      let day = date('2026-01-10');
      const end = addDays(day, MONTHS * 30);
      for (let n = 0; day <= end; n++) {
        at(day);
        for (const loanId of ids) {
          const refId = `r-${n}-${loanId.slice(2, 8)}`;
          const back = roll(3) === 0 ? addDays(day, -1 - roll(25)) : null;
          const amount = [88_849, 40_000, 177_698, 300_000, 1_200_000][roll(10)] ?? 88_849;
          const more = {
            date: back,
            reason: 'Found',
            acceptOverpayment: true,
            purpose: roll(6) === 0 ? 'principal' : 'installment',
          };
          const what = roll(8);
          if (what < 4 && (await attempt(loanId, repay(refId, amount, more)))) paid.push({ loanId, refId });
          const one = paid[roll(Math.max(1, paid.length))];
          if (what === 4 && one !== undefined) {
            await attempt(one.loanId, {
              do: 'return-repayment',
              refId: one.refId,
              code: 'R01',
              date: null,
              reason: null,
            });
          }
          if (what === 5 && one !== undefined)
            await attempt(one.loanId, { do: 'acknowledge-repayment', refId: one.refId });
          if (what === 6 && roll(4) === 0) {
            await attempt(loanId, { do: 'charge-off', collateral: 0, reason: 'Months without a payment', date: null });
          }
          // Void, or off the books again, and sometimes back.
          if (what === 7 && roll(3) === 0) {
            const ended = roll(2) === 0 ? { do: 'rescind', date: back } : { do: 'cancel-boarding' };
            if (await attempt(loanId, { ...ended, reason: 'A notice' })) over.push(loanId);
          }
          if (over.includes(loanId) && roll(3) === 0) await undoLast(loanId);
        }
        const next = addDays(day, 4 + roll(9));
        at(next, '00:10');
        await room.loans.cycle.runCyclesThrough(ORG, addDays(next, -1));
        day = next;
      }
      expect(done).toBeGreaterThan(LOANS * MONTHS);
      const through = addDays(day, -1);
      const rows = await room.db.query<Row>(
        `SELECT '0x' || encode(loan_id, 'hex') AS "loanId", date, known_on AS "knownOn", withdrawn, status, principal::int,
           days_past_due AS "daysPastDue" FROM positions ORDER BY known_on`,
      );
      let compared = 0;
      for (const loanId of ids) {
        for (let month = lastOfMonth(date('2026-01-03')); month <= through; month = lastOfMonth(addDays(month, 1))) {
          for (const known of [month, through]) {
            const row = rows.findLast((one) => one.loanId === loanId && one.date === month && one.knownOn <= known);
            const view = await room.loans.reads.read(ACTOR, loanId, { asOf: month, knownAt: `${known}T23:59:59.999Z` });
            if (view === null || view === 'before') throw new Error('A loan cannot be read.');
            const { loan, status } = view;
            const isOver = status === 'Closed' || status === 'ClosedEarly' || loan.stage !== 'Funded';
            if (row === undefined || row.withdrawn) expect(isOver, `${loanId} ${month} ${known}`).toBe(true);
            else {
              const { principal, daysPastDue: late } = row;
              expect([row.status, principal, late]).toEqual([status, loan.principal, daysPastDue(loan)]);
              compared += 1;
            }
          }
        }
      }
      expect(compared).toBeGreaterThan(LOANS);
      expect((await verifyBook({ db: room.db, masterKeys: testMasterKeys })).complaints).toEqual([]);
    } finally {
      await room.close();
    }
  },
);

type Row = {
  loanId: string;
  date: PlainDate;
  knownOn: PlainDate;
  withdrawn: boolean;
  status: string;
  principal: number;
  daysPastDue: number;
};
