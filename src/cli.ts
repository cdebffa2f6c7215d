/**
 * The command line: what an operator does beside the running service. Each command borrows the running embedded database, or
 * starts it for its own time. `--json` prints data for programs; without it, tables for people. Exit code 2: it cannot be done as asked.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Access, openAccess } from './access/access.ts';
import { AccessRefused } from './access/admin.ts';
import { openRootSecrets } from './access/root-secrets.ts';
import { listKeys, pruneKeys, rotateKeys } from './access/rotate-keys.ts';
import { SCOPES } from './access/scopes.ts';
import { type Config, ConfigError, databaseUrlProblem, readConfig } from './config.ts';
import { DEMO_ORGANIZATION } from './demo/organization.ts';
import { describe, openLog } from './http/shell/log.ts';
import { hasDatabase } from './key-files/data-dir.ts';
import { openMasterKeys } from './key-files/master-keys.ts';
import { verifyExport } from './ledger/chain.ts';
import { eraseBorrower } from './loans/erase.ts';
import { complaintLine, exportLoan, type Progress, verifyBook } from './loans/verify.ts';
import { DatabaseUnavailable, type Db } from './store/db.ts';
import { EmbeddedPostgresError } from './store/embedded.ts';
import { formatStatus, MigrationError, migrate, migrationStatus, readMigrations } from './store/migrate.ts';
import { openDatabase } from './store/open.ts';
import { keysOfLoans } from './store/people.ts';
import { writeSnapshot } from './store/snapshot.ts';
import { PERSONAL } from './vault/fields.ts';
import { type ChangeableMasterKeys, masterKeyId, WrongMasterKey } from './vault/master-keys.ts';

const HELP = {
  migrate: `Usage: npm run migrate [-- options]
  (none)       bring the database up to date
  --status     show which migrations are applied, change nothing (exit code 1 when one is pending or changed)
  --snapshot   bring it up to date and write migrations/schema.sql from it`,
  organizations: `Usage: npm run organizations -- <command> [options]
  list                   organizations and their ids
  create --name "…"      a new organization with its first client (all scopes); secrets are shown once`,
  clients: `Usage: npm run clients -- <command> [options]
  list                                          clients, their scopes and keys
  create --name "…" --scopes a,b [--rate-limit N]
                                                a new client; its secret and key are shown once
  update <clientId> [--name "…"] [--scopes a,b] [--rate-limit N]
                                                what is left out stays; scopes taken away end within a second
  rotate <clientId> [--what secret|key|both]    replace credentials (default secret); the old ones end within a second
  revoke <clientId>                             end a client, its keys and tokens within a second
Scopes: ${SCOPES.join(', ')}
Rate limit: requests a minute; 0 is no limit, without it the service's RATE_LIMIT counts`,
  grants: `Usage: npm run grants -- <command> [options]
  list                                          grants given and received
  create --to <organizationId> --access read|servicing [--servicer <servicerId>]
                                                for all loans, or for those of one servicer
  revoke <grantId>                              end a grant within a second`,
  keys: `Usage: npm run keys -- <command> [options]
  list                          master keys, the current one first, and how much each wraps
  rotate                        make a new key current and wrap everything under it while the service runs;
                                run again, it finishes what was cut short
  prune                         take the keys that wrap nothing out of the key file
  personal                      what is personal in a loan's record, and why
  erase --loan 0x… --yes        erase the borrower of a loan for good: destroys the key of everything personal;
                                only when the loan is over and RETENTION_DAYS have passed`,
  verify: `Usage: npm run verify [-- options]
  (none)                 go over the whole book of the database and name everything that is wrong; nothing is changed
  --loan <export.json>   check the export of one loan, without a database
Exit code 1 when something is wrong`,
  export: `Usage: npm run export -- --loan <loanId> [--out <file>]
  --loan <loanId>   whose transactions, with their proofs: the same as GET /loans/{id}/transactions, nothing personal
  --out <file>      where to write them (without it, to the standard output)`,
  openapi: `Usage: npm run openapi [-- --check]
  (none)       write openapi.json from the routes
  --check      exit code 1 when openapi.json is not what the routes say`,
} as const;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  json: { type: 'boolean' },
  status: { type: 'boolean' },
  snapshot: { type: 'boolean' },
  check: { type: 'boolean' },
  organization: { type: 'string' },
  name: { type: 'string' },
  scopes: { type: 'string' },
  'rate-limit': { type: 'string' },
  what: { type: 'string' },
  to: { type: 'string' },
  access: { type: 'string' },
  servicer: { type: 'string' },
  loan: { type: 'string' },
  yes: { type: 'boolean' },
  out: { type: 'string' },
} as const;
type Option = keyof typeof OPTIONS;

/** What each command takes: the id it is about, options it needs, and options it may have. */
const COMMANDS: Readonly<Record<string, { id?: string; needs?: Option[]; may?: Option[] }>> = {
  migrate: { may: ['json', 'status', 'snapshot'] },
  openapi: { may: ['check'] },
  verify: { may: ['loan', 'json'] },
  export: { needs: ['loan'], may: ['out'] },
  'organizations list': { may: ['json'] },
  'organizations create': { needs: ['name'], may: ['json'] },
  'clients list': { may: ['organization', 'json'] },
  'clients create': { needs: ['name', 'scopes'], may: ['rate-limit', 'organization', 'json'] },
  'clients update': { id: 'clientId', may: ['name', 'scopes', 'rate-limit', 'organization', 'json'] },
  'clients rotate': { id: 'clientId', may: ['what', 'organization', 'json'] },
  'clients revoke': { id: 'clientId', may: ['organization', 'json'] },
  'grants list': { may: ['organization', 'json'] },
  'grants create': { needs: ['to', 'access'], may: ['servicer', 'organization', 'json'] },
  'grants revoke': { id: 'grantId', may: ['organization', 'json'] },
  'keys list': { may: ['json'] },
  'keys rotate': { may: ['json'] },
  'keys prune': { may: ['json'] },
  'keys personal': { may: ['json'] },
  'keys erase': { needs: ['loan', 'yes'], may: ['json'] },
};

class UsageError extends Error {}

/** Complaints that `verify` prints; the others are only counted. */
const COMPLAINTS_SHOWN = 1_000;

try {
  await run(process.argv.slice(2));
} catch (error) {
  const known = [UsageError, AccessRefused, ConfigError, EmbeddedPostgresError, MigrationError, WrongMasterKey].some(
    (kind) => error instanceof kind,
  );
  const message = known ? (error as Error).message : databaseUrlProblem(error);
  process.exitCode = 2;
  if (message !== null) console.error(message);
  else if (error instanceof DatabaseUnavailable) {
    console.error('The database cannot be reached: check DATABASE_URL, and that the server runs.');
  } else {
    process.exitCode = 1;
    console.error(`It failed: ${JSON.stringify(describe(error))}`);
  }
}

async function run([topic = '', ...rest]: string[]): Promise<void> {
  if (!(topic in HELP)) {
    const list = Object.keys(HELP).map((one) => `  npm run ${one} -- --help`);
    const text = `Commands:\n${list.join('\n')}`;
    if (topic !== '--help' && topic !== '-h') {
      throw new UsageError(topic === '' ? text : `There is no command "${topic}".\n\n${text}`);
    }
    console.log(text);
    return;
  }
  const usage = HELP[topic as keyof typeof HELP];
  const { values, positionals } = parse(rest, usage);
  const hasCommands = !(topic in COMMANDS);
  if (values.help) {
    console.log(`${usage}\n${optionsHelp(topic)}`);
    return;
  }
  const command = hasCommands ? `${topic} ${positionals.shift() ?? ''}`.trim() : topic;
  const id = checkArguments(command, positionals, values, usage);
  if (topic === 'openapi') return openapi(values.check ?? false);
  const show = (answer: object) => console.log(values.json ? JSON.stringify(answer, null, 2) : table(answer));
  if (command === 'keys personal') return show(PERSONAL);
  if (topic === 'verify' && values.loan !== undefined) return verifyFile(values.loan, values.json ?? false);

  const config = readConfig(process.env);
  if (config.databaseUrl === null && !hasDatabase(config) && !makesDatabase(command, values)) {
    throw new UsageError(
      `There is no database in DATA_DIR (${config.dataDir}): start the service once, or set DATA_DIR to where it is.`,
    );
  }
  // Migrations and exports on a server need no key; the embedded database must not be made before its key.
  const keyless = (topic === 'migrate' || topic === 'export') && config.databaseUrl !== null;
  const masterKeys = keyless ? null : openMasterKeys(config, masterKeyId);
  await withDatabase(config, async (db) => {
    if (topic === 'export') return writeExport(db, values);
    if (topic === 'verify' && masterKeys !== null) return verify(db, masterKeys, values.json ?? false);
    if (masterKeys === null || topic === 'migrate') return migrations(db, values);
    await migrate(db, await readMigrations());
    if (topic === 'keys') return show(await keys(db, masterKeys, command, config, values));
    // Also the check that the master key is the right one: keys hashed with another would never be recognised.
    const secrets = await openRootSecrets(db, masterKeys);
    const access = openAccess({ db, clock: Date.now, secret: secrets.access });
    try {
      await access.start();
      show(await administer(access, command, id, values));
    } finally {
      access.stop();
    }
  });
}

type Values = ReturnType<typeof parse>['values'];

function parse(args: string[], usage: string) {
  try {
    return parseArgs({ args, allowPositionals: true, options: OPTIONS });
  } catch (error) {
    // The first sentence says it; the rest is about arguments that begin with a dash.
    throw new UsageError(`${(error as Error).message.split('. ')[0]?.replace(/\.?$/, '.')}\n\n${usage}`);
  }
}

/** All that can be wrong without a look at the database, so that nothing is started for it. Answers the id. */
function checkArguments(command: string, positionals: string[], values: Values, usage: string): string {
  const wrong = (what: string) => new UsageError(`${what}\n\n${usage}`);
  const takes = COMMANDS[command];
  if (takes === undefined) throw wrong(command in HELP ? 'A command is missing.' : `There is no command "${command}".`);
  const { id, needs = [], may = [] } = takes;
  const stray = (Object.keys(values) as Option[]).find((option) => !needs.includes(option) && !may.includes(option));
  if (stray !== undefined) throw wrong(`"${command}" has no option --${stray}.`);
  if (id !== undefined && !positionals[0]) throw wrong(`<${id}> is missing.`);
  if (positionals.length > (id === undefined ? 0 : 1)) throw wrong(`"${positionals.at(-1)}" is one word too many.`);
  const absent = needs.find((option) => !values[option]);
  if (absent !== undefined) throw wrong(`--${absent} is missing.`);
  if (values.access !== undefined && values.access !== 'read' && values.access !== 'servicing') {
    throw wrong('--access must be read or servicing.');
  }
  if (values.what !== undefined && !['secret', 'key', 'both'].includes(values.what)) {
    throw wrong('--what must be secret, key or both.');
  }
  if (values['rate-limit'] !== undefined && !/^\d{1,9}$/.test(values['rate-limit'])) {
    throw wrong('--rate-limit must be a whole number.');
  }
  if (values.loan !== undefined && command !== 'verify' && !/^0x[0-9a-f]{64}$/.test(values.loan)) {
    throw wrong('--loan must be 0x and 64 lower-case hexadecimal digits.');
  }
  if (command === 'clients update' && !(values.name ?? values.scopes ?? values['rate-limit'])) {
    throw wrong('Nothing to change: give --name, --scopes or --rate-limit.');
  }
  return positionals[0] ?? '';
}

function optionsHelp(topic: string): string {
  const takes = (option: Option) =>
    Object.entries(COMMANDS).some(([command, { may = [] }]) => command.startsWith(topic) && may.includes(option));
  const lines = ['', 'Options'];
  if (takes('organization'))
    lines.push('  --organization <id>   whose (needed when there is more than one organization)');
  if (takes('json')) lines.push('  --json                print JSON');
  return [...lines, '  --help                this text'].join('\n');
}

/** Every other command is about what is there; a DATA_DIR with a slip in its name must not become a new database. */
function makesDatabase(command: string, values: Values): boolean {
  return command === 'organizations create' || (command === 'migrate' && !values.status);
}

/** Ctrl-C ends the command, and with it the database that it may have started. */
async function withDatabase(config: Config, work: (db: Db) => Promise<void>): Promise<void> {
  let stopped = false;
  const opening = openDatabase({ ...config, pool: 2, own: false });
  const end = (signal: NodeJS.Signals) => {
    if (stopped) return;
    stopped = true;
    const exit = () => process.exit(signal === 'SIGINT' ? 130 : 143);
    opening.then(({ close }) => close()).then(exit, exit);
  };
  process.on('SIGINT', end).on('SIGTERM', end);
  const { db, close } = await opening;
  try {
    await work(db);
  } catch (error) {
    if (!stopped) throw error;
  } finally {
    if (!stopped) await close();
  }
}

async function migrations(db: Db, values: Values): Promise<void> {
  const files = await readMigrations();
  if (values.status) {
    const states = await migrationStatus(db, files);
    console.log(values.json ? JSON.stringify(states, null, 2) : formatStatus(states));
    if (states.some(({ state }) => state !== 'applied')) process.exitCode = 1;
    return;
  }
  const tell = ({ number, name }: { number: number; name: string }, ms: number) =>
    console.error(`applied ${String(number).padStart(4, '0')}_${name}.sql in ${Math.round(ms)} ms`);
  const applied = await migrate(db, files, tell);
  if (values.snapshot) console.error(`wrote ${await writeSnapshot(db)}`);
  if (values.json) console.log(JSON.stringify({ applied }));
  else if (applied === 0) console.log('The database is up to date.');
  else console.log(applied === 1 ? '1 migration applied.' : `${applied} migrations applied.`);
}

async function administer(access: Access, command: string, id: string, values: Values): Promise<object> {
  const { name = '', servicer, to = '' } = values;
  const scopes = values.scopes?.split(/[\s,]+/).filter(Boolean);
  const rateLimitPerMinute = values['rate-limit'] === undefined ? undefined : Number(values['rate-limit']);
  if (command === 'organizations list') return access.listOrganizations();
  if (command === 'organizations create') {
    const { organizationId } = await access.createOrganization(name);
    return { organizationId, ...(await access.createClient(organizationId, { name: 'First client', scopes: SCOPES })) };
  }
  const whose = await organization(access, values);
  switch (command) {
    case 'clients list':
      return access.listClients(whose);
    case 'clients create':
      return access.createClient(whose, { name, scopes: scopes ?? [], rateLimitPerMinute });
    case 'clients update': {
      const to = { ...(values.name === undefined ? {} : { name }), ...(scopes === undefined ? {} : { scopes }) };
      return (await access.updateClient(whose, id, { ...to, rateLimitPerMinute })) ?? missing('active client');
    }
    case 'clients rotate': {
      const what = (values.what ?? 'secret') as 'secret' | 'key' | 'both';
      return (await access.rotateClient(whose, id, { what })) ?? missing('active client');
    }
    case 'clients revoke':
      return (await access.revokeClient(whose, id)) ?? missing('client');
    case 'grants list':
      return access.listGrants(whose);
    case 'grants create': {
      const grant = { granteeOrganizationId: to, access: values.access as 'read' | 'servicing', servicerId: servicer };
      return (await access.createGrant(whose, grant)) ?? missing('organization');
    }
    case 'grants revoke':
      return (await access.revokeGrant(whose, id)) ?? missing('grant');
    default:
      throw new Error('A command that is in the list and is not done here.');
  }
}

async function keys(
  db: Db,
  masterKeys: ChangeableMasterKeys,
  command: string,
  config: Config,
  values: Values,
): Promise<object> {
  // The one that must also work when a key is missing.
  if (command === 'keys list') return listKeys(db, masterKeys);
  await openRootSecrets(db, masterKeys);
  const { loan: loanId = '' } = values;
  const answer =
    command === 'keys rotate'
      ? await rotateKeys(db, masterKeys, { onProgress: progressBar() })
      : command === 'keys prune'
        ? await pruneKeys(db, masterKeys, Date.now())
        : await eraseBorrower(db, { loanId, retentionDays: config.retentionDays, now: Date.now() });
  if ('refused' in answer) throw new UsageError(answer.refused);
  return answer;
}

/** A bar on a terminal, else a line every few seconds. */
function progressBar(): (done: number, total: number) => void {
  const { stderr } = process;
  let saidAt = performance.now();
  return (done, total) => {
    const all = Math.max(done, total);
    const share = all === 0 ? 1 : done / all;
    const text = `${Math.floor(share * 100)} % (${done} of ${all} loans)`;
    if (stderr.isTTY) {
      stderr.write(`\r[${'█'.repeat(Math.round(share * 30)).padEnd(30, '·')}] ${text}${done === all ? '\n' : ''}`);
    } else if (performance.now() - saidAt >= 3_000) {
      saidAt = performance.now();
      stderr.write(`${text}\n`);
    }
  };
}

function missing(what: string): never {
  throw new UsageError(`There is no such ${what}.`);
}

/** The one named, or the only one there is beside the demonstration. */
async function organization(access: Access, values: Values): Promise<string> {
  const all = await access.listOrganizations();
  if (values.organization !== undefined) {
    const found = all.find(({ organizationId }) => organizationId === values.organization);
    if (found === undefined) throw new UsageError('There is no such organization.');
    return found.organizationId;
  }
  const [only, second] = all.filter(({ name }) => name !== DEMO_ORGANIZATION);
  if (only === undefined) throw new UsageError('There is no organization yet: start the service once, or create one.');
  if (second !== undefined) {
    throw new UsageError(
      `Say which with --organization:\n${all.map((one) => `  ${one.organizationId}  ${one.name}`).join('\n')}`,
    );
  }
  return only.organizationId;
}

/** A list of rows as aligned columns, one object as name and value, groups of lists under their names. */
function table(answer: object): string {
  if (!Array.isArray(answer)) {
    const entries = Object.entries(answer);
    if (entries.length > 0 && entries.every(([, value]) => Array.isArray(value))) {
      return entries.map(([group, rows]) => `${group}\n${table(rows)}`).join('\n\n');
    }
    const width = Math.max(0, ...entries.map(([member]) => member.length));
    return entries.map(([member, value]) => `${member.padEnd(width)}  ${cell(value)}`).join('\n');
  }
  if (answer.length === 0) return '(none)';
  const columns = Object.keys(answer[0] as object);
  const rows = [columns, ...answer.map((row: Record<string, unknown>) => columns.map((column) => cell(row[column])))];
  const widths = columns.map((_, i) => Math.max(...rows.map((row) => (row[i] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((text, i) => text.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) {
    return value.map((one) => (typeof one === 'object' ? String(Object.values(one)[0]) : String(one))).join(' ') || '-';
  }
  return String(value);
}

// ---- checking the book ----

/** Complaints go out as they are found; how far it is, beside them. */
async function verify(db: Db, masterKeys: ChangeableMasterKeys, json: boolean): Promise<void> {
  await expectMigrated(db);
  const used = await keysOfLoans(db);
  // With none of the keys it would be the same complaint for every loan.
  if (used.length > 0 && used.every((keyId) => masterKeys.find(keyId) === null)) throw new WrongMasterKey();
  const bar = openProgress();
  let shown = 0;
  const report = await verifyBook({
    db,
    masterKeys,
    progress: bar.step,
    complain(complaint) {
      if (shown++ >= COMPLAINTS_SHOWN) return;
      bar.clear();
      console.log(json ? JSON.stringify(complaint) : complaintLine(complaint));
    },
  });
  bar.clear();
  const { complaints: _, complaintCount, ...counts } = report;
  if (complaintCount > 0) process.exitCode = 1;
  if (json) {
    console.log(JSON.stringify({ ...counts, complaints: complaintCount }));
    return;
  }
  const { loans, transactions, unsealed, blocks, lines, erased, lastBlock } = counts;
  console.log(
    `Checked: ${count(loans, 'loan')}, ${count(transactions, 'transaction')} (${unsealed} not sealed yet), ` +
      `${count(blocks, 'block')}, ${count(lines, 'journal line')}.`,
  );
  if (erased > 0) {
    console.log(`${count(erased, 'borrower')} erased: what was handed over with their loans cannot be compared.`);
  }
  if (lastBlock !== null) console.log(`Last block: ${lastBlock.number}, ${lastBlock.hash}.`);
  const shownOnly = complaintCount > COMPLAINTS_SHOWN ? ', of which the first 1,000 are above' : '';
  console.log(complaintCount === 0 ? 'Everything is in order.' : `${count(complaintCount, 'complaint')}${shownOnly}.`);
}

function count(n: number, one: string): string {
  return `${n.toLocaleString('en-US')} ${one}${n === 1 ? '' : 's'}`;
}

/** A bar on a terminal; elsewhere a line every five seconds. */
function openProgress(): { step(progress: Progress): void; clear(): void } {
  const { stderr } = process;
  const every = stderr.isTTY ? 100 : 5_000;
  let next = performance.now() + every;
  let began = { part: '', at: 0 };
  return {
    step({ part, done, total }) {
      const now = performance.now();
      if (part !== began.part) began = { part, at: now };
      if (now < next) return;
      next = now + every;
      const share = total === 0 ? 1 : Math.min(1, done / total);
      const left = Math.round(((now - began.at) / 1_000) * (1 / Math.max(share, 0.001) - 1));
      const text = `${part} ${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')}, about ${left} s left`;
      if (!stderr.isTTY) console.error(text);
      else stderr.write(`\r\x1b[K[${'#'.repeat(Math.round(share * 30)).padEnd(30)}] ${text}`);
    },
    clear() {
      if (stderr.isTTY) stderr.write('\r\x1b[K');
    },
  };
}

/** Whoever only looks must not migrate. */
async function expectMigrated(db: Db): Promise<void> {
  const states = await migrationStatus(db, await readMigrations());
  if (states.some(({ state }) => state !== 'applied')) {
    throw new UsageError('The database is not up to date: run `npm run migrate` first.');
  }
}

function verifyFile(path: string, json: boolean): void {
  const exported = readExport(path);
  const { complaints, transactions, unsealed, blocks, headers } = verifyExport(exported);
  for (const complaint of complaints) {
    console.log(json ? JSON.stringify(complaint) : `${complaint.where}: ${complaint.what}`);
  }
  if (complaints.length > 0) process.exitCode = 1;
  if (json) {
    console.log(JSON.stringify({ transactions, unsealed, blocks, headers, complaints: complaints.length }));
    return;
  }
  const wrong = (kind: string) =>
    new Set(complaints.flatMap(({ where }) => (where.startsWith(kind) ? [where] : []))).size;
  console.log(
    `${transactions - wrong('transaction ')} of ${count(transactions, 'transaction')} and ` +
      `${blocks - wrong('block ')} of ${count(blocks, 'block')} are right; ${count(unsealed, 'transaction')} not sealed yet.`,
  );
  const last = headers.reduce<(typeof headers)[number] | null>(
    (newest, header) => (newest === null || header.number > newest.number ? header : newest),
    null,
  );
  // A file can be made up from end to end; that its blocks are the service's only the service can tell.
  if (last !== null) console.log(`Compare with GET /ledger/blocks/${last.number}: ${last.hash}.`);
  console.log(complaints.length === 0 ? 'Everything is in order.' : `${count(complaints.length, 'complaint')}.`);
}

type Exported = { items?: unknown; transactions?: unknown };

function readExport(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read (${code}).`);
  }
  let parsed: (Exported & { data?: Exported }) | null;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new UsageError(`${path} is not JSON.`);
  }
  const data = parsed?.data ?? parsed;
  if (!Array.isArray(data?.items ?? data?.transactions)) {
    throw new UsageError(`${path} is not the export of a loan: see \`npm run export -- --help\`.`);
  }
  return parsed;
}

async function writeExport(db: Db, { loan = '', out }: Values): Promise<void> {
  await expectMigrated(db);
  const text = (await exportLoan(db, loan)) ?? missing('loan');
  if (out === undefined) {
    console.log(text);
    return;
  }
  try {
    writeFileSync(out, `${text}\n`);
  } catch (error) {
    throw new UsageError(`--out: ${out} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
  console.log(`${out} written.`);
}

/** The HTTP part is most of what there is to load, and no other command needs it. */
async function openapi(check: boolean): Promise<void> {
  const { buildApp } = await import('./http/shell/app.ts');
  const { documentText } = await import('./http/document.ts');
  const { openMetrics } = await import('./http/shell/metrics.ts');
  const app = await buildApp({
    settings: readConfig({}),
    log: openLog('silent'),
    metrics: openMetrics({ pool: () => ({ total: 0, idle: 0, waiting: 0 }), process: false }),
    clock: Date.now,
    phase: () => 'starting',
    services: () => null,
    databaseAnswers: async () => false,
  });
  await app.ready();
  const text = documentText(app);
  const path = join(import.meta.dirname, '..', 'openapi.json');
  if (!check) {
    writeFileSync(path, text);
    console.log('openapi.json written.');
    return;
  }
  if (readFileSync(path, 'utf8') === text) return;
  console.error('openapi.json is not what the routes say: run `npm run openapi` and commit it.');
  process.exitCode = 1;
}
