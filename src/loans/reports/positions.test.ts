/** Positions on a small book: written by the cycle at the end of each month, restated when the past changes, and verified. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACTOR, repay, type TestLoans, testLoans, testMasterKeys } from '../../../test/support/loans.ts';
import { putBack, setTriggers } from '../../../test/support/nights.ts';
import { slowTest, WHOLE } from '../../../test/support/whole.ts';
import { date } from '../../core/calendar.ts';
import { POSITION_COLUMNS } from '../../store/reports/positions.ts';
import { verifyBook } from '../verify/book.ts';
import { complaintLine } from '../verify/complaint.ts';

const ORG = ACTOR.organizationId;
let room: TestLoans;
const ids: Record<string, string> = {};

function at(day: string, time = '12:00'): void {
  room.clock.now = Date.parse(`${day}T${time}:00Z`);
}

async function night(through: string): Promise<void> {
  await room.loans.cycle.runCyclesThrough(ORG, date(through));
}

type Row = { date: string; known_on: string; principal: number; status: string; withdrawn: boolean } & Record<
  string,
  unknown
>;

async function rowsOf(loanId: string): Promise<Row[]> {
  const rows = await room.db.query<Row>(
    `SELECT to_char(date, 'YYYY-MM-DD') AS date, to_char(known_on, 'YYYY-MM-DD') AS known_on, organization_id, principal::int, status, withdrawn,
       opening_principal::int, principal_received::int, unscheduled_principal::int, disbursed::int, charged_off::int, recovered::int, days_past_due
     FROM positions WHERE loan_id = $1 ORDER BY date, known_on`,
    [`\\x${loanId.slice(2)}`],
  );
  return rows;
}

const verified = async () =>
  (await verifyBook({ db: room.db, masterKeys: testMasterKeys })).complaints.map(complaintLine);

beforeAll(async () => {
  room = await testLoans();
  at('2026-01-05');
  for (const name of ['pays', 'late', 'ends', 'lost'])
    ids[name] = await room.live({ lenderId: name === 'lost' ? 'L-2' : 'L-1' });
  ids.application = await room.create();
  at('2026-02-05');
  await night('2026-02-03');
  await room.done(ids.pays as string, repay('p1', 88_849));
  await room.done(ids.ends as string, repay('e1', 1_011_333));
  at('2026-03-01', '00:10');
  await night('2026-02-28');
}, 60_000);
afterAll(() => room.close());

describe('the end of a month', () => {
  test('has a row for every loan that is funded', async () => {
    expect(await rowsOf(ids.pays as string)).toMatchObject([
      { date: '2026-01-31', known_on: '2026-01-31', principal: 1_000_000, status: 'Current', disbursed: 1_000_000 },
      { date: '2026-02-28', known_on: '2026-02-28', opening_principal: 1_000_000, status: 'Current' },
    ]);
    expect(await rowsOf(ids.late as string)).toMatchObject([{}, { principal: 1_000_000, status: 'Delinquent' }]);
    expect(await rowsOf(ids.application as string)).toEqual([]);
    expect(await verified()).toEqual([]);
  });

  test('a further run writes nothing', async () => {
    const count = () =>
      room.db.query('SELECT (SELECT count(*) FROM positions) AS rows, (SELECT count(*) FROM position_sums) AS sums');
    const before = await count();
    await room.loans.cycle.runAgain(ORG, date('2026-02-28'));
    expect(await count()).toEqual(before);
  });

  test('the step tells how many rows it wrote', async () => {
    const detail = await room.loans.cycle.read({ organizationId: ORG } as never, {
      date: date('2026-02-28'),
      after: null,
      limit: 10,
    });
    expect(detail?.steps.find(({ step }) => step === 'positions')).toMatchObject({ counts: { loans: 4 } });
  });
});

describe('restatements', () => {
  test('an acknowledgement closes the loan on the day of its payment; afterwards it has no position', async () => {
    at('2026-03-03');
    await room.done(ids.ends as string, { do: 'acknowledge-repayment', refId: 'e1' } as never);
    at('2026-04-01', '00:10');
    await night('2026-03-31');
    const rows = await rowsOf(ids.ends as string);
    expect(rows.slice(1)).toMatchObject([
      { date: '2026-02-28', known_on: '2026-02-28', status: 'Current', principal: 0 },
      { date: '2026-02-28', known_on: '2026-03-03', status: 'ClosedEarly', principal: 0 },
    ]);
    expect(await verified()).toEqual([]);
  });

  test('a backdated payment changes every month end since, a returned one takes it back', async () => {
    at('2026-04-02');
    await room.done(
      ids.late as string,
      repay('l1', 88_849, { date: date('2026-03-20'), reason: 'Found in the lockbox' }),
    );
    at('2026-04-04', '00:10');
    await night('2026-04-03');
    expect((await rowsOf(ids.late as string)).slice(2)).toMatchObject([
      { date: '2026-03-31', known_on: '2026-03-31', principal: 1_000_000, principal_received: 0 },
      { date: '2026-03-31', known_on: '2026-04-02', opening_principal: 1_000_000 },
    ]);
    at('2026-04-10');
    await room.done(
      ids.late as string,
      { do: 'return-repayment', refId: 'l1', code: 'R01', date: null, reason: null } as never,
    );
    at('2026-04-12', '00:10');
    await night('2026-04-11');
    const rows = await rowsOf(ids.late as string);
    expect(rows.at(-1)).toMatchObject({
      date: '2026-03-31',
      known_on: '2026-04-10',
      principal: 1_000_000,
      principal_received: 0,
    });
    expect(await verified()).toEqual([]);
  });

  test('the sums as known on a day are those of the rows as known on it', async () => {
    for (const [known, principal] of [
      ['2026-03-31', 1],
      ['2026-04-05', 2],
      ['2026-04-11', 3],
    ] as const) {
      const [sums] = await room.db.query<{ principal: string }>(
        `SELECT sum(principal)::text AS principal FROM position_sums WHERE date = '2026-03-31' AND known_on <= $1 AND dimension = ''`,
        [known],
      );
      const [rows] = await room.db.query<{ principal: string }>(
        `SELECT sum(principal)::text AS principal FROM (SELECT DISTINCT ON (loan_id) principal FROM positions
           WHERE date = '2026-03-31' AND known_on <= $1 ORDER BY loan_id, known_on DESC) last`,
        [known],
      );
      expect(sums?.principal, String(principal)).toBe(rows?.principal);
      expect(Number(sums?.principal)).toBeGreaterThan(0);
    }
  });

  test('a payoff that comes back after its acknowledgement: the loan goes on, and was closed as known in between', async () => {
    at('2026-04-20');
    await room.done(
      ids.ends as string,
      { do: 'return-repayment', refId: 'e1', code: 'R01', date: null, reason: null } as never,
    );
    at('2026-04-22', '00:10');
    await night('2026-04-21');
    expect((await rowsOf(ids.ends as string)).slice(1)).toMatchObject([
      { date: '2026-02-28', known_on: '2026-02-28', status: 'Current', principal: 0 },
      { date: '2026-02-28', known_on: '2026-03-03', status: 'ClosedEarly', principal: 0 },
      { date: '2026-02-28', known_on: '2026-04-20', status: 'Delinquent', principal: 1_000_000 },
      { date: '2026-03-31', known_on: '2026-04-20', status: 'Delinquent', principal: 1_000_000 },
    ]);
    expect(await verified()).toEqual([]);
  });

  test('a payoff that is found later ends what was owed; the positions after it are of its credit', async () => {
    at('2026-05-01', '00:10');
    await night('2026-04-30');
    at('2026-05-02');
    await room.done(
      ids.late as string,
      repay('l2', 1_100_000, { date: date('2026-04-05'), acceptOverpayment: true, reason: 'Found' }),
    );
    await room.done(ids.late as string, { do: 'acknowledge-repayment', refId: 'l2' } as never);
    at('2026-06-01', '00:10');
    await night('2026-05-31');
    expect(await verified()).toEqual([]);
    expect((await rowsOf(ids.late as string)).slice(-2)).toMatchObject([
      { date: '2026-04-30', known_on: '2026-05-02', status: 'ClosedEarly' },
      { date: '2026-05-31', known_on: '2026-05-31', status: 'ClosedEarly' },
    ]);
  });
});

describe('verify names what is wrong', () => {
  /** Makes the damage, verifies, and repairs it. */
  async function damaged(table: 'positions' | 'position_sums' | 'loans', damage: string): Promise<string[]> {
    await room.db.query(`CREATE TABLE kept AS TABLE ${table}`);
    await setTriggers(room.db, table, 'DISABLE');
    try {
      await room.db.query(damage);
      return await verified();
    } finally {
      await putBack(room.db, table, 'kept');
      await room.db.query('DROP TABLE kept');
    }
  }
  const of = (name: string) => `loan_id = '\\x${ids[name]?.slice(2)}'`;
  const SUMS = `position_sums: ${ORG} 2026-02-28 known on 2026-02-28: the sums do not match the positions`;

  const changes = [
    ['principal', '1'],
    ['days_past_due', '7'],
    ['rate', '12.000001'],
    ['unscheduled_principal', '1'],
    ['grade', "'A'"],
    ['lender_id', "'L-9'"],
    ['vintage', "'2025-01-01'"],
  ] as const;
  test.each(changes.filter((_, n) => WHOLE || n < 2))('a changed %s', async (column, value) => {
    const found = await damaged(
      'positions',
      `UPDATE positions SET ${column} = ${value} WHERE ${of('lost')} AND date = '2026-02-28'`,
    );
    expect(found[0]).toContain(
      `positions, loan ${ids.lost}: 2026-02-28 known on 2026-02-28: ${column} does not match its history`,
    );
    if (column !== 'days_past_due') expect(found.join('\n')).toContain(SUMS);
  });

  slowTest('a missing row, one too many, and one of a loan that does not exist', async () => {
    const where = `${of('pays')} AND date = '2026-02-28'`;
    expect(await damaged('positions', `DELETE FROM positions WHERE ${where}`)).toContain(
      `positions, loan ${ids.pays}: 2026-02-28 known on 2026-02-28 is missing`,
    );
    const names = ['volume', ...Object.keys(POSITION_COLUMNS)];
    const copied = (column: string, value: string) =>
      `INSERT INTO positions (${names.join(', ')}) SELECT ${names.map((name) => `r.${name}`).join(', ')} FROM positions p, jsonb_populate_record(p, jsonb_build_object('${column}', ${value})) r WHERE ${where.replace('loan_id', 'p.loan_id').replace('date', 'p.date')}`;
    expect(await damaged('positions', copied('known_on', "'2026-03-05'"))).toContain(
      `positions, loan ${ids.pays}: 2026-02-28 known on 2026-03-05 should not be there`,
    );
    const stray = await damaged('positions', copied('loan_id', `'\\x${ids.pays?.slice(2, 4)}${'00'.repeat(31)}'`));
    expect(stray.join('\n')).toContain('1 row is of a loan that does not exist');
  });

  test('a restatement that is missing', async () => {
    const found = await damaged('positions', `DELETE FROM positions WHERE ${of('late')} AND known_on = '2026-04-02'`);
    expect(found.join('\n')).toContain('2026-03-31 known on 2026-04-02 is missing');
  });

  test('sums', async () => {
    expect(
      (
        await damaged(
          'position_sums',
          `UPDATE position_sums SET principal = principal + 1 WHERE date = '2026-02-28' AND known_on = date AND dimension = ''`,
        )
      ).join('\n'),
    ).toContain(SUMS);
    expect(
      (await damaged('position_sums', `DELETE FROM position_sums WHERE date = '2026-02-28'`)).join('\n'),
    ).toContain(SUMS);
    await expect(room.db.query('DELETE FROM position_sums')).rejects.toThrow('append only');
  });

  const columns = WHOLE ? ['original', 'remaining', 'opening_principal', 'scheduled_principal'] : ['remaining'];
  test.each(columns)('%s in the row of a loan', async (column) => {
    const found = await damaged('loans', `UPDATE loans SET ${column} = ${column} + 1 WHERE ${of('pays')}`);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`loans, loan ${ids.pays}: ${column} does not match its history`);
  });
});

describe('another date', () => {
  const ensure = (day: string) => room.loans.reports.positionDates.ensure(ORG, date(day));
  const goOn = (stopped = () => false) => room.loans.reports.positionDates.goOn(stopped);

  test('is computed in the background, and goes on where it was stopped', async () => {
    expect(await ensure('2026-05-31')).toEqual({ ready: true });
    expect(await ensure('2026-06-15')).toEqual({ refused: 'notOver', over: '2026-05-31' });
    expect(await ensure('2026-05-10')).toEqual({ ready: false, done: 0, total: 4 });
    let looks = 0;
    await goOn(() => ++looks > 20);
    expect(await ensure('2026-05-10')).toMatchObject({ ready: false });
    await goOn();
    expect(await ensure('2026-05-10')).toEqual({ ready: true });
    expect((await rowsOf(ids.pays as string)).filter((row) => row.date === '2026-05-10')).toMatchObject([
      { known_on: '2026-05-31' },
    ]);
    expect(await verified()).toEqual([]);
  });

  test('is restated like a month end', async () => {
    at('2026-06-02');
    await room.done(ids.pays as string, repay('p9', 50_000, { date: date('2026-05-09'), reason: 'Found' }));
    // Nothing is begun while a cycle is to be run, but one that has begun is finished by it.
    at('2026-06-04');
    expect(await ensure('2026-05-11')).toMatchObject({ ready: false });
    await goOn();
    await night('2026-06-03');
    expect(await ensure('2026-05-11')).toMatchObject({ ready: false });
    at('2026-06-05');
    await night('2026-06-04');
    expect(await ensure('2026-05-11')).toEqual({ ready: true });
    expect((await rowsOf(ids.pays as string)).filter((row) => row.date === '2026-05-10')).toMatchObject([
      { known_on: '2026-05-31', principal_received: 0 },
      { known_on: '2026-06-02' },
    ]);
    expect(await verified()).toEqual([]);
  });

  test('there is a limit', async () => {
    await goOn();
    for (let day = 10; day < 32; day++) await ensure(`2026-01-${day}`);
    await ensure('2026-02-01');
    await ensure('2026-02-02');
    expect(await ensure('2026-02-03')).toEqual({ refused: 'full', most: 24 });
  });
});
