import { DatabaseUnavailable } from '../store/db/db.ts';
import { TooBusy } from './secret-checks.ts';

/** An invalid value of `member` (`invalid`), more objects than allowed (`limit`), or something that the current state forbids (`conflict`). */
export class AccessRefused extends Error {
  override name = 'AccessRefused';
  readonly code: 'invalid' | 'limit' | 'conflict';
  readonly member: string | null;
  constructor(code: 'invalid' | 'limit' | 'conflict', message: string, member: string | null = null) {
    super(message);
    this.code = code;
    this.member = member;
  }
}

/** The reason that a caller is not admitted. */
export type Denial =
  | { denied: 'bad_credentials' }
  | { denied: 'too_many_failures'; retryAfterSeconds: number }
  | { denied: 'bad_token'; why: 'missing' | 'malformed' | 'expired' | 'revoked' | 'invalid' }
  /** No such session, or it has ended. */
  | { denied: 'bad_session' }
  | { denied: 'bad_key' }
  | { denied: 'bad_scope' }
  | { denied: 'unavailable' };

export const UNAVAILABLE: Denial = { denied: 'unavailable' };

export async function orUnavailable<T>(work: () => Promise<T | Denial>): Promise<T | Denial> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DatabaseUnavailable || error instanceof TooBusy) return UNAVAILABLE;
    throw error;
  }
}
