/** `npm run audit`: the audit trail of an organization or of the operator, and its export. */

import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import type { ExportedEntry } from '../ledger/audit-chain.ts';
import { GENESIS_HASH } from '../ledger/chain.ts';
import { readLinks } from '../store/audit/chain.ts';
import { type AuditQuery, listAudit } from '../store/audit/list.ts';
import type { Db } from '../store/db/db.ts';
import { readLinkBounds, readLinkPage } from '../store/verify/audit.ts';
import { withAccess, withOrganization } from './administer.ts';
import { type Invocation, type Topic, UsageError } from './arguments.ts';
import { record } from './audited.ts';
import { expectMigrated, withDatabase } from './database.ts';

type Values = Invocation['values'];

const FILTERS = ['user', 'client', 'loan', 'operation', 'kind', 'outcome', 'from', 'until', 'limit'] as const;
const AT_ONCE = 2_000;

export const audit: Topic = {
  usage: `Usage: npm run audit -- <command> [options]
  list                          list the newest entries of an organization, or with --service those of the operator
  export [--out <file>]         write all entries that are linked, with their links, as lines of JSON;
                                npm run verify -- --audit <file> checks the file without a database
Filters of list
  --user, --client, --loan, --operation   an id, or the name of an operation such as waive-fee
  --kind did|tried|saw                    changes, refused attempts, or reads
  --outcome done|refused|<code>           the code of a problem, such as not_granted
  --limit N                               how many (default 50, at most 1000)
Filters of list and export
  --from <time> --until <time>            such as 2026-02-15T12:00:00Z or 2026-02-15
  --organization <id>                     for export: only entries of this organization (default: all)`,
  commands: {
    list: {
      may: [...FILTERS, 'service', 'organization', 'json'],
      check: (values) => checkTimes(values) ?? checkFilters(values),
      run: (given) =>
        given.values.service
          ? withAccess(given, (_access, db) => list(db, '', given.values))
          : withOrganization(given, (_access, whose, db) => list(db, whose, given.values)),
    },
    export: {
      may: ['from', 'until', 'organization', 'out'],
      check: checkTimes,
      run: (given) => withDatabase((db) => writeTrail(db, given)),
    },
  },
};

async function list(db: Db, organizationId: string, values: Values): Promise<object> {
  const { user: userId, client: clientId, loan: loanId, operation, kind, outcome } = values;
  const given = {
    userId,
    clientId,
    loanId,
    operation,
    kind,
    outcome,
    from: timeIn(values.from),
    until: timeIn(values.until),
  };
  const filters = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const limit = Number(values.limit ?? 50);
  const found = await listAudit(db, { ...filters, organizationId, before: null, limit } as AuditQuery);
  if (values.json) return found;
  return found.map(({ at, kind, operation, outcome, clientId, userId, account, loanId, subject, count, link }) => ({
    at,
    kind,
    operation,
    outcome,
    by: userId ?? account ?? clientId,
    about: loanId ?? subject,
    count,
    link: link === null ? null : link.number,
  }));
}

/** Volume by volume, in the order of their links, a page at a time. */
async function writeTrail(db: Db, given: Invocation): Promise<void> {
  await expectMigrated(db);
  const { from, until, organization, out } = given.values;
  await record(db, given, {
    kind: 'saw',
    subject: 'audit',
    ...(organization === undefined ? {} : { organizationId: organization }),
  });
  const file = out === undefined ? null : await opened(out);
  const range = { from: timeIn(from), until: timeIn(until) };
  const isAsked = ({ organizationId, ownerId }: ExportedEntry['entry']) =>
    organization === undefined || organizationId === organization || ownerId === organization;
  const write = async (text: string) => {
    if (file === null) process.stdout.write(text);
    else if (!file.write(text)) await once(file, 'drain');
  };
  const header = { organizationId: organization ?? null, from: from ?? null, until: until ?? null };
  await write(`${JSON.stringify({ audit: header })}\n`);
  let written = 0;
  for (let volume = 0; volume < db.volumes.count; volume++) {
    const bounds = await readLinkBounds(db, volume, range);
    if (bounds === null) continue;
    const [before] = await readLinks(db, volume, [bounds.first - 1]);
    let last = { number: bounds.first - 1, hash: before?.hash ?? GENESIS_HASH };
    for (;;) {
      const page = await readLinkPage(db, { volume, after: last.number, through: bounds.last }, AT_ONCE);
      let text = '';
      for (const { number, hash, entry } of page) {
        const line: ExportedEntry = { entry, link: { volume, number, previous: last.hash, hash } };
        last = { number, hash };
        if (!isAsked(entry)) continue;
        text += `${JSON.stringify(line)}\n`;
        written += 1;
      }
      await write(text);
      if (page.length < AT_ONCE) break;
    }
  }
  // Without this line the file was cut off.
  await write(`${JSON.stringify({ end: { entries: written } })}\n`);
  if (file === null) return;
  file.end();
  await once(file, 'finish');
  console.log(`${out} written: ${written.toLocaleString('en-US')} ${written === 1 ? 'entry' : 'entries'}.`);
}

async function opened(out: string): Promise<WriteStream> {
  const file = createWriteStream(out, { mode: 0o600 });
  try {
    await once(file, 'open');
    return file;
  } catch (error) {
    throw new UsageError(`--out: ${out} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
}

/** Undefined: not given. */
function timeIn(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}

const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

function checkTimes({ from, until }: Values): string | null {
  for (const [name, text] of Object.entries({ from, until })) {
    if (text === undefined || (TIME.test(text) && !Number.isNaN(Date.parse(text)))) continue;
    return `--${name} must be a time, such as 2026-02-15T12:00:00Z or 2026-02-15.`;
  }
  return null;
}

function checkFilters({ kind, limit, loan, operation, service, organization }: Values): string | null {
  if (kind !== undefined && !['did', 'tried', 'saw'].includes(kind)) return '--kind must be did, tried or saw.';
  if (limit !== undefined && !(/^\d{1,4}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= 1_000))
    return '--limit must be 1 to 1000.';
  if (operation !== undefined && !/^[a-z0-9-]{1,64}$/.test(operation))
    return '--operation must be the name of an operation, such as waive-fee.';
  if (loan !== undefined && !/^0x[0-9a-f]{64}$/.test(loan)) return '--loan must be a loan id.';
  return service && organization !== undefined ? 'Specify --service or --organization.' : null;
}
