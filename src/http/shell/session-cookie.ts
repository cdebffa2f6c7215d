/**
 * The cookie of a session. By https it has the prefix `__Host-`: browsers then accept it only with `Secure`, for this host and every path, and
 * no other host of the domain can set it. By plain http, as on one's own machine, browsers would refuse that name.
 */
import type { FastifyRequest } from 'fastify';

const NAME = 'daybook_session';
const nameOf = (secure: boolean): string => (secure ? `__Host-${NAME}` : NAME);
const PLAIN_START = `${nameOf(false)}=`;
const SECURE_START = `${nameOf(true)}=`;
const attributesOf = (secure: boolean): string => `; Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;

/** Whether the page that called was loaded by https: the operator's proxy may have ended it. */
export function isSecure(request: Pick<FastifyRequest, 'protocol'>, publicUrl: string | null): boolean {
  return request.protocol === 'https' || publicUrl?.startsWith('https:') === true;
}

/** For `Set-Cookie`. It ends with the browser; the server knows when the session does. */
export function sessionCookie(secret: string, secure: boolean): string {
  return `${nameOf(secure)}=${secret}${attributesOf(secure)}`;
}

export function removedCookie(secure: boolean): string {
  return `${nameOf(secure)}=; Max-Age=0${attributesOf(secure)}`;
}

/** The secret in a `Cookie` header; null: there is none. */
export function secretIn(cookies: string | undefined, secure: boolean): string | null {
  if (cookies === undefined) return null;
  const start = secure ? SECURE_START : PLAIN_START;
  // Mostly it is the only one.
  for (const pair of cookies.includes(';') ? cookies.split(';') : [cookies]) {
    const cookie = pair.trimStart();
    if (cookie.startsWith(start)) return cookie.slice(start.length).trimEnd() || null;
  }
  return null;
}
