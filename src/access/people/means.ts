/**
 * The means by which a person signs in, and how they are set up: by an invitation, or by someone who is signed in and has just proven who
 * they are. Every change ends the person's other sessions. The last means cannot be removed.
 */

import {
  addPasskey,
  listPasskeys,
  lockPerson,
  readBeginning,
  readMeans,
  readPasswords,
  removePasskey,
  removePassword,
  replaceRecoveryCodes,
  setPassword,
} from '../../store/access/sign-in.ts';
import { openInvitation } from '../../store/access/users.ts';
import { recordAudit } from '../../store/audit/audit.ts';
import type { Sql } from '../../store/db/db.ts';
import { TooBusy } from '../secret-checks.ts';
import { type Accepting, acceptInvitation } from './accept-invitation.ts';
import { checkEmail, checkPersonName } from './identity.ts';
import { creationOptions, newPasskeyOf, type Site } from './passkeys.ts';
import { passwordFault } from './passwords.ts';
import { FRESH_MS, type NewSession, type Person } from './people.ts';
import { newRecoveryCodes, recoveryCodeHash } from './recovery-codes.ts';
import { codeLabel, entryOf } from './sign-in.ts';
import type { SignInParts } from './sign-in-parts.ts';
import { base32, codeUri, newCodeSecret, stepOfCode } from './time-codes.ts';

/** The holder of an invitation, and their network. */
type Invited = Accepting & { address: string };

/** The person who sets up a means of signing in: the holder of an invitation, or the person of a session. */
export type SettingUp = Invited | { userId: string; sessionId: string; address: string };

/** `fault`: something the person can correct. `gone`: the invitation or the step is used or over. `stale`: sign in again first. */
export type NotSetUp =
  | { denied: 'gone' }
  | { denied: 'stale' }
  | { denied: 'too_many_failures'; retryAfterSeconds: number }
  | { denied: 'unavailable' }
  | { denied: 'last' }
  | { denied: 'fault'; member: string; detail: string };

export type SetUp = { session: NewSession; person: Person; recoveryCodes: string[] | null };

export type Means = {
  passkeys: { passkeyId: string; name: string; createdAt: string; usedAt: string | null }[];
  passwordChangedAt: string | null;
  recoveryCodesLeft: number;
  hasProvider: boolean;
  /** An invitation that was made for the person since and is not used yet. */
  invitation: { createdAt: string; expiresAt: string } | null;
};

export type MeansOfSigningIn = {
  /** The person an invitation is for. A link that is none counts against the network. */
  invited(invitation: string, address: string): Promise<Person | NotSetUp>;
  of(userId: string): Promise<Means>;
  newCodes(who: SettingUp): Promise<{ step: string; secret: string; uri: string } | NotSetUp>;
  setPassword(
    who: SettingUp,
    input: { step: string; password: string; code: string; requestId: string },
  ): Promise<SetUp | NotSetUp>;
  passkeyOptions(who: SettingUp, site: Site): Promise<{ step: string; options: object } | NotSetUp>;
  addPasskey(
    who: SettingUp,
    site: Site,
    input: { step: string; credential: unknown; name: string; requestId: string },
  ): Promise<SetUp | NotSetUp>;
  removePasskey(who: SettingUp, input: { passkeyId: string; requestId: string }): Promise<SetUp | NotSetUp>;
  removePassword(who: SettingUp, input: { requestId: string }): Promise<SetUp | NotSetUp>;
  newRecoveryCodes(who: SettingUp, input: { requestId: string }): Promise<SetUp | NotSetUp>;
};

const MOST_PASSKEYS = 20;

const GONE: NotSetUp = { denied: 'gone' };
const fault = (member: string, detail: string): NotSetUp => ({ denied: 'fault', member, detail });

type PasswordStep = { userId: string; secret: string };
type PasskeyStep = { userId: string; challenge: string; origin: string };
type Change = { requestId: string; subject: string; work: (tx: Sql, person: Person) => Promise<NotSetUp | undefined> };

export function openMeans(parts: SignInParts): MeansOfSigningIn {
  const { db, clock, people, guard, accounts, steps, sealing } = parts;

  /** The person, if they may set up a means now. */
  async function personOf(who: SettingUp): Promise<Person | NotSetUp> {
    if ('invitation' in who) return invitedAs(who);
    const began = await readBeginning(db, who.sessionId);
    if (began === null || clock() - began.at.getTime() > FRESH_MS) return { denied: 'stale' };
    return (await people.byId(who.userId)) ?? GONE;
  }

  async function invited(invitation: string, address: string): Promise<Person | NotSetUp> {
    const wait = guard.waitOf(address);
    if (wait !== null) return { denied: 'too_many_failures', ...wait };
    const person = await people.invited(invitation);
    if (person === null) guard.failed(address);
    return person ?? GONE;
  }

  async function invitedAs({ invitation, given, address }: Invited): Promise<Person | NotSetUp> {
    const person = await invited(invitation, address);
    if ('denied' in person || person.email !== '') return person;
    const { email = '', name = '' } = given;
    checkEmail(email);
    checkPersonName(name);
    return { ...person, email, name };
  }

  /** As `personOf`, for a step that becomes a row in the database. */
  async function personBeginning(who: SettingUp): Promise<Person | NotSetUp> {
    const person = await personOf(who);
    if ('denied' in person || guard.mayBegin(who.address)) return person;
    return { denied: 'too_many_failures', retryAfterSeconds: 1 };
  }

  /**
   * Stores a change, ends every session of the person, and begins a new one for the browser that asked. It continues the one before: the
   * change proves nothing, so neither the time of the proof nor the end of the session moves.
   */
  async function change(
    who: SettingUp,
    { requestId, subject, work }: Change,
  ): Promise<Omit<SetUp, 'recoveryCodes'> | NotSetUp> {
    let person: Person | null;
    let refused: NotSetUp | undefined;
    let continued: Omit<Parameters<typeof people.begin>[1], 'requestId'> = { method: 'invitation' };
    const record = (tx: Sql, of: Person) => {
      const more = {
        kind: 'did',
        outcome: 'done',
        at: new Date(clock()),
        requestId,
        operation: 'change-sign-in',
      } as const;
      return recordAudit(tx, [entryOf(of, subject, more)]);
    };
    if ('invitation' in who) {
      person = await acceptInvitation(parts, who, async (tx, accepted) => {
        refused = await work(tx, accepted);
        if (refused !== undefined) throw new Refused();
        await record(tx, accepted);
      }).catch(orRefused);
    } else {
      const [found, began] = [await people.byId(who.userId), await readBeginning(db, who.sessionId)];
      if (found === null || began === null) return GONE;
      continued = { method: began.method, provenAt: began.at.getTime(), endsAt: began.ends_at.getTime() };
      person = await db
        .transaction(async (tx) => {
          await lockPerson(tx, found.userId);
          refused = await work(tx, found);
          if (refused !== undefined) throw new Refused();
          await record(tx, found);
          return found;
        })
        .catch(orRefused);
      if (person !== null) await people.endAll(person.userId);
    }
    if (person === null) return refused ?? GONE;
    const session = await people.begin(person.userId, { ...continued, requestId });
    return session === null ? GONE : { session, person };
  }

  return {
    invited,

    async of(userId) {
      const [row, passkeys] = await Promise.all([readMeans(db, userId), listPasskeys(db, userId)]);
      const open = await openInvitation(db, userId, new Date(clock()));
      return {
        passkeys: passkeys.map(({ credential_id, name, created_at, used_at }) => ({
          passkeyId: credential_id.toString('base64url'),
          name,
          createdAt: created_at.toISOString(),
          usedAt: used_at?.toISOString() ?? null,
        })),
        passwordChangedAt: row.password_at?.toISOString() ?? null,
        recoveryCodesLeft: row.recovery_codes,
        hasProvider: row.providers > 0,
        invitation: open && { createdAt: open.created_at.toISOString(), expiresAt: open.expires_at.toISOString() },
      };
    },

    async newCodes(who) {
      const person = await personBeginning(who);
      if ('denied' in person) return person;
      const secret = newCodeSecret();
      const content: PasswordStep = { userId: person.userId, secret: secret.toString('base64') };
      const step = await steps.keep('password-new', content);
      return { step, secret: base32(secret), uri: codeUri(secret, person.email) };
    },

    async setPassword(who, { step, password, code, requestId }) {
      const person = await personOf(who);
      if ('denied' in person) return person;
      const wait = guard.waitOf(who.address);
      if (wait !== null) return { denied: 'too_many_failures', ...wait };
      const wrong = passwordFault(password, person);
      if (wrong !== null) return fault('password', wrong);
      const kept = await steps.look<PasswordStep>('password-new', step);
      if (kept?.userId !== person.userId) return GONE;
      const secret = Buffer.from(kept.secret, 'base64');
      const at = stepOfCode(secret, code.replaceAll(/\s/g, ''), clock());
      if (at === null) {
        guard.failed(who.address);
        return fault('code', 'The code is wrong. Enter the one that the app shows now.');
      }
      let hash: string;
      try {
        hash = await guard.hash(password);
      } catch (error) {
        if (error instanceof TooBusy) return { denied: 'unavailable' };
        throw error;
      }
      if ((await steps.take('password-new', step)) === null) return GONE;
      const recoveryCodes = newRecoveryCodes();
      const done = await change(who, {
        requestId,
        subject: 'password',
        async work(tx, { userId, organizationId, email }) {
          const codeSecret = sealing.seal(secret, codeLabel(userId));
          // The code that proved the app works is used up.
          await setPassword(tx, { userId, hash, codeSecret, lastStep: at, at: new Date(clock()) });
          await storeCodes(tx, userId, recoveryCodes);
          await accounts.forget(tx, { organizationId, email });
          return undefined;
        },
      });
      return 'denied' in done ? done : { ...done, recoveryCodes };
    },

    async passkeyOptions(who, site) {
      const person = await personBeginning(who);
      if ('denied' in person) return person;
      const existing = 'invitation' in who ? [] : await listPasskeys(db, person.userId);
      const options = await creationOptions(site, person, existing);
      const content: PasskeyStep = { userId: person.userId, challenge: options.challenge, origin: site.origin };
      return { step: await steps.keep('passkey-new', content), options };
    },

    async addPasskey(who, site, { step, credential, name, requestId }) {
      const person = await personOf(who);
      if ('denied' in person) return person;
      const kept = await steps.take<PasskeyStep>('passkey-new', step);
      if (kept?.userId !== person.userId || kept.origin !== site.origin) return GONE;
      const made = await newPasskeyOf(site, kept.challenge, credential);
      if (made === null) return fault('credential', 'The passkey could not be verified.');
      const done = await change(who, {
        requestId,
        subject: 'passkey',
        async work(tx, { userId }) {
          if ((await readMeans(tx, userId)).passkeys >= MOST_PASSKEYS) {
            return fault('credential', `A person may have ${MOST_PASSKEYS} passkeys; remove one first.`);
          }
          const row = { ...made, user_id: userId, name, created_at: new Date(clock()) };
          return (await addPasskey(tx, row)) ? undefined : fault('credential', 'This passkey is in use already.');
        },
      });
      return 'denied' in done ? done : { ...done, recoveryCodes: null };
    },

    async removePasskey(who, { passkeyId, requestId }) {
      const person = await personOf(who);
      if ('denied' in person) return person;
      const done = await change(who, {
        requestId,
        subject: 'passkey',
        async work(tx, { userId }) {
          if (!(await removePasskey(tx, userId, Buffer.from(passkeyId, 'base64url')))) return GONE;
          return hasAny(await readMeans(tx, userId)) ? undefined : { denied: 'last' };
        },
      });
      return 'denied' in done ? done : { ...done, recoveryCodes: null };
    },

    async removePassword(who, { requestId }) {
      const person = await personOf(who);
      if ('denied' in person) return person;
      const done = await change(who, {
        requestId,
        subject: 'password',
        async work(tx, { userId }) {
          if ((await readPasswords(tx, [userId])).length === 0) return GONE;
          await removePassword(tx, userId);
          return hasAny(await readMeans(tx, userId)) ? undefined : { denied: 'last' };
        },
      });
      return 'denied' in done ? done : { ...done, recoveryCodes: null };
    },

    async newRecoveryCodes(who, { requestId }) {
      const person = await personOf(who);
      if ('denied' in person) return person;
      const recoveryCodes = newRecoveryCodes();
      const done = await change(who, {
        requestId,
        subject: 'recovery-codes',
        async work(tx, { userId }) {
          // They stand in for time codes, so without a password there is nothing to recover.
          if ((await readPasswords(tx, [userId])).length === 0) return GONE;
          await storeCodes(tx, userId, recoveryCodes);
          return undefined;
        },
      });
      return 'denied' in done ? done : { ...done, recoveryCodes };
    },
  };
}

function storeCodes(tx: Sql, userId: string, codes: readonly string[]): Promise<void> {
  return replaceRecoveryCodes(
    tx,
    userId,
    codes.map((one) => recoveryCodeHash(userId, one)),
  );
}

const hasAny = (row: Awaited<ReturnType<typeof readMeans>>): boolean =>
  row.password_at !== null || row.passkeys > 0 || row.providers > 0;

/** Rolls the transaction back; the refusal itself is kept beside it. */
class Refused extends Error {}

function orRefused(error: unknown): null {
  if (error instanceof Refused) return null;
  throw error;
}
