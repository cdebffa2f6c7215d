/**
 * Posts the interest of a day that is over, for every lender of an organization. It may be run again, or days late: a day is posted once,
 * from what was known at its end, and the days before it that are missing are posted first. Whoever calls it makes sure that nothing can
 * be recorded of the day any more.
 */
import { addDays, type PlainDate } from '../../core/calendar.ts';
import { ZERO } from '../../core/money.ts';
import { accrueDay } from '../../ledger/book.ts';
import { inOneMoment, type LenderFigures, onOneProcessor } from '../../store/books.ts';
import type { Db, Sql } from '../../store/db.ts';
import { type BookRow, readBooks, saveBookTransaction } from '../../store/lender-books.ts';
import { bookIdOf } from '../../vault/party.ts';
import type { Clocks } from '../clock/clocks.ts';
import { lendersToPost, loanFigures } from './day.ts';
import { openPauses } from './looks.ts';

export type Accrued = { readonly lenderId: string; readonly date: PlainDate; readonly amount: number };

/**
 * What was posted: nothing for days that were before. A loan that cannot be folded fails it, unless `failed` is given: then it is told, and
 * counts as its row says. `onPosted` is called in the transaction of each entry.
 */
export type Accrue = (organizationId: string, day: PlainDate, how?: AccrueHow) => Promise<Accrued[]>;

export type AccrueHow = {
  readonly failed?: (loanId: string, error: unknown) => void;
  readonly onPosted?: (tx: Sql, posted: Accrued) => Promise<void>;
};

/** Who recorded it, where a client is named. */
const SERVICE = 'service';

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
    for (let date = first; date <= day; date = addDays(date, 1)) {
      const lenders = [...pending].flatMap(([lenderId, from]) => (from <= date ? [lenderId] : []));
      const [only] = lenders.length === 1 ? lenders : [];
      const pause = pauses(organizationId);
      const whoseDay = { organizationId, lenderId: only ?? null };
      const figures = await inOneMoment(db, async (tx) => {
        await onOneProcessor(tx);
        return loanFigures({ tx, pause }, whoseDay, date, failed);
      });
      for (const lenderId of lenders) {
        let book = books.get(lenderId) ?? null;
        while (book === null || book.accruedThrough < date) {
          const amount = (figures.get(lenderId)?.accruedInterest ?? 0) - (book?.accrued ?? 0);
          const one: Accrued = { lenderId, date, amount };
          const next = await postDay({ organizationId, lenderId }, book, date, figures.get(lenderId), (tx) =>
            onPosted(tx, one),
          );
          if (next !== null) posted.push(one);
          // Who was faster may have posted this day alone: what is missing then is posted here.
          const found: BookRow | undefined = next ?? (await readBooks(db, { organizationId, lenderId }))[0];
          if (found === undefined) throw new Error('A book was not saved, and nobody else has made it.');
          book = found;
          books.set(lenderId, book);
        }
      }
    }
    return posted;
  };

  /** Null: somebody else is posting. */
  async function postDay(
    { organizationId, lenderId }: { organizationId: string; lenderId: string },
    book: BookRow | null,
    date: PlainDate,
    figures: LenderFigures | undefined,
    also: (tx: Sql) => Promise<void>,
  ): Promise<BookRow | null> {
    const bookId = bookIdOf(partyKey, organizationId, lenderId);
    const recordedAt = new Date((await clocks.one(organizationId)).at(clock())).toISOString();
    const accrued = figures?.accruedInterest ?? ZERO;
    const { event, body, head, lines } = accrueDay(book, { bookId, date, accrued, recordedAt });
    const next = { bookId, organizationId, lenderId, ...head };
    const { type } = event;
    const expected = book?.lastHash ?? null;
    const saved = await saveBookTransaction(db, { expected, book: next, type, body, clientId: SERVICE, lines }, also);
    return saved ? next : null;
  }
}
