/** The headers that say who calls, and how they are renewed. */
import type { ProblemError } from './errors.ts';
import type { Auth } from './types.ts';

export type Credentials = {
  /** For the next attempt. */
  headers(write: boolean): Promise<Record<string, string>>;
  /** Whether another attempt, with new credentials in place of those `sent`, may succeed. */
  renews(problem: ProblemError, sent: Record<string, string>): boolean;
  /** Credentials mode of the requests. */
  mode: 'omit' | 'same-origin';
};

/** Seconds, as `POST /oauth/token` says them: counted from now, they hold whatever the clocks of the two machines say. */
export type Token = { access_token: string; expires_in: number };

/** A token is renewed this long before its end, so that it does not end on its way. */
const RENEWED_BEFORE_MS = 60_000;

export function credentialsOf(
  auth: Auth | undefined,
  { clock, exchange }: { clock: () => number; exchange: (form: Record<string, string>) => Promise<Token> },
): Credentials {
  if (auth === undefined) return { headers: async () => ({}), renews: () => false, mode: 'omit' };
  if ('session' in auth) return session(auth.session.csrfToken);
  const key: Record<string, string> = auth.apiKey === undefined ? {} : { key: auth.apiKey };
  if ('token' in auth) {
    const headers = { authorization: `Bearer ${auth.token}`, ...key };
    return { headers: async () => headers, renews: () => false, mode: 'omit' };
  }
  const { clientId, clientSecret, scopes } = auth;
  if (scopes?.length === 0) throw new TypeError('scopes is empty; leave it out to ask for all scopes of the client.');
  const scope: Record<string, string> = scopes === undefined ? {} : { scope: scopes.join(' ') };
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, ...scope };

  /** The one token, or the exchange that all callers wait for. */
  let current: { token: Promise<string>; bearer?: string; renewAt: number } | undefined;
  const fetched = () => {
    const mine: NonNullable<typeof current> = {
      renewAt: Number.POSITIVE_INFINITY,
      token: exchange(form).then(
        ({ access_token, expires_in }) => {
          const life = expires_in * 1000;
          mine.renewAt = clock() + life - Math.min(RENEWED_BEFORE_MS, life / 2);
          mine.bearer = `Bearer ${access_token}`;
          return mine.bearer;
        },
        (failure) => {
          if (current === mine) current = undefined;
          throw failure;
        },
      ),
    };
    return mine;
  };
  return {
    mode: 'omit',
    async headers() {
      if (current === undefined || clock() >= current.renewAt) current = fetched();
      return { authorization: await current.token, ...key };
    },
    renews(problem, sent) {
      if (problem.status !== 401) return false;
      // Another call may have renewed it in the meantime.
      if (current?.bearer === sent.authorization) current = undefined;
      return true;
    },
  };
}

function session(csrfToken: (refused?: string) => string | Promise<string>): Credentials {
  let refused: string | undefined;
  return {
    mode: 'same-origin',
    async headers(write) {
      if (!write) return {};
      const before = refused;
      refused = undefined;
      return { 'x-csrf-token': await (before === undefined ? csrfToken() : csrfToken(before)) };
    },
    renews(problem, sent) {
      const token = sent['x-csrf-token'];
      if (problem.code !== 'forged_request' || token === undefined) return false;
      refused = token;
      return true;
    },
  };
}
