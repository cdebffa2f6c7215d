/**
 * The last root of the ledger that this service made, kept in `DATA_DIR/ledger-root.json`, outside the database: so that a database
 * restored from an older copy, or replaced, is noticed at the next start.
 */
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { openDataDir, syncFolder, writePrivately } from './data-dir.ts';

export type KeptRoot = { number: number; hash: string };

const rootFile = (config: Config): string => join(config.dataDir, 'ledger-root.json');

/** Replaced whole, so that a crash leaves the one before. */
export function keepRoot(config: Config, { number, hash }: KeptRoot): void {
  openDataDir(config);
  const path = rootFile(config);
  writePrivately(`${path}.new`, `${JSON.stringify({ number, hash })}\n`);
  renameSync(`${path}.new`, path);
  syncFolder(path);
}

/** Null: none was kept yet. */
export function keptRoot(config: Config): KeptRoot | null {
  try {
    const { number, hash } = JSON.parse(readFileSync(rootFile(config), 'utf8')) as KeptRoot;
    return { number, hash };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/**
 * Why a start must not go on: the root that was kept is not in the database. `stored` is the database's root of the same number, `last`
 * its last one, `accepted` the operator's word for going on with that one. Null: it may go on.
 */
export function restoredFrom(of: {
  kept: KeptRoot | null;
  stored: KeptRoot | null;
  last: KeptRoot | null;
  accepted: string | null;
}): string | null {
  const { kept, stored, last, accepted } = of;
  const present = last?.hash ?? 'none';
  if (kept === null || stored?.hash === kept.hash || accepted === present) return null;
  const now = last === null ? 'has no root' : `ends with root ${last.number}`;
  return (
    `The last root of the ledger was number ${kept.number} (${kept.hash}), but this database ${now}: it was restored from an older ` +
    `copy, or it is another one. To go on with it, start once with ACCEPT_RESTORE=${present}.`
  );
}
