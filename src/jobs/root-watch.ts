/**
 * The last root of the ledger is also kept outside the database. A database that lacks it was restored from an older copy, rolled back, or
 * replaced: a start refuses it unless the operator accepts it, a running service reports it and serves nothing more, and the kept root stays
 * as it is, because it is the evidence. A database that went back by less than the time between two roots still has the last one. The
 * service notices by what it remembers of it (`noticed`), and that is kept beside the root.
 */
import type { Sql } from '../store/db/db.ts';
import { confirmReplicated } from '../store/db/replica.ts';
import { hasRoots, readRoot, readRootByHash, readRoots } from '../store/ledger/ledger.ts';

export type RootMark = { readonly number: number; readonly hash: string; readonly setBack?: true };

export type RootWatch = ReturnType<typeof openRootWatch>;

/** The message tells the operator what to do. */
export class RestoredDatabase extends Error {
  override name = 'RestoredDatabase';
}

export function openRootWatch(options: {
  db: Sql;
  kept: () => RootMark | null;
  /** Null: deletes the kept root. */
  keep: (root: RootMark | null) => void;
}) {
  const { db, kept, keep } = options;
  let found: string | null = null;
  let noticedHere = false;
  return { admit, look, noticed, problem: () => found };

  /**
   * Before anything is changed in the database. `accepted` is the hash of the root from which the operator continues (`none` where there is
   * none): it must be in the database, and no newer than the kept one.
   */
  async function admit(accepted: string | null): Promise<void> {
    const before = kept();
    if (before === null) return;
    const any = await hasRoots(db);
    const isLacking = !any || (await lacks(db, before));
    if (!isLacking && before.setBack !== true) return;
    const [last = null] = any ? await readRoots(db, null, 1) : [];
    // Another process may have continued already: the newest root that can be accepted is no newer than the kept one.
    const [common = null] = any ? await readRoots(db, before.number + 1, 1) : [];
    const named = any && accepted !== null ? await readRootByHash(db, accepted) : null;
    if (last === null ? accepted === 'none' : named !== null && named.number <= before.number) return keep(last);
    const now = last === null ? 'has no root' : `ends with root ${last.number}`;
    const why = isLacking
      ? `The last root of the ledger was number ${before.number} (${before.hash}), but this database ${now} and does not contain it: it was ` +
        'restored from an older copy, or it is another database.'
      : `This database, which ${now}, was set back to an older copy while the service ran: it lacks writes that were acknowledged after that root.`;
    throw new RestoredDatabase(`${why} To continue with it, start once with ACCEPT_RESTORE=${common?.hash ?? 'none'}.`);
  }

  /** The database lacks something that this process has seen in it. Nothing is served until the operator has accepted that at a start. */
  function noticed(): void {
    noticedHere = true;
    found = SET_BACK;
  }

  /** Keeps the newest root if the database still has the kept one; otherwise returns the reason. */
  async function look(): Promise<string | null> {
    const before = kept();
    if (noticedHere || before?.setBack === true) {
      found = SET_BACK;
      if (before !== null && before.setBack !== true) keep({ ...before, setBack: true });
      return found;
    }
    const [last = null] = await readRoots(db, null, 1);
    if (before !== null && last?.hash !== before.hash && (await lacks(db, before))) {
      found =
        `The database does not contain root ${before.number} of the ledger, which was kept outside it: it was rolled back to an older copy or replaced. ` +
        'A restart explains how to continue.';
      return found;
    }
    found = null;
    if (last === null || last.hash === before?.hash) return null;
    // A root that a failover could lose would look as if the database had been rolled back.
    await confirmReplicated(db);
    keep(last);
    return null;
  }
}

const SET_BACK =
  'The database lacks writes that this service has acknowledged: it was rolled back to an older copy or replaced. A restart explains how to continue.';

async function lacks(db: Sql, { number, hash }: RootMark): Promise<boolean> {
  return (await readRoot(db, number))?.hash !== hash;
}
