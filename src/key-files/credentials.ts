/** The first client's credentials, kept in `DATA_DIR/credentials.json`, readable by its owner alone. */
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { openDataDir, writePrivately } from './data-dir.ts';

export type Credentials = { clientId: string; clientSecret: string; apiKey: string };

export const credentialsFile = (config: Config): string => join(config.dataDir, 'credentials.json');

/**
 * Credentials are on disk before the client they belong to is in the database, under a temporary name, so that no crash
 * in between can leave a first client whose secret is lost; `settleCredentials` renames them.
 */
export function draftCredentials(config: Config, credentials: Credentials): void {
  openDataDir(config);
  writePrivately(draftFile(config, credentials.clientId), `${JSON.stringify(credentials, null, 2)}\n`);
}

/** The drafts of the client that is in the database become `credentials.json`; those of a client that was never stored are removed. */
export function settleCredentials(config: Config, clientId: string, drafted: string | null): void {
  try {
    renameSync(draftFile(config, clientId), credentialsFile(config));
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  if (drafted !== null) rmSync(draftFile(config, drafted), { force: true });
}

/** The client whose credentials are in DATA_DIR; null when there are none. */
export function keptClientId(config: Config): string | null {
  try {
    return (JSON.parse(readFileSync(credentialsFile(config), 'utf8')) as Credentials).clientId;
  } catch {
    return null;
  }
}

const draftFile = (config: Config, clientId: string): string =>
  `${credentialsFile(config)}.${Buffer.from(clientId).toString('base64url')}`;
