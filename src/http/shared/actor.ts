/** The caller of a loan operation, and the options in its request headers. */
import { isUtf8 } from 'node:buffer';
import type { Caller } from '../../access/access.ts';
import type { Actor } from '../../loans/door/actor.ts';
import type { WriteOptions } from '../../loans/door/write.ts';
import { versionWanted } from './etag.ts';
import type { Call } from './operation.ts';
import { Problem } from './problems.ts';

type CallerContext = Pick<Call, 'services' | 'headers' | 'requestId'> & { caller: Caller };
type Headers = Call['headers'];

export function actorOf({ services, headers, requestId, caller }: CallerContext): Promise<Actor> | Actor {
  const purpose = purposeOf(headers);
  const { organizationId, clientId, userId, keyId, scopes, limits } = caller;
  const { countedFor } = caller.quota;
  const withGrants = (grants: Actor['grants']): Actor => ({
    organizationId,
    countedFor,
    clientId,
    userId,
    keyId,
    scopes,
    limits,
    grants,
    requestId,
    purpose,
  });
  const grants = services.access.grantsFor(caller);
  return grants instanceof Promise ? grants.then(withGrants) : withGrants(grants);
}

/**
 * Options of a write. `path` is the operation's own, even if it was called by an alias: the same body under either path is the same
 * request. `says` is asked only where a key came.
 */
export function writeOptions(
  { headers }: Pick<Call, 'headers'>,
  { path, dryRun, says }: { path: string; dryRun: boolean | undefined; says: () => string },
): WriteOptions {
  const key = header(headers, 'idempotency-key');
  if (key !== undefined && !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new Problem('invalid_request', 'The header Idempotency-Key must be 1 to 255 visible ASCII characters.');
  }
  return {
    dryRun: dryRun ?? false,
    ifVersion: versionWanted(header(headers, 'if-match')),
    idempotency: key === undefined ? null : { key, request: `${path}\n${says()}` },
  };
}

export function header(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The reason for reading personal data. Stored with every disclosure and shown in lists, so it is short and printable. */
function purposeOf(headers: Headers): string {
  const given = header(headers, 'purpose');
  if (given === undefined) return '';
  // Node reads headers byte by byte; most clients that send more than ASCII mean UTF-8.
  const bytes = Buffer.from(given, 'latin1');
  const purpose = isUtf8(bytes) ? bytes.toString('utf8') : given;
  if ([...purpose].length > 200 || /\p{Cc}/u.test(purpose)) {
    throw new Problem('invalid_request', 'The header purpose must be at most 200 printable characters.');
  }
  return purpose;
}
