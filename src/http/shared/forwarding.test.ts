/** The outcome of a write when the owner of its loan's volume answers, is away, or is not heard of again. */
import { describe, expect, test } from 'vitest';
import type { Owners } from '../../owners/owners.ts';
import { forwarded } from './forwarding.ts';
import type { AskedWrite } from './operation.ts';

const LOAN = `0x${'ab'.repeat(32)}`;
const ACTOR = {
  organizationId: 'org_a',
  clientId: 'client_a',
  keyId: 'key_a',
  scopes: new Set(['payments:write']),
  grants: [{ ownerOrganizationId: 'org_b', access: 'servicing', servicerId: null }],
  requestId: 'r-1',
  purpose: '',
} as const;

type Sent = Awaited<ReturnType<Owners['forward']>>;

/** Another process that owns everything, and does this with what it gets. */
function ownerThat(sent: Sent): { owners: Owners; got: object[] } {
  const got: object[] = [];
  const owners: Owners = {
    isElsewhere: () => true,
    forward: async (_loanId, message) => {
      got.push(message);
      return sent;
    },
    counts: () => ({ answered: 0, away: 0, unknown: 0, served: 0 }),
    isAway: () => false,
    leave: async () => {},
    close: async () => {},
  };
  return { owners, got };
}

function asked(body: object, options: Partial<AskedWrite['options']> = {}): AskedWrite {
  const source = JSON.stringify(body);
  return {
    body,
    source,
    plain: false,
    options: { dryRun: false, ifVersion: null, idempotency: null, ...options },
    fresh: 'f',
  };
}

const write = (one: AskedWrite) => ({ path: '/loan-repay', slow: false, loanId: LOAN, actor: ACTOR, asked: one });
const PAYMENT = { loanId: LOAN, refId: 'r', amount: '1.00' };
const FEE = { loanId: LOAN, name: 'Title fee', amount: '1.00' };
const KEY = { key: 'k', request: 'the whole request' };

test('the message has the caller as it was checked and what it asked for, and nothing else', async () => {
  const { owners, got } = ownerThat({ kind: 'answered', answer: { text: '{}', headers: { 'X-Loan-Version': '3' } } });
  const answer = await forwarded(owners, write(asked(PAYMENT, { ifVersion: 2, idempotency: KEY })));
  expect(answer).toEqual({ text: '{}', headers: { 'X-Loan-Version': '3' } });
  const waiting = { text: '{}', headers: {}, status: 202 };
  const { owners: asking } = ownerThat({ kind: 'answered', answer: waiting });
  expect(await forwarded(asking, write(asked(PAYMENT)))).toEqual(waiting);
  expect(got).toEqual([
    {
      path: '/loan-repay',
      actor: { ...ACTOR, scopes: ['payments:write'] },
      source: JSON.stringify(PAYMENT),
      plain: false,
      ifVersion: 2,
      key: 'k',
    },
  ]);
});

test('a dry run is not sent, nor anything by a process that is alone', async () => {
  const { owners, got } = ownerThat({ kind: 'unknown', lasting: true });
  expect(await forwarded(owners, write(asked(FEE, { dryRun: true })))).toBeNull();
  expect(await forwarded(null, write(asked(FEE)))).toBeNull();
  expect(await forwarded({ ...owners, isElsewhere: () => false }, write(asked(FEE)))).toBeNull();
  expect(got).toEqual([]);
});

test('a write that an unreachable owner has not carried out is carried out here', async () => {
  const { owners } = ownerThat({ kind: 'away', lasting: true });
  expect(await forwarded(owners, write(asked(FEE)))).toBeNull();
});

describe('without an answer', () => {
  const { owners } = ownerThat({ kind: 'unknown', lasting: true });

  test('what may be repeated is done here', async () => {
    expect(await forwarded(owners, write(asked(FEE, { idempotency: KEY })))).toBeNull();
    expect(await forwarded(owners, write(asked(PAYMENT)))).toBeNull();
  });

  test.each([
    ['has no reference', asked(FEE)],
    ['would be refused for its version when it was done before', asked(PAYMENT, { ifVersion: 2 })],
  ])('the caller is told that the outcome is unknown when it %s', async (_, one) => {
    await expect(forwarded(owners, write(one))).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('may or may not have taken effect'),
      headers: { 'Retry-After': '1' },
    });
  });
});

test('a problem of the owner is this process’s problem', async () => {
  const problem = { code: 'conflict', detail: 'Not now.', facts: { refusal: 'x' }, headers: { 'Retry-After': '1' } };
  const { owners } = ownerThat({ kind: 'answered', answer: { problem } });
  await expect(forwarded(owners, write(asked(FEE)))).rejects.toMatchObject({ status: 409, message: 'Not now.' });
});
