/**
 * The last root of the ledger, kept in `DATA_DIR/ledger-root.json`, outside the database, so that a database
 * restored from an older copy, or replaced, is noticed at the next start.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config.ts';
import { openDataDir, syncFolder, writePrivately } from './data-dir.ts';

/** `setBack`: the database was found to have lost writes of this service, although it may still have the root. */
export type KeptRoot = { number: number; hash: string; setBack?: true };

const rootFile = (config: Config): string => join(config.dataDir, 'ledger-root.json');

/** Replaced as a whole, so that a crash leaves the previous one. Several processes may share the folder. Null: deletes it. */
export function keepRoot(config: Config, root: KeptRoot | null): void {
  openDataDir(config);
  const path = rootFile(config);
  if (root === null) rmSync(path, { force: true });
  else {
    const next = `${path}.${randomBytes(6).toString('hex')}`;
    const { number, hash, setBack } = root;
    writePrivately(next, `${JSON.stringify({ number, hash, setBack })}\n`);
    renameSync(next, path);
  }
  syncFolder(path);
}

/** Null: none was saved yet. */
export function keptRoot(config: Config): KeptRoot | null {
  const path = rootFile(config);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
  const [, number, hash = '', setBack] =
    /^{"number":(\d{1,15}),"hash":"(0x[0-9a-f]{64})"(,"setBack":true)?}$/.exec(text.trim()) ?? [];
  if (number !== undefined)
    return { number: Number(number), hash, ...(setBack === undefined ? {} : { setBack: true }) };
  throw new ConfigError(
    `${path} does not contain the last root of the ledger: restore it from a copy, or delete it to start without the comparison.`,
  );
}
