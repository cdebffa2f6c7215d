/** A `fetch` that answers from a script and keeps what it was asked, and a client on it whose waits take no time. */
import { createClient } from '../client.ts';
import type { ClientOptions } from '../types.ts';

export type Seen = {
  method: string;
  url: string;
  headers: Headers;
  body: string;
  credentials: string | undefined;
  redirect: string | undefined;
};
type Step = Response | Error | ((seen: Seen, signal: AbortSignal) => Response | Promise<Response>);

export function scripted(steps: Step[], options: Partial<ClientOptions> = {}) {
  const seen: Seen[] = [];
  const waits: number[] = [];
  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const one: Seen = {
      method: init.method ?? 'GET',
      url: String(input),
      headers: new Headers(init.headers),
      body: String(init.body ?? ''),
      credentials: init.credentials,
      redirect: init.redirect,
    };
    seen.push(one);
    const step = steps.shift();
    if (step === undefined) throw new Error(`the script has no answer to ${one.url}`);
    if (step instanceof Error) throw step;
    return typeof step === 'function' ? step(one, init.signal as AbortSignal) : step;
  };
  const client = createClient({
    baseUrl: 'https://loans.example/v2/chain',
    auth: { token: 't' },
    fetch,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      waits.push(ms);
    },
    random: () => 0.5,
    clock: () => 0,
    ...options,
  });
  return { client, seen, waits };
}

export const ok = (data: unknown, headers: Record<string, string> = {}) =>
  Response.json({ message: 'ok', data }, { headers: { 'x-request-id': 'r-1', ...headers } });

export const problem = (status: number, code: string, more: object = {}, headers: Record<string, string> = {}) =>
  new Response(
    JSON.stringify({ type: `urn:daybook:problem:${code}`, title: code, status, detail: `${code}.`, code, ...more }),
    { status, headers: { 'content-type': 'application/problem+json; charset=utf-8', ...headers } },
  );

export const cut = () => new TypeError('fetch failed');
