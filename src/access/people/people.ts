/** The people of organizations: what the parts of this folder know of each other. */
import type { Sql } from '../../store/db/db.ts';

/** The time after signing in within which it counts as a fresh proof. */
export const FRESH_MS = 5 * 60_000;

export type SignInMethod = 'passkey' | 'password' | 'provider' | 'invitation';

export type Person = {
  userId: string;
  organizationId: string;
  organizationName: string;
  /** '' with the invitation of the first start: whoever accepts it gives address and name (`accept`). */
  email: string;
  name: string;
  roles: string[];
  status: 'invited' | 'active' | 'disabled';
};

/** `secret` goes into the cookie and is stored nowhere; `endsAt` is the absolute end (epoch milliseconds). */
export type NewSession = { sessionId: string; secret: string; endsAt: number };

/** Lookups and changes of people and sessions, for signing in. */
export type People = {
  /** The active person with this address. */
  byEmail(email: string, organizationId: string): Promise<Person | null>;
  /** The live organization, if there is just one. Only the operator makes live ones. */
  onlyOrganization(): Promise<string | null>;
  byId(userId: string): Promise<Person | null>;
  /** The person that an unused invitation is for; null: there is none, or it has expired. */
  invited(token: string): Promise<Person | null>;
  /** Runs a change of people in a transaction that every process learns of; `accept` belongs into one. */
  change<T>(work: (tx: Sql) => Promise<T>): Promise<T>;
  /**
   * Uses an invitation up and makes its person active, in the transaction that stores how they sign in. Everything they signed in with before
   * is removed, and their sessions end. Null: it was used meanwhile. `given` is needed where the person has no address yet.
   */
  accept(tx: Sql, token: string, given?: { email?: string; name?: string; requestId?: string }): Promise<Person | null>;
  /**
   * Begins a session of someone who has proven who they are. Always under a new secret. `provenAt`: when they did (epoch milliseconds); now
   * by default. `endsAt`: the end of the session that this one continues. Null: the person was disabled meanwhile.
   */
  begin(
    userId: string,
    how: { method: SignInMethod; requestId: string; provenAt?: number; endsAt?: number },
  ): Promise<NewSession | null>;
  /** Ends one session. Repeating it changes nothing. */
  end(sessionId: string, why: 'signed_out' | 'stolen', requestId?: string | null): Promise<void>;
  /** Ends all sessions of a person. */
  endAll(userId: string, requestId?: string | null): Promise<void>;
};
