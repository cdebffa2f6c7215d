/** A service with a policy that requires approvals, and callers who are people or programs. */
import { expect } from 'vitest';
import type { Scope } from '../../src/access/scopes.ts';
import { cents } from '../../src/core/money.ts';
import type { OverrideAuthority } from '../../src/core/overrides.ts';
import { type Answered, type TestApp, testApp } from './app.ts';
import { sessionFor, signedIn } from './people.ts';
import { creation } from './statuses.ts';

type Sent = { headers?: Record<string, string>; key?: string };

/** Someone who calls the service: a client by itself, or a person through it. */
export type Someone = {
  clientId: string;
  userId: string | null;
  post(path: string, body: object, more?: Sent): Promise<Answered>;
  get(path: string, more?: Sent): Promise<Answered>;
};

export type Approving = {
  service: TestApp;
  /** A program with every scope but administration, or with these. */
  program(scopes?: Scope[]): Promise<Someone>;
  /** A person of this name with a session; `limits` in cents. */
  person(name: string, limits?: GivenLimits, scopes?: Scope[]): Promise<Someone>;
  /** In force from today on. */
  policy(values: object): Promise<void>;
  on(day: string): void;
  /** A loan in repayment since 15 November 2025 with a fee `F-1` of 80, on 15 January 2026. */
  loan(more?: object): Promise<string>;
  done(answered: Promise<Answered>, status?: number): Promise<Answered['body']>;
};

type GivenLimits = Record<string, number | OverrideAuthority>;

const SERVICING: Scope[] = [
  'loans:read',
  'loans:write',
  'servicing:write',
  'payments:write',
  'underwriting:write',
  'loans:fund',
];

/** Sessions end after half an hour without use, and tokens after an hour. */
const FRESH_MS = 1_200_000;

export async function approving(): Promise<Approving> {
  const service = await testApp();
  const people = new Map<string, Promise<string>>();

  async function program(scopes: Scope[]): Promise<Someone> {
    const client = await service.access.createClient(service.organizationId, { name: 'test', scopes });
    const { clientId, clientSecret } = client;
    return someone({ clientId, userId: null }, async () => {
      const { body } = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
      return { authorization: `Bearer ${body.data.token}` };
    });
  }

  /** With a role of these scopes and limits. The same name again is the same person, in another session. */
  async function person(name: string, limits: GivenLimits, scopes: Scope[]): Promise<Someone> {
    const key = JSON.stringify([name, limits, scopes]);
    if (!people.has(key)) people.set(key, hired(`role-${people.size}`, limits, scopes));
    const userId = (await people.get(key)) as string;
    const session = await sessionFor(service, userId);
    const { body } = await service.call('GET', '/v2/chain/me', { headers: session.cookie });
    return someone(
      { clientId: body.data.client.clientId, userId },
      async () => (await sessionFor(service, userId)).headers,
    );
  }

  async function hired(role: string, limits: GivenLimits, scopes: Scope[]): Promise<string> {
    const inCents = Object.fromEntries(
      Object.entries(limits).map(([name, one]) => [name, typeof one === 'number' ? cents(one) : one]),
    );
    await service.access.putRole(service.organizationId, { name: role, scopes, limits: inCents });
    return (await signedIn(service, [role])).userId;
  }

  function someone(who: Pick<Someone, 'clientId' | 'userId'>, signIn: () => Promise<Record<string, string>>): Someone {
    let signed = { headers: {}, until: 0 };
    const send = async (method: string, path: string, { headers = {}, ...more }: Sent & { body?: object }) => {
      if (service.clock.now > signed.until) {
        signed = { headers: await signIn(), until: service.clock.now + FRESH_MS };
      }
      return service.call(method, `/v2/chain/${path}`, { ...more, headers: { ...signed.headers, ...headers } });
    };
    return {
      ...who,
      post: (path, body, more = {}) => send('POST', path, { ...more, body }),
      get: (path, more = {}) => send('GET', path, more),
    };
  }

  const all: Approving = {
    service,
    program: (scopes = SERVICING) => program(scopes),
    person: (name, limits = {}, scopes = SERVICING) => person(name, limits, scopes),
    async policy(values) {
      const from = new Date(service.clock.now).toISOString().slice(0, 10);
      const token = await service.token();
      const body = { policyId: 'standard', lenderId: null, from, values };
      const answer = await service.call('POST', '/v2/chain/policies', { token, body });
      expect(answer.status, answer.text).toBe(200);
    },
    on(day) {
      service.clock.now = Date.parse(`${day}T12:00:00Z`);
    },
    async loan(more = {}) {
      const token = await service.token();
      const post = async (path: string, body: object) =>
        all.done(service.call('POST', `/v2/chain/${path}`, { token, key: service.credentials.apiKey, body }));
      const terms = { originationDate: '2025-11-15', firstPaymentDate: '2025-12-15', ...more };
      const { loanId } = await post('loans', creation(terms));
      await post('start-underwriting', { loanId });
      await post('complete-underwriting', { loanId, approved: true, reason: 'Known for years' });
      await post('initiate-repayment', { loanId });
      await post('assess-fee', { loanId, feeId: 'F-1', name: 'Document fee', amount: '80' });
      return loanId;
    },
    async done(answered, status = 200) {
      const answer = await answered;
      expect(answer.status, answer.text).toBe(status);
      return answer.body;
    },
  };
  all.on('2026-01-15');
  return all;
}
