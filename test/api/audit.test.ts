/** The audit trail over HTTP: what leaves an entry, what a refusal leaves, who sees it, and that nothing personal is in it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../src/http/routes.ts';
import { type Answered, type CallOptions, type TestApp, testApp } from '../support/app.ts';
import { granted } from '../support/granted.ts';
import { type TestProvider, testProvider } from '../support/oidc.ts';
import { creation } from '../support/statuses.ts';
import { TRAIL } from '../support/trail.ts';

let service: TestApp;
let token: string;
let loanId: string;
let provider: TestProvider;

beforeAll(async () => {
  service = await testApp({ OUTBOUND_ALLOW: '127.0.0.1' });
  provider = await testProvider([`${service.url}/sign-in/callback/${service.organizationId}`]);
  token = await service.token();
  loanId = await repaying();
});
afterAll(async () => {
  provider.close();
  await service.close();
});

const call = (method: string, path: string, options: CallOptions = {}): Promise<Answered> =>
  service.call(method, `/v2/chain/${path}`, { token, key: service.credentials.apiKey, ...options });
const post = (path: string, body: object, options: CallOptions = {}) => call('POST', path, { body, ...options });

async function done(path: string, body: object, options: CallOptions = {}): Promise<Answered> {
  const answer = await post(path, body, options);
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer;
}

async function repaying(more: object = {}): Promise<string> {
  const created = await done('loans', creation(more));
  const id = created.body.loanId;
  await done('start-underwriting', { loanId: id });
  await done('complete-underwriting', { loanId: id, approved: true });
  await done('initiate-repayment', { loanId: id });
  return id;
}

type Row = Record<string, unknown> & { operation: string; subject: string | null };
const rows = (where: string, values: readonly unknown[] = []) =>
  service.db.query<Row>(
    `SELECT kind, operation, outcome, subject, organization_id, owner_id, client_id, user_id, key_id, count, request_id,
       '0x' || encode(loan_id, 'hex') AS loan_id, '0x' || encode(transaction_hash, 'hex') AS hash FROM ${TRAIL} WHERE ${where} ORDER BY entry_id`,
    values,
  );
const ofRequest = ({ headers }: Answered) => rows('request_id = $1', [headers.get('daybook-request-id')]);
const list = async (query: string, options: CallOptions = {}) => {
  const answer = await call('GET', `audit${query}`, options);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data as { items: Row[]; nextCursor: string | null };
};

const ENTRY = {
  lenderId: 'LND-1',
  lines: [
    { account: 'cash', debit: '5' },
    { account: 'feeIncome', credit: '5' },
  ],
  reason: 'A fee of the branch',
};

describe('a write', () => {
  test('of a loan leaves one entry, with the transaction and who sent it', async () => {
    const answer = await done('loan-repay', { loanId, amount: '100', refId: 'P-1' });
    expect(await ofRequest(answer)).toEqual([
      {
        ...{
          kind: 'did',
          operation: 'loan-repay',
          outcome: 'done',
          subject: null,
          count: 1,
          owner_id: null,
          user_id: null,
        },
        organization_id: service.organizationId,
        client_id: 'first',
        key_id: expect.stringMatching(/^key_/),
        request_id: answer.headers.get('daybook-request-id'),
        loan_id: loanId,
        hash: answer.body.transactionHash,
      },
    ]);
    // The same payment again changes nothing, and a dry run neither.
    expect(await ofRequest(await done('loan-repay', { loanId, amount: '100', refId: 'P-1' }))).toEqual([]);
    expect(await ofRequest(await done('loan-repay?dryRun=true', { loanId, amount: '1', refId: 'P-2' }))).toEqual([]);
    const created = await done('loans', creation({ applicationId: 'APP-audit' }));
    expect(await ofRequest(created)).toMatchObject([{ operation: 'create-loan', hash: created.body.transactionHash }]);
  });

  test('under a key leaves its entry the first time only', async () => {
    const headers = { 'idempotency-key': 'audit-1' };
    const first = await done('ledger/account-codes', { codes: { cash: '1000' } }, { headers });
    const second = await done('ledger/account-codes', { codes: { cash: '1000' } }, { headers });
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await ofRequest(first)).toMatchObject([{ kind: 'did', operation: 'set-account-codes', outcome: 'done' }]);
    expect(await ofRequest(second)).toEqual([]);
  });

  /** By the organization that has received the grant. */
  async function answered(path: 'accept-grant' | 'decline-grant'): Promise<[Answered, string]> {
    const { organizationId } = await service.access.createOrganization('owner');
    const to = { granteeOrganizationId: service.organizationId, access: 'read' } as const;
    const grantId = (await service.access.createGrant(organizationId, to))?.grantId ?? '';
    return [await done(path, { grantId }), grantId];
  }

  /** By operation: a call that succeeds, and the id that its entry names. */
  const CALLS: Record<string, () => Promise<[Answered, string | null | RegExp]>> = {
    'create-client': async () => {
      const answer = await done('clients', { name: 'desk', scopes: ['loans:read'] });
      return [answer, answer.body.data.clientId];
    },
    'update-client': async () => {
      const { clientId } = await client();
      return [await done('update-client', { clientId, name: 'other' }), clientId];
    },
    'rotate-client': async () => {
      const { clientId } = await client();
      return [await done('rotate-client', { clientId, what: 'both' }), clientId];
    },
    'revoke-client': async () => {
      const { clientId } = await client();
      await done('revoke-client', { clientId });
      // It is revoked already: nothing has to be changed, and who asked is entered all the same.
      return [await done('revoke-client', { clientId }), clientId];
    },
    'create-key': async () => {
      const answer = await done('create-key', { clientId: (await client()).clientId });
      return [answer, answer.body.data.keyId];
    },
    'revoke-key': async () => {
      const { keyId } = await client();
      return [await done('revoke-key', { keyId }), keyId];
    },
    'create-grant': async () => {
      const { organizationId } = await service.access.createOrganization('grantee');
      const answer = await done('grants', { granteeOrganizationId: organizationId, access: 'read' });
      return [answer, answer.body.data.grantId];
    },
    'revoke-grant': async () => {
      const { organizationId } = await service.access.createOrganization('grantee');
      const made = await done('grants', { granteeOrganizationId: organizationId, access: 'read' });
      const { grantId } = made.body.data;
      return [await done('revoke-grant', { grantId }), grantId];
    },
    'accept-grant': async () => answered('accept-grant'),
    'decline-grant': async () => answered('decline-grant'),
    'end-grant': async () => {
      const [, grantId] = await answered('accept-grant');
      return [await done('end-grant', { grantId }), grantId];
    },
    'set-clock': async () => [await done('clock', { timeZone: 'America/Chicago' }), 'UTC'],
    'advance-clock': async () => {
      const sandbox = await done('sandboxes', { name: 'clock', start: '2026-01-01' });
      const { clientId, clientSecret, apiKey: key } = sandbox.body.data;
      const signed = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
      const other = { token: signed.body.data.token, key };
      return [await done('clock/advance', { to: '2026-01-03' }, other), '2026-01-03'];
    },
    'create-sandbox': async () => {
      const answer = await done('sandboxes', { name: 'one' });
      return [answer, answer.body.data.organizationId];
    },
    'end-sandbox': async () => {
      const { organizationId } = (await done('sandboxes', { name: 'two' })).body.data;
      return [await done('end-sandbox', { organizationId }), organizationId];
    },
    'add-policy': async () => [
      await done('policies', {
        policyId: 'standard',
        lenderId: null,
        from: '2026-03-01',
        values: { nonAccrualDays: 90 },
      }),
      'standard',
    ],
    'set-account-codes': async () => [await done('ledger/account-codes', { codes: { cash: '1001' } }), null],
    'close-period': async () => {
      service.clock.now = Date.UTC(2026, 1, 2, 12);
      token = await service.token();
      await service.loans.cycle.runCyclesThrough(service.organizationId, '2026-01-31' as never);
      // With an entry in it December can be closed too, and with it a year.
      await done('ledger/entries', { ...ENTRY, date: '2025-12-31' });
      return [await done('ledger/close', { through: '2026-01' }), '2026-01'];
    },
    'close-year': async () => [await done('ledger/close-year', { year: 2025 }), '2025'],
    'record-entry': async () => {
      const answer = await done('ledger/entries', { ...ENTRY, date: '2026-02-01' });
      return [answer, answer.body.data.transactionHash];
    },
    'transfer-loans': async () => [
      await done('transfers', { loanIds: [loanId], what: 'servicer', to: 'SRV-9', date: '2026-03-01', reason: 'x' }),
      /^transfer-/,
    ],
    'create-user': async () => {
      const answer = await done('users', person('created'));
      return [answer, answer.body.data.userId];
    },
    'update-user': async () => {
      const userId = await user('updated');
      return [await done('update-user', { userId, roles: ['auditor'] }), userId];
    },
    'disable-user': async () => {
      const userId = await user('disabled');
      return [await done('disable-user', { userId }), userId];
    },
    'invite-user': async () => {
      const userId = await user('invited');
      return [await done('invite-user', { userId }), userId];
    },
    'end-sessions': async () => {
      const userId = await user('ended');
      return [await done('end-sessions', { userId }), userId];
    },
    'put-role': async () => [await done('roles', { name: 'desk', scopes: ['loans:read'] }), 'desk'],
    'remove-role': async () => {
      await done('roles', { name: 'gone', scopes: ['loans:read'] });
      return [await done('remove-role', { name: 'gone' }), 'gone'];
    },
    'set-identity-provider': async () => [await setProvider(), null],
    'remove-identity-provider': async () => {
      await setProvider();
      return [await done('remove-identity-provider', {}), null];
    },
    'create-webhook-endpoint': async () => [await hook(), /^endpoint_/],
    'update-webhook-endpoint': async () => onHook('update-webhook-endpoint', { status: 'paused' }),
    'rotate-webhook-secret': async () => onHook('rotate-webhook-secret'),
    'delete-webhook-endpoint': async () => onHook('delete-webhook-endpoint'),
    'test-webhook': async () => onHook('test-webhook'),
    'replay-webhook': async () => onHook('replay-webhook', { from: '2026-01-01T00:00:00Z' }),
    'accept-transfers': async () => [await done('accept-transfers', { transferId: 'transfer-none' }), /^transfer-/],
  };
  const person = (name: string) => ({ email: `${name}@example.com`, name: 'Robin Ellis', roles: ['agent'] });
  const user = async (name: string): Promise<string> => (await done('users', person(name))).body.data.userId;
  const hook = () => done('webhook-endpoints', { url: 'https://127.0.0.1:1/hook' });
  const onHook = async (path: string, more: object = {}): Promise<[Answered, string]> => {
    const { endpointId } = (await hook()).body.data;
    return [await done(path, { endpointId, ...more }), endpointId];
  };
  const setProvider = () => done('identity-provider', { issuer: provider.issuer, ...provider.client });
  const client = async (): Promise<{ clientId: string; keyId: string }> =>
    (await done('clients', { name: 'test', scopes: ['loans:read'] })).body.data;

  const changing = operations.filter(({ changes, isAlias }) => changes === true && isAlias !== true);

  test('every operation that changes something besides one loan is tried here', () => {
    const ofOneLoan = ['create-loan', 'approve', 'reject'];
    // It always waits for somebody else: test/issues/allowance.test.ts.
    const waiting = ['book-allowance'];
    const elsewhere = [...ofOneLoan, ...waiting];
    const others = changing.filter(({ carryOut, name }) => carryOut === undefined && !elsewhere.includes(name));
    expect(Object.keys(CALLS).sort()).toEqual(others.map(({ name }) => name).sort());
    // Everything else that is a POST with a token reads or computes, or enters itself what it did.
    const posts = operations.filter(
      (one) => one.method === 'POST' && one.isAlias !== true && one.access !== 'anonymous',
    );
    const reading = posts.filter((one) => !changing.includes(one)).map(({ name }) => name);
    expect(reading.sort()).toEqual([
      'calculate-apr',
      'calculate-irr',
      'calculate-offer',
      'calculate-schedule',
      'search-loans',
      'sign-out',
      'sign-out-everywhere',
      'simulate-loan',
      'write-adverse-action-notice',
    ]);
  });

  test.each(Object.keys(CALLS))('%s leaves one entry', async (operation) => {
    const [answer, subject] = await (CALLS[operation] as (typeof CALLS)[string])();
    const entries = await ofRequest(answer);
    expect(entries).toMatchObject([{ kind: 'did', operation, outcome: 'done', client_id: expect.any(String) }]);
    if (subject instanceof RegExp) expect(entries[0]?.subject).toMatch(subject);
    else expect(entries[0]?.subject).toBe(subject);
  });
});

describe('a refusal', () => {
  test('of a write is entered with its code and its loan, whatever refused it', async () => {
    const nobody = `0x${'77'.repeat(32)}`;
    const cases: [Answered, number, string, string | null][] = [
      [await post('loan-repay', { loanId: nobody, amount: '1', refId: 'X' }), 404, 'not_found', nobody],
      [await post('fund-loan', { loanId }), 409, 'conflict', loanId],
      [await post('loan-repay', { loanId, amount: 'much', refId: 'X' }), 422, 'invalid_request', loanId],
      [await post('loan-repay', { loanId: 'Ann Example', amount: '1', refId: 'X' }), 422, 'invalid_request', null],
      [await post('revoke-client', { clientId: 'client_nobody' }), 404, 'not_found', null],
    ];
    for (const [answer, status, outcome, loan] of cases) {
      expect([answer.status, answer.body.code], answer.text).toEqual([status, outcome]);
      expect(await ofRequest(answer)).toMatchObject([
        { kind: 'tried', outcome, loan_id: loan, client_id: 'first', hash: null },
      ]);
    }
  });

  test('for a scope or a key, of a read too; a bad value of a read is none, nor is a dry run that the loan refuses', async () => {
    const reader = await service.token(['loans:read']);
    const write = await post('loan-repay', { loanId, amount: '1', refId: 'X' }, { token: reader });
    expect(write.status).toBe(403);
    const scope = await service.call('POST', '/v2/chain/loan-repay', {
      token: reader,
      body: { loanId, amount: '1', refId: 'X' },
    });
    expect([scope.status, await ofRequest(scope)]).toMatchObject([
      403,
      [{ kind: 'tried', outcome: 'insufficient_scope' }],
    ]);
    expect(await ofRequest(write)).toMatchObject([{ kind: 'tried', outcome: 'invalid_key' }]);
    const read = await service.call('GET', `/v2/chain/loans/${loanId}`, { token: reader });
    expect([read.status, await ofRequest(read)]).toMatchObject([403, [{ operation: 'read-loan', loan_id: loanId }]]);
    const missing = await call('GET', `loans/0x${'88'.repeat(32)}/summary`);
    expect([missing.status, await ofRequest(missing)]).toMatchObject([404, [{ kind: 'tried', outcome: 'not_found' }]]);
    const bad = await call('GET', 'loans?limit=0');
    expect([bad.status, await ofRequest(bad)]).toEqual([422, []]);
    const dry = await post('fund-loan?dryRun=true', { loanId });
    expect([dry.status, await ofRequest(dry)]).toEqual([409, []]);
  });

  test('of a caller that is not known is counted by address, and a wrong secret at its client too', async () => {
    const { clientId } = (await done('clients', { name: 'guessed', scopes: ['loans:read'] })).body.data;
    await service.access.refusals.flush();
    for (let n = 0; n < 3; n++) {
      expect((await service.call('GET', '/v2/chain/loans', { token: 'forged' })).status).toBe(401);
    }
    const guess = { clientId, clientSecret: `dbs_${'a'.repeat(43)}` };
    for (let n = 0; n < 2; n++) await service.call('POST', '/v2/chain/auth-token', { body: guess });
    await service.access.refusals.flush();
    const counted = await rows(`request_id IS NULL AND kind = 'tried' AND operation IN ('request', 'create-token')`);
    expect(counted).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ organization_id: '', outcome: 'unauthorized', count: 3, client_id: null }),
        expect.objectContaining({
          organization_id: service.organizationId,
          subject: clientId,
          outcome: 'invalid_credentials',
        }),
      ]),
    );
    for (const { subject } of counted) expect(subject).not.toContain('127.0.0.1');
    await service.access.refusals.flush();
    expect(await rows(`request_id IS NULL AND kind = 'tried'`)).toHaveLength(counted.length);
  });

  test('is answered although its entry cannot be written', async () => {
    const held = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holding = service.db.transaction(async (tx) => {
      await tx.query('LOCK TABLE audit_waiting IN ACCESS EXCLUSIVE MODE');
      locked.resolve();
      await held.promise;
    });
    await locked.promise;
    const answer = await post('fund-loan', { loanId });
    held.resolve();
    await holding;
    expect(answer.status).toBe(409);
  });
});

describe('GET /audit', () => {
  test('shows the newest first, a page at a time, and each filter alone and together', async () => {
    await service.loans.ledger.seal();
    const first = await list('?limit=5');
    expect(first.items).toHaveLength(5);
    const second = await list(`?limit=5&cursor=${first.nextCursor}`);
    const ids = [...first.items, ...second.items].map(({ entryId }) => entryId as string);
    expect(ids).toEqual([...new Set(ids)].sort().reverse());
    for (const [query, is] of [
      ['operation=loan-repay', (row: Row) => row.operation === 'loan-repay'],
      ['kind=tried', (row: Row) => row.kind === 'tried'],
      ['outcome=refused', (row: Row) => row.outcome !== 'done'],
      ['outcome=conflict', (row: Row) => row.outcome === 'conflict'],
      ['outcome=done', (row: Row) => row.outcome === 'done'],
      [`loanId=${loanId}`, (row: Row) => row.loanId === loanId],
      ['clientId=first', (row: Row) => row.clientId === 'first'],
      [`loanId=${loanId}&kind=did&operation=loan-repay`, (row: Row) => row.operation === 'loan-repay'],
    ] as const) {
      const { items } = await list(`?limit=100&${query}`);
      expect(items.length, query).toBeGreaterThan(0);
      expect(items.every(is), query).toBe(true);
    }
    expect((await list('?userId=user_none')).items).toEqual([]);
    const paid = (await list('?operation=loan-repay&kind=did')).items[0];
    expect(paid).toMatchObject({
      purposeGiven: false,
      link: { number: expect.any(Number), hash: expect.stringMatching(/^0x/) },
    });
    const at = new Date(service.clock.now).toISOString();
    expect((await list(`?until=${at}&kind=did&operation=create-loan`)).items.length).toBeGreaterThan(0);
    expect((await list(`?from=${new Date(service.clock.now + 1).toISOString()}`)).items).toEqual([]);
    // Reading the trail is in the trail.
    expect((await list('?kind=saw&operation=list-audit')).items.length).toBeGreaterThan(0);
  });

  test('refuses what is no filter, and who may not see it', async () => {
    for (const query of [
      'cursor=x',
      'from=yesterday',
      'loanId=Ann',
      'kind=all',
      'nobody=1',
      'operation=A',
      'limit=0',
    ]) {
      expect((await call('GET', `audit?${query}`)).status, query).toBe(422);
    }
    const other = await service.token(['loans:read', 'admin']);
    expect((await service.call('GET', '/v2/chain/audit', { token: other })).status).toBe(403);
  });

  test('another organization sees its own entries, and the owner what it did on its loans', async () => {
    const { organizationId } = await service.access.createOrganization('servicer');
    const {
      clientId,
      clientSecret,
      apiKey: key,
    } = await service.access.createClient(organizationId, {
      name: 'desk',
      scopes: ['loans:read', 'loans:read_pii', 'loans:write', 'servicing:write', 'payments:write', 'audit:read'],
    });
    const signed = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
    const theirs = { token: signed.body.data.token as string, key };
    expect((await list('', theirs)).items).toEqual([]);
    const unseen = await call('GET', `loans/${loanId}`, theirs);
    expect(unseen.status).toBe(404);
    await granted(service.access, service.organizationId, {
      granteeOrganizationId: organizationId,
      access: 'servicing',
    });
    const paid = await done('loan-repay', { loanId, amount: '5', refId: 'THEIRS' }, theirs);
    await call('GET', `loans/${loanId}`, { ...theirs, headers: { purpose: 'payoff letter' } });
    const denied = await post('publish', { loanId, published: true }, theirs);
    expect(denied.status).toBe(403);
    const seen = (await list(`?clientId=${clientId}`)).items;
    expect(seen.map(({ operation, kind, outcome }) => [operation, kind, outcome])).toEqual([
      ['publish', 'tried', denied.body.code],
      ['read-loan', 'saw', 'done'],
      ['loan-repay', 'did', 'done'],
    ]);
    expect(seen[2]).toMatchObject({ organizationId, transactionHash: paid.body.transactionHash, loanId });
    expect(seen[1]).toMatchObject({ purposeGiven: true, subject: 'record' });
    // The loan that they could not see was nobody's then: the refusal is in their trail alone.
    const own = (await list('', theirs)).items;
    expect(own.some(({ outcome }) => outcome === 'not_found')).toBe(true);
    expect(own.every((row) => row.organizationId === organizationId)).toBe(true);
  });
});

test('nothing personal is in the trail, wherever a caller wrote it', async () => {
  const planted = [
    'Quentin',
    'Borrowerly',
    '666-12-3456',
    'quentin@example.com',
    'because he asked nicely',
    'Amelia Counsel',
  ];
  const [first, last, ssn, email, reason, purpose] = planted as [string, string, string, string, string, string];
  const body = creation({ applicationId: 'APP-personal' }) as Record<string, unknown>;
  await post('loans', {
    ...body,
    Request: { ...(body.Request as object), ApplicantFirstName: first, ApplicantLastName: last, ApplicantSSN: ssn },
  });
  await post('waive-fee', { loanId, feeId: reason, reason });
  await post('waive-fee', { loanId: `${first} ${last}`, feeId: ssn, reason });
  await call('GET', `loans/${encodeURIComponent(email)}`);
  await call('GET', `loans/${loanId}`, { headers: { purpose: `${purpose} ${ssn}` } });
  await post('search-loans', { ssn, lastName: last, dateOfBirth: '1980-01-02' });
  await post('search-loans', { email });
  await post('revoke-client', { clientId: email });
  await post('clients', { name: `${first} ${last}`, scopes: ['loans:read'] });
  await post('clients', { name: email, scopes: ['nonsense'] });
  await post('policies', { policyId: ssn, lenderId: null, from: '2026-03-01', values: {} });
  await post('accept-transfers', { transferId: ssn });
  await post(`loan-repay?dryRun=${encodeURIComponent(ssn)}`, { loanId, amount: '1', refId: ssn });
  await service.call('POST', '/v2/chain/auth-token', { body: { clientId: email, clientSecret: ssn } });
  await service.access.refusals.flush();
  const [row] = await service.db.query<{ text: string }>(
    `SELECT string_agg(trail::text, chr(10)) AS text FROM ${TRAIL}`,
  );
  const text = row?.text ?? '';
  expect(text.length).toBeGreaterThan(1_000);
  const hex = (value: string) => Buffer.from(value).toString('hex');
  for (const value of [...planted, '666123456', '127.0.0.1']) {
    expect(text.includes(value), value).toBe(false);
    expect(text.includes(hex(value)), value).toBe(false);
  }
});
