/** Months of the books: closing, roll-forward, export. */

import { Type } from 'typebox';
import { parseDate } from '../../core/calendar.ts';
import type { ClosedPeriod } from '../../loans/books/closing.ts';
import type { ExportedLine } from '../../loans/books/periods.ts';
import { csvFigure, csvLine, csvText } from '../../loans/exports/csv.ts';
import { ledger } from '../ledger/ledger.ts';
import { negotiated, notAcceptable } from '../shared/accept.ts';
import { actorOf, header } from '../shared/actor.ts';
import { etagOf, matchesNone } from '../shared/etag.ts';
import { amountTexts } from '../shared/figures.ts';
import { shape } from '../shared/named.ts';
import { numbersOf } from '../shared/numbers.ts';
import { type Answer, closed, envelope, ok, operation } from '../shared/operation.ts';
import { REVALIDATED, tagged } from '../shared/read.ts';
import { RequestReader } from '../shared/request-reader.ts';
import { account, hash, hashExample, Limit, maybe, NextCursor, time } from '../shared/shapes.ts';
import { begun } from '../shared/stream.ts';
import { idOut, monthOut, referenceOut, sentences, wordOut } from '../shared/texts.ts';
import { dryRunShown, write } from '../shared/writing.ts';
import { askerOf, given, Lender, lenderIn, signed, signedMoney } from './books.ts';

/** Every operation that changes the books themselves. */
export const keeping = { tag: 'Ledger', scopes: ['books:write'], key: 'checked' } as const;

const PeriodText = Type.String({ maxLength: 7, description: 'A month from 1900-01 to 2199-12, such as `2026-10`.' });

function monthIn<K extends string>(read: RequestReader, holder: { [name in K]?: string }, name: K): string {
  const month = holder[name] ?? '';
  if (parseDate(`${month}-01`) === null) {
    const detail = 'Must be a month from 1900-01 to 2199-12 in the form YYYY-MM.';
    read.note(`/${name}`, { code: 'format', detail });
  }
  return month;
}

const period = monthOut('The month, such as `2026-10`.');
const lender = referenceOut('The lender.');

const closedPeriod = {
  period,
  closedFrom: monthOut('The first of the months that were closed in one go with it; the month itself: alone.'),
  closedAt: time('When the month was closed.'),
  closedBy: shape('PeriodCloser', 'Who closed the month.', {
    clientId: idOut('The client; of people, that of the console.'),
    userId: maybe(idOut('An id.'), 'The person; null: a program.'),
  }),
  hash: hash('SHA-256 of the balances in cents, as canonical JSON (RFC 8785).'),
  lenders: Type.Array(
    shape('ClosedLender', 'The closing balances of a lender.', {
      lenderId: lender,
      accounts: Type.Array(
        shape('AccountBalance', 'The closing balance of an account.', {
          account,
          balance: signedMoney('The balance at the end of the month.'),
        }),
        { description: 'The accounts with a balance.' },
      ),
    }),
    { description: 'The lenders.' },
  ),
};

const periodExample = {
  period: '2026-10',
  closedFrom: '2026-10',
  closedAt: '2026-11-03T14:00:00.000Z',
  closedBy: { clientId: 'client_8r3k2m5t7x', userId: 'user_4k2m8r3t5x' },
  hash: hashExample,
  lenders: [{ lenderId: 'L-1', accounts: [{ account: 'loanPrincipal', balance: '28,473.33' }] }],
};

function shownPeriod({ lenders, ...period }: ClosedPeriod, plain = false) {
  return {
    ...period,
    lenders: lenders.map(({ lenderId, accounts }) => ({
      lenderId,
      accounts: accounts.map(({ account, balance }) => ({ account, balance: signed(balance, plain) })),
    })),
  };
}

const warningsShown = {
  warnings: Type.Optional(
    Type.Array(
      shape('ClosingWarning', 'Something to look at before months are closed; it does not stand in the way.', {
        check: wordOut('`charge_off_ground_gone`.'),
        loans: Type.Integer({ description: 'The number of loans that it is about.' }),
        detail: sentences('The finding.'),
        who: sentences('Who can do something about it.'),
      }),
      { description: 'Present only in a dry run: what to look at before the months are closed.' },
    ),
  ),
};

export const closePeriod = write({
  ...keeping,
  at: 'POST /ledger/close',
  id: 'closePeriod',
  cost: 20,
  summary: 'Close a month, or several',
  description:
    'Closes a past month, or with `through` in one go all months from the next to be closed through this one, at most 24: all of them or ' +
    'none. Months are closed in order. The interest of all their days must be posted (otherwise 409 `cycle_pending`) and the ledger must ' +
    'tie to the loans; `checks` of a refusal names everything that stands in the way, month by month, and who can do something about it. A dry run names in `warnings` what to look at before, such as charge-offs whose ground is gone. The ' +
    'balances are stored with their hash. A closed month is never reopened: later entries are posted to a later month. Closing a month again returns the ' +
    'same response. The response is the last of the months; `GET /ledger/periods` has all of them.',
  body: closed(
    {
      period: Type.Optional(
        Type.String({
          maxLength: 7,
          description:
            'The month, such as `2026-10`; with `through` the first of the months, which has to be the next to be closed.',
        }),
      ),
      through: Type.Optional(
        Type.String({ maxLength: 7, description: 'The last of several months, such as `2026-12`.' }),
      ),
    },
    { examples: [{ period: '2026-10' }, { through: '2026-12' }] },
  ),
  answer: envelope(
    shape('PeriodClose', 'A closed month.', { ...dryRunShown, ...warningsShown, ...closedPeriod }),
    periodExample,
  ),
  problems: ['conflict', 'cycle_pending'],
  hasDryRun: true,
  hasAmounts: true,
  async write(call, how) {
    const { period, through } = call.body;
    const read = new RequestReader();
    if (period === undefined && through === undefined) {
      read.note('/period', { code: 'required', detail: 'Give the month, or with `through` the last of several.' });
      read.done();
    }
    const from = period === undefined ? null : monthIn(read, call.body, 'period');
    const last = through === undefined ? (from ?? '') : monthIn(read, call.body, 'through');
    if (from !== null && last < from) {
      read.note('/through', { code: 'contradiction', detail: 'The last month must not be before the first.' });
    }
    read.done();
    return given(await call.services.loans.books.closeMonths(askerOf(call), { from, through: last }, how));
  },
  subject: ({ closed: { period } }) => period,
  shows: ({ closed, warnings, dryRun }) => ({ ...(dryRun && { warnings: warnings ?? [] }), ...shownPeriod(closed) }),
  approval: {
    preview: ({ closed: { period, closedFrom, hash }, months, warnings }) => ({
      ...{ period, closedFrom, hash },
      ...(warnings === null || warnings.length === 0 ? {} : { warnings }),
      ...(months.length > 1 ? { months } : {}),
    }),
  },
});

const PeriodsQuery = closed({
  limit: Limit(),
  cursor: Type.Optional(Type.String({ maxLength: 7, description: '`nextCursor` of the previous page.' })),
});

export const listPeriods = operation({
  ...ledger,
  at: 'GET /ledger/periods',
  id: 'listPeriods',
  summary: 'List closed months',
  description: 'Newest first, with their balances and the hash of the balances, and the month to be closed next.',
  query: PeriodsQuery,
  answer: envelope(
    shape('PeriodPage', 'A page of closed months.', {
      items: Type.Array(shape('Period', 'A closed month.', closedPeriod), { description: 'Newest first.' }),
      next: maybe(
        monthOut('A month.'),
        'The month to be closed next, such as `2026-11`; null: there are no loans yet.',
      ),
      closedYears: Type.Array(Type.Integer({ description: 'A year.' }), { description: 'The years that are closed.' }),
      nextCursor: NextCursor,
    }),
    { items: [periodExample], next: '2026-11', closedYears: [2025], nextCursor: null },
  ),
  problems: [],
  async handle(call) {
    const { services, query } = call;
    const { plain, headers: applied } = numbersOf(call);
    const { limit = 25, cursor } = query;
    const read = new RequestReader();
    const before = cursor === undefined ? null : monthIn(read, query, 'cursor');
    read.done();
    const found = await services.loans.books.periods(askerOf(call), { before, limit: limit + 1 });
    const next = await services.loans.books.nextToClose(askerOf(call));
    const nextCursor = found.length > limit ? (found[limit - 1]?.period ?? null) : null;
    const items = found.slice(0, limit).map((period) => shownPeriod(period, plain));
    const closedYears = (await services.loans.books.closedYears(askerOf(call))).map(({ year }) => year);
    return tagged(call, ok({ items, next, closedYears, nextCursor }), applied);
  },
});

const PeriodQuery = closed({ period: PeriodText, lenderId: Lender });

function monthAsked(query: { period: string; lenderId?: string }) {
  const read = new RequestReader();
  const asked = { period: monthIn(read, query, 'period'), lenderId: lenderIn(read, query) };
  read.done();
  return asked;
}

export const readRollForward = operation({
  ...ledger,
  at: 'GET /ledger/roll-forward',
  id: 'readRollForward',
  cost: 10,
  summary: 'Get the roll-forward of a month',
  description:
    'By lender and account: the opening balance, the changes by type of entry, and the closing balance (as of today for the current month).',
  query: PeriodQuery,
  answer: envelope(
    shape('RollForward', 'The accounts of a month from opening to closing balance.', {
      period,
      closed: Type.Boolean({ description: 'Whether the month is closed.' }),
      lenders: Type.Array(
        shape('RollForwardLender', 'The accounts of a lender.', {
          lenderId: lender,
          accounts: Type.Array(
            shape('RollForwardAccount', 'An account from opening to closing balance.', {
              account,
              opening: signedMoney('Balance before the month.'),
              activity: Type.Array(
                shape('AccountActivity', 'The change from one type of entry.', {
                  entry: wordOut('The type of entry.'),
                  amount: signedMoney('Total of its lines.'),
                }),
                { description: 'The changes of the month by type of entry.' },
              ),
              closing: signedMoney('Balance at the end of the month; today’s balance for the current month.'),
            }),
            { description: 'The accounts with a balance or a change.' },
          ),
        }),
        { description: 'The lenders.' },
      ),
    }),
    {
      period: '2026-10',
      closed: true,
      lenders: [
        {
          lenderId: 'L-1',
          accounts: [
            {
              account: 'loanPrincipal',
              opening: '28,473.33',
              activity: [{ entry: 'receipt', amount: '-402.18' }],
              closing: '28,071.15',
            },
          ],
        },
      ],
    },
  ),
  problems: [],
  async handle(call) {
    const { services, query } = call;
    const { plain, headers: applied } = numbersOf(call);
    const { period, lenderId } = monthAsked(query);
    const found = given(await services.loans.books.rollForward(askerOf(call), { period, lenderId }));
    const lenders = found.lenders.map(({ lenderId: lender, accounts }) => ({
      lenderId: lender,
      accounts: accounts.map(({ account, opening, activity, closing }) => ({
        account,
        opening: signed(opening, plain),
        activity: activity.map(({ entry, amount }) => ({ entry, amount: signed(amount, plain) })),
        closing: signed(closing, plain),
      })),
    }));
    return tagged(call, ok({ period, closed: found.closed, lenders }), applied);
  },
});

const CSV = 'text/csv';
const NDJSON = 'application/x-ndjson';
const FORMATS = { ndjson: NDJSON, csv: CSV } as const;

export const exportPeriod = operation({
  ...ledger,
  at: 'GET /ledger/export',
  id: 'exportPeriod',
  cost: 20,
  media: [NDJSON, CSV],
  requestHeaders: { 'If-None-Match': ledger.requestHeaders['If-None-Match'] },
  summary: 'Export the journal of a month',
  description:
    'As NDJSON, or as CSV with `Accept: text/csv` or `format=csv`: the lines of a past month, summed by day, lender, entry and ' +
    'account, with the organization’s own account codes (those of the lender, else those of all; 422 if an account has none) and plain amounts. `priorPeriod` marks lines that take ' +
    'effect in an earlier month. In CSV, a cell that a spreadsheet would interpret as a formula, such as the lender `-7`, starts with an ' +
    'apostrophe.',
  query: closed({
    period: PeriodText,
    lenderId: Lender,
    format: Type.Optional(
      Type.Enum(['csv', 'ndjson'], { description: 'The format; default: by the header `Accept`, otherwise NDJSON.' }),
    ),
  }),
  answer: Type.String({
    description: 'date, lenderId, entry, account, code, debit, credit, priorPeriod.',
    examples: [
      '{"date":"2026-10-02","lenderId":"L-1","entry":"receipt","account":"cash","code":"1010","debit":"402.18","credit":"0","priorPeriod":false}\n',
    ],
  }),
  problems: ['cycle_pending'],
  async handle(call): Promise<Answer> {
    const { services, query, headers } = call;
    const asked = monthAsked(query);
    const types = query.format === undefined ? [NDJSON, CSV] : [FORMATS[query.format]];
    const type = negotiated(header(headers, 'accept'), types);
    if (type === null) throw notAcceptable(types);
    const actor = await actorOf(call);
    const { state, lines } = given(await services.loans.books.exported(askerOf(call), asked));
    // The lines of a month that is over follow from these: `state` has the codes, and changes with every entry by hand.
    const etag = etagOf(call.caller.organizationId, asked.period, asked.lenderId ?? '', type, state);
    const about = {
      ...{ ETag: etag, 'Cache-Control': REVALIDATED, Vary: 'Authorization, Accept' },
      'Content-Type': `${type}; charset=utf-8`,
    };
    if (matchesNone(header(headers, 'if-none-match'), etag)) return { unchanged: true, headers: about };
    return { stream: await begun(textOf(lines, type)), readAs: actor, headers: about };
  },
});

const COLUMNS = ['date', 'lenderId', 'entry', 'account', 'code', 'debit', 'credit', 'priorPeriod'] as const;

function exportedRow({ debit, credit, ...line }: ExportedLine) {
  return { ...line, ...amountTexts({ debit, credit }, true) };
}

async function* textOf(portions: AsyncIterable<readonly ExportedLine[]>, type: string): AsyncGenerator<string> {
  const asText = type === CSV ? asCsv : asNdjson;
  let head = type === CSV ? csvLine(COLUMNS.map(csvText)) : '';
  for await (const lines of portions) {
    yield head + lines.map(asText).join('');
    head = '';
  }
  if (head !== '') yield head;
}

const asNdjson = (line: ExportedLine) => `${JSON.stringify(exportedRow(line), [...COLUMNS])}\n`;

/** The columns whose text comes from the organization: a lender may be `-7`. */
const WRITTEN: readonly string[] = ['lenderId', 'code'];

function asCsv(line: ExportedLine): string {
  const row = exportedRow(line);
  return csvLine(COLUMNS.map((name) => (WRITTEN.includes(name) ? csvText(String(row[name])) : csvFigure(row[name]))));
}
