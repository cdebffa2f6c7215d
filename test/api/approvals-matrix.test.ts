/** Every operation on a loan under a policy that requires an approval of each: requested, nothing changes; approved, it is done as requested. `npm test` tries a few of them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OPERATION_NAMES } from '../../src/core/decide/decide.ts';
import type { Answered } from '../support/app.ts';
import { type Approving, approving, type Someone } from '../support/approvals.ts';
import { OPERATIONS, rowOf, statusFor } from '../support/operations.ts';
import { loanIn } from '../support/statuses.ts';
import { WHOLE } from '../support/whole.ts';

const reason = 'As agreed';

/** For each a status from which it succeeds, its body, and what has to be done before. */
const CALLS = OPERATIONS.flatMap((operation) => {
  const { body, approved = [statusFor(operation), body] } = rowOf(operation);
  return approved === null ? [] : [[operation, approved] as const];
});

let all: Approving;
let one: Someone;
let other: Someone;

beforeAll(async () => {
  all = await approving();
  const scopes = [
    'loans:read',
    'loans:write',
    'servicing:write',
    'servicing:override',
    'payments:write',
    'underwriting:write',
    'loans:fund',
  ] as const;
  [one, other] = await Promise.all([all.program([...scopes]), all.person('other', {}, [...scopes])]);
  await all.policy({ approvals: Object.fromEntries(OPERATION_NAMES.map((name) => [name, true])) });
});
afterAll(() => all.service.close());

/** Posts a request, and approves it if it needs an approval. */
async function post(path: string, body: object): Promise<Answered> {
  if (path === 'loans') {
    const { service } = all;
    const [token, key] = [await service.token(), service.credentials.apiKey];
    return service.call('POST', `/v2/chain/${path}`, { token, key, body });
  }
  const answer = await one.post(path, body);
  if (answer.status !== 202) return answer;
  const approved = await other.post('approve', { approvalId: answer.body.data.approvalId, reason });
  return { ...approved, body: { ...approved.body, data: approved.body.data?.result } };
}

const payoffOf = async (loanId: string): Promise<string> =>
  (await all.done(one.get(`loans/${loanId}/payoff`))).data.payoff;

it.each(WHOLE ? CALLS : CALLS.filter((_, n) => n % 8 === 0))('%s', async (operation, [status, more, ...before]) => {
  const loanId = await loanIn(status, post, payoffOf);
  for (const [path, body] of before) expect((await post(path, { loanId, ...body })).status).toBe(200);
  const facts = async () => (await all.done(one.get(`loans/${loanId}/timeline`))).data.items;
  const history = await facts();
  const body = { loanId, ...more };
  const dry = await all.done(one.post(`${operation}?dryRun=true`, body));
  expect(dry.data.approval).toBe(true);
  const { data } = await all.done(one.post(operation, body), 202);
  expect(data.preview.events).toEqual(dry.data.events);
  expect(await facts()).toHaveLength(history.length + 1);
  const { approvalId } = data;
  const approved = (await all.done(other.post('approve', { approvalId, reason }))).data;
  expect(approved).toMatchObject({
    state: 'approved',
    operation,
    result: { transactionHash: approved.transactionHash },
  });
  expect(approved.result.loanStatus).toBe(data.preview.loanStatus);
  const done = (await facts()).slice(history.length + 2);
  expect(done.map(({ type, approvalId: id }: Record<string, string>) => [type, id])).toEqual(
    data.preview.events.map(({ type }: { type: string }) => [type, approvalId]),
  );
  expect(done.at(-1)).toMatchObject({ clientId: one.clientId, userId: null, approvedBy: { userId: other.userId } });
});
