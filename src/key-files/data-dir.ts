/** Creates `DATA_DIR` and writes files in it that only their owner can read. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { badSetting, type Config, ConfigError } from '../config.ts';

/** Whether DATA_DIR already holds an embedded database. */
export function hasDatabase(config: Config): boolean {
  return existsSync(join(config.dataDir, 'postgres'));
}

export function openDataDir({ dataDir }: Config): void {
  try {
    makeFolder(dataDir);
    readdirSync(dataDir);
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    badSetting('DATA_DIR', `a folder that this user can write to (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** `recursive` of mkdir never returns below a folder that allows no subfolders, such as /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have created it a moment ago.
    if (!existsSync(folder)) throw error;
  }
}

/** A new file, on disk when this returns. */
export function writePrivately(path: string, text: string): void {
  rmSync(path, { force: true });
  try {
    const file = openSync(path, 'wx', 0o600);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code);
    if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error;
    rmSync(path, { force: true });
    throw new ConfigError(`The disk that holds ${dirname(path)} is full. Free some space and start again.`);
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
