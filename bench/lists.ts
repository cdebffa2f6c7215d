/**
 * Lists over BENCH_LOANS loans, on an embedded server of its own: every filter alone in every order within 50 ms, two filters within 250 ms,
 * each beside the raw scan of one index for as many rows as a page has. The time is that of `loans.list` (count, page and summaries) in the
 * middle of BENCH_ROUNDS calls, once warm. At the end each kind of list is compared with a plain statement over the whole table.
 *
 *   npm run bench:lists      (BENCH_LOANS=1000000 BENCH_ROUNDS=5)
 */
import { openSimulator } from '../src/bureau/simulator/open.ts';
import { date } from '../src/core/calendar.ts';
import type { LoanStatus } from '../src/core/loan.ts';
import { cents } from '../src/core/money.ts';
import { openLoans } from '../src/loans/open.ts';
import { type ListFilter, type LoanPage, SORTS } from '../src/loans/reads/list.ts';
import type { Db } from '../src/store/db/db.ts';
import { openWorkers } from '../src/workers/workers.ts';
import { ACTOR, testMasterKeys, testSecrets } from '../test/support/loans.ts';
import { dropIndexes } from './indexes.ts';
import { end, median, openSums, report, setting, timesOf, whole } from './measure.ts';
import { withServer } from './own-server.ts';

const ONE_FILTER_MS = 50;
const TWO_FILTERS_MS = 250;
const count = setting('BENCH_LOANS', 1_000_000);
const rounds = setting('BENCH_ROUNDS', 5);
const TODAY = '2026-06-15';
const LIMIT = 100;
const ORG = ACTOR.organizationId;

type Filter = Omit<ListFilter, 'limit' | 'cursor' | 'sort'>;

/** Filters of a loan officer: many, some and few of the loans. */
const FILTERS: Readonly<Record<string, Filter>> = {
  none: {},
  'status Current': { status: ['Current'] },
  'status Delinquent': { status: ['Delinquent'] },
  'status Defaulted': { status: ['Defaulted'] },
  'three statuses': { status: ['Approved', 'ChargedOff', 'Closed'] as LoanStatus[] },
  'bucket current': { bucket: 'current' },
  'bucket 30-59': { bucket: '30-59' },
  'bucket 120+': { bucket: '120+' },
  'a large lender': { lenderId: 'L-0' },
  'a small lender': { lenderId: 'L-17' },
  'a lender whose loans ended': { lenderId: 'L-OLD' },
  'a large servicer': { servicerId: 'S-0' },
  'a collector': { servicerId: 'S-COLLECT' },
  'a borrower': { borrowerId: 'B-77' },
  'an application': { applicationId: 'APP-77' },
  'the beginning of a name': { q: 'APP-9999' },
  'a name that all have': { q: 'APP' },
  'created last month': { createdFrom: date('2026-05-01'), createdTo: date('2026-05-31') },
  'created years ago': { createdTo: date('2024-01-31') },
  'due this week': { dueFrom: date('2026-06-15'), dueTo: date('2026-06-21') },
  'due long ago': { dueTo: date('2026-02-01') },
  'days past due from 1': { minDaysPastDue: 1 },
  'days past due 10 to 20': { minDaysPastDue: 10, maxDaysPastDue: 20 },
  'a credit': { minCreditDays: 0 },
  'a credit for 30 days': { minCreditDays: 30 },
  'balance to 1,000': { minBalance: cents(1), maxBalance: cents(100_000) },
  'balance from 40,000': { minBalance: cents(4_000_000) },
};

const PAIRS: readonly (readonly [string, string])[] = [
  ['status Current', 'a small lender'],
  ['status Current', 'due this week'],
  ['status Delinquent', 'a large lender'],
  ['status Defaulted', 'created last month'],
  ['bucket 30-59', 'balance from 40,000'],
  ['bucket 120+', 'created last month'],
  ['bucket current', 'a lender whose loans ended'],
  ['a large lender', 'a collector'],
  ['a large lender', 'balance to 1,000'],
  ['a large servicer', 'due long ago'],
  ['created last month', 'balance to 1,000'],
  ['created years ago', 'days past due from 1'],
  ['due this week', 'balance from 40,000'],
];

const workers = openWorkers({ threads: 1 });
let ok = true;
try {
  await withServer(async (db) => {
    await db.query("INSERT INTO organizations VALUES ($1, 'Bench', now())", [ORG]);
    await fill(db);
    await measure(db);
  });
} finally {
  await workers.close();
}
end(ok);

async function measure(db: Db): Promise<void> {
  const bureau = openSimulator(workers);
  const shared = { masterKeys: testMasterKeys, secrets: testSecrets, bureau, simulator: bureau, workers };
  const loans = openLoans({ db, clock: () => Date.parse(`${TODAY}T12:00:00Z`), ...shared });
  const list = async (filter: Filter, sort: ListFilter['sort']) => {
    const page = await loans.reads.list(ACTOR, { ...filter, sort, limit: LIMIT, cursor: null });
    if (page === 'bad_cursor') throw new Error(page);
    return page;
  };
  /** A hundred rows of one index, in its order. */
  const rawScan = async () => {
    await db.query(
      `SELECT loan_id, created_at FROM loans WHERE organization_id = $1 AND status = 'Current'
       ORDER BY created_at DESC, loan_id DESC LIMIT ${LIMIT + 1}`,
      [ORG],
    );
  };
  const sorts = SORTS.flatMap((one) => [one, `-${one}`] as const);
  console.log(`\n${whole(count)} loans, pages of ${LIMIT}: milliseconds in each order, and of the raw scan\n`);
  console.log(`${''.padEnd(42)}${sorts.map((sort) => sort.slice(0, 9).padStart(10)).join('')}       raw   matches`);
  const worst = { one: 0, two: 0 };
  const sums = { one: openSums(), two: openSums() };
  for (const [name, filter] of Object.entries(FILTERS)) {
    worst.one = Math.max(worst.one, await inEachOrder(name, filter, ONE_FILTER_MS, sums.one));
  }
  for (const [a, b] of PAIRS) {
    const both = { ...FILTERS[a], ...FILTERS[b] };
    worst.two = Math.max(worst.two, await inEachOrder(`${a}, ${b}`, both, TWO_FILTERS_MS, sums.two));
  }
  for (const [what, ms, limit] of [
    ['one filter', worst.one, ONE_FILTER_MS],
    ['two filters', worst.two, TWO_FILTERS_MS],
  ] as const) {
    const fine = ms <= limit;
    ok &&= fine;
    console.log(`${what}: at most ${ms.toFixed(1)} ms (limit ${limit} ms): ${fine ? 'ok' : 'TOO SLOW'}`);
  }
  await check(db, list);
  await loans.close();
  report({ 'lists with one filter': sums.one.ratios(), 'lists with two filters': sums.two.ratios() });

  async function inEachOrder(
    name: string,
    filter: Filter,
    limit: number,
    sum: ReturnType<typeof openSums>,
  ): Promise<number> {
    let most = 0;
    let page: LoanPage | null = null;
    let line = name.padEnd(42);
    for (const sort of sorts) {
      // Only loans with a credit have a place in this order.
      if (sort.endsWith('creditSince') && filter.minCreditDays === undefined) {
        line += ''.padStart(10);
        continue;
      }
      const times = await timesOf(rounds, async () => {
        page = await list(filter, sort);
      });
      sum.add('ours', times);
      const ms = median(times);
      most = Math.max(most, ms);
      line += `${ms > limit ? '!' : ''}${ms.toFixed(1)}`.padStart(10);
    }
    const raws = await timesOf(rounds, rawScan);
    sum.add('limit', raws);
    const raw = median(raws);
    const { total, totalExact } = page as unknown as LoanPage;
    console.log(
      `${line}${raw.toFixed(1).padStart(10)}   ${total.toLocaleString('en-US')}${totalExact ? '' : ' and more'}`,
    );
    return most;
  }
}

type Sorted = (typeof SORTS)[number];
const PLAIN_SORTS = SORTS.filter((sort) => sort !== 'creditSince');

/** Every list beside one plain statement over the whole table, which knows no index and no branch. */
async function check(db: Db, list: (filter: Filter, sort: ListFilter['sort']) => Promise<LoanPage>): Promise<void> {
  const orders = {
    createdAt: ['created_at', ''],
    nextDueDate: ["coalesce(past_due_from, 'infinity')", ''],
    daysPastDue: [`CASE WHEN past_due_from IS NULL THEN -1000000 ELSE '${TODAY}'::date - past_due_from END`, ''],
    balance: ['principal', ''],
    creditSince: ['credit_since', ''],
  } as const;
  const late = `status IN ('Funded', 'Current') AND coalesce(delinquent_from <= '${TODAY}', false)`;
  const days = `greatest(0, coalesce('${TODAY}'::date - past_due_from, 0))`;
  let checked = 0;
  let wrong = 0;
  const names = [
    'status Delinquent',
    'three statuses',
    'bucket 120+',
    'a lender whose loans ended',
    'a collector',
    'created last month',
    'due this week',
    'balance to 1,000',
    'a credit for 30 days',
  ];
  for (const [i, name] of names.entries()) {
    const filter = FILTERS[name] as Filter;
    const sort = filter.minCreditDays === undefined ? (PLAIN_SORTS[i % PLAIN_SORTS.length] as Sorted) : 'creditSince';
    const where = [
      ...(filter.status === undefined
        ? []
        : [`CASE WHEN ${late} THEN 'Delinquent' ELSE status END IN ('${filter.status.join("', '")}')`]),
      ...(filter.bucket === '120+' ? [`status IN ('Funded', 'Current', 'Defaulted') AND ${days} >= 120`] : []),
      ...(filter.lenderId === undefined ? [] : [`lender_id = '${filter.lenderId}'`]),
      ...(filter.servicerId === undefined
        ? []
        : [`'${filter.servicerId}' IN (primary_servicer_id, secondary_servicer_id)`]),
      ...(filter.createdFrom === undefined ? [] : [`created_at >= '${filter.createdFrom}Z'`]),
      ...(filter.createdTo === undefined
        ? []
        : [`created_at < '${filter.createdTo}Z'::timestamptz + interval '1 day'`]),
      ...(filter.dueFrom === undefined ? [] : [`past_due_from >= '${filter.dueFrom}'`]),
      ...(filter.dueTo === undefined ? [] : [`past_due_from <= '${filter.dueTo}'`]),
      ...(filter.minBalance === undefined ? [] : [`principal >= ${filter.minBalance}`]),
      ...(filter.maxBalance === undefined ? [] : [`principal <= ${filter.maxBalance}`]),
      ...(filter.minCreditDays === undefined ? [] : [`credit_since <= '${TODAY}'::date - ${filter.minCreditDays}`]),
      'true',
    ].join(' AND ');
    const [all] = await db.query<{ count: number }>(`SELECT count(*)::int AS count FROM loans WHERE ${where}`);
    const rows = await db.query<{ id: string }>(
      `SELECT '0x' || encode(loan_id, 'hex') AS id FROM loans WHERE ${where}
       ORDER BY ${orders[sort][0]}, loan_id ${sort === 'daysPastDue' ? 'DESC' : ''} LIMIT ${LIMIT}`,
    );
    const page = await list(filter, sort);
    const same = JSON.stringify(page.items.map(({ loanId }) => loanId)) === JSON.stringify(rows.map(({ id }) => id));
    const total = all?.count ?? 0;
    const counts = page.totalExact ? page.total === total : page.total <= total;
    if (!same || !counts) {
      wrong += 1;
      console.log(`${name} by ${sort}: NOT WHAT THE TABLE HAS (${page.total} of ${total})`);
    }
    checked += page.items.length;
  }
  if (wrong > 0) throw new Error('Lists are not what the table has.');
  console.log(`${checked} rows of ${names.length} lists were compared with the whole table`);
}

/**
 * Three years of loans, with what makes lists hard: balances fall with age, new loans cannot be late, some lenders have only loans that
 * ended, and a collector has only what was charged off. Rows are made on the server, and indexes when all are there.
 */
async function fill(db: Db): Promise<void> {
  const began = performance.now();
  await db.transaction(async (tx) => {
    const [forLoans, forApplications] = [await dropIndexes(tx, 'loans'), await dropIndexes(tx, 'applications')];
    await tx.query(
      `INSERT INTO loans (volume, loan_id, organization_id, created_at, version, last_hash, status, past_due_from, delinquent_from, next_due,
         loan_amount, principal, published, updated_at, recorded_on, first_recorded_on, lender_id, primary_servicer_id,
         secondary_servicer_id, book_principal, book_interest, book_fees, book_credits, credit_since)
       SELECT get_byte(id, 0) % 16, id, $1, created, 8, id, status, due, due + 11, coalesce(due, 'infinity'), amount, owed, false, created, created::date, created::date,
         CASE WHEN status LIKE 'Closed%' AND n % 4 = 0 THEN 'L-OLD' WHEN n % 10 < 6 THEN 'L-0' ELSE 'L-' || (n % 40) END,
         CASE WHEN status = 'ChargedOff' AND n % 2 = 0 THEN 'S-COLLECT' WHEN n % 10 < 7 THEN 'S-0' ELSE 'S-' || (n % 9) END,
         CASE WHEN n % 20 = 0 THEN 'S-9' END, owed, 0, 0, CASE WHEN held THEN 5000 ELSE 0 END, CASE WHEN held THEN $2::date - n % 150 END
       FROM (
         SELECT *, n % 50 = 0 AND age > 150 AND status IN ('Current', 'Closed', 'ClosedEarly') AS held, CASE WHEN status IN ('Funded', 'Current', 'Defaulted', 'ChargedOff')
             THEN greatest(1, (amount * (1 - age / 1100.0))::bigint) ELSE 0 END AS owed,
           CASE status
             WHEN 'Current' THEN CASE WHEN late < 4 AND age > 35 THEN $2::date - least(age - 30, 1 + abs(hashint4(n + 5)) % 150)
               ELSE $2::date + abs(hashint4(n + 9)) % 30 END
             WHEN 'Funded' THEN $2::date + abs(hashint4(n + 9)) % 45
             WHEN 'Defaulted' THEN $2::date - 90 - abs(hashint4(n + 3)) % 200
             WHEN 'ChargedOff' THEN $2::date - 120 - abs(hashint4(n + 3)) % 600 END AS due
         FROM (
           SELECT n, sha256(int4send(n)) AS id, age, $2::timestamptz - age * interval '1 day' + (n % 86400) * interval '1 second' AS created,
             500000 + (abs(hashint4(n + 1)) % 5500000)::bigint AS amount, abs(hashint4(n + 4)) % 100 AS late,
             CASE
               WHEN kind < 3 THEN (ARRAY['ApplicationSubmitted', 'UnderwritingStarted', 'Approved'])[1 + n % 3]
               WHEN kind < 10 THEN 'Rejected'
               WHEN kind < 12 THEN 'Cancelled'
               WHEN age > 400 AND kind < 40 THEN (ARRAY['Closed', 'ClosedEarly'])[1 + n % 2]
               WHEN age > 200 AND kind < 41 THEN 'Defaulted'
               WHEN age > 250 AND kind < 43 THEN 'ChargedOff'
               WHEN age < 20 AND kind < 50 THEN 'Funded'
               ELSE 'Current' END AS status
           FROM (SELECT n, abs(hashint4(n)) % 1095 AS age, abs(hashint4(n + 2)) % 100 AS kind FROM generate_series(1, $3::int) n) made
         ) lived
       ) rows`,
      [ORG, TODAY, count],
    );
    await tx.query(
      `INSERT INTO applications (volume, loan_id, organization_id, application_id, borrower_id, lender_id, primary_servicer_id,
         secondary_servicer_id, loan_type, created_at, start_block, file, public_part)
       SELECT l.volume, l.loan_id, $1, 'APP-' || n, 'B-' || n / 2, l.lender_id, coalesce(l.primary_servicer_id, ''),
         coalesce(l.secondary_servicer_id, ''), 'AutoLoan', l.created_at, 1, '{}', ''
       FROM generate_series(1, $2::int) n JOIN loans l ON l.loan_id = sha256(int4send(n))`,
      [ORG, count],
    );
    await tx.query("SET LOCAL maintenance_work_mem = '512MB'");
    for (const make of [...forLoans, ...forApplications]) await tx.query(make);
  });
  for (const table of ['loans', 'applications']) await db.query(`VACUUM ANALYZE ${table}`);
  console.log(`${whole(count)} loans made in ${((performance.now() - began) / 1_000).toFixed(0)} s`);
}
