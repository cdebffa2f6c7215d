/** A sandbox over HTTP whose days the test moves, with the cycles that its clock runs, as a caller has it. */
import { setTimeout as pause } from 'node:timers/promises';
import type { CallOptions, TestApp } from './app.ts';
import { creation } from './statuses.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads any JSON
type Json = any;

export type SandboxBook = {
  readonly organizationId: string;
  get(path: string): Promise<Json>;
  /** The text of an answer in another form than JSON. */
  text(path: string, accept?: string): Promise<string>;
  post(path: string, body: object): Promise<Json>;
  /** A loan that is being repaid; its id. */
  loan(terms?: object): Promise<string>;
  /** Moves the clock to the beginning of a day; every cycle of a date before it has then run. */
  on(day: string): Promise<void>;
};

/** A connection that nobody used for a minute, because the auditor computed for as long, is closed at the moment at which it is used again. */
function orCut(error: unknown): 'cut' {
  if (error instanceof TypeError && error.message === 'fetch failed') return 'cut';
  throw error;
}

/** It throws where something is refused. On a machine that stands still a request may take too long: it is sent again, under its own key. */
export async function sandboxBook(service: TestApp, start: string, name = 'book'): Promise<SandboxBook> {
  let sent = 0;
  const send = async (method: string, path: string, options: CallOptions) => {
    sent += 1;
    const headers = { ...options.headers, ...(method === 'POST' ? { 'idempotency-key': `${name}-${sent}` } : {}) };
    for (let tries = 1; ; tries += 1) {
      const answer = await service.call(method, `/v2/chain/${path}`, { ...options, headers }).catch(orCut);
      if (answer === 'cut' && tries < 20) continue;
      if (answer === 'cut') throw new Error(`${method} ${path} was cut off again and again.`);
      if (answer.status === 200) return answer;
      // The first one may still be on its way.
      const isUnknown = answer.status === 503 || answer.body.code === 'idempotency_key_in_use';
      if (isUnknown && tries < 20) {
        await pause(tries * 50);
        continue;
      }
      throw new Error(`${method} ${path} answered ${answer.status} ${answer.text}`);
    }
  };
  const made = await send('POST', 'sandboxes', { token: await service.token(), body: { name, start } });
  const { organizationId, clientId, clientSecret, apiKey: key } = made.body.data;
  const signed = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
  const { token } = signed.body.data;
  const ask = (method: string, path: string, more: CallOptions = {}) => send(method, path, { token, key, ...more });
  const post = async (path: string, body: object) => (await ask('POST', path, { body })).body;
  return {
    organizationId,
    post,
    get: async (path) => (await ask('GET', path)).body.data,
    text: async (path, accept = 'text/csv') => (await ask('GET', path, { headers: { accept } })).text,
    async loan(terms = {}) {
      const { loanId } = await post('loans', creation(terms));
      await post('start-underwriting', { loanId });
      await post('complete-underwriting', { loanId, approved: true });
      await post('initiate-repayment', { loanId });
      return loanId;
    },
    async on(day) {
      let moved = await post('clock/advance', { to: day });
      while (moved.data.advancing !== null) moved = await post('clock/advance', { to: day });
    },
  };
}
