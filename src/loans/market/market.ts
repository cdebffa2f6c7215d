/**
 * The public market: published loans of every organization, without what belongs to the borrower or the lender alone. Loans of sandboxes
 * are not on it, but for the demonstration that the service itself has made. A loan whose borrower was erased has left it. One loan is
 * read exactly as `GET /loan-data/{loan_id}` reads it for a client that has `public:read` and no other scope.
 */
import { LRUCache } from 'lru-cache';
import type { LoanFile } from '../../boarding/file.ts';
import { daysBetween, type PlainDate } from '../../core/calendar.ts';
import { BUCKETS, bucketOf, type DelinquencyBucket } from '../../core/delinquency.ts';
import { GRADES, type Grade } from '../../core/grade.ts';
import { type LoanStatus, STATUSES } from '../../core/loan.ts';
import { type Cents, cents, divide } from '../../core/money.ts';
import { isRefusal } from '../../core/refusal.ts';
import { loadLoans } from '../../store/door/loans.ts';
import {
  readBlocks,
  readRootsSince,
  readTransactions,
  type TransactionRow,
  volumeOfBlock,
} from '../../store/ledger/ledger.ts';
import {
  countMarket,
  type MarketFilter,
  type MarketOwner,
  type MarketPage,
  type MarketRow,
  type MarketSum,
  readMarketOwner,
  readMarketOwners,
  readMarketPage,
  sumMarket,
} from '../../store/market/market.ts';
import type { Actor } from '../door/actor.ts';
import { type Clock, type Clocks, dayOfLoan, todayBy } from '../door/clocks.ts';
import type { FairReads } from '../door/fair-reads.ts';
import { eventsIn } from '../door/loan-cache.ts';
import { type LedgerRoot, proven } from '../ledger/ledger.ts';
import { forecastOf } from '../reads/forecast.ts';
import { BUCKET_DAYS, SERVICED, storedStatuses } from '../reads/list.ts';
import type { PublicView, ViewOptions } from '../reads/view.ts';
import { type MarketSort, marketCursorOf, readMarketCursor } from './cursor.ts';
import { entryOf, isPublicKind, type MarketProof, publicBodyOf } from './entries.ts';
import { expectedOf, type MarketMonth, performanceOf } from './performance.ts';

export { GRADES } from '../../core/grade.ts';

import { hexOf } from '../../store/db/bytes.ts';

export type MarketLoan = {
  readonly loanId: string;
  readonly applicationId: string;
  readonly loanType: string;
  readonly loanStatus: LoanStatus;
  readonly grade: string;
  /** Percent a year in force. */
  readonly rate: string;
  /** Months. */
  readonly term: number;
  /** Installments that are not fully paid. */
  readonly remaining: number;
  readonly loanAmount: Cents;
  /** Principal that is owed: 0 before funding. */
  readonly balance: Cents;
  readonly daysPastDue: number;
  readonly bucket: DelinquencyBucket | null;
  /** The fair value when it was assessed, and its yield as a fraction; empty: not assessed. */
  readonly fairValuePrice: string;
  readonly predictedYield: string;
  readonly fundedOn: PlainDate | null;
  /** The first day of the month that it began in. */
  readonly vintage: PlainDate | null;
  /** It is one of the demonstration's: an invented loan. */
  readonly isSample: boolean;
};

export type MarketQuery = {
  readonly status?: readonly LoanStatus[];
  readonly grade?: readonly Grade[];
  readonly bucket?: DelinquencyBucket;
  /** First days of months. */
  readonly vintageFrom?: PlainDate;
  readonly vintageTo?: PlainDate;
  /** Percent a year, as text. */
  readonly minRate?: string;
  readonly maxRate?: string;
  readonly minBalance?: Cents;
  readonly maxBalance?: Cents;
};

export type MarketListQuery = MarketQuery & {
  readonly sort: MarketSort;
  readonly limit: number;
  readonly cursor: string | null;
};

export type MarketList = {
  readonly items: readonly MarketLoan[];
  readonly nextCursor: string | null;
  /** At most 10,000, and of the first page alone; null: of a later one. `totalExact`: there are no more. */
  readonly total: number | null;
  readonly totalExact: boolean;
};

export type MarketTotals = { readonly count: number; readonly balance: Cents };

export type MarketSummary = MarketTotals & {
  /** Weighted by the balance, in percent a year with two decimals; null: nothing is owed. */
  readonly weightedRate: string | null;
  readonly buckets: readonly (MarketTotals & { readonly bucket: DelinquencyBucket })[];
  readonly chargedOff: MarketTotals;
  /** Before funding, or ended. */
  readonly others: number;
  readonly grades: readonly (MarketTotals & { readonly grade: string | null })[];
};

/** A value of the loan on its day, by the underwriting model. */
export type MarketValue = {
  readonly asOf: PlainDate;
  readonly balance: Cents;
  readonly fairValue: Cents;
  /** To a buyer at par, net of servicing: a fraction a year. */
  readonly yieldAtPar: string;
  readonly defaultProbability: string;
  readonly modelVersion: string;
};

/** `Found` is what a read of the public record has found. */
export type MarketView<Found> = {
  readonly found: Found;
  readonly isSample: boolean;
  /** Computed when it is asked for. */
  readonly performance: () => Promise<readonly MarketMonth[]>;
  readonly value: () => MarketValue | null;
};

export type MarketOptions = {
  reads: FairReads;
  clock: () => number;
  clocks: Clocks;
  readPublic: (actor: Actor, loanId: string, how: ViewOptions) => Promise<PublicView | 'before' | null>;
};

/** Organizations of the service are read again after so long, and sums are made again. */
const OWNERS_MS = 5_000;
const SUMS_MS = 10_000;
const OWNERS_AT_MOST = 10_000;
const SUMS_AT_MOST = 200;
const COUNTED = 10_000;
/** Blocks between a transaction's and the one under the root: those that were sealed within the same minute. */
const LINKS_AT_MOST = 500;

const NOW: ViewOptions = { asOf: null, knownAt: null };

export function openMarket({ reads, clock, clocks, readPublic }: MarketOptions) {
  let owners: { at: number; value: Promise<ReadonlyMap<string, { isDemo: boolean }>> } | null = null;
  const summaries = new LRUCache<string, Promise<MarketSummary>>({
    max: SUMS_AT_MOST,
    ttl: SUMS_MS,
    // Its age is by the clock that was passed in, looked at every time.
    perf: { now: clock },
    ttlResolution: 0,
  });
  return { list, summary, loan, transactions, proof };

  function ownersFor(actor: Actor): Promise<ReadonlyMap<string, { isDemo: boolean }>> {
    const now = clock();
    if (owners !== null && Math.abs(now - owners.at) < OWNERS_MS) return owners.value;
    const value = readMarketOwners(reads(actor), OWNERS_AT_MOST).then(
      (all) => new Map(all.map(({ organizationId, isDemo }) => [organizationId, { isDemo }])),
    );
    const mine = { at: now, value };
    owners = mine;
    value.catch(() => {
      if (owners === mine) owners = null;
    });
    return value;
  }

  async function daysOf(actor: Actor) {
    const known = await ownersFor(actor);
    const clockOf = await clocks.of(known.keys());
    const at = clock();
    const shown = [...known.keys()].flatMap((organizationId): MarketOwner[] => {
      const own = clockOf.get(organizationId);
      return own === undefined ? [] : [{ organizationId, today: todayBy(own, at) }];
    });
    return { known, clockOf, at, shown };
  }

  async function list(actor: Actor, asked: MarketListQuery): Promise<MarketList | 'bad_cursor'> {
    const after = asked.cursor === null ? null : readMarketCursor(asked.cursor, asked.sort);
    if (after === undefined) return 'bad_cursor';
    const { known, clockOf, at, shown } = await daysOf(actor);
    const filter = filterOf(asked);
    const sql = reads(actor);
    // One more than the page shows whether there is a next page.
    const query: MarketPage = { ...filter, ...orderOf(asked.sort), after, limit: asked.limit + 1 };
    const rows = await readMarketPage(sql, shown, query);
    const total = asked.cursor === null ? await countMarket(sql, shown, filter, COUNTED) : null;
    const page = rows.slice(0, asked.limit);
    const last = page.at(-1);
    const more = rows.length > asked.limit && last !== undefined;
    return {
      items: page.map((row) =>
        loanOf(row, clockOf.get(row.organization_id) as Clock, at, known.get(row.organization_id)?.isDemo === true),
      ),
      nextCursor: more ? marketCursorOf(last, asked.sort) : null,
      total: total === null ? null : Math.min(total, COUNTED),
      totalExact: total !== null && total <= COUNTED,
    };
  }

  function summary(actor: Actor, asked: MarketQuery): Promise<MarketSummary> {
    const key = JSON.stringify(asked);
    const known = summaries.get(key);
    if (known !== undefined) return known;
    const made = daysOf(actor).then(async ({ shown }) =>
      summaryOf(await sumMarket(reads(actor), shown, filterOf(asked))),
    );
    summaries.set(key, made);
    made.catch(() => summaries.delete(key));
    return made;
  }

  /** Whether a loan is on the market; null: it is not. */
  async function shownOf(actor: Actor, loanId: string): Promise<{ isDemo: boolean } | null> {
    const owner = await readMarketOwner(reads(actor), loanId);
    return owner === null ? null : ((await ownersFor(actor)).get(owner) ?? null);
  }

  /** Null: no such loan, or it is not on the market. */
  async function loan(actor: Actor, loanId: string): Promise<MarketView<PublicView> | null> {
    const shown = await shownOf(actor, loanId);
    const found = shown === null ? null : await readPublic(actor, loanId, NOW);
    if (shown === null || found === null || found === 'before') return null;
    return {
      found,
      isSample: shown.isDemo,
      performance: async () => {
        const [stored] = await loadLoans(reads(actor), [loanId]);
        // The version that was read: what was recorded since comes with the next answer.
        const events = eventsIn(stored?.bodies ?? '').slice(0, found.view.version);
        const { Underwriting } = JSON.parse(`{${found.publicPart.toString('utf8')}}`) as { Underwriting: object };
        return performanceOf({ loan: found.view.loan, events }, expectedOf(Underwriting, found.view.loan));
      },
      value: () => worthOf(found),
    };
  }

  async function rowsOf(actor: Actor, loanId: string): Promise<TransactionRow[] | null> {
    const shown = await shownOf(actor, loanId);
    // The same code path as the record, so that nobody finds a transaction of a loan whose record is not shown.
    if (shown === null || (await readPublic(actor, loanId, NOW)) === null) return null;
    return readTransactions(reads(actor), loanId);
  }

  async function transactions(actor: Actor, loanId: string) {
    const rows = await rowsOf(actor, loanId);
    const [first] = rows ?? [];
    if (rows === null || first === undefined) return null;
    const sql = reads(actor);
    const numbers = [...new Set(rows.map(({ block }) => block))];
    const sealed = await readBlocks(sql, volumeOfBlock(sql, first.block), numbers);
    return rows.map((row) => entryOf(row, sealed.has(row.block)));
  }

  /** Null also for a transaction whose kind is not public. */
  async function proof(actor: Actor, loanId: string, transactionHash: string): Promise<MarketProof | null> {
    const row = (await rowsOf(actor, loanId))?.find(({ hash }) => hash === transactionHash);
    if (row === undefined || !isPublicKind(row)) return null;
    const sql = reads(actor);
    const [found] = await proven(sql, [row]);
    const entry = { ...entryOf(row, found?.proof != null), body: publicBodyOf(row.body) };
    const sealed = found?.proof ?? null;
    if (sealed === null) return { ...entry, proof: null, links: null, root: null };
    const { header } = sealed;
    const volumes = sql.volumes.count;
    const volume = volumeOfBlock(sql, row.block);
    const roots = await readRootsSince(sql, header.sealedAt, 5);
    const over = roots
      .map((one) => ({ ...one, heads: JSON.parse(one.heads) as LedgerRoot['heads'] }))
      .find(({ heads }) => heads.some((head) => head.volume === volume && head.number >= row.block));
    const head = over?.heads.find((one) => one.volume === volume);
    const steps = head === undefined ? 0 : (head.number - row.block) / volumes;
    if (over === undefined || steps > LINKS_AT_MOST) return { ...entry, proof: sealed, links: null, root: null };
    const numbers = Array.from({ length: steps }, (_, i) => row.block + (i + 1) * volumes);
    const blocks = await readBlocks(sql, volume, numbers);
    const { auditHeads: _, ...root } = over;
    return {
      ...entry,
      proof: sealed,
      links: numbers.flatMap((number) => blocks.get(number) ?? []),
      root: { ...root, volume, volumes },
    };
  }
}

function filterOf(asked: MarketQuery): MarketFilter {
  const { status, grade, bucket, vintageFrom = null, vintageTo = null, minRate = null, maxRate = null } = asked;
  const [from, to] = bucket === undefined ? [null, null] : BUCKET_DAYS[bucket];
  return {
    statuses:
      status === undefined && bucket === undefined ? null : storedStatuses(status ?? STATUSES, bucket !== undefined),
    grades: grade ?? null,
    vintage: { from: vintageFrom, to: vintageTo },
    daysPastDue: { from, to },
    rate: { from: minRate, to: maxRate },
    balance: { from: asked.minBalance ?? null, to: asked.maxBalance ?? null },
  };
}

function orderOf(sort: MarketListQuery['sort']): Pick<MarketPage, 'sort' | 'descending'> {
  const name = sort.replace(/^-/, '') as MarketPage['sort'];
  const reversed = sort.startsWith('-');
  // The more days past due, the earlier the due date.
  return { sort: name, descending: name === 'daysPastDue' ? !reversed : reversed };
}

function loanOf(row: MarketRow, clock: Clock, real: number, isSample: boolean): MarketLoan {
  const on = dayOfLoan({ recordedOn: row.recorded_on as PlainDate }, clock, clock.at(real));
  const file = JSON.parse(row.file) as LoanFile;
  const stored = row.status as LoanStatus;
  const late = row.delinquent_from !== null && row.delinquent_from <= on;
  const from = row.past_due_from as PlainDate | null;
  const daysPastDue = from === null ? 0 : Math.max(0, daysBetween(from, on));
  return {
    loanId: hexOf(row.loan_id),
    applicationId: file.applicationId,
    loanType: file.loanType,
    loanStatus: late && (stored === 'Funded' || stored === 'Current') ? 'Delinquent' : stored,
    grade: file.grade,
    rate: row.rate,
    term: file.term,
    remaining: row.remaining,
    loanAmount: cents(Number(row.loan_amount)),
    balance: cents(Number(row.principal)),
    daysPastDue,
    bucket: SERVICED.has(stored) ? bucketOf(daysPastDue) : null,
    fairValuePrice: file.fairValuePrice,
    predictedYield: file.predictedYield,
    fundedOn: row.funded_on as PlainDate | null,
    vintage: row.vintage as PlainDate | null,
    isSample,
  };
}

function summaryOf(rows: readonly MarketSum[]): MarketSummary {
  const totalOf = (some: readonly MarketSum[]) => ({
    count: some.reduce((sum, { count }) => sum + count, 0),
    balance: cents(Number(some.reduce((sum, { principal }) => sum + BigInt(principal), 0n))),
  });
  const all = totalOf(rows);
  return {
    ...all,
    weightedRate: weightedRateOf(rows, all.balance),
    buckets: BUCKETS.map((bucket, i) => ({ bucket, ...totalOf(rows.filter(({ place }) => place === i)) })),
    chargedOff: totalOf(rows.filter(({ place }) => place === 6)),
    others: totalOf(rows.filter(({ place }) => place === 7)).count,
    grades: [...GRADES, null].flatMap((grade) => {
      const some = rows.filter((row) => row.grade === grade);
      return some.length === 0 ? [] : [{ grade, ...totalOf(some) }];
    }),
  };
}

/** Percent a year with two decimals: rates have at most ten. */
function weightedRateOf(rows: readonly MarketSum[], balance: number): string | null {
  if (balance === 0) return null;
  const scaled = rows.reduce((sum, { rate_principal: text }) => {
    const [whole = '0', part = ''] = text.split('.');
    return sum + BigInt(whole) * 10n ** 10n + BigInt(part.padEnd(10, '0').slice(0, 10));
  }, 0n);
  const hundredths = divide(scaled * 100n, BigInt(balance) * 10n ** 10n, 'half-up');
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, '0')}`;
}

/** Null before funding, and of a loan of which nothing is owed. */
function worthOf({ view }: PublicView): MarketValue | null {
  if (view.loan.principal === 0 || view.loan.chargeOff !== null) return null;
  const now = forecastOf(view);
  if (isRefusal(now)) return null;
  return {
    asOf: now.asOf,
    balance: now.balance,
    fairValue: now.price.fairValue,
    yieldAtPar: now.price.compoundingNetIrr.toFixed(6),
    defaultProbability: now.defaultProbability.toFixed(6),
    modelVersion: now.modelVersion,
  };
}
