/** A service with a policy that requires approvals, and callers who are people or programs. */
import { expect } from 'vitest';
import type { Scope } from '../../src/access/scopes.ts';
import { cents } from '../../src/core/money.ts';
import { type Answered, type TestApp, testApp } from './app.ts';
import { creation } from './statuses.ts';

type Sent = { headers?: Record<string, string>; key?: string };

/** Someone who calls the service: a client by itself, or a person through it. */
export type Someone = {
  clientId: string;
  post(path: string, body: object, more?: Sent): Promise<Answered>;
  get(path: string, more?: Sent): Promise<Answered>;
};

export type Approving = {
  service: TestApp;
  /** A program with every scope but administration, or with these. */
  program(scopes?: Scope[]): Promise<Someone>;
  /** A person, by whichever client; `limits` in cents. */
  person(userId: string, limits?: Record<string, number>, scopes?: Scope[]): Promise<Someone>;
  /** In force from today on. */
  policy(values: object): Promise<void>;
  on(day: string): void;
  /** A loan in repayment since 15 November 2025 with a fee `F-1` of 80, on 15 January 2026. */
  loan(more?: object): Promise<string>;
  done(answered: Promise<Answered>, status?: number): Promise<Answered['body']>;
};

const SERVICING: Scope[] = [
  'loans:read',
  'loans:write',
  'servicing:write',
  'payments:write',
  'underwriting:write',
  'loans:fund',
];

export async function approving(): Promise<Approving> {
  const service = await testApp();
  const people = new Map<string, { userId: string; limits: Record<string, ReturnType<typeof cents>> }>();
  const { authenticate } = service.access;
  // Sessions of people come with their roles; here a token stands for one.
  service.access.authenticate = async (input) => {
    const caller = await authenticate(input);
    const person = people.get(input.authorization ?? '');
    return person === undefined || 'denied' in caller ? caller : { ...caller, ...person };
  };

  async function caller(
    scopes: Scope[],
    person?: { userId: string; limits: Record<string, number> },
  ): Promise<Someone> {
    const client = await service.access.createClient(service.organizationId, { name: 'test', scopes });
    const { clientId, clientSecret } = client;
    let token = { text: '', until: 0 };
    const authorized = async () => {
      if (service.clock.now > token.until) {
        const { body } = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
        token = { text: body.data.token, until: service.clock.now + 1_800_000 };
        if (person !== undefined) {
          const limits = Object.fromEntries(Object.entries(person.limits).map(([name, one]) => [name, cents(one)]));
          people.set(`Bearer ${token.text}`, { userId: person.userId, limits });
        }
      }
      return token.text;
    };
    return {
      clientId,
      post: async (path, body, more = {}) =>
        service.call('POST', `/v2/chain/${path}`, { token: await authorized(), body, ...more }),
      get: async (path, more = {}) => service.call('GET', `/v2/chain/${path}`, { token: await authorized(), ...more }),
    };
  }

  const all: Approving = {
    service,
    program: (scopes = SERVICING) => caller(scopes),
    person: (userId, limits = {}, scopes = SERVICING) => caller(scopes, { userId, limits }),
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
