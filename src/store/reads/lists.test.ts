/** Lists against the same rows filtered and sorted by hand: every filter and order, alone and together, gathered or in order. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/support/database.ts';
import { hexOf } from '../db/bytes.ts';
import { type ListQuery, type ListScope, listLoans, NO_DATE } from './lists.ts';

const TODAY = '2026-06-15';
const STATUSES = ['Approved', 'Funded', 'Current', 'Defaulted', 'ChargedOff', 'Closed', 'Rejected'];
const OWING = ['Funded', 'Current', 'Defaulted', 'ChargedOff'];

type Row = {
  loanId: string;
  organization: string;
  status: string;
  due: string | null;
  grace: string | null;
  principal: number;
  creditSince: string | null;
  created: string;
  lender: string;
  first: string | null;
  second: string | null;
  borrower: string;
  application: string;
};

/** A small generator of its own, so that every run has the same rows. */
let state = 7;
const random = (n: number) => {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
  return Math.floor(state / 65_536) % n;
};
const one = <T>(of: readonly T[]): T => of[random(of.length)] as T;
const dayAfter = (day: string, days: number) =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

const rows: Row[] = Array.from({ length: 240 }, (_, n) => {
  const status = one(STATUSES);
  const due = OWING.includes(status) && random(8) > 0 ? dayAfter(TODAY, random(160) - 130) : null;
  const hex = Array.from({ length: 8 }, () => random(256).toString(16).padStart(2, '0')).join('');
  return {
    loanId: `0x${hex.repeat(4)}`,
    organization: one(['org_a', 'org_a', 'org_b']),
    status,
    due,
    grace: due === null ? null : dayAfter(due, 11),
    // Several loans share an amount, a day and a moment: the id decides. Others are some dollars apart, within a step of the index.
    principal: OWING.includes(status) ? random(20) * 100_000 + random(3) * 500 : 0,
    creditSince: [...OWING, 'Closed'].includes(status) && random(3) === 0 ? dayAfter(TODAY, -random(140)) : null,
    created: `${dayAfter('2026-01-01', random(30))}T10:00:00.000Z`,
    lender: one(['L-1', 'L-2']),
    first: one([null, 'S-1', 'S-2']),
    second: one([null, 'S-1', 'S-3']),
    borrower: `B-${random(12)}`,
    application: `APP-${n}`,
  };
});

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  const columns = <K extends keyof Row>(...names: K[]) => names.map((name) => rows.map((row) => row[name]));
  const ids = rows.map(({ loanId }) => `\\x${loanId.slice(2)}`);
  await database.db.query(
    `INSERT INTO loans (volume, loan_id, organization_id, created_at, version, last_hash, status, past_due_from, delinquent_from, next_due, loan_amount,
       principal, published, updated_at, recorded_on, first_recorded_on, lender_id, primary_servicer_id, secondary_servicer_id, book_principal,
       book_interest, book_fees, book_credits, credit_since)
     SELECT get_byte(id, 0) % 16, id, organization, created, 1, id, status, due, grace, coalesce(due, 'infinity'), 2000000, principal, false, created, '2026-01-01',
       '2026-01-01', lender, first, second, 0, 0, 0, CASE WHEN since IS NULL THEN 0 ELSE 5000 END, since
     FROM unnest($1::bytea[], $2::text[], $3::text[], $4::date[], $5::date[], $6::bigint[], $7::timestamptz[], $8::text[], $9::text[], $10::text[], $11::date[])
       AS r (id, organization, status, due, grace, principal, created, lender, first, second, since)`,
    [
      ids,
      ...columns(
        'organization',
        'status',
        'due',
        'grace',
        'principal',
        'created',
        'lender',
        'first',
        'second',
        'creditSince',
      ),
    ],
  );
  await database.db.query(
    `INSERT INTO applications (volume, loan_id, organization_id, application_id, borrower_id, lender_id, primary_servicer_id,
       secondary_servicer_id, loan_type, created_at, start_block, file, public_part)
     SELECT volume, loan_id, organization_id, application, borrower, lender_id, coalesce(primary_servicer_id, ''),
       coalesce(secondary_servicer_id, ''), 'AutoLoan', created_at, 1, '{}', ''
     FROM loans JOIN unnest($1::bytea[], $2::text[], $3::text[]) AS r (id, application, borrower) ON r.id = loan_id`,
    [ids, ...columns('application', 'borrower')],
  );
});
afterAll(() => database.drop());

const OWN: ListScope = {
  organizationId: 'org_a',
  servicerIds: null,
  today: TODAY,
  aheadDays: 0,
  createdFrom: null,
  createdBefore: null,
};
const EVERY = STATUSES.map((status) => ({ status, late: true, punctual: true }));
const ALL: ListQuery = {
  scopes: [OWN],
  statuses: EVERY,
  everyStatus: true,
  lenderId: null,
  servicerId: null,
  borrowerId: null,
  applicationId: null,
  q: null,
  due: { from: null, to: null },
  daysPastDue: { from: null, to: null },
  balance: { from: null, to: null },
  nonAccrual: null,
  groundGone: null,
  creditDays: { from: null, to: null },
  sort: 'createdAt',
  descending: true,
  after: null,
  limit: 500,
};

/** The same by hand: the ids in their order. */
function expected(query: ListQuery): string[] {
  const within = <T extends string | number>(value: T, { from, to }: { from: T | null; to: T | null }) =>
    (from === null || value >= from) && (to === null || value <= to);
  const scopeOf = (row: Row) =>
    query.scopes.find(
      ({ organizationId, servicerIds }) =>
        organizationId === row.organization &&
        (servicerIds === null || [row.first, row.second].some((id) => id !== null && servicerIds.includes(id))),
    );
  const daysOf = (row: Row, today: string) =>
    row.due === null ? Number.NEGATIVE_INFINITY : (Date.parse(today) - Date.parse(row.due)) / 86_400_000;
  const heldOf = (row: Row, today: string) =>
    row.creditSince === null ? Number.NaN : (Date.parse(today) - Date.parse(row.creditSince)) / 86_400_000;
  const found = rows.filter((row) => {
    const scope = scopeOf(row);
    const wanted = query.statuses.find(({ status }) => status === row.status);
    if (scope === undefined || wanted === undefined) return false;
    const late = ['Funded', 'Current'].includes(row.status) && row.grace !== null && row.grace <= scope.today;
    return (
      (late ? wanted.late : wanted.punctual) &&
      (query.lenderId === null || row.lender === query.lenderId) &&
      (query.servicerId === null || row.first === query.servicerId || row.second === query.servicerId) &&
      (query.borrowerId === null || row.borrower === query.borrowerId) &&
      (query.applicationId === null || row.application === query.applicationId) &&
      (query.q === null || [row.application, row.borrower].some((id) => id.startsWith(query.q ?? ''))) &&
      ((query.due.from === null && query.due.to === null) || (row.due !== null && within(row.due, query.due))) &&
      within(Math.max(0, daysOf(row, scope.today)), query.daysPastDue) &&
      within(row.principal, query.balance) &&
      ((query.creditDays.from === null && query.creditDays.to === null) ||
        within(heldOf(row, scope.today), query.creditDays)) &&
      (scope.createdFrom === null || row.created >= scope.createdFrom.toISOString()) &&
      (scope.createdBefore === null || row.created < scope.createdBefore.toISOString())
    );
  });
  const keyOf = (row: Row): string | number => {
    const scope = scopeOf(row) as ListScope;
    if (query.sort === 'createdAt') return row.created;
    if (query.sort === 'balance') return row.principal;
    if (query.sort === 'creditSince') return row.creditSince as string;
    return query.sort === 'daysPastDue' ? -daysOf(row, scope.today) : (row.due ?? NO_DATE);
  };
  const sign = query.descending ? -1 : 1;
  const apart = (row: Row) => query.sort === 'nextDueDate' && row.due === null;
  return found
    .sort((a, b) => {
      if (apart(a) !== apart(b)) return apart(a) ? 1 : -1;
      const [x, y] = [keyOf(a), keyOf(b)];
      if (x !== y) return (x < y ? -1 : 1) * sign;
      return (a.loanId < b.loanId ? -1 : 1) * sign;
    })
    .map(({ loanId }) => loanId);
}

const LATE = ['Funded', 'Current'].map((status) => ({ status, late: true, punctual: false }));
const PUNCTUAL = LATE.map(({ status }) => ({ status, late: false, punctual: true }));

const FILTERS: readonly (() => Partial<ListQuery>)[] = [
  () => ({ statuses: EVERY.filter(() => random(3) === 0) }),
  () => ({ statuses: one([LATE, PUNCTUAL, [...PUNCTUAL, { status: 'Closed', late: true, punctual: true }]]) }),
  () => ({ lenderId: 'L-1' }),
  () => ({ servicerId: one(['S-1', 'S-3', 'S-4']) }),
  () => ({ borrowerId: one(['B-3', 'B-99']) }),
  () => ({ applicationId: 'APP-7' }),
  () => ({ q: one(['APP-1', 'B-1', 'APP', 'none']) }),
  () => ({
    due: one([
      { from: '2026-05-01', to: null },
      { from: null, to: '2026-05-01' },
      { from: '2026-04-01', to: '2026-06-01' },
    ]),
  }),
  () => ({
    daysPastDue: one([
      { from: null, to: 0 },
      { from: 1, to: 29 },
      { from: 30, to: null },
      { from: 0, to: 40 },
    ]),
  }),
  () => ({
    balance: one([
      { from: 500_000, to: null },
      { from: null, to: 500_000 },
      { from: 100_000, to: 900_000 },
    ]),
  }),
  () => ({
    creditDays: one([
      { from: 0, to: null },
      { from: null, to: 60 },
      { from: 30, to: 59 },
    ]),
  }),
  () => ({ scopes: [{ ...OWN, createdFrom: new Date('2026-01-10'), createdBefore: new Date('2026-01-20') }] }),
  () => ({ scopes: [OWN, { ...OWN, organizationId: 'org_b', today: '2026-07-15', aheadDays: 30 }] }),
  () => ({ scopes: [{ ...OWN, servicerIds: ['S-1', 'S-3'] }] }),
  () => ({}),
];
const SORTS = ['createdAt', 'nextDueDate', 'daysPastDue', 'balance'] as const;
const isHeld = ({ creditDays: { from, to } }: ListQuery) => from !== null || to !== null;

test('one filter, two filters and none, in every order', async () => {
  for (let round = 0; round < 300; round++) {
    const chosen = FILTERS[round % FILTERS.length] as () => Partial<ListQuery>;
    const filtered = { ...ALL, ...one(FILTERS)(), ...chosen() };
    const query: ListQuery = {
      ...{ ...filtered, everyStatus: filtered.statuses === EVERY },
      ...{
        sort: one([...SORTS, ...(isHeld(filtered) ? (['creditSince', 'creditSince'] as const) : [])]),
        descending: random(2) === 0,
      },
    };
    const wanted = expected(query);
    const counted = one([4, 20, 10_000]);
    const { rows: found, total, exact } = await listLoans(database.db, query, counted);
    const said = JSON.stringify({ ...query, counted });
    expect([said, ...found.map(({ loan_id }) => hexOf(loan_id))]).toEqual([said, ...wanted]);
    if (exact) expect([said, total]).toEqual([said, wanted.length]);
    // A total that is not exact is a number that there are at least.
    else expect([said, total <= wanted.length && total <= counted]).toEqual([said, true]);
    if (wanted.length <= counted && query.q === null && query.borrowerId === null)
      expect([said, exact]).toEqual([said, true]);
  }
});

test('pages follow each other in every order, loans without a due date last', async () => {
  const dueOf = new Map(rows.map((row) => [row.loanId, row]));
  for (const sort of [...SORTS, 'creditSince'] as const) {
    for (const descending of [true, false]) {
      const query = { ...ALL, scopes: [OWN, { ...OWN, organizationId: 'org_b', today: '2026-07-15', aheadDays: 30 }] };
      const creditDays = { from: sort === 'creditSince' ? 0 : null, to: null };
      const whole = { ...query, creditDays, sort, descending };
      const found: string[] = [];
      let after: ListQuery['after'] = null;
      for (;;) {
        const page: string[] = (await listLoans(database.db, { ...whole, after, limit: 37 })).rows.map((row) =>
          hexOf(row.loan_id),
        );
        found.push(...page);
        const last = dueOf.get(page.at(-1) ?? '');
        if (page.length < 37 || last === undefined) break;
        const ahead = last.organization === 'org_b' ? -30 : 0;
        const keys = {
          createdAt: last.created,
          nextDueDate: last.due ?? NO_DATE,
          daysPastDue: last.due === null ? NO_DATE : dayAfter(last.due, ahead),
          balance: String(last.principal),
          creditSince: last.creditSince ?? NO_DATE,
        };
        after = { key: keys[sort], loanId: last.loanId };
      }
      expect(found).toEqual(expected(whole));
      if (sort === 'nextDueDate') expect(dueOf.get(found.at(-1) ?? '')?.due).toBeNull();
    }
  }
});
