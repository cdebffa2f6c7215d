/** Finding people who sign in, and accepting invitations. */
import { hash } from 'node:crypto';
import { forgetFailures } from '../../store/access/sign-in-failures.ts';
import * as store from '../../store/access/users.ts';
import { recordAudit } from '../../store/audit/audit.ts';
import type { Db, Sql } from '../../store/db/db.ts';
import { isPlainId } from '../checks.ts';
import { AccessRefused } from '../refused.ts';
import type { Keyring } from '../secrets.ts';
import { accountDigest, checkEmail, checkPersonName, emailDigest, personOf, sealIdentity } from './identity.ts';
import type { People } from './people.ts';

/** The digest of the token in the link of an invitation. */
export const tokenDigest = (token: string): Buffer => hash('sha256', token, 'buffer');

/** Lookups and changes of people, for signing in; `sessions.ts` has the rest. */
export function openPeople(options: {
  db: Db;
  clock: () => number;
  keyring: Keyring;
  change: <T>(work: (tx: Sql) => Promise<T>) => Promise<T>;
}): Omit<People, 'begin' | 'end' | 'endAll'> {
  const { db, clock, keyring, change } = options;
  return {
    change,
    async byEmail(email, organizationId) {
      const row = await store.userByEmail(db, emailDigest(keyring, email), organizationId);
      return row?.status === 'active' ? personOf(keyring, row) : null;
    },
    onlyOrganization: () => store.onlyLiveOrganization(db),
    async byId(userId) {
      const row = isPlainId(userId) ? await store.userById(db, userId) : null;
      return row && personOf(keyring, row);
    },
    async invited(token) {
      const row = await store.invitedUser(db, tokenDigest(token), new Date(clock()));
      return row && personOf(keyring, row);
    },
    async accept(tx, token, given = {}) {
      const at = new Date(clock());
      const row = await store.takeInvitation(tx, tokenDigest(token), at);
      if (row === null) return null;
      const person = personOf(keyring, row);
      if (person.email === '') {
        Object.assign(person, { email: given.email ?? '', name: given.name ?? '' });
        checkEmail(person.email);
        checkPersonName(person.name);
        if ((await store.userByEmail(tx, emailDigest(keyring, person.email), row.organization_id)) !== null)
          throw new AccessRefused('conflict', 'This organization has a person with this e-mail address.');
      }
      const { userId, organizationId } = person;
      await store.activateUser(tx, userId, {
        emailDigest: emailDigest(keyring, person.email),
        sealed: sealIdentity(keyring, userId, person),
        at,
      });
      await forgetFailures(tx, accountDigest(keyring, person));
      const clientId = await store.consoleOf(tx, organizationId);
      const done = { at, kind: 'did', operation: 'accept-invitation', outcome: 'done' } as const;
      await recordAudit(tx, [{ ...done, organizationId, clientId, userId, requestId: given.requestId ?? null }]);
      return { ...person, status: 'active' };
    },
  };
}
