/** The user that the server runs as. PostgreSQL refuses root, so a service started by root runs it as another user. */
import { readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { EmbeddedPostgresError } from './errors.ts';

export type ServerUser = { uid: number; gid: number };

/** Undefined: our own user. Otherwise the owner of the cluster, or a system user (`postgres`, `nobody`). */
export function serverUser(cluster: string): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = knownUsers();
  const owner = statSync(cluster, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) {
    return { uid: owner.uid, gid: users.find((user) => user.uid === owner.uid)?.gid ?? owner.gid };
  }
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const user = users.find((known) => known.name === name);
    if (user) return { uid: user.uid, gid: user.gid };
  }
  throw new EmbeddedPostgresError(
    'PostgreSQL refuses to run as root, and this machine has no user "postgres" or "nobody" to run it as. ' +
      'Start Daybook as an ordinary user, or set DATABASE_URL to a PostgreSQL 15 or newer.',
  );
}

/**
 * Whether that user can reach the path by its name: search permission on every folder above it, read and execute on
 * itself. Judged by the mode bits, because asking the kernel would need a process of that user.
 */
export function canReach(path: string, user: ServerUser | undefined): boolean {
  if (!user) return true;
  let current = realpathSync(path);
  if (!allows(statSync(current), user, 0o5)) return false;
  while (current !== dirname(current)) {
    current = dirname(current);
    if (!allows(statSync(current), user, 0o1)) return false;
  }
  return true;
}

function allows(stat: Stats, user: ServerUser, bits: number): boolean {
  const shift = stat.uid === user.uid ? 6 : stat.gid === user.gid ? 3 : 0;
  return ((stat.mode >> shift) & bits) === bits;
}

function knownUsers(): { name: string; uid: number; gid: number }[] {
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}
