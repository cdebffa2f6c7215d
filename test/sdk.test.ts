/** The client of sdk/ against the assembled service: what it promises about tokens, lost answers, pages, problems, the stream and webhooks. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient, type Daybook, type FeedEvent, ProblemError, verifyWebhook } from 'daybook-sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from './support/app.ts';
import { type CuttingProxy, cuttingProxy } from './support/cutting-proxy.ts';

let service: TestApp;
let proxy: CuttingProxy;
let daybook: Daybook;

beforeAll(async () => {
  service = await testApp({ OUTBOUND_ALLOW: '127.0.0.1' });
  proxy = await cuttingProxy(service.url);
  daybook = createClient({
    baseUrl: `${proxy.url}/v2/chain`,
    auth: service.credentials,
    sleep: async () => {},
  });
});
afterAll(async () => {
  proxy?.close();
  await service?.close();
});

let applications = 0;
async function newLoan(): Promise<string> {
  applications += 1;
  const { body } = await daybook.createLoan({
    body: {
      ...{ applicationId: `SDK-${applications}`, borrowerId: 'B-1', lenderId: 'L-1', loanType: 'AutoLoan' },
      ...{ loanAmount: '12,000.00', interestRate: '9', term: 12 },
    },
  });
  if (!('loanId' in body)) throw new Error('a new loan waits for no approval');
  return body.loanId;
}

async function inRepayment(): Promise<string> {
  const loanId = await newLoan();
  await daybook.startUnderwriting({ body: { loanId } });
  await daybook.completeUnderwriting({ body: { loanId, approved: true, reason: 'Known customer' } });
  await daybook.initiateRepayment({ body: { loanId } });
  return loanId;
}

const exchanges = () => proxy.seen.filter(({ line }) => line.endsWith('/oauth/token')).length;

test('one token serves every call, and one that has ended is replaced', async () => {
  const own = await service.access.createClient(service.organizationId, { name: 'own', scopes: ['loans:read'] });
  const client = createClient({ baseUrl: `${proxy.url}/v2/chain`, auth: own });
  const before = exchanges();
  const [me] = await Promise.all([client.readMe(), client.listLoans(), client.readClock()]);
  expect(me.data.scopes).toEqual(['loans:read']);
  expect(exchanges() - before).toBe(1);
  // The token ends by the clock of the service, of which the client knows nothing.
  service.clock.now += 3_600_001;
  expect((await client.readMe()).status).toBe(200);
  expect(exchanges() - before).toBe(2);
});

test('a payment whose answer is lost is recorded once, and answered', async () => {
  const loanId = await inRepayment();
  proxy.loseNext('/v2/chain/loan-repay');
  const before = proxy.seen.length;
  const { data } = await daybook.submitRepayment({ body: { loanId, amount: '600.00', refId: 'ACH-1' } });
  if ('approvalId' in data) throw new Error('it waits for no approval');
  expect(data.allocation.principal).not.toBe('');
  const sent = proxy.seen.slice(before);
  expect(sent.map(({ line }) => line)).toEqual(['POST /v2/chain/loan-repay', 'POST /v2/chain/loan-repay']);
  expect(sent[1]?.headers['idempotency-key']).toBe(sent[0]?.headers['idempotency-key']);
  const { data: record } = await daybook.readLoan({ path: { loan_id: loanId }, purpose: 'test' });
  expect(record.loanDetails.loanPayments.map(({ paymentId }) => paymentId)).toEqual(['ACH-1']);
});

test('every item of a list, over its pages', async () => {
  const made = [await newLoan(), await newLoan(), await newLoan(), await newLoan(), await newLoan()];
  const before = proxy.seen.length;
  const found: string[] = [];
  for await (const { loanId } of daybook.each('listLoans', { query: { limit: 2 } })) found.push(loanId);
  expect(found).toEqual(expect.arrayContaining(made));
  expect(new Set(found).size).toBe(found.length);
  expect(proxy.seen.length - before).toBe(Math.ceil(found.length / 2));
});

test('a refusal has its code, its reason and its figures; an invalid request its fields', async () => {
  const loanId = await newLoan();
  const refused = await problemOf(daybook.submitRepayment({ body: { loanId, amount: '1', refId: 'ACH-9' } }));
  expect(refused).toMatchObject({ status: 409, code: 'conflict', refusal: 'wrong_status' });
  expect(refused.problem.allowed).toContain('start-underwriting');
  expect(refused.requestId).toMatch(/^[\w-]{36}$/);
  const invalid = await problemOf(daybook.listLoans({ query: { limit: 0 } }));
  expect(invalid.errors).toEqual([expect.objectContaining({ pointer: '/limit' })]);
});

async function problemOf(call: Promise<unknown>): Promise<ProblemError> {
  const error = await call.catch((thrown: unknown) => thrown);
  if (error instanceof ProblemError) return error;
  throw error;
}

test('the stream begins now, and goes on after the connection was cut: nothing is lost, nothing comes twice', async () => {
  await newLoan();
  const events = daybook.stream({ after: 'now', types: ['loan.created', 'application.*'] });
  const next = async (): Promise<FeedEvent> => {
    const { value } = await events.next();
    if (value === undefined) throw new Error('the stream has ended');
    return value;
  };
  const coming = next();
  await expect.poll(() => proxy.seen.filter(({ line }) => line === 'GET /v2/chain/events').length).toBe(2);
  const first = await newLoan();
  expect(await coming).toMatchObject({ type: 'loan.created', loanId: first });
  const lost = next();
  proxy.cutOpen();
  const second = await newLoan();
  await daybook.startUnderwriting({ body: { loanId: second } });
  expect([await lost, await next()].map(({ loanId, type }) => [loanId, type])).toEqual([
    [second, 'loan.created'],
    [second, 'application.underwriting_started'],
  ]);
  await events.return();
});

test('what the service delivers is verified, during a rotation with either secret', async () => {
  const got: { body: string; headers: IncomingHttpHeaders }[] = [];
  const receiver = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    got.push({ body: Buffer.concat(chunks).toString(), headers: request.headers });
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const { data: endpoint } = await daybook.createWebhookEndpoint({ body: { url, types: ['payment.*'] } });
    const { endpointId } = endpoint;
    const { data: rotated } = await daybook.rotateWebhookSecret({ body: { endpointId } });
    await daybook.testWebhook({ body: { endpointId } });
    const [delivered] = got;
    if (delivered === undefined) throw new Error('nothing was delivered');
    for (const secret of [endpoint.secret, rotated.secret, [rotated.secret, endpoint.secret]]) {
      const message = await verifyWebhook({ ...delivered, secret });
      expect(message).toMatchObject({ type: 'webhook.test', id: message.data.id });
    }
    const another = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
    await expect(verifyWebhook({ ...delivered, secret: another })).rejects.toThrow('No signature');
  } finally {
    receiver.close();
  }
});
