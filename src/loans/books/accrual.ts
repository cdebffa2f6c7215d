/**
 * Posts the interest of a day that is over, for every lender of an organization. It may be run again, or days late: a day is posted once,
 * from what was known at its end, and the days before it that are missing are posted first. Whoever calls it makes sure that nothing can
 * be recorded of the day any more.
 */
import { amortizedIn, NO_FIGURES } from '../../core/books.ts';
import { addDays, type PlainDate } from '../../core/calendar.ts';
import { accrueDay, type BookHead } from '../../ledger/book.ts';
import { type LenderFigures, onOneProcessor } from '../../store/books/books.ts';
import { type BookRow, type BookSave, readBooks, saveBookTransactions } from '../../store/books/lender-books.ts';
import type { Db, Sql } from '../../store/db/db.ts';
import { inOneMoment } from '../../store/db/one-moment.ts';
import { bookIdOf } from '../../vault/party.ts';
import type { Clocks } from '../door/clocks.ts';
import { lendersToPost, loanFigures } from './day.ts';
import { openFoldedBefore } from './folded-before.ts';
import { openPauses } from './looks.ts';

export type Accrued = { readonly lenderId: string; readonly date: PlainDate; readonly amount: number };

/**
 * The new entries: none for days that were posted before. A loan that cannot be folded fails it, unless `failed` is given: then it is told, and
 * counts as its row says. `onPosted` is called in the transaction of each entry.
 */
export type Accrue = (organizationId: string, day: PlainDate, how?: AccrueHow) => Promise<Accrued[]>;

export type AccrueHow = {
  readonly failed?: (loanId: string, error: unknown) => void;
  readonly onPosted?: (tx: Sql, posted: Accrued) => Promise<void>;
};

/** The recorder, where a client is named. */
const SERVICE = 'service';

/** Days that are posted in one transaction of the database where several are missing. */
const DAYS_AT_ONCE = 31;

/** A day with the figures of the loans at its end, by lender. */
type Day = { readonly date: PlainDate; readonly figures: ReadonlyMap<string, LenderFigures> };

type AccrualOptions = { db: Db; clock: () => number; clocks: Clocks; partyKey: Uint8Array };

export function openAccrual({ db, clock, clocks, partyKey }: AccrualOptions): Accrue {
  const pauses = openPauses();

  return async (organizationId, day, { failed, onPosted = async () => {} } = {}) => {
    const posted: Accrued[] = [];
    const whose = { organizationId, lenderId: null };
    const books = new Map((await readBooks(db, whose)).map((book) => [book.lenderId, book]));
    const pending = await lendersToPost(db, whose, day, books);
    const first = [...pending.values()].sort()[0];
    if (first === undefined) return posted;
    const before = first < day ? openFoldedBefore() : undefined;
    for (let from = first; from <= day; from = addDays(from, DAYS_AT_ONCE)) {
      const days: Day[] = [];
      for (let date = from; date <= day && days.length < DAYS_AT_ONCE; date = addDays(date, 1)) {
        const lenders = [...pending].flatMap(([lenderId, begins]) => (begins <= date ? [lenderId] : []));
        const [only] = lenders.length === 1 ? lenders : [];
        const pause = pauses(organizationId);
        const whoseDay = { organizationId, lenderId: only ?? null };
        const figures = await inOneMoment(db, async (tx) => {
          await onOneProcessor(tx);
          return loanFigures({ tx, pause }, whoseDay, date, { failed, before });
        });
        days.push({ date, figures });
      }
      for (const [lenderId, begins] of pending) {
        let book = books.get(lenderId) ?? null;
        for (;;) {
          const through = book?.accruedThrough;
          const missing = days.filter(({ date }) => date >= begins && (through === undefined || date > through));
          if (missing.length === 0) break;
          const done = await postDays({ organizationId, lenderId }, book, missing, onPosted);
          posted.push(...(done?.posted ?? []));
          // A faster process may have posted only some of the days: the missing ones are posted here.
          const found: BookRow | undefined = done?.book ?? (await readBooks(db, { organizationId, lenderId }))[0];
          if (found === undefined) throw new Error('A book was not saved, and no other process has created it.');
          book = found;
          books.set(lenderId, book);
        }
      }
    }
    return posted;
  };

  /** Days that follow each other. Null: somebody else is posting. */
  async function postDays(
    { organizationId, lenderId }: { organizationId: string; lenderId: string },
    book: BookRow | null,
    days: readonly Day[],
    onPosted: (tx: Sql, posted: Accrued) => Promise<void>,
  ): Promise<{ book: BookRow; posted: Accrued[] } | null> {
    const bookId = bookIdOf(partyKey, organizationId, lenderId);
    const recordedAt = new Date((await clocks.one(organizationId)).at(clock())).toISOString();
    let head: BookHead | null = book;
    const transactions: BookSave['transactions'][number][] = [];
    const posted: Accrued[] = [];
    for (const { date, figures } of days) {
      const { accruedInterest: accrued, ...open } = figures.get(lenderId) ?? NO_FIGURES;
      const next = accrueDay(head, { bookId, date, accrued, amortized: amortizedIn(open), recordedAt });
      ({ head } = next);
      const { version: sequence, lastHash: hash } = head;
      transactions.push({ sequence, hash, type: next.event.type, body: next.body, lines: next.lines });
      posted.push({ lenderId, date, amount: next.event.amount });
    }
    const after: BookRow = { bookId, organizationId, lenderId, ...(head as BookHead) };
    const expected = book?.lastHash ?? null;
    const saved = await saveBookTransactions(
      db,
      { expected, book: after, transactions, clientId: SERVICE },
      async (tx) => {
        for (const one of posted) await onPosted(tx, one);
      },
    );
    return saved ? { book: after, posted } : null;
  }
}
