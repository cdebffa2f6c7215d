/** The network address of a caller; failed sign-ins and requests are counted by it. */
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** A name of the longest form (an IPv6 address with a zone) with brackets, port and quotes is shorter. */
const LONGEST = 100;

/**
 * The address that the operator's proxy names (Fastify has found it in `X-Forwarded-For` if the settings trust a proxy), else that of
 * the connection. What the proxy names is text: with a port or in quotes it is the same address, and if it is no address at all, the
 * connection's own counts. Otherwise a caller behind a proxy that passes text on would have a new address with every request.
 */
export function addressOf(request: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const own = request.socket.remoteAddress ?? '';
  const { ip } = request;
  return ip === own ? own : (bareAddress(ip) ?? own);
}

/** `192.0.2.1` of `192.0.2.1:4711`, `2001:db8::1` of `"[2001:db8::1]:443"`; null when there is no address in it. */
export function bareAddress(text: string | undefined): string | null {
  if (text === undefined || text.length > LONGEST) return null;
  let bare = text.trim();
  if (bare.startsWith('"') && bare.endsWith('"')) bare = bare.slice(1, -1).trim();
  const [, inBrackets, beforePort] = /^(?:\[([^\]]*)\](?::\d{1,5})?|([^:]*):\d{1,5})$/.exec(bare) ?? [];
  const address = inBrackets ?? beforePort ?? bare;
  return isIP(address) === 0 ? null : address;
}
