import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bureau } from '../../src/bureau/bureau.ts';
import { openSimulator } from '../../src/bureau/simulator/open.ts';
import { addDays, date, lastOfMonth, type PlainDate } from '../../src/core/calendar.ts';
import { keptOf } from '../../src/core/charged-off.ts';
import { BUCKETS } from '../../src/core/delinquency.ts';
import { STATUSES } from '../../src/core/loan.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import { type DemoOptions, fillDemo } from '../../src/demo/fill.ts';
import { storiesUntil } from '../../src/demo/stories.ts';
import type { Actor } from '../../src/loans/door/actor.ts';
import { type OpenLoans, openLoans } from '../../src/loans/open.ts';
import type { LoanSummary } from '../../src/loans/reads/list.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { endFilling, insertSandbox, readDemo } from '../../src/store/access/sandboxes.ts';
import type { Db } from '../../src/store/db/db.ts';
import { insertTestClock } from '../../src/store/door/test-clocks.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { complaintsAbout, complaintsAboutAll, type Recorded } from '../support/demo-rules.ts';
import { testMasterKeys, testSecrets } from '../support/loans.ts';
import { answered, expectMonthsToAgree, OWN_CODES } from '../support/months.ts';
import { testWorkers as workers } from '../support/workers.ts';

const MADE_AT = '2026-06-15T14:03:00.000Z';
const LONG = process.env.TEST_LONG !== undefined;
// It takes fifteen seconds on an idle machine.
const PATIENT = { timeout: 300_000 };

const opening =
  (db: Db, line: (bureau: Bureau) => Bureau = (bureau) => bureau) =>
  (clock: () => number) =>
    openLoans({
      db,
      clock,
      masterKeys: testMasterKeys,
      secrets: testSecrets,
      overridesTestClocks: true,
      bureau: line(openSimulator(workers)),
      simulator: openSimulator(workers),
      workers,
    });

function demoIn(db: Db, more: Partial<DemoOptions> = {}): DemoOptions & { shown: string[] } {
  const shown: string[] = [];
  return {
    shown,
    sandbox: {
      read: () => readDemo(db, 'Demo'),
      async create() {
        await db.query(
          "INSERT INTO organizations (organization_id, name, created_at, clock_kind) VALUES ('org_demo', 'Demo', $1, 'test')",
          [MADE_AT],
        );
        await insertTestClock(db, {
          organizationId: 'org_demo',
          standsOn: date('2026-06-15'),
          setAt: new Date(MADE_AT),
        });
        const made = { organizationId: 'org_demo', madeBy: null, madeAt: new Date(MADE_AT), filling: true, call: null };
        await db.transaction((tx) => insertSandbox(tx, made));
        return { organizationId: 'org_demo', timeZone: 'UTC', today: date('2026-06-15'), filling: true };
      },
      filled: (organizationId, past) => db.transaction((tx) => endFilling(tx, organizationId, past)),
    },
    show: async (organizationId) => {
      shown.push(organizationId);
      return { handOver: async () => shown.push(`${organizationId} handed over`) };
    },
    begin: true,
    open: opening(db),
    signal: new AbortController().signal,
    ...more,
  };
}

const VISITOR: Actor = {
  organizationId: 'org_first',
  clientId: 'first',
  keyId: null,
  scopes: new Set(['loans:read']),
  grants: [{ ownerOrganizationId: 'org_demo', access: 'read', servicerId: null }],
  requestId: 'request',
  purpose: '',
};

async function everyLoan(loans: OpenLoans): Promise<LoanSummary[]> {
  const found: LoanSummary[] = [];
  let cursor: string | null = null;
  do {
    const page = await loans.reads.list(VISITOR, { limit: 100, cursor, sort: 'createdAt' });
    if (page === 'bad_cursor') throw new Error('bad cursor');
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}

/** Events with their recording times, by loan. */
const historiesIn = (db: Db) =>
  db.query<{ application_id: string; history: string }>(
    `SELECT application_id, string_agg(concat(type, ' ', body::json->'event'->>'recordedAt'), ', ' ORDER BY sequence) AS history
       FROM events JOIN applications USING (loan_id) GROUP BY application_id ORDER BY application_id`,
  );

/**
 * All of them with TEST_LONG, as test/slow/demo.test.ts fills them in a service; otherwise those of the last eighteen months, and of the years
 * before one of each status and account that only comes with time, and the first applications of loans that are boarded later.
 */
const told: NonNullable<DemoOptions['stories']> = (today) => {
  const stories = storiesUntil(today);
  if (LONG) return stories;
  const boarded = new Set(stories.filter(({ withRecord }) => withRecord).map(({ person }) => person));
  const rare = new Set(
    [
      'closed on time',
      'charged off, the car sold and some paid since',
      'charged off, the car not sold yet',
      '120 days late and more',
      'defaulted',
      'settled for less',
    ].map((about) => stories.findLast((story) => story.about === about)),
  );
  const recent = addDays(today, -548);
  return stories.filter(
    (story, i) =>
      (story.on >= recent && i % 2 === 1) ||
      story.on >= addDays(today, -150) ||
      boarded.has(story.person) ||
      rare.has(story),
  );
};

describe('the demonstration', PATIENT, () => {
  let base: TestDatabase;
  let loans: ReturnType<typeof openLoans>;
  let all: LoanSummary[];
  beforeAll(async () => {
    base = await testDatabase();
    loans = opening(base.db)(() => Date.parse(MADE_AT));
    const demo = demoIn(base.db, { stories: told });
    const { outcome, refused, loans: made } = await fillDemo(demo);
    expect({ outcome, refused, shown: demo.shown }).toEqual({
      outcome: 'filled',
      refused: 0,
      shown: ['org_demo', 'org_demo handed over'],
    });
    all = await everyLoan(loans);
    expect(all).toHaveLength(made);
  }, PATIENT.timeout);
  afterAll(async () => {
    await loans.close();
    await base.drop();
  });

  test('has about a hundred loans, in every status, late in every bucket, of several lenders and servicers', () => {
    expect(all).toHaveLength(told(date('2026-06-15')).length);
    expect(all.length).toBeGreaterThanOrEqual(LONG ? 95 : 50);
    const kinds = (pick: (loan: LoanSummary) => unknown) => [...new Set(all.map(pick))].sort();
    expect(kinds(({ loanStatus }) => loanStatus)).toEqual([...STATUSES].sort());
    expect(kinds(({ bucket }) => bucket ?? 'not serviced')).toEqual([...BUCKETS, 'not serviced'].sort());
    expect(kinds(({ published }) => published)).toEqual([false, true]);
    expect(kinds(({ lenderId }) => lenderId).length).toBeGreaterThan(2);
    expect(kinds(({ primaryServicerId }) => primaryServicerId).length).toBeGreaterThan(2);
    expect(all.map(({ applicationId }) => applicationId)).toContain('DEMO-001');
  });

  test('its clock is past everything that was recorded, and its cycles begin on the day it was filled', async () => {
    const [last] = await base.db.query<{ at: string }>(
      "SELECT max(body::json->'event'->>'recordedAt') AS at FROM events",
    );
    expect(last?.at).toBe('2026-06-15T00:00:00.000Z');
    expect(await base.db.query('SELECT first, through FROM cycle_heads')).toEqual([
      { first: '2026-06-15', through: '2026-06-14' },
    ]);
  });

  test('its applications were underwritten by the product, three loans came with an assessment from elsewhere', async () => {
    const owner = { ...VISITOR, organizationId: 'org_demo' };
    const grades = new Map<string, number>();
    const count = { here: 0, elsewhere: 0, nobody: 0, overridden: 0 };
    for (const { loanId, loanStatus } of all) {
      const view = await loans.reads.read(owner, loanId, { asOf: null, knownAt: null });
      if (view === null || view === 'before') throw new Error('The loan cannot be read.');
      const { file, events } = view;
      const started = events.some(({ type }) => type === 'underwritingStarted');
      expect([loanId, file.assessed !== null]).toEqual([loanId, started]);
      count[file.assessed ?? 'nobody'] += 1;
      if (file.assessed === null) continue;
      grades.set(file.grade, (grades.get(file.grade) ?? 0) + 1);
      expect(file.deals).toHaveLength(60);
      expect(Number(file.fairValuePrice)).toBeGreaterThan((file.principalAmount / 100) * 0.8);
      expect(file.assessedWith === null).toBe(file.assessed === 'elsewhere');
      if (events.some((event) => event.type === 'approved' && event.overridden)) count.overridden += 1;
      if (loanStatus === 'Rejected') expect(file.decision).toBe('DECLINED');
    }
    expect(count.elsewhere).toBe(3);
    expect(count.here).toBeGreaterThanOrEqual(LONG ? 90 : 30);
    expect(count.overridden).toBe(0);
    expect([...grades.keys()].sort()).toEqual(['A', 'B', 'C', 'D', 'E', 'F']);
    const pulls = await base.db.query('SELECT 1 FROM bureau_pulls WHERE answered_at IS NULL');
    expect(pulls).toEqual([]);
  });

  test('its people, dates, scores, grades, rates and decisions agree with each other', async () => {
    const scopes = new Set(['loans:read', 'loans:read_pii']);
    const owner = { ...VISITOR, organizationId: 'org_demo', keyId: 'key', scopes };
    const now = { asOf: null, knownAt: null };
    const found: string[] = [];
    const records: Recorded[] = [];
    for (const { loanId } of all) {
      const [view, full] = [await loans.reads.read(owner, loanId, now), await loans.reads.readFull(owner, loanId, now)];
      if (view === null || view === 'before' || full === null || full === 'before') throw new Error('No such loan.');
      records.push({ full, events: view.events });
      found.push(...complaintsAbout({ full, events: view.events }));
    }
    expect([...found, ...complaintsAboutAll(records)]).toEqual([]);
  });

  test('its books balance, event by event and in total', async () => {
    const uneven = await base.db.query(
      'SELECT loan_id, sequence FROM journal GROUP BY loan_id, sequence HAVING sum(amount) <> 0',
    );
    expect(uneven).toEqual([]);
    const demo = { ...VISITOR, organizationId: 'org_demo' };
    const asked = { asOf: date('2026-06-15'), lenderId: null };
    const found = await loans.books.trialBalance(demo, asked);
    if (isRefusal(found)) throw new Error(found.detail);
    const { accounts } = found;
    const ties = await loans.books.tieOut(demo, asked);
    expect(isRefusal(ties) ? ties : ties.accounts.filter(({ difference }) => difference !== 0)).toEqual([]);
    const [debit, credit] = (['debit', 'credit'] as const).map((side) =>
      accounts.reduce((sum, account) => sum + account[side], 0),
    );
    expect(debit).toBe(credit);
    const used = accounts.filter((account) => account.debit + account.credit > 0).map(({ account }) => account);
    expect(used).toEqual(
      expect.arrayContaining([
        'loanPrincipal',
        'accruedInterest',
        'cash',
        'opening',
        'interestIncome',
        'feeIncome',
        'chargeOffExpense',
        'recoveryIncome',
      ]),
    );
    const owed = all.reduce((sum, { loanStatus, remainingBalance: principal }) => {
      const onTheBooks = ['Funded', 'Current', 'Delinquent', 'Defaulted'].includes(loanStatus);
      return onTheBooks ? sum + principal : sum;
    }, 0);
    const kept = await keptOn(null);
    expect(kept).toBeGreaterThan(0);
    expect(accounts.find(({ account }) => account === 'loanPrincipal')?.debit).toBe(owed + kept);
  });

  /** The amount of charged-off loans that the books keep for collateral that is not sold yet. */
  async function keptOn(asOf: PlainDate | null): Promise<number> {
    const views = await Promise.all(
      all.map(({ loanId }) => loans.reads.readState(VISITOR, loanId, { asOf, knownAt: null })),
    );
    return views.reduce((sum, view) => {
      if (view === null || view === 'before' || view.loan.chargeOff === null) return sum;
      return sum + keptOf(view.loan, view.loan.chargeOff);
    }, 0);
  }

  test('was recorded on its days: every volume is in the order of time, years of it, none of it in the future', async () => {
    const [row] = await base.db.query<{ first: string; last: string; disorder: number }>(
      `SELECT min(at) AS first, max(at) AS last, count(*) FILTER (WHERE at < before)::int AS disorder
         FROM (SELECT at, lag(at) OVER (PARTITION BY volume ORDER BY block, position) AS before
                 FROM (SELECT volume, block, position, body::json->'event'->>'recordedAt' AS at FROM events) e) o`,
    );
    expect(row?.disorder).toBe(0);
    expect(row?.first.slice(0, 4)).toBe(LONG ? '2022' : '2024');
    expect(row?.last).toBe('2026-06-15T00:00:00.000Z');
  });

  test('is left alone when it is asked for again', async () => {
    const before = await historiesIn(base.db);
    const again = demoIn(base.db, { stories: told });
    expect((await fillDemo(again)).outcome).toBe('filled before');
    expect(again.shown).toEqual([]);
    expect(await historiesIn(base.db)).toEqual(before);
  });

  test('its years have reports: a month end of the past has the principal and the fees of the books', async () => {
    const demo = { ...VISITOR, organizationId: 'org_demo', grants: [] };
    await loans.reports.positionDates.goOn(() => false);
    for (const asOf of [date('2026-05-31'), date('2025-12-31')]) {
      const report = await loans.reports.report(demo, 'summary', { asOf, by: null, knownAt: null });
      if (!('table' in report)) throw new Error('There is no report.');
      const books = await loans.books.trialBalance(demo, { asOf, lenderId: null });
      if (isRefusal(books)) throw new Error(books.detail);
      const [row] = report.table.totals;
      const debit = (name: string) => BigInt(books.accounts.find(({ account }) => account === name)?.debit ?? 0);
      const principal = debit('loanPrincipal') - BigInt(await keptOn(asOf));
      expect(row).toMatchObject({ principal, fees: debit('feeReceivable') });
      expect(row?.principal).toBeGreaterThan(0n);
    }
  });

  test('all its months, the one it was filled in too, agree with each other, close in order, and are verified', async () => {
    const demo = { ...VISITOR, organizationId: 'org_demo' };
    const july = opening(base.db)(() => Date.parse('2026-07-02T09:00:00Z'));
    try {
      const { books } = july;
      await july.cycle.runCyclesThrough('org_demo', date('2026-07-01'));
      await books.setCodes(demo, OWN_CODES);
      const [first] = await base.db.query<{ month: string }>(
        `SELECT to_char(min(first_recorded_on), 'YYYY-MM') AS month FROM loans`,
      );
      const months: string[] = [];
      for (let day = date(`${first?.month}-01`); day < '2026-07-01'; day = addDays(lastOfMonth(day), 1)) {
        months.push(day.slice(0, 7));
      }
      const lenders = [...new Set(all.map(({ lenderId }) => lenderId))];
      const lines = await expectMonthsToAgree(books, demo, LONG ? months : months.slice(-4), lenders);
      expect(lines).toBeGreaterThan(LONG ? 5_000 : 500);
      for (const period of months) answered(await books.close(demo, period));
      await expectMonthsToAgree(books, demo, ['2026-05', '2026-06'], lenders);
      while ((await july.ledger.seal()) > 0);
      const { complaints } = await verifyBook({ db: base.db, masterKeys: testMasterKeys });
      expect(complaints).toEqual([]);
    } finally {
      await july.close();
    }
  });
});

describe('a filling that is cut short', PATIENT, () => {
  /**
   * Every ninth story (of the years alone that are not long ago, or the interest of every month takes most of the time), a loan that comes
   * with the record of its first application, and the last one, which marks the filling as complete.
   */
  const some: DemoOptions['stories'] = (today) => {
    const stories = storiesUntil(today);
    const bought = stories.findLast(({ withRecord }) => withRecord)?.person;
    const first = LONG ? 0 : Math.floor(stories.length * 0.4);
    return stories.filter(
      ({ person }, i) => (i >= first && i % 9 === 0) || person === bought || i === stories.length - 1,
    );
  };
  const bases: TestDatabase[] = [];
  const aBase = async () => {
    const base = await testDatabase();
    bases.push(base);
    return base.db;
  };
  afterAll(() => Promise.all(bases.map((base) => base.drop())));

  test('goes on where it was, and ends as if nothing had happened', async () => {
    const [db, untouched] = [await aBase(), await aBase()];
    let writes = 0;
    const failing =
      (at: number): DemoOptions['open'] =>
      (clock) => {
        const loans = opening(db)(clock);
        const write: OpenLoans['write'] = (...asked) => {
          writes += 1;
          return writes === at ? Promise.reject(new Error('The power is gone.')) : loans.write(...asked);
        };
        return { ...loans, write };
      };
    await expect(fillDemo(demoIn(db, { stories: some, open: failing(70) }))).rejects.toThrow('The power is gone.');

    // A pull that was reserved, but got no report.
    let pulls = 0;
    const silent = opening(db, (bureau) => ({
      ...bureau,
      pull: (...asked) => {
        pulls += 1;
        return pulls === 4 ? Promise.reject(new Error('The line is dead.')) : bureau.pull(...asked);
      },
    }));
    await expect(fillDemo(demoIn(db, { stories: some, open: silent }))).rejects.toThrow('The line is dead.');

    const ending = new AbortController();
    const stopping: DemoOptions['open'] = (clock) => {
      const loans = opening(db)(clock);
      const create: OpenLoans['origination']['create'] = (...asked) => {
        ending.abort();
        return loans.origination.create(...asked);
      };
      return { ...loans, origination: { ...loans.origination, create } };
    };
    const stopped = await fillDemo(demoIn(db, { stories: some, open: stopping, signal: ending.signal }));
    expect(stopped).toMatchObject({ outcome: 'stopped', refused: 0 });
    expect(stopped.steps).toBeGreaterThan(0);

    // Days later, with settings that would not begin it.
    const rest = await fillDemo(demoIn(db, { stories: some, begin: false }));
    expect(rest).toMatchObject({ outcome: 'filled', refused: 0 });
    expect((await fillDemo(demoIn(untouched, { stories: some }))).outcome).toBe('filled');
    const histories = await historiesIn(untouched);
    expect(histories).toHaveLength(some(date('2026-06-15')).length);
    expect(histories.length).toBeGreaterThanOrEqual(LONG ? 14 : 10);
    expect(await historiesIn(db)).toEqual(histories);
  });

  test('nothing is made where it is not to be begun', async () => {
    const db = await aBase();
    expect((await fillDemo(demoIn(db, { begin: false }))).outcome).toBe('absent');
    expect(await db.query('SELECT 1 FROM organizations')).toEqual([]);
  });
});
