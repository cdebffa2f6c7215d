/** E-mail address and name of a person: how they are checked, sealed and found. */
import type { UserRow } from '../../store/access/users.ts';
import { WrongMasterKey } from '../../vault/master-keys.ts';
import { AccessRefused } from '../refused.ts';
import { isName, type Keyring } from '../secrets.ts';
import type { Person } from './people.ts';

type Identity = { email: string; name: string };

/** An address in an organization, as somebody may type it: it need not belong to anybody. */
export type Account = { organizationId: string; email: string };

/** One person has one address, however it is typed. */
export const normalizedEmail = (email: string): string => email.normalize('NFKC').trim().toLowerCase();

export const emailDigest = (keyring: Keyring, email: string): Buffer => keyring.emailDigest(normalizedEmail(email));

/** The name of an account in the database, which tells neither the address nor whether it is somebody's. */
export const accountDigest = (keyring: Keyring, { organizationId, email }: Account): Buffer =>
  keyring.emailDigest(JSON.stringify([organizationId, normalizedEmail(email)]));

/** The messages never repeat what was given. */
export function checkEmail(email: string): void {
  // Whether an address exists is found out by writing to it: here only what can be none is refused.
  if (
    email.length <= 254 &&
    /^[^\s@\p{C}<>()[\]\\,;:"]{1,64}@[^\s@\p{C}<>()[\]\\,;:"]{1,253}$/u.test(normalizedEmail(email))
  )
    return;
  throw new AccessRefused('invalid', 'Must be an e-mail address.', 'email');
}

export function checkPersonName(name: string): void {
  if (isName(name)) return;
  throw new AccessRefused('invalid', 'The name must be 1 to 200 characters without control characters.', 'name');
}

export function sealIdentity(keyring: Keyring, userId: string, { email, name }: Identity): Buffer {
  return keyring.people.seal(Buffer.from(JSON.stringify({ email: email.normalize('NFKC').trim(), name })), userId);
}

export function openIdentity(keyring: Keyring, row: Pick<UserRow, 'user_id' | 'sealed'>): Identity {
  const plain = keyring.people.unseal(row.sealed, row.user_id);
  if (plain === null) throw new WrongMasterKey();
  return JSON.parse(plain.toString('utf8')) as Identity;
}

export function personOf(keyring: Keyring, row: UserRow): Person {
  return {
    userId: row.user_id,
    organizationId: row.organization_id,
    organizationName: row.organization_name,
    ...openIdentity(keyring, row),
    roles: row.roles,
    status: row.status,
  };
}
