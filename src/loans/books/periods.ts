/**
 * Months: closing one, what happened between its first day and its last, and its lines for another general ledger. A closed month never
 * changes: everything that is recorded later is posted later, and what accrued or fell due on its days was counted when it was closed.
 */
import type { PlainDate } from '../../core/calendar.ts';
import { type Cents, cents } from '../../core/money.ts';
import { isRefusal, type Refusal, refuse } from '../../core/refusal.ts';
import { ACCOUNTS, type Account } from '../../ledger/chart.ts';
import type { Activity, Days, Whose } from '../../store/books/books.ts';
import { readEntryState } from '../../store/books/entry-books.ts';
import { type CodeRow, readCodes, readPeriod, readPeriods, saveCodes } from '../../store/books/periods.ts';
import type { Db, Sql } from '../../store/db/db.ts';
import { openShares } from '../../workers/turns.ts';
import type { Asker } from '../door/actor.ts';
import type { FairReads } from '../door/fair-reads.ts';
import { shareOf, TooManyWaiting } from '../door/too-many-waiting.ts';
import type { HowWritten } from '../door/write.ts';
import { activityOf, outlineOf } from './activity.ts';
import {
  type ClosedPeriod,
  type Closing,
  type MonthsAsked,
  monthsAround,
  openClosing,
  pendingDay,
  toClosed,
} from './closing.ts';
import type { Looks } from './looks.ts';
import { cyclePending, daysOf, inTheFuture, notOver, type Period } from './months.ts';
import { type RollForward, rollForwardOf } from './roll-forward.ts';

/** Lines of a month, added up by day, lender, entry and account, with the organization's own code of the account. */
export type ExportedLine = {
  readonly date: PlainDate;
  readonly lenderId: string;
  readonly entry: string;
  readonly account: Account;
  readonly code: string;
  readonly priorPeriod: boolean;
  readonly debit: Cents;
  readonly credit: Cents;
};

/**
 * A month that is over has the same lines, whenever they are asked for, as long as the codes are the same. Lines come in order, some hundred
 * at a time, and are read from the database while they are taken. Whoever begins to take them takes all of them, or ends the iteration.
 */
export type Exported = {
  /** Changes with everything that the lines follow from besides the month, the lender and the loans: the codes, and entries by hand. */
  readonly state: string;
  readonly lines: AsyncIterable<readonly ExportedLine[]>;
};

export type AccountCodes = Readonly<Partial<Record<Account, string>>>;

/** The codes in the books of a lender: its own, and for the other accounts those of the organization. */
type CodesOf = (lenderId: string) => AccountCodes;

type PeriodsOptions = {
  db: Db;
  reads: FairReads;
  now: (organizationId: string) => Promise<number>;
  today: (organizationId: string) => Promise<PlainDate>;
  looks: Looks;
  /** For so long a request waits for another process that is closing a month. */
  patienceMs: number;
};

const PLAINLY: HowWritten = { dryRun: false, keep: async () => {} };

/** Lines that are read at once, of one day or of several, and how many are handed on at a time. */
const LINES_AT_ONCE = 16_000;
const LINES_HANDED_ON = 500;

/** Exports that are being taken: each holds the lines that were read last, some megabytes, for as long as its caller takes. */
const EXPORTS = { everyone: 16, organization: 4, guaranteed: 1 };

type OfPeriod = { readonly period: Period; readonly lenderId: string | null };

export function openPeriods({ db, reads, now, today, looks, patienceMs }: PeriodsOptions) {
  const closing = openClosing({ db, reads, now, today, looks, patienceMs });
  const exports = openShares(EXPORTS);
  return { close, closeMonths, nextToClose, periods, rollForward, exported, codes, setCodes };

  /** A period that is closed already is answered as the first time. */
  async function close(asker: Asker, period: Period, how: HowWritten = PLAINLY): Promise<ClosedPeriod | Refusal> {
    const found = await closeMonths(asker, { from: period, through: period }, how);
    return isRefusal(found) ? found : found.closed;
  }

  /** Several months in one go: all of them or none. */
  async function closeMonths(asker: Asker, asked: MonthsAsked, how: HowWritten = PLAINLY): Promise<Closing | Refusal> {
    const alone = asked.from === asked.through ? await refuseOpen(asker, asked.through) : null;
    return alone ?? closing(asker, asked, how);
  }

  /** The next month to be closed, whether it can be yet or not; null: there are no loans. */
  async function nextToClose(asker: Asker): Promise<Period | null> {
    return (await monthsAround(reads(asker), asker.organizationId)).next;
  }

  /** The newest first. */
  async function periods(asker: Asker, asked: { before: Period | null; limit: number }): Promise<ClosedPeriod[]> {
    return (await readPeriods(reads(asker), asker.organizationId, asked)).map(toClosed);
  }

  async function rollForward(asker: Asker, { period, lenderId }: OfPeriod): Promise<RollForward | Refusal> {
    const { organizationId } = asker;
    const { first, last } = daysOf(period);
    const now = await today(organizationId);
    if (first > now) return inTheFuture();
    const closed = (await readPeriod(reads(asker), organizationId, period)) !== null;
    const through = last < now ? last : now;
    const days = { from: first, through };
    const lenders = await looks.look(asker, (look) => rollForwardOf(look, { organizationId, lenderId }, days));
    return { period, closed, lenders };
  }

  /**
   * Whether it can be exported is found out first. Then the lines are read a few days at a time, each portion of one moment of its own: a
   * past month does not change, and no connection is held for a slow caller.
   */
  async function exported(asker: Asker, { period, lenderId }: OfPeriod): Promise<Exported | Refusal> {
    const { organizationId } = asker;
    const open = await refuseOpen(asker, period);
    if (open !== null) return open;
    const { first, last } = daysOf(period);
    const rows = await readCodes(reads(asker), organizationId);
    const codesOf = codesIn(rows);
    const whose = { organizationId, lenderId };
    const found = await looks.look(asker, async (look) => {
      const pending = await pendingDay(look.tx, whose, last);
      if (pending !== null) return cyclePending(pending);
      const { accounts, lines } = await outlineOf(look, whose, { from: first, through: last });
      const unnamed = ACCOUNTS.filter((one) =>
        [...(accounts.get(one) ?? [])].some((lender) => codesOf(lender)[one] === undefined),
      );
      if (unnamed.length > 0) return codesMissing(unnamed);
      return { portions: portionsOf(lines), entries: await readEntryState(look.tx, organizationId) };
    });
    if (isRefusal(found)) return found;
    const state = JSON.stringify([rows, found.entries?.state ?? '']);
    return { state, lines: linesOf(asker, whose, found.portions, codesOf) };
  }

  async function* linesOf(
    asker: Asker,
    whose: Whose,
    portions: readonly Days[],
    codesOf: CodesOf,
  ): AsyncGenerator<readonly ExportedLine[]> {
    const share = shareOf(asker);
    const excess = exports.take(share);
    if (excess !== null) throw new TooManyWaiting(excess);
    try {
      for (const days of portions) {
        const lines = await looks.look(asker, (look) => activityOf(look, whose, days));
        for (let at = 0; at < lines.length; at += LINES_HANDED_ON) {
          yield lines.slice(at, at + LINES_HANDED_ON).map((line) => exportedLine(line, codesOf));
        }
      }
    } finally {
      exports.give(share);
    }
  }

  /** `lenderId` null: those of the organization, for lenders that have none of their own. */
  async function codes(asker: Asker, lenderId: string | null = null, sql: Sql = reads(asker)): Promise<AccountCodes> {
    return codesIn(await readCodes(sql, asker.organizationId))(lenderId ?? EVERY_LENDER);
  }

  async function setCodes(
    asker: Asker,
    given: AccountCodes,
    { dryRun, keep }: HowWritten = PLAINLY,
    lenderId: string | null = null,
  ): Promise<AccountCodes> {
    if (dryRun) return { ...(await codes(asker, lenderId)), ...given };
    const rows = Object.entries(given).map(([account, code]) => ({ account, code }));
    return db.transaction(async (tx) => {
      await saveCodes(tx, asker.organizationId, lenderId ?? EVERY_LENDER, rows);
      const all = await codes(asker, lenderId, tx);
      await keep(tx, all);
      return all;
    });
  }

  async function refuseOpen({ organizationId }: Asker, period: Period): Promise<Refusal | null> {
    const { last } = daysOf(period);
    return last < (await today(organizationId)) ? null : notOver();
  }
}

/** The place of a code that holds for every lender without one of its own. */
const EVERY_LENDER = '';

function codesIn(rows: readonly CodeRow[]): CodesOf {
  const byLender = Map.groupBy(rows, ({ lenderId }) => lenderId);
  const of = (lenderId: string) => (byLender.get(lenderId) ?? []).map(({ account, code }) => [account, code]);
  const known = new Map<string, AccountCodes>();
  return (lenderId) => {
    const found = known.get(lenderId) ?? Object.fromEntries([...of(EVERY_LENDER), ...of(lenderId)]);
    known.set(lenderId, found);
    return found;
  };
}

/** Runs of days whose lines are read at once; at least one day each. */
function portionsOf(lines: ReadonlyMap<PlainDate, number>): Days[] {
  const portions: { from: PlainDate; through: PlainDate; lines: number }[] = [];
  for (const [day, count] of [...lines].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const last = portions.at(-1);
    if (last === undefined || last.lines + count > LINES_AT_ONCE)
      portions.push({ from: day, through: day, lines: count });
    else {
      last.through = day;
      last.lines += count;
    }
  }
  return portions;
}

function exportedLine(
  { date, lenderId, entry, account, priorPeriod, debit, credit }: Activity,
  codesOf: CodesOf,
): ExportedLine {
  return {
    date,
    lenderId,
    entry,
    account: account as Account,
    code: codesOf(lenderId)[account as Account] as string,
    priorPeriod,
    debit: cents(Number(debit)),
    credit: cents(Number(credit)),
  };
}

function codesMissing(accounts: readonly Account[]): Refusal {
  const detail = `These accounts have no code yet: ${accounts.join(', ')}. Set them with POST /ledger/account-codes.`;
  return refuse('required', detail, { facts: { accounts } });
}
