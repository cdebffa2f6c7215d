import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { credentialsFile, demoCredentials, draftCredentials, keptClientId, settleCredentials } from './credentials.ts';

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

  test('are renamed to their final name only when their client is in the database', () => {
    const config = readConfig({ DATA_DIR: join(newFolder(), 'data') });
    draftCredentials(config, mine);
    expect(keptClientId(config)).toBeNull();
    settleCredentials(config, mine.clientId, mine.clientId);
    expect(keptClientId(config)).toBe(mine.clientId);
    expect(JSON.parse(readFileSync(credentialsFile(config), 'utf8'))).toEqual(mine);
    expect(statSync(credentialsFile(config)).mode & 0o777).toBe(0o600);
    expect(readdirSync(config.dataDir)).toEqual(['credentials.json']);
  });

  test('of a later process are removed, and those of the first one stay', () => {
    const config = readConfig({ DATA_DIR: join(newFolder(), 'data') });
    draftCredentials(config, mine);
    draftCredentials(config, { ...mine, clientId: 'late' });
    settleCredentials(config, mine.clientId, 'late');
    settleCredentials(config, mine.clientId, mine.clientId);
    expect(readdirSync(config.dataDir)).toEqual(['credentials.json']);
    expect(keptClientId(config)).toBe(mine.clientId);
  });

  test('survive a crash after the client was created', () => {
    const config = readConfig({ DATA_DIR: join(newFolder(), 'data') });
    draftCredentials(config, mine);
    settleCredentials(config, mine.clientId, null);
    expect(keptClientId(config)).toBe(mine.clientId);
  });
});

describe('the credentials of the demo', () => {
  const demo = { clientId: 'client_demo', clientSecret: 's', apiKey: 'k' };

  test('are kept beside the first ones and do not change', () => {
    const config = readConfig({ DATA_DIR: join(newFolder(), 'data') });
    const mine = { clientId: 'mine', clientSecret: 's', apiKey: 'k' };
    draftCredentials(config, mine);
    settleCredentials(config, mine.clientId, mine.clientId);
    expect(demoCredentials(config, demo)).toEqual(demo);
    expect(demoCredentials(config, { ...demo, clientId: 'client_later' })).toEqual(demo);
    expect(JSON.parse(readFileSync(credentialsFile(config), 'utf8'))).toEqual({ ...mine, demo });
    expect(statSync(credentialsFile(config)).mode & 0o777).toBe(0o600);
    expect(readdirSync(config.dataDir)).toEqual(['credentials.json']);
    expect(keptClientId(config)).toBe(mine.clientId);
  });

  test('are the only ones kept when the operator provides the first ones', () => {
    const config = readConfig({ DATA_DIR: join(newFolder(), 'data') });
    expect(demoCredentials(config, demo)).toEqual(demo);
    expect(keptClientId(config)).toBeNull();
  });
});
