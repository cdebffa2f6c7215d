/** The two forms of amounts and counts: what a client's option and the header `Prefer` give, everywhere that a number is answered. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Answered, CallOptions, TestApp } from '../support/app.ts';
import { type Approving, approving, type Someone } from '../support/approvals.ts';
import { loanIn } from '../support/statuses.ts';

let all: Approving;
let service: TestApp;
let token: string;
let loanId: string;
/** A client of each form, with every scope. */
const clients = { plain: { token: '', key: '', clientId: '' }, interface: { token: '', key: '', clientId: '' } };
type Form = keyof typeof clients;

const PLAIN = { prefer: 'numbers=plain' };
const call = (method: string, path: string, { token: by = token, ...more }: CallOptions = {}) =>
  service.call(method, `/v2/chain/${path}`, { token: by, key: service.credentials.apiKey, ...more });
const as = (form: Form, method: string, path: string, more: CallOptions = {}) =>
  service.call(method, `/v2/chain/${path}`, { ...clients[form], ...more });
const appliedIn = ({ headers }: Answered) => headers.get('preference-applied');
async function done(answered: Promise<Answered>, status = 200): Promise<Answered> {
  const answer = await answered;
  expect(answer.status, answer.text).toBe(status);
  return answer;
}

async function signIn({ clientId, clientSecret }: { clientId: string; clientSecret: string }): Promise<string> {
  return (await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } })).body.data.token;
}

const SCOPES = ['loans:read', 'loans:read_pii', 'loans:write', 'payments:write', 'servicing:write', 'reports:read'];

beforeAll(async () => {
  all = await approving();
  service = all.service;
  token = await service.token();
  for (const numbers of ['plain', 'interface'] as const) {
    const body = { name: numbers, scopes: [...SCOPES, 'public:read', 'events:read'], numbers };
    const { data } = (await done(call('POST', 'clients', { body }))).body;
    clients[numbers] = { token: await signIn(data), key: data.apiKey, clientId: data.clientId };
  }
  loanId = await all.loan({ published: true });
  await done(call('POST', 'loan-repay', { body: { loanId, amount: '1500.50', refId: 'P-1' } }));
});
afterAll(() => service.close());

/** Every text of an answer, by its place. */
function texts(value: unknown, at = ''): [string, string][] {
  if (typeof value === 'string') return [[at, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => texts(one, `${at}/${name}`));
}

const GROUPED = /^-?\d{1,3}(,\d{3})+(\.\d+)?$/;
const without = (text: string) => (GROUPED.test(text) ? text.replaceAll(',', '') : text);

const READS = [
  '',
  '/summary',
  '/schedule',
  '/payoff',
  '/payoff-quotes',
  '/history',
  '/timeline',
  '/journal',
  '/deals',
  '/policy',
  '/explain/payoff',
].map((part) => `loans/{loan}${part}`);
const LISTS = ['loans', 'ledger/trial-balance', 'ledger/tie-out', 'portfolio/summary', 'portfolio/cashflows'];

it.each([...READS, 'loan-data/{loan}', ...LISTS])(
  '%s: the option of the client gives the same answer as the header, and only separators differ',
  async (template) => {
    const path = template.replace('{loan}', loanId);
    const grouped = await done(as('interface', 'GET', path));
    const plain = await done(as('plain', 'GET', path));
    expect([appliedIn(grouped), appliedIn(plain)]).toEqual([null, 'numbers=plain']);
    expect(plain.headers.get('vary')).toContain('Prefer');
    expect(texts(plain.body).filter(([at, text]) => GROUPED.test(text) && !/\/(Request|Response)\//.test(at))).toEqual(
      [],
    );
    const asked = await done(as('interface', 'GET', path, { headers: PLAIN }));
    expect([asked.text, asked.headers.get('etag')]).toEqual([plain.text, plain.headers.get('etag')]);
    const back = await done(as('plain', 'GET', path, { headers: { prefer: 'numbers=interface' } }));
    expect([back.text, appliedIn(back)]).toEqual([grouped.text, 'numbers=interface']);
    expect(back.headers.get('etag')).not.toBe(plain.headers.get('etag'));
    expect(texts(plain.body)).toEqual(texts(grouped.body).map(([at, text]) => [at, without(text)]));
  },
);

it('both forms have something to differ in, createdAt and the mileage of the public record too', async () => {
  const details = async (form: Form) => (await done(as(form, 'GET', `loan-data/${loanId}`))).body.data.loanDetails;
  const [grouped, plain] = [await details('interface'), await details('plain')];
  expect(grouped.loanAmount).toBe('12,000');
  expect(plain.loanAmount).toBe('12000');
  expect(Number(plain.createdAt)).toBe(Number(grouped.createdAt.replaceAll(',', '')));
  expect(grouped.createdAt).toMatch(/^\d(,\d{3}){4}$/);
});

it('is an option of a client: created, listed, changed, shown by GET /me, and kept by a rotation', async () => {
  const scopes = ['loans:read'];
  const made = (await done(call('POST', 'clients', { body: { name: 'program', scopes, numbers: 'plain' } }))).body.data;
  const { clientId } = made;
  const listed = async () =>
    (await call('GET', 'clients')).body.data.items.find((one: { clientId: string }) => one.clientId === clientId)
      .numbers;
  const me = async (secret: string) =>
    (await call('GET', 'me', { token: await signIn({ clientId, clientSecret: secret }), key: '' })).body.data.numbers;
  expect([await listed(), await me(made.clientSecret)]).toEqual(['plain', 'plain']);
  const { clientSecret } = (await done(call('POST', 'rotate-client', { body: { clientId, what: 'both' } }))).body.data;
  await done(call('POST', 'update-client', { body: { clientId, name: 'renamed' } }));
  expect([await listed(), await me(clientSecret)]).toEqual(['plain', 'plain']);
  await done(call('POST', 'update-client', { body: { clientId, numbers: 'interface' } }));
  expect([await listed(), await me(clientSecret)]).toEqual(['interface', 'interface']);
  const trail = (await call('GET', 'audit?operation=update-client')).body.data.items;
  expect(trail.map(({ subject }: { subject: string }) => subject)).toEqual([clientId, clientId]);
  const wrong = await call('POST', 'clients', { body: { name: 'program', scopes, numbers: 'text' } });
  expect(wrong.body).toMatchObject({ status: 422, errors: [{ pointer: '/numbers', code: 'enum' }] });
  const other = (await done(call('POST', 'clients', { body: { name: 'other', scopes } }))).body.data;
  const items = (await call('GET', 'clients')).body.data.items as { clientId: string; numbers: string }[];
  expect(items.find((one) => one.clientId === other.clientId)?.numbers).toBe('interface');
});

it('the client of a sandbox has the form of the client that made it', async () => {
  const body = { name: 'maker', scopes: ['admin'], numbers: 'plain' };
  const maker = await signIn((await done(call('POST', 'clients', { body }))).body.data);
  const made = (await done(call('POST', 'sandboxes', { body: { name: 'Rehearsal' }, token: maker, key: '' }))).body
    .data;
  const me = await call('GET', 'me', { token: await signIn(made), key: '' });
  expect(me.body.data.numbers).toBe('plain');
});

it('a session has the interface’s form, whatever the clients have', async () => {
  const person = await all.person('alice');
  expect((await person.get('me')).body.data.numbers).toBe('interface');
  const read = async (headers = {}) => (await person.get(`loans/${loanId}/payoff`, { headers })).body.data.payoff;
  expect(await read()).toMatch(GROUPED);
  expect(await read(PLAIN)).toBe((await read()).replace(',', ''));
});

it('amounts in a problem have the form of the request; its sentence stays as it is', async () => {
  const body = { loanId, amount: '99000', refId: 'TOO-MUCH' };
  const grouped = await as('interface', 'POST', 'loan-repay', { body });
  const plain = await as('plain', 'POST', 'loan-repay', { body });
  expect(grouped.body).toMatchObject({ status: 422, refusal: 'amount_exceeds_payoff' });
  expect(grouped.body.payoff).toMatch(GROUPED);
  expect(plain.body.payoff).toBe(without(grouped.body.payoff));
  expect(plain.body.detail).toBe(grouped.body.detail);
  const reasons = async (form: Form) =>
    (await as(form, 'GET', `loans/${loanId}/summary`)).body.data.notAllowed.find(
      ({ reason }: { reason: { payoff?: string } }) => reason.payoff !== undefined,
    ).reason.payoff;
  expect(await reasons('plain')).toBe(without(await reasons('interface')));
});

it('a repeated key is answered in the form of the request that repeats it, and its body does not depend on the form', async () => {
  const options = (prefer?: string): CallOptions => ({
    body: { loanId, amount: '1000.10', refId: 'KEYED' },
    headers: { 'idempotency-key': 'numbers-1', ...(prefer === undefined ? {} : { prefer }) },
  });
  const first = await done(as('plain', 'POST', 'loan-repay', options()));
  expect(first.body.data.remainingBalance).toMatch(/^\d{4,5}(\.\d{2})?$/);
  const grouped = await done(as('plain', 'POST', 'loan-repay', options('numbers=interface')));
  expect([grouped.headers.get('idempotent-replayed'), appliedIn(grouped)]).toEqual(['true', 'numbers=interface']);
  expect(grouped.body.data.remainingBalance).toMatch(GROUPED);
  const again = await done(as('plain', 'POST', 'loan-repay', options()));
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
  // The client's option has changed since the first call.
  await done(call('POST', 'update-client', { body: { clientId: clients.plain.clientId, numbers: 'interface' } }));
  const changed = await done(as('plain', 'POST', 'loan-repay', options()));
  expect(changed.text).toBe(grouped.text);
  await done(call('POST', 'update-client', { body: { clientId: clients.plain.clientId, numbers: 'plain' } }));
  // A payment that is repeated by its reference alone.
  const byReference = await done(as('plain', 'POST', 'loan-repay', { body: options().body }));
  expect(byReference.text).toBe(first.text);
});

it('a dry run has its journal and its figures in the form of the request', async () => {
  const body = { loanId, amount: '2000', refId: 'DRY' };
  const grouped = await done(as('interface', 'POST', 'loan-repay?dryRun=true', { body }));
  const plain = await done(as('plain', 'POST', 'loan-repay?dryRun=true', { body }));
  expect(grouped.body.data.journal.some(({ debit }: { debit: string }) => GROUPED.test(debit))).toBe(true);
  expect(texts(plain.body)).toEqual(texts(grouped.body).map(([at, text]) => [at, without(text)]));
});

it('what was restated is plain too, and words among the figures stay', async () => {
  const own = await all.loan();
  await done(as('plain', 'POST', 'loan-repay', { body: { loanId: own, amount: '3000', refId: 'R-1' } }));
  const undone = await done(as('plain', 'POST', 'return-repayment', { body: { loanId: own, refId: 'R-1' } }));
  const changes = undone.body.data.changes as { what: string; before: string; after: string }[];
  const principal = changes.find(({ what }) => what === 'principal');
  expect([principal?.before, principal?.after].every((text) => /^\d{4,5}(\.\d{2})?$/.test(text ?? ''))).toBe(true);
  const grouped = await done(as('interface', 'POST', 'return-repayment', { body: { loanId: own, refId: 'R-1' } }));
  expect(undone.body.transactionHash).toBe(grouped.body.transactionHash);
});

it('a request for approval is shown to everybody in their own form, and approved by the same hash', async () => {
  await all.policy({ approvals: { 'waive-fee': true } });
  const own = await all.loan();
  const asker: Someone = await all.program();
  const approver: Someone = await all.program();
  const body = { loanId: own, feeId: 'F-1', reason: 'Goodwill' };
  const requested = await asker.post('waive-fee', body, { headers: PLAIN });
  expect([requested.status, appliedIn(requested)]).toEqual([202, 'numbers=plain']);
  const { approvalId, preview, previewHash } = requested.body.data;
  expect(preview.payoff).toMatch(/^\d{5}(\.\d{2})?$/);
  const again = (await asker.post('waive-fee', body)).body.data;
  expect([again.approvalId, again.previewHash]).toEqual([approvalId, previewHash]);
  expect(again.preview.payoff).toMatch(GROUPED);
  const shown = await approver.get(`approvals/${approvalId}`);
  const shownPlain = await approver.get(`approvals/${approvalId}`, { headers: PLAIN });
  expect([shown.body.data.preview, shownPlain.body.data.preview]).toEqual([again.preview, preview]);
  expect(shown.headers.get('etag')).not.toBe(shownPlain.headers.get('etag'));
  // A payment in between: the new preview of the refusal has the form of the approver's request.
  await done(as('plain', 'POST', 'loan-repay', { body: { loanId: own, amount: '1200', refId: 'BETWEEN' } }));
  const decision = { approvalId, reason: 'Looked at it' };
  const refused = await approver.post('approve', decision, { headers: PLAIN });
  expect(refused.body.code, refused.text).toBe('outcome_changed');
  expect(refused.body.preview.payoff).toMatch(/^\d{5}(\.\d{2})?$/);
  const refusedGrouped = await approver.post('approve', decision);
  expect(refusedGrouped.body.preview.payoff).toMatch(GROUPED);
  expect(refusedGrouped.body.previewHash).toBe(refused.body.previewHash);
  const approved = await approver.post(
    'approve',
    { ...decision, previewHash: refused.body.previewHash },
    { headers: PLAIN },
  );
  expect([approved.status, approved.body.data.state, appliedIn(approved)], approved.text).toEqual([
    200,
    'approved',
    'numbers=plain',
  ]);
  expect(texts(approved.body).filter(([, text]) => GROUPED.test(text))).toEqual([]);
  await all.policy({ approvals: {} });
});

it('the public market takes the header, and no cache may mix the forms', async () => {
  const paths = ['loans', 'summary', `loans/${loanId}`, `loans/${loanId}/record`, `loans/${loanId}/transactions`];
  for (const path of paths) {
    const [grouped, plain] = await Promise.all(
      [{}, PLAIN].map((headers) => done(service.call('GET', `/market/data/${path}`, { headers }))),
    );
    expect(
      texts(grouped?.body).some(([, text]) => GROUPED.test(text)),
      path,
    ).toBe(true);
    expect(texts(plain?.body), path).toEqual(texts(grouped?.body).map(([at, text]) => [at, without(text)]));
    expect(
      [plain, grouped].map((one) => one?.headers.get('vary')?.split(', ')[0]),
      path,
    ).toEqual(['Prefer', 'Prefer']);
    expect(plain?.headers.get('etag'), path).not.toBe(grouped?.headers.get('etag'));
    const etag = { 'if-none-match': grouped?.headers.get('etag') ?? '' };
    const stale = await service.call('GET', `/market/data/${path}`, { headers: { ...PLAIN, ...etag } });
    expect(stale.status, path).toBe(200);
  }
});

it('calculators and exports have one form, which is plain, whatever is preferred', async () => {
  const body = {
    ...{ disbursements: [{ date: '2026-01-31', amount: '10000.00' }], annualRatePercent: '6' },
    dueDates: ['2026-02-28', '2026-03-31', '2026-04-30'],
  };
  for (const [method, path, more] of [
    ['POST', 'calculate-schedule', { body }],
    ['GET', 'exports/loans', {}],
    ['GET', 'exports/payments?format=csv', {}],
  ] as const) {
    const answers = await Promise.all(
      (['plain', 'interface'] as const).map((form) => done(as(form, method, path, more))),
    );
    const [plain = '', grouped = ''] = answers.map(({ text }) =>
      text.replaceAll(/"?cursor"?:?[^,}\n]*|[\w.-]{60,}/g, ''),
    );
    expect(plain, path).toBe(grouped);
    expect(plain, path).not.toMatch(/"\d{1,3}(,\d{3})+/);
    expect(plain, path).toMatch(/\d{4,}\.\d\d/);
  }
});

it('the feed has no amounts', async () => {
  const events = (await done(as('plain', 'GET', 'events?limit=100'))).body.data.items as object[];
  expect(events.length).toBeGreaterThan(3);
  for (const event of events) {
    expect(Object.keys(event)).toEqual([
      ...['id', 'type', 'loanId', 'transactionHash', 'sequence', 'dateEffective', 'recordedAt', 'subject'],
    ]);
  }
});

it('amounts are accepted with separators or without, in either form', async () => {
  const own = await loanIn(
    'Current',
    (path, body) => call('POST', path, { body }),
    async () => '',
  );
  const paid = async (form: Form, amount: unknown, refId: string) =>
    (await done(as(form, 'POST', 'loan-repay', { body: { loanId: own, amount, refId } }))).body.data.allocation;
  const parts = [await paid('plain', '1,000.50', 'A'), await paid('interface', '1000.5', 'B')];
  expect(
    parts.map(({ principal, interest, fees }) => Number(without(principal)) + Number(interest) + Number(fees)),
  ).toEqual([1000.5, 1000.5]);
});
