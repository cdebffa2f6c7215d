/**
 * Every operation × every role × its limits × own and foreign organization, for people with a session. The tables of roles here are written
 * from the documentation, not from the code; which scope an operation needs is held by `matrix.test.ts`. Writes are dry runs, so that each
 * loan keeps its status. `npm test` tries two of the roles, and `npm run test:slow` all.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILT_IN_ROLES } from '../../src/access/people/roles.ts';
import { SCOPES, type Scope } from '../../src/access/scopes.ts';
import type { Operation } from '../../src/core/decide/decide.ts';
import { type LoanStatus, STATUSES } from '../../src/core/loan.ts';
import { operations } from '../../src/http/routes.ts';
import { type Answered, type TestApp, testApp } from '../support/app.ts';
import { OPERATIONS, rowOf, statusFor } from '../support/operations.ts';
import { creation, loanIn } from '../support/statuses.ts';
import { WHOLE } from '../support/whole.ts';

const CUSTOMERS: readonly Scope[] = [
  'loans:read',
  'loans:read_pii',
  'payments:write',
  'servicing:write',
  'events:read',
];
/** An agent or a collector asks for these, and somebody else agrees. */
const ALWAYS = [
  ...['settle', 'write-down', 'change-rate', 'reage', 'default', 'accelerate', 'charge-off', 'cancel-boarding'],
  ...['rescind', 'transfer'],
];
const always = Object.fromEntries(ALWAYS.map((operation) => [operation, '0.00']));

type Role = { scopes: readonly Scope[]; limits: Readonly<Record<string, string>> };
const ROLES: Readonly<Record<string, Role>> = {
  agent: {
    scopes: CUSTOMERS,
    limits: { ...always, 'assess-fee': '100.00', 'waive-fee': '50.00', 'refund-credit': '100.00' },
  },
  collector: {
    scopes: CUSTOMERS,
    limits: { ...always, 'assess-fee': '50.00', 'waive-fee': '25.00', 'refund-credit': '0.00' },
  },
  manager: {
    scopes: SCOPES.filter((scope) => !['books:write', 'audit:read', 'admin'].includes(scope)),
    limits: {},
  },
  underwriter: {
    scopes: ['loans:read', 'loans:read_pii', 'loans:write', 'underwriting:write', 'events:read'],
    limits: {},
  },
  accountant: { scopes: ['loans:read', 'reports:read', 'books:write', 'events:read'], limits: {} },
  auditor: {
    scopes: ['public:read', 'loans:read', 'loans:read_pii', 'reports:read', 'events:read', 'audit:read'],
    limits: {},
  },
  administrator: { scopes: ['audit:read', 'admin'], limits: {} },
};
/** The roles that are tried. */
const TRIED = Object.entries(ROLES).filter(([role]) => WHOLE || ['agent', 'auditor'].includes(role));
/** An own role with a limit on everything that has an amount. */
const TEN: Role = {
  scopes: ['loans:read', 'payments:write', 'servicing:write'],
  limits: Object.fromEntries(
    ['loan-repay', 'assess-fee', 'waive-fee', 'settle', 'write-down', 'record-recovery', 'refund-credit'].map(
      (operation) => [operation, '10.00'],
    ),
  ),
};

/** The open amount of the fee that `waive-fee` waives. */
const WAIVED = '30';

type Person = { role: string; cookie: string; csrfToken: string };

let service: TestApp;
let owner: { token: string; key: string };
const own = new Map<string, Person>();
const foreign = new Map<string, Person>();
const loans = new Map<LoanStatus, string>();

const asOwner = (path: string, body: object): Promise<Answered> =>
  service.call('POST', `/v2/chain/${path}`, { ...owner, body });

async function personWith(organizationId: string, role: string): Promise<Person> {
  const made = await service.access.createUser(organizationId, {
    email: `${role}@${organizationId}.example`,
    name: 'Robin Ellis',
    roles: [role],
  });
  await service.db.transaction((tx) => service.access.people.accept(tx, made.token));
  const session = await service.access.people.begin(made.userId, { method: 'passkey', requestId: 'matrix' });
  const cookie = `daybook_session=${session?.secret}`;
  const { body } = await service.call('GET', '/v2/chain/session', { headers: { cookie } });
  return { role, cookie, csrfToken: body.data.csrfToken };
}

const as = ({ cookie, csrfToken }: Person, method: string, path: string, body?: object): Promise<Answered> =>
  service.call(method, path, {
    headers: { cookie, purpose: 'Audit 7', ...(method === 'GET' ? {} : { 'x-csrf-token': csrfToken }) },
    ...(body === undefined ? {} : { body }),
  });

const write = (person: Person, operation: string, body: object): Promise<Answered> =>
  as(person, 'POST', `/v2/chain/${operation}?dryRun=true`, body);

beforeAll(async () => {
  service = await testApp();
  owner = { token: await service.token(), key: service.credentials.apiKey };
  const payoffOf = async (loanId: string) =>
    (await service.call('GET', `/v2/chain/loans/${loanId}/payoff`, owner)).body.data.payoff as string;
  for (const status of STATUSES) loans.set(status, await loanIn(status, asOwner, payoffOf));
  const ten = { name: 'ten', scopes: [...TEN.scopes], limits: {} as Record<string, object> };
  for (const [operation, amount] of Object.entries(TEN.limits)) ten.limits[operation] = { amount };
  expect((await asOwner('roles', ten)).status).toBe(200);
  const other = (await service.access.createOrganization('Other Lender')).organizationId;
  for (const role of Object.keys(ROLES)) {
    own.set(role, await personWith(service.organizationId, role));
    foreign.set(role, await personWith(other, role));
  }
  own.set('ten', await personWith(service.organizationId, 'ten'));
});
afterAll(() => service.close());

const person = (role: string): Person => own.get(role) as Person;
const loanFor = (operation: Operation): string => loans.get(statusFor(operation)) as string;

it('the built-in roles are those of the documentation', () => {
  const shown = BUILT_IN_ROLES.map(({ name, scopes, limits }) => [
    name,
    {
      scopes: [...scopes].sort(),
      limits: Object.fromEntries(Object.entries(limits).map(([operation, cents]) => [operation, Number(cents)])),
    },
  ]);
  const cents = (amount: string) => Math.round(Number(amount) * 100);
  const expected = Object.entries(ROLES).map(([name, { scopes, limits }]) => [
    name,
    {
      scopes: [...scopes].sort(),
      limits: Object.fromEntries(Object.entries(limits).map(([operation, amount]) => [operation, cents(amount)])),
    },
  ]);
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(expected));
});

describe('every operation of the API × every role', () => {
  const called = operations.filter(({ access, isAlias }) => access !== 'anonymous' && isAlias !== true);

  it.each(called)('$method $path is open to the roles that have its scope, and to no other', async (operation) => {
    if (operation.access === 'anonymous') return;
    const { scopes: needed, also } = operation.access;
    const path = operation.path.replaceAll(/\{\w+\}/g, `0x${'0'.repeat(64)}`);
    const url = `${operation.outside ? '' : '/v2/chain'}${path}`;
    // Signing out would end the session that the other cases need.
    if (path.startsWith('/sign-out')) return;
    for (const [role, { scopes }] of TRIED) {
      // An empty body is refused by most writes, after the scope was checked.
      const { status, body, text } = await as(person(role), operation.method, url, operation.body ? {} : undefined);
      const hasOne = needed.length === 0 || needed.some((scope) => scopes.includes(scope));
      const may = hasOne && (also === undefined || scopes.includes(also));
      const code = `${status} ${body?.code ?? ''}`;
      if (may) expect(code, `${role}: ${text}`).not.toBe('403 insufficient_scope');
      else expect(code, `${role}: ${text}`).toBe('403 insufficient_scope');
      expect(status, text).toBeLessThan(500);
    }
  });
});

describe('every write of a loan × every role × own and foreign organization', () => {
  it.each(OPERATIONS)('%s', async (operation) => {
    const body = { loanId: loanFor(operation), ...rowOf(operation).body };
    const expected = await service.call('POST', `/v2/chain/${operation}?dryRun=true`, { ...owner, body });
    const { access } = operations.find(({ path }) => path === `/${operation}`) ?? { access: 'anonymous' };
    if (access === 'anonymous') throw new Error(`${operation} is not served.`);
    for (const [role, { scopes, limits }] of TRIED) {
      // A transfer to another servicer, unlike one to another owner, is servicing.
      const needed = operation === 'transfer' ? (['servicing:write'] as const) : access.scopes;
      const may = needed.some((scope) => scopes.includes(scope));
      const answer = await write(person(role), operation, body);
      const elsewhere = await write(foreign.get(role) as Person, operation, body);
      if (!may) {
        expect(`${answer.status} ${answer.body.code}`, role).toBe('403 insufficient_scope');
        if (operation !== 'transfer')
          expect(`${elsewhere.status} ${elsewhere.body.code}`, role).toBe('403 insufficient_scope');
        continue;
      }
      // Loans of another organization are not found.
      expect(`${elsewhere.status} ${elsewhere.body.code}`, role).toBe('404 not_found');
      expect(answer.status, `${role}: ${answer.text}`).toBe(expected.status);
      if (answer.status !== 200) continue;
      const { amount } = body as { amount?: string };
      const limit = limits[operation];
      const above = limit !== undefined && (ALWAYS.includes(operation) || Number(amount ?? WAIVED) > Number(limit));
      expect(answer.body.data.approval, `${role}: ${answer.text}`).toBe(above);
    }
  });
});

describe('a limit counts to the cent', () => {
  type Case = {
    operation: Operation;
    at: (loan: string) => object;
    above: (loan: string) => object;
    status: LoanStatus;
  };
  let payoff: string;
  let credited: string;
  beforeAll(async () => {
    const current = loans.get('Current') as string;
    for (const [feeId, amount] of [
      ['TEN', '10.00'],
      ['MORE', '10.01'],
    ])
      expect((await asOwner('assess-fee', { loanId: current, feeId, name: 'Copy', amount })).status).toBe(200);
    payoff = (await service.call('GET', `/v2/chain/loans/${current}/payoff`, owner)).body.data.payoff;
    const { body } = await asOwner('loans', creation());
    credited = body.loanId;
    for (const [path, more] of [
      ['start-underwriting', {}],
      ['complete-underwriting', { approved: true }],
      ['initiate-repayment', {}],
      ['loan-repay', { refId: 'ALL', amount: '12,100.00', acceptOverpayment: true }],
      ['acknowledge-repayment', { refId: 'ALL' }],
    ] as const)
      expect((await asOwner(path, { loanId: credited, ...more })).status, path).toBe(200);
  });
  const less = (cents: number) => (Number(payoff.replaceAll(',', '')) - cents / 100).toFixed(2);
  const settle = (cents: number) => ({ amount: less(cents), goodThrough: '2026-01-31', reason: 'Hardship' });
  const plain = (operation: Operation, more: object = {}): Omit<Case, 'status'> => ({
    operation,
    at: () => ({ ...more, amount: '10.00' }),
    above: () => ({ ...more, amount: '10.01' }),
  });
  const cases: Case[] = [
    { ...plain('loan-repay', { refId: 'NEW' }), status: 'Current' },
    { ...plain('assess-fee', { feeId: 'NEW', name: 'Copy' }), status: 'Current' },
    {
      operation: 'waive-fee',
      status: 'Current',
      at: () => ({ feeId: 'TEN', reason: 'Goodwill' }),
      above: () => ({ feeId: 'MORE', reason: 'Goodwill' }),
    },
    // The limit of a settlement is compared with the amount given up.
    { operation: 'settle', status: 'Current', at: () => settle(1_000), above: () => settle(1_001) },
    { ...plain('write-down', { reason: 'Auction' }), status: 'ChargedOff' },
    { ...plain('record-recovery', { refId: 'NEW' }), status: 'ChargedOff' },
    { ...plain('refund-credit', { refId: 'NEW' }), status: 'ClosedEarly' },
  ];

  it.each(cases)('$operation', async ({ operation, at, above, status }) => {
    const loanId = operation === 'refund-credit' ? credited : (loans.get(status) as string);
    for (const [body, approval] of [
      [at(loanId), false],
      [above(loanId), true],
    ] as const) {
      const answer = await write(person('ten'), operation, { loanId, ...body });
      expect(answer.status, answer.text).toBe(200);
      expect(answer.body.data.approval, answer.text).toBe(approval);
      const unlimited = await write(person('manager'), operation, { loanId, ...body });
      expect(unlimited.body.data.approval, unlimited.text).toBe(false);
    }
  });

  it('names every operation that has an amount', () => {
    expect(cases.map(({ operation }) => operation).sort()).toEqual(Object.keys(TEN.limits).sort());
  });
});
