/** An invalid value of `member` (`invalid`), or more objects than allowed (`limit`). */
export class AccessRefused extends Error {
  override name = 'AccessRefused';
  readonly code: 'invalid' | 'limit';
  readonly member: string | null;
  constructor(code: 'invalid' | 'limit', message: string, member: string | null = null) {
    super(message);
    this.code = code;
    this.member = member;
  }
}

/** Why a caller is not admitted. */
export type Denial =
  | { denied: 'bad_credentials' }
  | { denied: 'too_many_failures'; retryAfterSeconds: number }
  | { denied: 'bad_token'; why: 'missing' | 'malformed' | 'expired' | 'revoked' | 'invalid' }
  | { denied: 'bad_key' }
  | { denied: 'bad_scope' }
  | { denied: 'unavailable' };
