/**
 * The last root of the ledger, kept in `DATA_DIR/ledger-root.json`, outside the database, so that a database
 * restored from an older copy, or replaced, is noticed at the next start.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config.ts';
import { openDataDir, syncFolder, writePrivately } from './data-dir.ts';

export type KeptRoot = { number: number; hash: string };

const rootFile = (config: Config): string => join(config.dataDir, 'ledger-root.json');

/** Replaced as a whole, so that a crash leaves the previous one. Several processes may share the folder. Null: deletes it. */
export function keepRoot(config: Config, root: KeptRoot | null): void {
  openDataDir(config);
  const path = rootFile(config);
  if (root === null) rmSync(path, { force: true });
  else {
    const next = `${path}.${randomBytes(6).toString('hex')}`;
    writePrivately(next, `${JSON.stringify({ number: root.number, hash: root.hash })}\n`);
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
  const [, number, hash = ''] = /^{"number":(\d{1,15}),"hash":"(0x[0-9a-f]{64})"}$/.exec(text.trim()) ?? [];
  if (number !== undefined) return { number: Number(number), hash };
  throw new ConfigError(
    `${path} does not contain the last root of the ledger: restore it from a copy, or delete it to start without the comparison.`,
  );
}
