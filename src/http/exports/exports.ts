/** Exports: loans, payments, journal lines, events and positions as CSV or NDJSON, for callers that keep a copy. */

import { type TProperties, Type } from 'typebox';
import type { Caller } from '../../access/access.ts';
import type { Scope } from '../../access/scopes.ts';
import { lastOfMonth, type PlainDate } from '../../core/calendar.ts';
import { TooManyWaiting } from '../../loans/door/too-many-waiting.ts';
import { COLUMNS, type ExportName } from '../../loans/exports/columns.ts';
import type { ExportNotStarted, Started } from '../../loans/exports/exports.ts';
import type { ExportQuery } from '../../loans/exports/source.ts';
import { type ExportFormat, FORMATS } from '../../loans/exports/text.ts';
import { Lender } from '../books/books.ts';
import { statusesIn } from '../reads/lists.ts';
import { negotiated, notAcceptable } from '../shared/accept.ts';
import { scopeProblem } from '../shared/access-problems.ts';
import { actorOf, header } from '../shared/actor.ts';
import { type Answer, closed, type Operation, operation } from '../shared/operation.ts';
import { Problem } from '../shared/problems.ts';
import { viewOptions } from '../shared/read.ts';
import { RequestReader } from '../shared/request-reader.ts';
import { day, personalHeaders } from '../shared/shapes.ts';
import { begun } from '../shared/stream.ts';

const MEDIA: Readonly<Record<ExportFormat, string>> = { ndjson: 'application/x-ndjson', csv: 'text/csv' };

const common = {
  knownAt: Type.Optional(
    Type.String({
      maxLength: 40,
      format: 'date-time',
      description: 'Excludes everything recorded after this time, such as `2026-02-15T12:00:00Z`.',
    }),
  ),
  after: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9._-]{1,200}$',
      description:
        'Continues an export after the row with this `cursor`. Other parameters may be left out, or must be the same.',
    }),
  ),
  format: Type.Optional(
    Type.Enum([...FORMATS], { description: 'The format; default: by the header `Accept`, otherwise NDJSON.' }),
  ),
};

const range = (what: string) => ({
  from: Type.Optional(day(`Only ${what} on this date or later.`)),
  to: Type.Optional(day(`Only ${what} on this date or earlier.`)),
});

const asOf = (what: string) => Type.Optional(day(what));
const FIGURES = 'The date of the figures; default: today.';
const EFFECT = 'Excludes what takes effect after this date.';

const answerHeaders = {
  'Daybook-Export-Cursor': Type.String({ description: 'The cursor before the first row of the response.' }),
  'Daybook-Export-As-Of': Type.String({ format: 'date', description: 'The date of the figures of your own loans.' }),
};

function exportOf<P extends TProperties>(
  what: ExportName,
  described: Pick<Operation, 'summary' | 'description'> & { query: P },
  more: Pick<Operation, 'requestHeaders'> & { also?: Scope } = {},
): Operation {
  const types = FORMATS.map((format) => MEDIA[format]);
  const query = closed({ ...described.query, ...common });
  return operation({
    at: `GET /exports/${what}`,
    id: `export${what[0]?.toUpperCase()}${what.slice(1)}`,
    tag: 'Exports',
    summary: described.summary,
    description: `${described.description} Streamed; if the connection breaks, send \`after\` with the \`cursor\` of the last complete row.`,
    scopes: ['reports:read'],
    key: 'checked',
    cost: 20,
    media: types,
    ...more,
    answerHeaders,
    query,
    answer: Type.String({ description: `${COLUMNS[what].map(({ name }) => name).join(', ')}.` }),
    problems: 'personal' in described.query ? ['key_required', 'purpose_required'] : [],
    async handle(call): Promise<Answer> {
      const given = call.query as Given;
      const wanted = given.format === undefined ? types : [MEDIA[given.format]];
      const type = negotiated(header(call.headers, 'accept'), wanted);
      if (type === null) throw notAcceptable(wanted);
      const asked = askedIn(given, what);
      const actor = await actorOf(call);
      if (asked.personal) expectPersonal(call.caller, actor.purpose);
      const started = await call.services.loans.exports.start(actor, what, asked, given.after ?? null);
      if ('wrong' in started) throw notContinued(started);
      const format = type === MEDIA.csv ? 'csv' : 'ndjson';
      return {
        stream: await begun(started.text(format)).catch(tooMany),
        readAs: actor,
        headers: { ...headersOf(started), 'Content-Type': `${type}; charset=utf-8` },
      };
    },
  });
}

type Given = {
  asOf?: string;
  knownAt?: string;
  from?: string;
  to?: string;
  lenderId?: string;
  status?: string;
  personal?: boolean;
  after?: string;
  format?: ExportFormat;
};

function headersOf({ cursor, asked, today }: Started): Record<string, string> {
  return {
    'Daybook-Export-Cursor': cursor,
    'Daybook-Export-As-Of': asked.asOf ?? today,
    // Personal data must not be stored by a proxy, and other exports are as large as they are short-lived.
    'Cache-Control': 'no-store',
    Vary: 'Authorization, Accept',
  };
}

function askedIn(query: Given, what: ExportName): ExportQuery {
  const { asOf, knownAt } = viewOptions({
    ...(query.asOf === undefined ? {} : { asOf: query.asOf }),
    ...(query.knownAt === undefined ? {} : { knownAt: query.knownAt }),
  });
  const read = new RequestReader();
  const dateIn = (name: 'from' | 'to') => (query[name] === undefined ? null : read.date(query, name, ''));
  const [from, to]: (PlainDate | null)[] = [dateIn('from'), dateIn('to')];
  const lenderId = query.lenderId === undefined ? null : read.reference(query, 'lenderId', '');
  const statuses = query.status === undefined ? [] : statusesIn(query.status, read, '');
  read.done();
  if (from != null && to != null && from > to) {
    read.note('/from', { code: 'contradiction', detail: 'Must not be more than to.' });
  }
  if (what === 'positions' && asOf !== null && asOf !== lastOfMonth(asOf)) {
    read.note('/asOf', { code: 'range', detail: `Must be a month end, such as ${lastOfMonth(asOf)}.` });
  }
  read.done();
  return { asOf, knownAt, from: from ?? null, to: to ?? null, lenderId, statuses, personal: query.personal ?? false };
}

/** As for the full record of a loan. */
function expectPersonal({ scopes, keyId, userId }: Caller, purpose: string): void {
  if (!scopes.has('loans:read_pii')) {
    throw scopeProblem('Personal columns require the scope loans:read_pii.', ['loans:read_pii']);
  }
  if (keyId === null) {
    throw new Problem('key_required', 'Personal columns require the header "key" with an API key of this client.');
  }
  if (userId !== null && purpose.trim() === '') {
    throw new Problem('purpose_required', 'Reading personal data requires the header "purpose", which says why.');
  }
}

function notContinued({ wrong }: ExportNotStarted): Problem {
  const read = new RequestReader();
  if (wrong === 'cursor') {
    const detail =
      'Must be the cursor of a row of the same export, started in the last seven days. Start a new export.';
    read.note('/after', { code: 'format', detail });
  } else {
    const so = wrong === 'personal' ? 'Send personal=true again if it had personal columns' : 'Leave it out';
    const detail = `Differs from the export that is continued. ${so}, or start a new export without after.`;
    read.note(`/${wrong === 'statuses' ? 'status' : wrong}`, { code: 'contradiction', detail });
  }
  read.done();
  throw new Error('An export was not refused.');
}

function tooMany(error: unknown): never {
  if (!(error instanceof TooManyWaiting) || error.whose !== 'organization') throw error;
  const detail = 'Your organization already has four exports in progress. Wait until one of them has ended.';
  throw new Problem('too_many_waiting', detail, {}, { 'Retry-After': '10' });
}

const status = Type.Optional(
  Type.String({
    maxLength: 400,
    description: 'One or more statuses, separated by commas, such as `Current,Delinquent`.',
  }),
);

export const exportLoans = exportOf(
  'loans',
  {
    summary: 'Export loans',
    description:
      'A row for each loan: terms, status, balances and delinquency. `personal=true` adds columns with personal data; it requires ' +
      '`loans:read_pii` and an API key, and every row is recorded as a disclosure before it is sent.',
    query: {
      asOf: asOf(FIGURES),
      lenderId: Lender,
      status,
      personal: Type.Optional(Type.Boolean({ description: 'If true, with the columns that hold personal data.' })),
    },
  },
  { requestHeaders: { purpose: personalHeaders.requestHeaders.purpose } },
);

export const exportPayments = exportOf('payments', {
  summary: 'Export payments',
  description: 'A row for each payment of each loan, with its allocation; returned and reversed payments are included.',
  query: { asOf: asOf(FIGURES), ...range('payments that count'), lenderId: Lender },
});

export const exportJournal = exportOf('journal', {
  summary: 'Export journal lines',
  description:
    'A row for each line in your books, including entries of a lender’s book; of loans shared with you, the lines in the books of their owner.',
  query: { asOf: asOf(EFFECT), ...range('lines posted'), lenderId: Lender },
});

export const exportEvents = exportOf(
  'events',
  {
    summary: 'Export events',
    description:
      'A row for each event of `GET /events`, in the same order. As there, the scope `events:read` is required.',
    query: { asOf: asOf(EFFECT), ...range('events that take effect') },
  },
  { also: 'events:read' },
);

export const exportPositions = exportOf('positions', {
  summary: 'Export positions',
  description: 'A row for each loan and month end: balances on the date and what happened in the month.',
  query: { asOf: asOf('Only this month end.'), ...range('month ends'), lenderId: Lender },
});
