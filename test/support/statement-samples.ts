/**
 * Calls that send the statements whose text is put together step by step, from what is asked: they are recorded, not evaluated
 * (`statements.ts`). Each asks for as much as it can, so that every part of a text is there.
 */
import type pg from 'pg';
import type { PlainDate } from '../../src/core/calendar.ts';
import { SUM_NAMES } from '../../src/portfolio/sums.ts';
import { readGroups } from '../../src/store/allowance/allowance.ts';
import { readContents } from '../../src/store/audit/rows.ts';
import type { Db } from '../../src/store/db/db.ts';
import { stateOf } from '../../src/store/db/servers.ts';
import { schemaSnapshot } from '../../src/store/db/snapshot.ts';
import { readExportLoans } from '../../src/store/exports/exports.ts';
import { readEvents } from '../../src/store/feed/feed.ts';
import { countMarket, type MarketPage, readMarketPage, sumMarket } from '../../src/store/market/market.ts';
import { type ListQuery, listLoans } from '../../src/store/reads/lists.ts';
import { readSums, readSumsToday, type Slice } from '../../src/store/reports/portfolio.ts';
import { readRolled } from '../../src/store/reports/roll-rates.ts';
import { readContentPage } from '../../src/store/verify/rows.ts';

/** Answers every statement with a row that has these, and tells the text to `sent`. */
function recordingDb(sent: (text: string) => void): Db {
  const query = async (text: string) => {
    sent(text);
    return [{ count: 1, i: 0, last: null }];
  };
  const session = { volumes: { count: 16, sharded: false }, query };
  return { ...session, transaction: (work: (tx: unknown) => unknown) => work(session) } as unknown as Db;
}

const DAY = '2024-03-31' as PlainDate;
const LOAN = `0x${'00'.repeat(32)}`;
const scope = { organizationId: 'org', servicerIds: ['servicer'] };
const range = <T>(from: T, to: T) => ({ from, to });
const SLICES: readonly Slice[] = ['none', 'lender', 'servicer', 'grade', 'state', 'vintage', 'status'];

const list: ListQuery = {
  ...{ borrowerId: 'borrower', applicationId: 'application', q: LOAN },
  scopes: [{ ...scope, today: DAY, aheadDays: 1, createdFrom: new Date(0), createdBefore: new Date(0) }],
  statuses: [{ status: 'Current', late: true, punctual: false }],
  ...{ everyStatus: false, lenderId: 'lender', servicerId: null, nonAccrual: true, groundGone: false },
  creditDays: range(30, 59),
  ...{ due: range('2024-01-01', DAY), daysPastDue: range(1, 30), balance: range(0, 100) },
  ...{ sort: 'daysPastDue', descending: true, after: { key: DAY, loanId: LOAN }, limit: 10 },
};
/** In the order of an index. */
const plainList: ListQuery = {
  ...list,
  ...{ borrowerId: null, applicationId: null, q: null, lenderId: null, balance: { from: null, to: null } },
  ...{ nonAccrual: null, groundGone: null, creditDays: { from: null, to: null } },
  scopes: list.scopes.map((one) => ({ ...one, servicerIds: null, createdFrom: null, createdBefore: null })),
};

const market: MarketPage = {
  statuses: list.statuses,
  grades: ['A'],
  ...{
    vintage: range('2024-01-01', '2024-02-01'),
    daysPastDue: range(1, 30),
    rate: range('1', '9'),
    balance: range(0, 1),
  },
  ...{ sort: 'rate', descending: true, after: { key: '5', loanId: LOAN }, limit: 10 },
};
const owners = [{ organizationId: 'org', today: DAY }];

const stretch = { volume: 0, after: { block: 0, position: 0 }, through: 1 };
const events = { organizations: ['org'], types: null, each: 10 };
const sums = { scope, names: SUM_NAMES };
const day = { today: DAY, month: DAY, units: [] };
const exported = {
  ...{ volume: 0, through: 1, scopes: [scope], formerOwner: 'org', withBooks: true, lenderId: null },
  ...{ after: LOAN, including: false, limit: 10 },
};

const SAMPLES: readonly ((db: Db) => Promise<unknown>)[] = [
  (db) => listLoans(db, list),
  (db) => listLoans(db, { ...list, sort: 'createdAt' }, 0),
  (db) => listLoans(db, plainList),
  (db) => countMarket(db, owners, market, 10),
  (db) => readMarketPage(db, owners, market),
  (db) => sumMarket(db, owners, market),
  (db) => readEvents(db, [stretch], { ...events, loanId: null }),
  (db) => readEvents(db, [stretch], { ...events, loanId: LOAN }),
  (db) => readExportLoans(db, exported),
  ...SLICES.flatMap((by) => [
    (db: Db) => readSums(db, { ...sums, by, byVintage: by !== 'status', dates: [DAY], knownBy: DAY }),
    (db: Db) =>
      readSums(db, { ...sums, by, byVintage: false, dates: { monthEndsThrough: DAY }, knownBy: 'asReported' }),
    (db: Db) => readSumsToday(db, { ...sums, by, byVintage: true, day }),
    (db: Db) => readRolled(db, { scope, from: DAY, to: { date: DAY, today: true }, knownBy: DAY, by }),
    (db: Db) => readRolled(db, { scope, from: DAY, to: { date: DAY, today: false }, knownBy: 'asReported', by }),
  ]),
  (db) => readGroups(db, { organizationId: 'org', lenderId: 'L', date: DAY, knownOn: null }),
  (db) => readGroups(db, { organizationId: 'org', lenderId: 'L', date: DAY, knownOn: DAY }),
  (db) => readGroups(db, { organizationId: 'org', lenderId: null, date: DAY, knownOn: '2099-12-31' as PlainDate }),
  (db) => readContents(db, 'approvals', ['0 approval']),
  (db) => readContents(db, 'roles', ['org role']),
  (db) => readContentPage(db, 'approvals', { volume: 0, after: ['approval'] }, 10),
  (db) => readContentPage(db, 'roles', { volume: null, after: ['org', 'role'] }, 10),
  (db) => schemaSnapshot(db),
  (db) => stateOf(db as unknown as pg.ClientBase),
];

/** The texts that were sent, by the place that sent them (`src/store/door/loans.ts:64`). */
export async function recordedTexts(): Promise<Map<string, Set<string>>> {
  const texts = new Map<string, Set<string>>();
  const db = recordingDb((text) => {
    const [place] = /src\/store\/[\w/-]+\.ts:\d+/.exec((new Error().stack ?? '').replaceAll('\\', '/')) ?? [''];
    texts.set(place, (texts.get(place) ?? new Set()).add(text));
  });
  // A row without what the caller needs fails it, after its statement was sent.
  for (const sample of SAMPLES) await sample(db).catch(() => {});
  return texts;
}
