/** Everything that decides who may call: clients and their quotas, people and how they sign in. */
import { openAccess } from '../access/access.ts';
import { openSignIn, PROVIDER_CONNECTIONS } from '../access/people/open-sign-in.ts';
import { openSignInGuard } from '../access/people/sign-in-guard.ts';
import type { Tally } from '../access/usage-reports.ts';
import type { Config } from '../config.ts';
import { openOutbound } from '../outbound/client.ts';
import type { Db } from '../store/db/db.ts';

export function openAdmission(options: {
  config: Config;
  db: Db;
  clock: () => number;
  monotonic: () => number;
  /** The root secret `access`. */
  secret: Uint8Array;
  quotasUsed: Tally;
  log: { failure(message: string, error: unknown): void };
}) {
  const { config, db, clock, monotonic, secret, quotasUsed, log } = options;
  const guard = openSignInGuard({ clock, monotonic, secret });
  const access = openAccess({
    ...{ db, clock, secret, quotasUsed },
    quotas: config.quotas,
    issuer: config.publicUrl,
    timeZone: config.timeZone,
    sessionTimes: config.sessions,
    tallies: guard.tallies,
    onReportFailure: (error) => log.failure('usage could not be reported', error),
  });
  const signIn = openSignIn({
    ...{ db, clock, monotonic, secret, guard, people: access.people },
    outbound: openOutbound({ ...PROVIDER_CONNECTIONS, allow: config.outboundAllow }),
    onFailure: (error) => log.failure('a refused sign-in could not be recorded', error),
  });
  return { access, signIn };
}
