/** Entries that belong to no single loan: the interest of a day, and entries by hand. */
import { Type } from 'typebox';
import { amountText } from '../../core/decimal.ts';
import { type Cents, cents, ZERO } from '../../core/money.ts';
import { ACCOUNT_NAMES, type BookEntry, linesOfBook } from '../../loans/books/books.ts';
import type { EntryAsked, HandEntry } from '../../loans/books/entries.ts';
import { ledger } from '../ledger/ledger.ts';
import { amountTexts } from '../shared/figures.ts';
import { shape } from '../shared/named.ts';
import { money, numbersOf } from '../shared/numbers.ts';
import { closed, envelope, ok, operation } from '../shared/operation.ts';
import { tagged } from '../shared/read.ts';
import { RequestReader } from '../shared/request-reader.ts';
import {
  Amount,
  date,
  day,
  hash,
  hashExample,
  JournalLine,
  Limit,
  maybe,
  NextCursor,
  TransactionHash,
  time,
} from '../shared/shapes.ts';
import { idOut, referenceOut, sentences, wordOut } from '../shared/texts.ts';
import { dryRunShown, write } from '../shared/writing.ts';
import { askerOf, given, Lender, lenderIn } from './books.ts';
import { keeping } from './periods.ts';

export const Recorder = shape('EntryRecorder', 'Who recorded it.', {
  clientId: idOut('The client; of people, that of the console.'),
  userId: maybe(idOut('An id.'), 'The person; null: a program.'),
});

const PRIOR = 'Whether it takes effect in an earlier month than the one it is posted in.';

const entryOf = {
  bookId: hash('The book.'),
  lenderId: referenceOut('The lender whose book it is.'),
  type: wordOut('`interestAccrued`, `entryRecorded` (by hand), `yearClosed` or `allowanceBooked`.'),
  date: date('The date on which it takes effect.'),
  datePosted: date('The date on which it is posted: later than `date` where that month was closed.'),
  priorPeriod: Type.Boolean({ description: PRIOR }),
  reverseOn: maybe(date('A date.'), 'The date on which the same lines are posted the other way round; null: never.'),
  year: maybe(Type.Integer({ description: 'A year.' }), 'The year that it closes; null: none.'),
  lines: Type.Array(JournalLine, { description: 'The lines; debits equal credits.' }),
  reason: maybe(sentences('A text.'), 'The reason that was given; null: it was not made by hand.'),
  recordedAt: time('When it was recorded.'),
  recordedBy: maybe(Recorder, 'Null: the service.'),
};

// ---- reading ----

const EntriesQuery = closed({
  date: Type.Optional(day('The date of the entries. Required, unless `byHand` is true.')),
  byHand: Type.Optional(
    Type.Boolean({
      description:
        'If true, only entries by hand, ends of years and allowances, the newest first: of the date if one is given, otherwise all.',
    }),
  ),
  lenderId: Lender,
  limit: Limit(),
  cursor: Type.Optional(
    Type.String({
      pattern: '^([A-Za-z0-9._:-]{1,64}/[0-9]{1,9}|h/[0-9-]{10}/0x[0-9a-f]{64})$',
      description: '`nextCursor` of the previous page.',
    }),
  ),
});

const EntriesAnswer = envelope(
  shape('BookEntryPage', 'A page of entries.', {
    items: Type.Array(
      shape('BookEntry', 'An entry in the books of a lender that belongs to no single loan.', {
        transactionHash: TransactionHash,
        sequence: maybe(
          Type.Integer({ description: 'A number.' }),
          'Its number in the book in which interest accrues, from 1; null: an entry by hand.',
        ),
        block: maybe(
          Type.Integer({ description: 'A block.' }),
          'The block of the ledger that holds it; null: by hand.',
        ),
        accrued: maybe(
          money('An amount.'),
          'Interest accrued on all loans at the end of the date and not yet paid or posted otherwise; null: it accrues none.',
        ),
        ...entryOf,
      }),
      { description: 'The entries.' },
    ),
    nextCursor: NextCursor,
  }),
  {
    items: [
      {
        transactionHash: hashExample,
        bookId: hashExample,
        lenderId: 'L-1',
        sequence: 46,
        block: 4_211,
        type: 'interestAccrued',
        date: '2026-02-15',
        datePosted: '2026-02-15',
        priorPeriod: false,
        reverseOn: null,
        year: null,
        accrued: '81,204.11',
        lines: [
          { account: 'accruedInterest', debit: '1,020.77', credit: '0' },
          { account: 'interestIncome', debit: '0', credit: '1,020.77' },
        ],
        reason: null,
        recordedAt: '2026-02-16T05:00:04.120Z',
        recordedBy: null,
      },
    ],
    nextCursor: null,
  },
);

type Line = { readonly account: string; readonly debit: Cents; readonly credit: Cents };

export const shownLines = (lines: readonly Line[], plain = false) =>
  lines.map(({ account, debit, credit }) => ({ account, ...amountTexts({ debit, credit }, plain) }));

function accrualShown({ event, ...entry }: BookEntry, plain: boolean) {
  const lines = linesOfBook(event).map(({ account, amount }) => {
    const size = cents(Math.abs(amount));
    return { account, debit: amount > 0 ? size : ZERO, credit: amount > 0 ? ZERO : size };
  });
  return {
    ...entry,
    ...{ type: event.type, date: event.date, datePosted: event.date, priorPeriod: false, reverseOn: null, year: null },
    accrued: amountText(event.accrued, plain),
    lines: shownLines(lines, plain),
    ...{ reason: null, recordedAt: event.recordedAt, recordedBy: null },
  };
}

const byHandShown = ({ lines, ...entry }: HandEntry, plain: boolean) => ({
  ...{ ...entry, sequence: null, block: null, accrued: null },
  lines: shownLines(lines, plain),
});

export const listEntries = operation({
  ...ledger,
  at: 'GET /ledger/entries',
  id: 'listEntries',
  summary: 'List entries that belong to no single loan',
  description:
    'The entries in the organization’s lender books on a day: one entry per lender for the interest accrued, then the entries by hand and ends of ' +
    'years that are posted or reversed on it. Entries of single loans are in the journal of each loan.',
  query: EntriesQuery,
  answer: EntriesAnswer,
  problems: [],
  async handle(call) {
    const { services, query } = call;
    const { plain, headers: applied } = numbersOf(call);
    const { limit = 25, cursor, byHand = false } = query;
    const [first = '', second = '', third] = cursor?.split('/') ?? [];
    const read = new RequestReader();
    if (query.date === undefined && !byHand) {
      read.note('/date', { code: 'required', detail: 'Give the date, or `byHand` for all entries by hand.' });
    }
    const date = query.date === undefined ? null : read.date(query, 'date', '');
    const lenderId = lenderIn(read, query);
    read.reference({ cursor: first }, 'cursor', '');
    const before =
      third === undefined ? null : { datePosted: read.date({ cursor: second }, 'cursor', ''), hash: third };
    read.done();
    const asker = askerOf(call);
    const { books } = services.loans;
    const after = cursor === undefined ? null : { lenderId: first, sequence: Number(second) };
    const accruals =
      byHand || before !== null || date === null
        ? []
        : await books.entries(asker, { day: date, lenderId, after, limit: limit + 1 });
    const room = limit + 1 - accruals.length;
    const entries = room <= 0 ? [] : await books.handEntries(asker, { day: date, lenderId, before, limit: room });
    const all = [
      ...accruals.map((one) => ({ item: accrualShown(one, plain), cursor: `${one.lenderId}/${one.sequence}` })),
      ...entries.map((one) => ({
        item: byHandShown(one, plain),
        cursor: `h/${one.datePosted}/${one.transactionHash}`,
      })),
    ];
    const nextCursor = all.length > limit ? (all[limit - 1]?.cursor ?? null) : null;
    return tagged(call, ok({ items: all.slice(0, limit).map(({ item }) => item), nextCursor }), applied);
  },
});

// ---- recording ----

const LENDER = Type.String({ pattern: '^[A-Za-z0-9._:-]{1,64}$', description: 'The lender in whose books it is.' });

const EntryBody = closed(
  {
    date: day('The date on which it takes effect, at the latest today.'),
    lenderId: LENDER,
    lines: Type.Array(
      closed(
        {
          account: Type.Enum([...ACCOUNT_NAMES], { description: 'The account.' }),
          debit: Type.Optional(Amount),
          credit: Type.Optional(Amount),
        },
        { title: 'EntryLine', description: 'A debit or a credit.' },
      ),
      { minItems: 2, maxItems: 100, description: 'The lines; debits equal credits.' },
    ),
    reason: Type.String({
      minLength: 1,
      maxLength: 500,
      pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F]*$',
      description:
        'The reason, in your own words. Stored encrypted with the transaction; `GET /ledger/entries` returns it.',
    }),
    reverseOn: Type.Optional(
      maybe(
        day('A date.'),
        'The date on which the same lines are posted the other way round; it may be in the future.',
      ),
    ),
  },
  {
    examples: [
      {
        date: '2026-01-31',
        lenderId: 'L-1',
        lines: [
          { account: 'cash', debit: '50000.00' },
          { account: 'equity', credit: '50000.00' },
        ],
        reason: 'Capital paid in',
      },
    ],
  },
);

type LineGiven = { account: string; debit?: string | number; credit?: string | number };

function entryIn(body: {
  date: string;
  lenderId: string;
  lines: LineGiven[];
  reason: string;
  reverseOn?: string | null;
}): EntryAsked {
  const read = new RequestReader();
  let sum = 0;
  const lines = body.lines.map((line, i) => {
    const at = `/lines/${i}`;
    const sides = (['debit', 'credit'] as const).filter((side) => line[side] !== undefined);
    const [side] = sides;
    if (side === undefined || sides.length > 1) {
      read.note(at, { code: 'contradiction', detail: 'A line has either a debit or a credit.' });
    }
    const amount = side === undefined ? ZERO : read.positiveAmount(line, side, at);
    const signed = side === 'credit' ? 0 - amount : amount;
    sum += signed;
    return { account: line.account as EntryAsked['lines'][number]['account'], amount: signed };
  });
  if (read.isClean && sum !== 0) {
    const more = sum > 0 ? 'debits' : 'credits';
    const detail = `Debits must equal credits; the ${more} are ${amountText(cents(Math.abs(sum)))} more.`;
    read.note('/lines', { code: 'contradiction', detail });
  }
  if (body.reason.trim() === '') read.note('/reason', { code: 'required', detail: 'An entry by hand needs a reason.' });
  const { reverseOn = null } = body;
  const asked = {
    date: read.date(body, 'date', ''),
    lenderId: read.reference(body, 'lenderId', ''),
    ...{ lines, reason: body.reason },
    reverseOn: reverseOn === null ? null : read.date({ reverseOn }, 'reverseOn', ''),
  };
  read.done();
  return asked;
}

const previewed = ({ lenderId, date: of, priorPeriod, reverseOn, lines }: HandEntry) => ({
  ...{ lenderId, date: of, priorPeriod, reverseOn },
  lines: shownLines(lines),
});

export const recordEntry = write({
  ...keeping,
  at: 'POST /ledger/entries',
  id: 'recordEntry',
  summary: 'Record an entry by hand',
  description:
    'Posts lines of your own in the books of a lender: capital, an adjustment, the reversal of an earlier entry. Debits must equal credits. No line may be of an ' +
    'account that follows from the loans (409 `owned_by_loans`): correct the loan instead. It is posted on its date; where that month is ' +
    'closed, it always waits for an approval and is posted on the day on which it is recorded, as `priorPeriod`. With `reverseOn` the ' +
    'same lines are posted the other way round on that date. An entry is never changed: record its reverse.',
  body: EntryBody,
  answer: envelope(
    shape('EntryRecorded', 'An entry by hand.', {
      ...dryRunShown,
      transactionHash: maybe(TransactionHash, 'The transaction; null in a dry run.'),
      ...entryOf,
    }),
    {
      transactionHash: hashExample,
      bookId: hashExample,
      lenderId: 'L-1',
      type: 'entryRecorded',
      date: '2026-01-31',
      datePosted: '2026-01-31',
      priorPeriod: false,
      reverseOn: null,
      year: null,
      lines: [
        { account: 'cash', debit: '50,000', credit: '0' },
        { account: 'equity', debit: '0', credit: '50,000' },
      ],
      reason: 'Capital paid in',
      recordedAt: '2026-02-02T14:00:00.000Z',
      recordedBy: { clientId: 'client_8r3k2m5t7x', userId: 'user_4k2m8r3t5x' },
    },
  ),
  problems: ['conflict', 'owned_by_loans'],
  hasDryRun: true,
  hasAmounts: true,
  async write(call, how) {
    return given(await call.services.loans.books.recordEntry(askerOf(call), entryIn(call.body), how));
  },
  subject: ({ transactionHash }) => transactionHash,
  shows: ({ lines, ...entry }) => ({ ...entry, lines: shownLines(lines) }),
  approval: { preview: previewed },
});
