/** A call costs what it makes: a loan that comes with its own decision pays for no assessment. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applicationBody } from '../../src/demo/application.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { creation } from '../support/statuses.ts';

let service: TestApp;
let token: string;
beforeAll(async () => {
  service = await testApp({ RATE_LIMIT: '100', ORGANIZATION_RATE_LIMIT: '150' });
  const { organizationId } = await service.access.createOrganization('Boarding', null);
  const made = await service.access.createClient(organizationId, {
    ...{ name: 'boarding', scopes: ['loans:write', 'underwriting:write', 'loans:fund', 'servicing:write'] },
  });
  const { clientId, clientSecret } = made;
  token = (await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } })).body.data.token;
});
afterAll(() => service.close());

const LEFT = /^"default";r=(\d+);t=\d+, "organization";r=(\d+);t=\d+$/;
/** A call, and what it has taken of both budgets, in a minute of its own. */
async function taken(path: string, body: object, headers: Record<string, string> = {}) {
  service.clock.now += 60_000;
  const answer = await service.call('POST', `/v2/chain/${path}`, { token, body, headers });
  const [, own = 0, all = 0] = LEFT.exec(answer.headers.get('ratelimit') ?? '') ?? [];
  expect(answer.headers.get('ratelimit'), answer.text).toMatch(LEFT);
  expect(100 - Number(own), 'of both alike').toBe(150 - Number(all));
  if (path === 'loans') expect(answer.status, answer.text).toBe(200);
  return { ...answer, units: 100 - Number(own), loanId: answer.body.loanId as string };
}

test('what starts and completes the underwriting of a loan with its own decision costs one unit each', async () => {
  const { loanId, units } = await taken('loans', creation({ Response: { Decision: 'APPROVED' } }));
  expect(units).toBeLessThanOrEqual(3);
  const headers = { 'idempotency-key': 'start' };
  expect(await taken('start-underwriting', { loanId }, headers)).toMatchObject({ status: 200, units: 1 });
  expect(await taken('start-underwriting', { loanId }, headers), 'repeated').toMatchObject({ status: 200, units: 1 });
  expect(await taken('complete-underwriting', { loanId })).toMatchObject({ status: 200, units: 1 });
  expect(await taken('initiate-repayment', { loanId })).toMatchObject({ status: 200, units: 1 });
  // Nobody is named who could be assessed.
  const nobody = await taken('loans', creation());
  expect(await taken('start-underwriting', { loanId: nobody.loanId })).toMatchObject({ status: 200, units: 1 });
  // The next minute begins with all that is there: nothing is owed and nothing was gained.
  expect((await taken('start-underwriting', { loanId: nobody.loanId })).units).toBe(1);
});

test('an assessment costs what it did, and so do a counter-offer and a call that is refused', async () => {
  const { loanId } = await taken('loans', { ...applicationBody(3), applicationId: 'ASSESSED-1' });
  expect(await taken('start-underwriting', { loanId })).toMatchObject({ status: 200, units: 30 });
  expect(
    await taken('complete-underwriting', { loanId, approved: true, dealIndex: 3, reason: 'longer term' }),
  ).toMatchObject({
    ...{ status: 200, units: 20 },
  });
  expect(await taken('initiate-repayment', { loanId })).toMatchObject({ status: 200 });
  expect(await taken('start-underwriting', { loanId })).toMatchObject({ status: 409, units: 30 });
});

test('a minute that assessed one loan boards a dozen that come with their decisions', async () => {
  service.clock.now += 60_000;
  let done = 0;
  for (let i = 0; i < 16; i += 1) {
    const call = (path: string, body: object) => service.call('POST', `/v2/chain/${path}`, { token, body });
    const { body } = await call('loans', creation({ Response: { Decision: 'APPROVED' } }));
    if (body.loanId === undefined) break;
    const steps = ['start-underwriting', 'complete-underwriting'];
    const answers = [];
    for (const path of steps) answers.push((await call(path, { loanId: body.loanId })).status);
    if (answers.every((status) => status === 200)) done += 1;
  }
  expect(done).toBeGreaterThanOrEqual(12);
});
