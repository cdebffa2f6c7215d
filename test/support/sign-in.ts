/** People of a test, and how they sign in by plain HTTP as the pages do. */
import { expect } from 'vitest';
import { codeAt } from '../../src/access/people/time-codes.ts';
import type { Answered, TestApp } from './app.ts';

export const PASSWORD = 'violet kettle harvest';

export type Signed = { userId: string; email: string; secret: Buffer; recoveryCodes: string[]; cookie: string };

/** The cookie that an answer sets; null: none. */
export function cookieOf({ headers }: Answered, name = 'daybook_session'): string | null {
  const found = headers.getSetCookie().findLast((cookie) => cookie.startsWith(`${name}=`));
  return found?.split(';')[0] ?? null;
}

export const fromPage = (app: TestApp, headers: Record<string, string> = {}) => ({ origin: app.url, ...headers });

export function post(app: TestApp, path: string, body: object, headers: Record<string, string> = {}) {
  return app.call('POST', path, { body, headers: fromPage(app, headers) });
}

/** A new invitation, as an administrator gets it. */
export function invite(app: TestApp, email: string, name = 'Robin Ellis', roles = ['agent']) {
  return app.access.createUser(app.organizationId, { email, name, roles });
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
export function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => LETTERS.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

export const codeNow = (app: TestApp, secret: Buffer) => codeAt(secret, Math.floor(app.clock.now / 30_000));

/** Accepts an invitation with a password; the code that it takes is used up, so the clock moves on. */
export async function withPassword(app: TestApp, email: string, name?: string, roles?: string[]): Promise<Signed> {
  const { token, userId } = await invite(app, email, name, roles);
  const begun = await post(app, '/invitation/codes', { token });
  expect(begun.status, begun.text).toBe(200);
  const secret = fromBase32(begun.body.data.secret);
  const { step } = begun.body.data;
  const done = await post(app, '/invitation/password', { token, step, password: PASSWORD, code: codeNow(app, secret) });
  expect(done.status, done.text).toBe(200);
  app.clock.now += 60_000;
  return { userId, email, secret, recoveryCodes: done.body.data.recoveryCodes, cookie: cookieOf(done) ?? '' };
}

export function signIn(app: TestApp, { email, secret }: Pick<Signed, 'email' | 'secret'>, headers = {}) {
  return post(app, '/sign-in/password', { email, password: PASSWORD, code: codeNow(app, secret) }, headers);
}

/** A write of a person who is signed in: with the cookie and its token against forged requests. */
export async function asPerson(app: TestApp, cookie: string, path: string, body: object = {}) {
  const session = await app.call('GET', '/v2/chain/session', { headers: { cookie } });
  return post(app, path, body, { cookie, 'x-csrf-token': session.body?.data?.csrfToken ?? '' });
}
