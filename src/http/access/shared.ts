/** What the operations on access share: the values in their schemas, and who may administer. */
import { Type } from 'typebox';
import { SCOPES } from '../../access/scopes.ts';
import { closed } from '../operation.ts';
import { Problem } from '../shell/problems.ts';

/** Every operation that administers clients, keys and grants. */
export const administration = { tag: 'Administration', scopes: ['admin'], key: 'checked' } as const;

/** One answer for what does not exist and for what belongs to another organization. */
export function missing(what: string): never {
  throw new Problem('not_found', `There is no such ${what}.`);
}

/** Without control characters: names are shown in lists and on terminals. */
export const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\p{Cc}]*$',
  description: 'A name people see.',
});
export const Identifier = Type.String({ minLength: 1, maxLength: 128 });
export const Timestamp = Type.String({ description: 'ISO 8601, UTC.' });
export const NullableTimestamp = Type.Union([Timestamp, Type.Null()]);
export const ScopeName = Type.Enum([...SCOPES]);
export const Secret = Type.String({ description: 'Shown once.' });

/** The request of an operation on one client. */
export const ClientIdRequest = closed({ clientId: Identifier }, { examples: [{ clientId: 'client_8r3k2m5t7x' }] });
