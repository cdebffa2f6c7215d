/** `npm run export -- loans` and its kin: the same text as `GET /exports/…`, to a file that can be continued, or to standard output. */
import { once } from 'node:events';
import { createReadStream, createWriteStream, statSync, truncateSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { type PlainDate, parseDate } from '../core/calendar.ts';
import { moment } from '../http/shared/read.ts';
import type { Actor } from '../loans/door/actor.ts';
import { openClocks } from '../loans/door/clocks.ts';
import type { ExportName } from '../loans/exports/columns.ts';
import { openExports, type Started } from '../loans/exports/exports.ts';
import type { ExportQuery } from '../loans/exports/source.ts';
import { type ExportFormat, FORMATS } from '../loans/exports/text.ts';
import { openFeed } from '../loans/feed/feed.ts';
import { listOrganizations } from '../store/access/access.ts';
import { readGrantsReceived } from '../store/access/grants.ts';
import type { Db } from '../store/db/db.ts';
import { chosenOrganization } from './administer.ts';
import { type Command, type Invocation, UsageError, type Values } from './arguments.ts';
import { record } from './audited.ts';
import { expectMigrated, expectRightClock, withDatabase } from './database.ts';
import { count } from './output.ts';
import { openProgress } from './progress.ts';
import { expectWritableFile, notWritable } from './writable.ts';

const OPTIONS = [
  'organization',
  'format',
  'as-of',
  'known-at',
  'from',
  'to',
  'lender',
  'after',
  'out',
  'resume',
] as const;

/** The options that each export has. */
const FILTERS: Readonly<Record<ExportName, readonly (typeof OPTIONS)[number][]>> = {
  loans: ['lender'],
  payments: ['lender', 'from', 'to'],
  journal: ['lender', 'from', 'to'],
  events: ['from', 'to'],
  positions: ['lender', 'from', 'to'],
};

export function exportCommand(what: ExportName): Command {
  const others = OPTIONS.filter((option) => !['lender', 'from', 'to'].includes(option));
  return {
    may: [...others, ...FILTERS[what]],
    check,
    run: (given) => withDatabase((db) => write(db, what, given)),
  };
}

function check(values: Values): string | null {
  const { format, after, out, resume, 'known-at': knownAt } = values;
  for (const name of ['as-of', 'from', 'to'] as const) {
    const text = values[name];
    if (text !== undefined && parseDate(text) === null) return `--${name} must be a valid date, such as 2026-10-31.`;
  }
  if (format !== undefined && !(FORMATS as readonly string[]).includes(format))
    return '--format must be csv or ndjson.';
  if (knownAt !== undefined && moment(knownAt) === null)
    return '--known-at must be a time with a time zone, such as 2026-02-15T12:00:00Z.';
  if (resume && out === undefined) return '--resume continues the file of --out.';
  return resume && after !== undefined ? 'Specify --resume or --after.' : null;
}

async function write(db: Db, what: ExportName, given: Invocation): Promise<void> {
  const { values } = given;
  const { out } = values;
  const format = (values.format ?? 'ndjson') as ExportFormat;
  if (out !== undefined) expectWritableFile('--out', out);
  await expectMigrated(db);
  await expectRightClock(db);
  const organizations = (await listOrganizations(db)).map((one) => ({
    organizationId: one.organization_id,
    name: one.name,
    clock: one.clock_kind,
  }));
  const actor = await operatorOf(db, chosenOrganization(organizations, values));
  const reached = values.resume && out !== undefined ? await reachedIn(out, format) : null;
  if (reached?.cursor.endsWith('.end')) {
    console.log(`${out} is already complete.`);
    return;
  }
  const reads = () => db;
  const feed = openFeed({ db, reads, clock: Date.now });
  try {
    const clocks = openClocks({ db, clock: Date.now });
    const exports = openExports({ db, reads, clock: Date.now, clocks, feed, unsealing: null });
    const started = await exports.start(actor, what, askedIn(values), reached?.cursor ?? values.after ?? null);
    if ('wrong' in started) throw new UsageError(notContinued(started.wrong, reached === null ? '--after' : '--out'));
    await record(db, given, { kind: 'saw', organizationId: actor.organizationId, subject: started.exportId });
    if (out === undefined) await send(started, format, process.stdout);
    else await sendToFile(started, format, out, reached?.end ?? 0);
  } finally {
    await feed.close();
  }
}

/** It sees what the organization sees, without personal data. */
async function operatorOf(db: Db, organizationId: string): Promise<Actor> {
  const { value } = await readGrantsReceived(db, organizationId);
  const grants = value.map(({ owner_organization_id, access, servicer_id }) => ({
    ownerOrganizationId: owner_organization_id,
    access: access as 'read' | 'servicing',
    servicerId: servicer_id,
  }));
  const nobody = { clientId: 'operator', keyId: null, scopes: new Set<string>(), requestId: '', purpose: '' };
  return { organizationId, grants, ...nobody };
}

function askedIn(values: Values): ExportQuery {
  const day = (name: 'as-of' | 'from' | 'to') => (values[name] ?? null) as PlainDate | null;
  const knownAt = values['known-at'];
  return {
    asOf: day('as-of'),
    knownAt: knownAt === undefined ? null : new Date(knownAt).toISOString(),
    from: day('from'),
    to: day('to'),
    lenderId: values.lender ?? null,
    statuses: [],
    personal: false,
  };
}

function notContinued(wrong: string, option: string): string {
  if (wrong !== 'cursor') return 'The options differ from those of the export that is continued.';
  return `${option}: there is no such export of this organization in the last seven days. Start a new one.`;
}

async function sendToFile(started: Started, format: ExportFormat, out: string, from: number): Promise<void> {
  if (from > 0) truncateSync(out, from);
  const file = createWriteStream(out, { mode: 0o600, flags: from > 0 ? 'a' : 'w' });
  await once(file, 'open').catch((error: NodeJS.ErrnoException) => {
    throw notWritable('--out', out, error.code);
  });
  const bar = openProgress();
  await send(started, format, file, () => {
    bar.step({ part: 'Percent exported:', done: Math.floor(started.progress().share * 100), total: 100 });
  });
  file.end();
  await once(file, 'finish');
  bar.clear();
  console.log(`${out} written: ${count(started.progress().rows, 'row')}${from > 0 ? ' more' : ''}.`);
}

async function send(started: Started, format: ExportFormat, to: Writable, step = () => {}): Promise<void> {
  for await (const piece of started.text(format)) {
    if (!to.write(piece)) await once(to, 'drain');
    step();
  }
}

/** The end of the last whole row of a file, and its cursor; null: it has none, and is begun anew. */
async function reachedIn(path: string, format: ExportFormat): Promise<{ end: number; cursor: string } | null> {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return null;
  let [at, start, end, quoted] = [0, 0, 0, false];
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    for (const byte of chunk) {
      at += 1;
      // In CSV a line may end within a quoted text; a line of JSON has none within it.
      if (byte === 0x22 && format === 'csv') quoted = !quoted;
      else if (byte === 0x0a && !quoted) [start, end] = [end, at];
    }
  }
  if (end === 0) return null;
  let row = '';
  for await (const chunk of createReadStream(path, { start, end: end - 1 })) row += chunk;
  const cursor = /^(exp_[0-9a-f]{24}\.[\w.-]+)(?:"\})?\r?\n$/.exec(row.slice(row.lastIndexOf('exp_')))?.[1];
  if (cursor !== undefined) return { end, cursor };
  if (start === 0 && format === 'csv') return null;
  throw new UsageError(`--out: ${path} is not an export as ${format}.`);
}
