/**
 * Every operation × every status: it succeeds, or a 409 names the status and what it allows. Every operation × every scope, own and
 * foreign organizations, keys: who may call it, and which answer others get. The tables are written from the specification, not
 * from the code. Operations that would succeed are dry runs, so that each loan keeps its status. `npm test` tries every operation in a few
 * statuses and with a few scopes, and `npm run test:slow` all of them.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES, type Scope } from '../../src/access/scopes.ts';
import { type LoanStatus, STATUSES } from '../../src/core/loan.ts';
import { applicationBody } from '../../src/demo/application.ts';
import { type Answered, type TestApp, testApp } from '../support/app.ts';
import { granted } from '../support/granted.ts';
import { LOAN_LIFE, OPERATIONS, rowOf, statusFor } from '../support/operations.ts';
import { creation, loanIn } from '../support/statuses.ts';
import { WHOLE } from '../support/whole.ts';

const SOME_STATUSES: readonly LoanStatus[] = ['Current', 'ChargedOff'];
const SOME_SCOPES: readonly Scope[] = ['loans:read', 'servicing:write'];

type Client = { token: string; key: string };

let service: TestApp;
let owner: Client;
const loans = new Map<LoanStatus, string>();
/** Assessed here: it has deals of its own. */
let assessed: string;

const call = (method: string, path: string, { token, key }: Partial<Client>, body?: object): Promise<Answered> =>
  service.call(method, `/v2/chain/${path}`, {
    ...(token === undefined ? {} : { token }),
    ...(key === undefined ? {} : { key }),
    ...(body === undefined ? {} : { body }),
  });

beforeAll(async () => {
  service = await testApp();
  owner = { token: await service.token(), key: service.credentials.apiKey };
  const payoffOf = async (loanId: string) =>
    (await call('GET', `loans/${loanId}/payoff`, owner)).body.data.payoff as string;
  for (const status of STATUSES) {
    loans.set(status, await loanIn(status, (path, body) => call('POST', path, owner, body), payoffOf));
  }
  const { applicationId, lenderId, primaryServicerId } = creation();
  const application = { ...applicationBody(3), applicationId, lenderId, primaryServicerId };
  assessed = (await call('POST', 'loans', owner, application)).body.loanId;
  expect((await call('POST', 'start-underwriting', owner, { loanId: assessed })).status).toBe(200);
});
afterAll(() => service.close());

const loanWith = (status: LoanStatus): string => loans.get(status) as string;

describe('every operation × every status', () => {
  const cells = LOAN_LIFE.flatMap(([operation, from]) =>
    STATUSES.map((status) => [operation, status, from.includes(status)] as const),
  );
  const allowedIn = (status: LoanStatus) =>
    LOAN_LIFE.filter(([, from]) => from.includes(status))
      .map(([operation]) => operation)
      .sort();

  it('has a loan in every status', () => {
    expect([...loans.keys()]).toEqual(STATUSES);
  });

  it.each(WHOLE ? STATUSES : SOME_STATUSES)(
    '%s: each allowed operation succeeds, others are a 409 that lists the allowed',
    async (status) => {
      const loanId = loanWith(status);
      const found = await Promise.all(
        cells
          .filter(([, of]) => of === status)
          .map(async ([operation, , right]) => {
            const answer = await call('POST', `${operation}?dryRun=true`, owner, { loanId, ...rowOf(operation).body });
            return { operation, right, answer };
          }),
      );
      for (const { operation, right, answer } of found) {
        const { status: code, body, text } = answer;
        if (right) {
          const expected = rowOf(operation).answers?.[status] ?? '200 ';
          expect(`${code} ${body.refusal ?? ''}`, `${operation}: ${text}`).toBe(expected);
          if (code !== 200) continue;
          expect(body.data).toMatchObject({ dryRun: true, loanId });
          expect(body.transactionHash).toBe(`0x${'0'.repeat(64)}`);
        } else if (rowOf(operation).repeatedIn?.includes(status)) {
          expect(code, `${operation}: ${text}`).toBe(200);
          expect(body.data.events).toEqual([]);
        } else {
          expect(code, `${operation}: ${text}`).toBe(409);
          expect(body).toMatchObject({ code: 'conflict', refusal: 'wrong_status', loanStatus: status });
          expect([...body.allowed].sort()).toEqual(allowedIn(status));
        }
      }
    },
  );

  it('dry runs have left every loan as it was', async () => {
    for (const status of STATUSES) {
      const answer = await call('GET', `loan-data/${loanWith(status)}`, owner);
      expect(answer.body.data.loanDetails.loanStatus).toBe(status);
    }
  });

  it('the table that GET /transitions shows is the specification’s', async () => {
    const { body } = await call('GET', 'transitions', owner);
    const shown = body.data.operations.map(({ operation, from }: { operation: string; from: string[] }) => [
      operation,
      [...from].sort(),
    ]);
    expect(new Map(shown)).toEqual(new Map(LOAN_LIFE.map(([operation, from]) => [operation, [...from].sort()])));
    expect(body.data.statuses).toEqual(STATUSES);
  });
});

type Transaction = { transactionHash: string; block: number };

/** An operation on loans, on a loan where it is possible, with the callers that may use it. */
type MatrixRow = {
  name: string;
  method: 'GET' | 'POST';
  path: (loan: (status: LoanStatus) => string, first: Transaction) => string;
  body?: (loan: (status: LoanStatus) => string) => object;
  scopes: readonly Scope[];
  /** Needed besides one of them. */
  also?: Scope;
  key?: 'required';
  /** The answer to another organization: not found, or an answer about its own loans. */
  foreign: 'missing' | 'own';
  /** Whether a grant to read or a grant to service allows it, or only the owner may. */
  grant: 'read' | 'servicing' | 'owner' | 'none';
};

const writes: MatrixRow[] = OPERATIONS.map((operation) => ({
  name: `POST /${operation}`,
  method: 'POST',
  path: () => `${operation}?dryRun=true`,
  body: (loan) => ({ loanId: loan(statusFor(operation)), ...rowOf(operation).body }),
  scopes: rowOf(operation).scopes,
  foreign: 'missing',
  grant: rowOf(operation).by === 'servicer' ? 'servicing' : 'owner',
}));

const aroundALoan = (part: string, scopes: readonly Scope[], more: Partial<MatrixRow> = {}): MatrixRow => ({
  name: `GET /loans/{loan_id}${part}`,
  method: 'GET',
  path: (loan) => `loans/${loan('Current')}${part}`,
  scopes,
  foreign: 'missing',
  grant: 'read',
  ...more,
});
const elsewhere = (path: string, scopes: readonly Scope[], more: Partial<MatrixRow> = {}): MatrixRow => ({
  name: `GET /${path}`,
  method: 'GET',
  path: () => path,
  scopes,
  foreign: 'own',
  grant: 'none',
  ...more,
});

const asked: MatrixRow[] = [
  {
    name: 'POST /loans',
    method: 'POST',
    path: () => 'loans?dryRun=true',
    body: () => creation(),
    scopes: ['loans:write'],
    foreign: 'own',
    grant: 'none',
  },
  ...writes,
  {
    name: 'POST /initiate-repayment, not funded yet',
    method: 'POST',
    path: () => 'initiate-repayment?dryRun=true',
    body: (loan) => ({ loanId: loan('Approved') }),
    scopes: ['loans:fund'],
    foreign: 'missing',
    // It funds, and money out is the owner's alone.
    grant: 'owner',
  },
  elsewhere('loans', ['loans:read']),
  elsewhere('transitions', SCOPES),
  elsewhere('holds/effects', SCOPES),
  elsewhere('transfers?direction=in', ['loans:read']),
  elsewhere('users/names?ids=user_1', ['loans:read', 'reports:read', 'admin', 'audit:read']),
  elsewhere('ledger/trial-balance', ['reports:read']),
  elsewhere('ledger/tie-out', ['reports:read']),
  elsewhere('ledger/entries?date=2026-01-01', ['reports:read']),
  elsewhere('ledger/periods', ['reports:read']),
  elsewhere('ledger/roll-forward?period=2026-01', ['reports:read']),
  elsewhere('ledger/account-codes', ['reports:read']),
  elsewhere('ledger/export?period=2025-12', ['reports:read']),
  elsewhere('exports/loans', ['reports:read']),
  elsewhere('exports/payments', ['reports:read']),
  elsewhere('exports/journal', ['reports:read']),
  { ...elsewhere('exports/events', ['reports:read']), also: 'events:read' },
  elsewhere('exports/positions', ['reports:read']),
  {
    name: 'POST /ledger/account-codes',
    method: 'POST',
    path: () => 'ledger/account-codes?dryRun=true',
    body: () => ({ codes: { cash: '1010' } }),
    scopes: ['books:write'],
    foreign: 'own',
    grant: 'none',
  },
  elsewhere('clock', SCOPES),
  elsewhere('sandboxes', ['admin']),
  {
    name: 'POST /sandboxes',
    method: 'POST',
    path: () => 'sandboxes',
    body: () => ({ name: 'matrix' }),
    scopes: ['admin'],
    foreign: 'own',
    grant: 'none',
  },
  elsewhere('ledger/blocks/{n}', ['reports:read'], { path: (_loan, { block }) => `ledger/blocks/${block}` }),
  {
    name: 'GET /ledger/transactions/{hash}',
    method: 'GET',
    path: (_loan, { transactionHash }) => `ledger/transactions/${transactionHash}`,
    scopes: ['reports:read'],
    foreign: 'missing',
    grant: 'read',
  },
  {
    name: 'POST /search-loans',
    method: 'POST',
    path: () => 'search-loans',
    body: () => ({ vin: '1HGCM82633A004352' }),
    scopes: ['loans:read_pii'],
    key: 'required',
    foreign: 'own',
    grant: 'none',
  },
  {
    name: 'GET /loan-data/{loan_id}, own',
    method: 'GET',
    path: (loan) => `loan-data/${loan('Current')}`,
    scopes: ['loans:read'],
    foreign: 'missing',
    grant: 'read',
  },
  aroundALoan('', ['loans:read_pii'], { key: 'required' }),
  aroundALoan('/disclosures', ['loans:read_pii'], { key: 'required' }),
  aroundALoan('/reports/1', ['loans:read_pii'], { key: 'required' }),
  aroundALoan('/summary', ['loans:read']),
  aroundALoan('/deals', ['loans:read']),
  aroundALoan('/deals/0/cashflows', ['loans:read'], { path: () => `loans/${assessed}/deals/0/cashflows` }),
  aroundALoan('/timeline', ['loans:read']),
  aroundALoan('/payoff-quotes', ['loans:read']),
  aroundALoan('/holds', ['loans:read']),
  aroundALoan('/schedule', ['loans:read']),
  aroundALoan('/payoff', ['loans:read']),
  aroundALoan('/history', ['loans:read']),
  aroundALoan('/transactions', ['loans:read']),
  aroundALoan('/explain/payoff', ['loans:read']),
  aroundALoan('/journal', ['reports:read']),
];

async function ask(one: MatrixRow, client: Partial<Client>): Promise<Answered> {
  return call(one.method, one.path(loanWith, await firstOf()), client, one.body?.(loanWith));
}

let first: Transaction | undefined;
async function firstOf(): Promise<Transaction> {
  first ??= (await call('GET', `loans/${loanWith('Current')}/transactions`, owner)).body.data.items[0] as Transaction;
  return first;
}

async function clientOf(organizationId: string, scopes: readonly Scope[]): Promise<Client> {
  const made = await service.access.createClient(organizationId, { name: 'matrix', scopes, rateLimitPerMinute: 0 });
  const { clientId, clientSecret, apiKey } = made;
  const signedIn = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
  return { token: signedIn.body.data.token, key: apiKey };
}

describe('every operation × every scope', () => {
  let clients: [Scope, Client][];
  beforeAll(async () => {
    clients = await Promise.all(
      (WHOLE ? SCOPES : SOME_SCOPES).map(
        async (scope): Promise<[Scope, Client]> => [scope, await clientOf(service.organizationId, [scope])],
      ),
    );
  });

  it.each(asked)('$name: the scope of the table and no other', async (one) => {
    for (const [scope, client] of clients) {
      const { status, body, text, headers } = await ask(one, client);
      if (one.scopes.includes(scope) && one.also === undefined) {
        expect(status, `${scope}: ${text}`).not.toBe(403);
        expect(status, `${scope}: ${text}`).toBeLessThan(500);
        continue;
      }
      // The public record of an unpublished loan does not exist for others.
      if (one.name.startsWith('GET /loan-data') && scope === 'public:read') {
        expect(status).toBe(404);
        continue;
      }
      expect(`${status} ${body.code}`, `${scope}: ${text}`).toBe('403 insufficient_scope');
      expect(headers.get('www-authenticate')).toContain('insufficient_scope');
    }
  });

  it('public:read gives access to the public record of a published loan of any organization', async () => {
    const loanId = await loanIn(
      'Current',
      (path, body) => call('POST', path, owner, body),
      async () => '',
    );
    await call('POST', 'release-hold', owner, { loanId, holdId: 'H-1', reason: 'Over' });
    const stranger = await clientOf((await service.access.createOrganization('marketplace')).organizationId, [
      'public:read',
    ]);
    expect((await call('GET', `loan-data/${loanId}`, stranger)).status).toBe(404);
    expect((await call('POST', 'publish', owner, { loanId, published: true })).status).toBe(200);
    const shown = await call('GET', `loan-data/${loanId}`, stranger);
    expect(shown.status).toBe(200);
    expect(shown.body.data.loanDetails.borrowerId).toBe('');
    await call('POST', 'publish', owner, { loanId, published: false });
    expect((await call('GET', `loan-data/${loanId}`, stranger)).status).toBe(404);
  });
});

/** The owner's answer to a write in the status that is named for it: success, or the refusal of the table. */
function ofOwner(name: string): number {
  const operation = OPERATIONS.find((one) => name === `POST /${one}`);
  if (operation === undefined) return 200;
  const { from, answers } = rowOf(operation);
  const status = statusFor(operation);
  return from.includes(status) ? Number(answers?.[status]?.slice(0, 3) ?? 200) : 409;
}

describe('every operation × own and foreign organization', () => {
  const organizations = { stranger: '', reader: '', servicer: '', otherServicer: '' };
  const clients = new Map<keyof typeof organizations, Client>();
  beforeAll(async () => {
    for (const name of Object.keys(organizations) as (keyof typeof organizations)[]) {
      organizations[name] = (await service.access.createOrganization(name)).organizationId;
      clients.set(name, await clientOf(organizations[name], SCOPES));
    }
    const grant = (granteeOrganizationId: string, access: 'read' | 'servicing', servicerId?: string) =>
      granted(service.access, service.organizationId, {
        granteeOrganizationId,
        access,
        ...(servicerId === undefined ? {} : { servicerId }),
      });
    await grant(organizations.reader, 'read');
    await grant(organizations.servicer, 'servicing', 'SRV-1');
    await grant(organizations.otherServicer, 'servicing', 'SRV-2');
  });
  const as = (name: keyof typeof organizations) => clients.get(name) as Client;

  it.each(asked)('$name', async (one) => {
    const own = await ask(one, owner);
    expect(own.status, own.text).toBe(ofOwner(one.name));

    // Another organization's loan is not found; a grant for another servicer's loans does not cover these.
    for (const name of WHOLE ? (['stranger', 'otherServicer'] as const) : (['stranger'] as const)) {
      const { status, text } = await ask(one, as(name));
      expect(status, `${name}: ${text}`).toBe(one.foreign === 'missing' ? 404 : 200);
    }
    if (!WHOLE) return;
    const reader = await ask(one, as('reader'));
    const servicer = await ask(one, as('servicer'));
    const shown = one.grant === 'read' || one.grant === 'none';
    const granted = (may: boolean) => (may ? own.status : 403);
    expect(reader.status, `reader: ${reader.text}`).toBe(granted(shown));
    expect(servicer.status, `servicer: ${servicer.text}`).toBe(granted(shown || one.grant === 'servicing'));
    for (const { status, body } of [reader, servicer]) if (status === 403) expect(body.code).toBe('not_granted');
  });

  it('a list and a search show own loans and granted ones, and no others', async () => {
    const items = async (client: Client) => (await call('GET', 'loans?limit=100', client)).body.data.items.length;
    expect(await items(owner)).toBeGreaterThanOrEqual(STATUSES.length);
    expect(await items(as('stranger'))).toBe(0);
    expect(await items(as('otherServicer'))).toBe(0);
    expect(await items(as('reader'))).toBe(await items(owner));
    expect(await items(as('servicer'))).toBe(await items(owner));
  });

  it('a trial balance is of the caller’s own organization', async () => {
    const totals = async (client: Client) => (await call('GET', 'ledger/trial-balance', client)).body.data.totals;
    expect(await totals(as('servicer'))).toEqual({ debit: '0', credit: '0' });
    const { debit, credit } = await totals(owner);
    expect(debit).toBe(credit);
    expect(debit).not.toBe('0');
  });
});

describe('every operation × key present, absent, someone else’s', () => {
  it.each(asked)('$name', async (one) => {
    const { token } = owner;
    const absent = await ask(one, { token });
    if (one.key === 'required') expect(`${absent.status} ${absent.body.code}`).toBe('403 key_required');
    else expect(absent.status, absent.text).not.toBe(403);
    expect((await ask(one, owner)).status).not.toBe(403);
    const foreign = await ask(one, { token, key: other.key });
    expect(`${foreign.status} ${foreign.body.code}`).toBe('403 invalid_key');
    if (!WHOLE) return;
    const unknown = await ask(one, { token, key: 'dbk_never-made' });
    expect(`${unknown.status} ${unknown.body.code}`).toBe('403 invalid_key');
    expect((await ask(one, {})).status).toBe(401);
  });

  let other: Client;
  beforeAll(async () => {
    other = await clientOf(service.organizationId, SCOPES);
  });
});
