/** The credentials of the first client, and under `demo` those of the demo's client, kept in `DATA_DIR/credentials.json`, readable only by its owner. */
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { openDataDir, syncFolder, writePrivately } from './data-dir.ts';

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

/** The draft of the client that is in the database becomes `credentials.json`; drafts of clients that were never stored are removed. */
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
    return keptIn(config).clientId ?? null;
  } catch {
    return null;
  }
}

/** The demo's credentials: the stored ones, or `made`, which are stored before their client is in the database. */
export function demoCredentials(config: Config, made: Credentials): Credentials {
  openDataDir(config);
  const kept = existsSync(credentialsFile(config)) ? keptIn(config) : {};
  if (kept.demo !== undefined) return kept.demo;
  const draft = draftFile(config, made.clientId);
  writePrivately(draft, `${JSON.stringify({ ...kept, demo: made }, null, 2)}\n`);
  renameSync(draft, credentialsFile(config));
  syncFolder(draft);
  return made;
}

function keptIn(config: Config): Partial<Credentials> & { demo?: Credentials } {
  return JSON.parse(readFileSync(credentialsFile(config), 'utf8'));
}

const draftFile = (config: Config, clientId: string): string =>
  `${credentialsFile(config)}.${Buffer.from(clientId).toString('base64url')}`;
