/** `DATA_DIR`: making it, and writing files in it that only their owner may read. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { badSetting, type Config } from '../config.ts';

/** Whether DATA_DIR holds an embedded database already. */
export function hasDatabase(config: Config): boolean {
  return existsSync(join(config.dataDir, 'postgres'));
}

export function openDataDir({ dataDir }: Config): void {
  try {
    mkdirSync(dataDir, { recursive: true });
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    badSetting('DATA_DIR', `a folder this user may write to (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** A new file, on disk when this returns. */
export function writePrivately(path: string, text: string): void {
  rmSync(path, { force: true });
  const file = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** A new file name is on disk only when its folder is. */
export function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
