/** The people of organizations: what the parts of this folder know of each other. */
import type { Sql } from '../../store/db.ts';

export type SignInMethod = 'passkey' | 'password' | 'provider' | 'invitation';

export type Person = {
  userId: string;
  organizationId: string;
  organizationName: string;
  email: string;
  name: string;
  roles: string[];
  status: 'invited' | 'active' | 'disabled';
};

/** `secret` goes into the cookie and is stored nowhere; `endsAt` is the absolute end (epoch milliseconds). */
export type NewSession = { sessionId: string; secret: string; endsAt: number };

/** What signing in needs of people and sessions. */
export type People = {
  /** Active people with this address, of one organization or of all. */
  byEmail(email: string, organizationId: string | null): Promise<Person[]>;
  byId(userId: string): Promise<Person | null>;
  /** The person that an unused invitation is for; null: there is none, or it has expired. */
  invited(token: string): Promise<Person | null>;
  /** Uses an invitation up and makes its person active, in the transaction that stores how they sign in. Null: it was used meanwhile. */
  accept(tx: Sql, token: string): Promise<Person | null>;
  /** Begins a session of someone who has proven who they are. Always under a new secret. Null: the person was disabled meanwhile. */
  begin(userId: string, how: { method: SignInMethod; requestId: string }): Promise<NewSession | null>;
  /** Ends one session. */
  end(sessionId: string, why: 'signed_out' | 'stolen'): Promise<void>;
  /** Ends all sessions of a person. */
  endAll(userId: string): Promise<void>;
};
