import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { credentialsFile, draftCredentials, keptClientId, settleCredentials } from './credentials.ts';

const folders: string[] = [];
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-config-'));
  folders.push(folder);
  return folder;
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

describe('the first credentials', () => {
  const mine = { clientId: 'a/../b', clientSecret: 's', apiKey: 'k' };

  test('get their final name only when their client is in the database', () => {
    const config = readConfig({ DATA_DIR: join(newFolder(), 'data') });
    draftCredentials(config, mine);
    expect(keptClientId(config)).toBeNull();
    settleCredentials(config, mine.clientId, mine.clientId);
    expect(keptClientId(config)).toBe(mine.clientId);
    expect(JSON.parse(readFileSync(credentialsFile(config), 'utf8'))).toEqual(mine);
    expect(statSync(credentialsFile(config)).mode & 0o777).toBe(0o600);
    expect(readdirSync(config.dataDir)).toEqual(['credentials.json']);
  });

  test('of a process that came too late are removed, and those of the first one stay', () => {
    const config = readConfig({ DATA_DIR: join(newFolder(), 'data') });
    draftCredentials(config, mine);
    draftCredentials(config, { ...mine, clientId: 'late' });
    settleCredentials(config, mine.clientId, 'late');
    settleCredentials(config, mine.clientId, mine.clientId);
    expect(readdirSync(config.dataDir)).toEqual(['credentials.json']);
    expect(keptClientId(config)).toBe(mine.clientId);
  });

  test('survive a crash after the client was made', () => {
    const config = readConfig({ DATA_DIR: join(newFolder(), 'data') });
    draftCredentials(config, mine);
    settleCredentials(config, mine.clientId, null);
    expect(keptClientId(config)).toBe(mine.clientId);
  });
});
