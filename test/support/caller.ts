/** An organization as it works with the assembled service: its token at the time of the test's clock, its books in whole cents. */
import { expect } from 'vitest';
import type { Answered, TestApp } from './app.ts';

type Credentials = TestApp['credentials'];

export type PostedLine = {
  readonly entry: string;
  readonly account: string;
  readonly debit: string;
  readonly credit: string;
  readonly dateEffective: string;
  readonly datePosted: string;
  readonly priorPeriod: boolean;
  readonly lenderId: string;
};

export type Caller = ReturnType<typeof caller>;

export function caller(service: TestApp, { clientId, clientSecret, apiKey }: Credentials = service.credentials) {
  let issued: { at: number; token: string } | null = null;

  async function token(): Promise<string> {
    if (issued?.at !== service.clock.now) {
      const { body } = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
      issued = { at: service.clock.now, token: body.data.token };
    }
    return issued.token;
  }

  async function ask(method: string, path: string, body?: object): Promise<Answered> {
    const more = { token: await token(), key: apiKey, ...(body === undefined ? {} : { body }) };
    return service.call(method, `/v2/chain/${path}`, more);
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test reads any JSON
  async function read(path: string): Promise<any> {
    const answer = await ask('GET', path);
    expect(answer.status, `${path}: ${answer.text}`).toBe(200);
    return answer.body.data;
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test reads any JSON
  async function done(path: string, body: object): Promise<any> {
    const answer = await ask('POST', path, body);
    expect(answer.status, `${path}: ${answer.text}`).toBe(200);
    return answer.body;
  }

  return {
    ask,
    read,
    done,

    /** The balance of each account, in cents, debits positive; accounts at zero are left out. Debits equal credits. */
    async balances(asOf: string, lenderId?: string): Promise<Record<string, number>> {
      const of = lenderId === undefined ? '' : `&lenderId=${lenderId}`;
      const { accounts } = await read(`ledger/trial-balance?asOf=${asOf}${of}`);
      const held: Record<string, number> = {};
      for (const { account, debit, credit } of accounts) {
        const amount = inCents(debit) - inCents(credit);
        if (amount !== 0) held[account] = amount;
      }
      expect(
        Object.values(held).reduce((sum, amount) => sum + amount, 0),
        `the trial balance of ${asOf}`,
      ).toBe(0);
      return held;
    },

    async journal(loanId: string): Promise<PostedLine[]> {
      return (await read(`loans/${loanId}/journal`)).items;
    },
  };
}

/** Cents of an amount as the service writes it. */
export function inCents(text: string): number {
  return Math.round(Number(text.replaceAll(',', '')) * 100);
}
