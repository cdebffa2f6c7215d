/** The problems for denied access and for refused changes of access. They say what to do, and nothing that helps an attacker. */

import type { MayNotGive } from '../../access/giving.ts';
import type { AccessRefused, Denial } from '../../access/refused.ts';
import type { Scope } from '../../access/scopes.ts';
import { Problem, unavailable } from './problems.ts';

export function denialProblem(denial: Denial): Problem {
  const challenge = (error?: string) => ({
    'WWW-Authenticate': `Bearer realm="daybook"${error === undefined ? '' : `, error="${error}"`}`,
  });
  switch (denial.denied) {
    case 'bad_token': {
      if (denial.why === 'missing') {
        const detail = 'Send the header "Authorization: Bearer <token>"; get a token from POST /auth-token.';
        return new Problem('unauthorized', detail, {}, challenge());
      }
      const detail =
        denial.why === 'expired'
          ? 'The token has expired; get a new one from POST /auth-token.'
          : 'The token is not valid; get a new one from POST /auth-token.';
      return new Problem('unauthorized', detail, {}, challenge('invalid_token'));
    }
    case 'bad_session':
      return new Problem('unauthorized', 'The session has ended; sign in again.', {}, challenge());
    case 'bad_key':
      return new Problem('invalid_key', 'The API key in the header "key" is not an active key of this client.');
    case 'bad_credentials':
      return new Problem('invalid_credentials', 'The client id or the secret is wrong.', {}, challenge());
    case 'bad_scope':
      return new Problem('invalid_request', 'The requested scope is unknown, or this client does not have it.');
    case 'too_many_failures':
      return new Problem(
        'too_many_failures',
        `Too many failed attempts from this address; try again in ${denial.retryAfterSeconds} s.`,
        {},
        { 'Retry-After': String(denial.retryAfterSeconds) },
      );
    case 'unavailable':
      return unavailable('Access cannot be checked at the moment; try again shortly.');
  }
}

/** A change of clients, keys or grants that is refused. */
export function refusalProblem({ code, member, message }: AccessRefused): Problem {
  if (code !== 'invalid') return new Problem('conflict', message);
  const errors = member === null ? [] : [{ pointer: `/${member}`, code: 'invalid', detail: message }];
  return new Problem('invalid_request', message, { errors });
}

/** A caller that would grant scopes it does not have, or funding or personal data without an API key. */
export function givingProblem({ scopes, message }: MayNotGive): Problem {
  return scopes.length > 0 ? scopeProblem(message, scopes) : new Problem('key_required', message);
}

/** RFC 6750 section 3: the challenge names the scope that is missing. */
export function scopeProblem(detail: string, scopes: readonly Scope[]): Problem {
  const scope = scopes.join(' ');
  const challenge = `Bearer realm="daybook", error="insufficient_scope", scope="${scope}"`;
  return new Problem('insufficient_scope', detail, { scope }, { 'WWW-Authenticate': challenge });
}
