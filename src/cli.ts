/**
 * The command line: what an operator does beside the running service. Each command borrows the running embedded database, or
 * starts it for its own time. `--json` prints data for programs; without it, tables for people. Exit code 2: used wrongly.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Access, openAccess } from './access/access.ts';
import { AccessRefused } from './access/admin.ts';
import { SCOPES } from './access/scopes.ts';
import { WrongMasterKey } from './access/tokens.ts';
import { ConfigError, loadMasterKey, readConfig } from './config.ts';
import { buildApp } from './http/app.ts';
import { documentText } from './http/document.ts';
import { openLog } from './http/log.ts';
import { openMetrics } from './http/metrics.ts';
import { DatabaseUnavailable, type Db } from './store/db.ts';
import { EmbeddedPostgresError } from './store/embedded.ts';
import { formatStatus, MigrationError, migrate, migrationStatus, readMigrations } from './store/migrate.ts';
import { openDatabase } from './store/open.ts';
import { writeSnapshot } from './store/snapshot.ts';

const HELP = {
  migrate: `Usage: npm run migrate [-- options]
  (none)       bring the database up to date
  --status     show which migrations are applied, change nothing (exit code 1 when one is pending or changed)
  --snapshot   write migrations/schema.sql from the migrated database`,
  organizations: `Usage: npm run organizations -- <command> [options]
  list                   organizations and their ids
  create --name "…"      a new organization with its first client (all scopes); secrets are shown once`,
  clients: `Usage: npm run clients -- <command> [options]
  list                                          clients, their scopes and keys
  create --name "…" --scopes a,b [--rate-limit N]  a new client; its secret and key are shown once
  update <clientId> [--name …] [--scopes …] [--rate-limit N]
  rotate <clientId> [--what secret|key|both]    replace credentials (default secret); the old ones end within a second
  revoke <clientId>                             end a client, its keys and tokens within a second
Scopes: ${SCOPES.join(', ')}`,
  grants: `Usage: npm run grants -- <command> [options]
  list                                          grants given and received
  create --to <organizationId> --access read|servicing [--servicer <servicerId>]
  revoke <grantId>`,
  openapi: `Usage: npm run openapi [-- --check]
  (none)       write openapi.json from the routes
  --check      exit code 1 when openapi.json is not what the routes say`,
} as const;

const OPTIONS = `Options
  --organization <id>   whose (needed when there is more than one organization)
  --json                print JSON
  --help                this text`;

class UsageError extends Error {}

const [name = '', ...rest] = process.argv.slice(2);
try {
  await run();
} catch (error) {
  const known = [UsageError, AccessRefused, ConfigError, EmbeddedPostgresError, MigrationError, WrongMasterKey].some(
    (kind) => error instanceof kind,
  );
  if (error instanceof DatabaseUnavailable)
    console.error('The database cannot be reached; check DATABASE_URL and that it runs.');
  else if (known || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS'))
    console.error((error as Error).message);
  else throw error;
  process.exitCode = 2;
}

async function run(): Promise<void> {
  if (!(name in HELP)) {
    const list = Object.keys(HELP).map((command) => `  npm run ${command} -- --help`);
    throw new UsageError(`Commands:\n${list.join('\n')}`);
  }
  const { values, positionals } = parseArgs({
    args: rest,
    allowPositionals: true,
    options: {
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
    },
  });
  if (values.help) {
    console.log(`${HELP[name as keyof typeof HELP]}\n\n${OPTIONS}`);
    return;
  }
  if (name === 'openapi') return openapi(values.check ?? false);
  const config = readConfig(process.env);
  const { db, close } = await openDatabase({ ...config, pool: 2, own: false });
  try {
    if (name === 'migrate') return await migrations(db, values);
    await migrate(db, await readMigrations());
    const access = openAccess({ db, clock: Date.now, masterKey: loadMasterKey(config) });
    const command = `${name} ${positionals[0] ?? ''}`;
    const answer = await administer(access, command, positionals[1], values);
    console.log(values.json ? JSON.stringify(answer, null, 2) : table(answer));
  } finally {
    await close();
  }
}

type Values = {
  json?: boolean;
  status?: boolean;
  snapshot?: boolean;
  organization?: string;
  name?: string;
  scopes?: string;
  'rate-limit'?: string;
  what?: string;
  to?: string;
  access?: string;
  servicer?: string;
};

async function migrations(db: Db, values: Values): Promise<void> {
  const files = await readMigrations();
  if (values.status) {
    const states = await migrationStatus(db, files);
    console.log(values.json ? JSON.stringify(states, null, 2) : formatStatus(states));
    if (states.some(({ state }) => state !== 'applied')) process.exitCode = 1;
    return;
  }
  const applied = await migrate(db, files, ({ name }, ms) => console.error(`applied ${name} in ${Math.round(ms)} ms`));
  if (values.snapshot) console.error(`wrote ${await writeSnapshot(db)}`);
  if (values.json) console.log(JSON.stringify({ applied }));
  else console.log(applied === 0 ? 'The database is up to date.' : `${applied} migrations applied.`);
}

async function administer(access: Access, command: string, id: string | undefined, values: Values): Promise<object> {
  const named = () => required(id, 'an id');
  const whose = () => organization(access, values);
  switch (command) {
    case 'organizations list':
      return access.listOrganizations();
    case 'organizations create': {
      const { organizationId } = await access.createOrganization(required(values.name, '--name'));
      const client = { name: 'first client', scopes: SCOPES };
      return { organizationId, ...(await access.createClient(organizationId, client)) };
    }
    case 'clients list':
      return access.listClients(await whose());
    case 'clients create': {
      const client = { name: required(values.name, '--name'), scopes: words(required(values.scopes, '--scopes')) };
      return await access.createClient(await whose(), { ...client, rateLimitPerMinute: limit(values) });
    }
    case 'clients update': {
      const to = {
        ...(values.name === undefined ? {} : { name: values.name }),
        ...(values.scopes === undefined ? {} : { scopes: words(values.scopes) }),
        rateLimitPerMinute: limit(values),
      };
      return (await access.updateClient(await whose(), named(), to)) ?? missing('active client');
    }
    case 'clients rotate': {
      const what = values.what ?? 'secret';
      if (what !== 'secret' && what !== 'key' && what !== 'both')
        throw new UsageError('--what must be secret, key or both.');
      return (await access.rotateClient(await whose(), named(), { what })) ?? missing('active client');
    }
    case 'clients revoke':
      return (await access.revokeClient(await whose(), named())) ?? missing('client');
    case 'grants list':
      return access.listGrants(await whose());
    case 'grants create':
      return (
        (await access.createGrant(await whose(), {
          granteeOrganizationId: required(values.to, '--to'),
          access: required(values.access, '--access') as 'read',
          servicerId: values.servicer,
        })) ?? missing('organization')
      );
    case 'grants revoke':
      return (await access.revokeGrant(await whose(), named())) ?? missing('grant');
    default:
      throw new UsageError(HELP[name as keyof typeof HELP]);
  }
}

function missing(what: string): never {
  throw new UsageError(`There is no such ${what}.`);
}

function words(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

function limit(values: Values): number | undefined {
  const text = values['rate-limit'];
  if (text !== undefined && !/^\d{1,9}$/.test(text)) throw new UsageError('--rate-limit must be a whole number.');
  return text === undefined ? undefined : Number(text);
}

/** The one named, or the only one there is. */
async function organization(access: Access, values: Values): Promise<string> {
  const all = await access.listOrganizations();
  if (values.organization !== undefined) {
    const found = all.find(({ organizationId }) => organizationId === values.organization);
    if (found === undefined) throw new UsageError('There is no such organization.');
    return found.organizationId;
  }
  const [only, second] = all;
  if (only === undefined) throw new UsageError('There is no organization yet: start the service once, or create one.');
  if (second !== undefined) {
    throw new UsageError(
      `Say which with --organization:\n${all.map((one) => `  ${one.organizationId}  ${one.name}`).join('\n')}`,
    );
  }
  return only.organizationId;
}

function required(value: string | undefined, what: string): string {
  if (value === undefined || value === '')
    throw new UsageError(`${what} is missing.\n\n${HELP[name as keyof typeof HELP]}`);
  return value;
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

async function openapi(check: boolean): Promise<void> {
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
