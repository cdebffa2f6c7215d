/**
 * Whether a URL may be a target, asked when a caller sets it, so that a mistake is told at once. The guard of `client.ts` checks the address
 * again whenever a connection is opened: what a name resolves to can change.
 */
import { lookup as lookupInDns } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isIn, isPublic, rangesOf } from './addresses.ts';

const LONGEST_URL = 2_048;
const PATIENCE_MS = 2_000;

export type TargetProblem = { readonly code: 'format' | 'target_forbidden'; readonly detail: string };

export function openTargetCheck(options: { allow: readonly string[]; lookup?: LookupFunction }) {
  const allowed = rangesOf(options.allow);
  const lookup = options.lookup ?? (lookupInDns as LookupFunction);
  /** Null: it may be one. A name that does not resolve now is accepted with https: it may be set up later. */
  return async (text: string): Promise<TargetProblem | null> => {
    const url = /^https?:\/\/[\x21-\x7e]+$/i.test(text) && URL.canParse(text) ? new URL(text) : null;
    if (url === null || text.length > LONGEST_URL) {
      return format(`Must be an https URL of at most ${LONGEST_URL} visible ASCII characters.`);
    }
    if (url.username !== '' || url.password !== '') return format('Must not contain a user or password.');
    if (text.includes('#')) return format('Must not contain a fragment.');
    if (url.port === '0') return format('Must not have the port 0.');
    const isPlain = url.protocol === 'http:';
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const addresses = isIP(host) === 0 ? await resolved(lookup, host) : [host];
    if (isPlain && (addresses.length === 0 || !addresses.every((one) => isIn(allowed, one)))) {
      return forbidden('Must be https; http is allowed only to addresses that the operator has listed.');
    }
    if (!addresses.every((one) => isPublic(one) || isIn(allowed, one))) {
      return forbidden('Must not be at a private, loopback or link-local address, unless the operator has listed it.');
    }
    return null;
  };
}

const format = (detail: string): TargetProblem => ({ code: 'format', detail });
const forbidden = (detail: string): TargetProblem => ({ code: 'target_forbidden', detail });

/** None: it does not resolve, or not in time. */
function resolved(lookup: LookupFunction, host: string): Promise<string[]> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve([]), PATIENCE_MS);
    lookup(host, { all: true }, (error, found) => {
      clearTimeout(timer);
      if (error !== null) resolve([]);
      else resolve(typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address));
    });
  });
}
