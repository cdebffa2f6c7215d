import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Config, readConfig } from '../config.ts';
import { openMasterKeys } from './master-keys.ts';

const KEY = 'ab'.repeat(32);
const SERVER = 'postgres://user:password@db.example:5432/daybook';

const folders: string[] = [];
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-config-'));
  folders.push(folder);
  return folder;
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** The first three bytes are enough to identify a key here. */
const idOf = (key: Uint8Array) => Buffer.from(key.subarray(0, 3)).toString('hex');

describe('the master keys', () => {
  const open = (config: Config) => openMasterKeys(config, idOf);
  const current = (env: Record<string, string>) => open(readConfig(env)).current().key;

  test('a key is read as hex or base64, from the environment or a file', () => {
    const bytes = Buffer.from(KEY, 'hex');
    const file = join(newFolder(), 'key');
    writeFileSync(file, `${bytes.toString('base64url')}\n`);
    expect(current({ MASTER_KEY: KEY })).toEqual(bytes);
    expect(current({ MASTER_KEY: bytes.toString('base64') })).toEqual(bytes);
    expect(current({ MASTER_KEY_FILE: file })).toEqual(bytes);
  });

  test('of several keys the first is current, all are known, and duplicates are dropped', () => {
    const keys = open(readConfig({ MASTER_KEY: `${'11'.repeat(32)}, ${'22'.repeat(32)}\n${'11'.repeat(32)} ${KEY}` }));
    expect(keys.current().keyId).toBe('111111');
    expect(keys.all().map(({ keyId }) => keyId)).toEqual(['111111', '222222', 'ababab']);
    expect(keys.find('222222')?.key).toEqual(Buffer.alloc(32, 0x22));
    expect(keys.find('333333')).toBeNull();
  });

  test('one is created once for the embedded database, complete and private', () => {
    const dataDir = join(newFolder(), 'data');
    const config = readConfig({ DATA_DIR: dataDir });
    const { key } = open(config).current();
    expect(open(config).current().key).toEqual(key);
    expect(readdirSync(dataDir)).toEqual(['master-key']);
    expect(statSync(join(dataDir, 'master-key')).mode & 0o777).toBe(0o600);
  });

  test('must be given with DATABASE_URL, and nothing is created without one', () => {
    const dataDir = join(newFolder(), 'data');
    expect(() => open(readConfig({ DATABASE_URL: SERVER, DATA_DIR: dataDir }))).toThrow(
      /^MASTER_KEY is required with DATABASE_URL: .*openssl rand -hex 32/,
    );
    expect(existsSync(dataDir)).toBe(false);
  });

  test('a file without valid keys is reported by the name of its variable', () => {
    const folder = newFolder();
    const file = join(folder, 'file');
    const empty = join(folder, 'empty');
    writeFileSync(file, 'too short\n');
    writeFileSync(empty, '\n');
    expect(() => open(readConfig({ MASTER_KEY_FILE: file }))).toThrow(/^MASTER_KEY_FILE must be 32 bytes/);
    expect(() => open(readConfig({ MASTER_KEY_FILE: empty }))).toThrow(/^MASTER_KEY_FILE must be 32 bytes/);
    expect(() => open(readConfig({ MASTER_KEY_FILE: join(folder, 'none') }))).toThrow(
      'MASTER_KEY_FILE must be a readable file (ENOENT).',
    );
    expect(() => open(readConfig({ DATA_DIR: file }))).toThrow(/^DATA_DIR must be a folder .*\(ENOTDIR\)\.$/);
    expect(() => open(readConfig({ DATA_DIR: join(file, 'data') }))).toThrow(/^DATA_DIR must be a folder/);
  });

  test('a new key becomes current in the file, and the older ones stay behind it', () => {
    const file = join(newFolder(), 'master-key');
    writeFileSync(file, `${KEY}\n`, { mode: 0o640 });
    chmodSync(file, 0o644);
    const keys = open(readConfig({ MASTER_KEY_FILE: file }));
    const made = keys.add();
    expect(keys.current()).toBe(made);
    expect(readFileSync(file, 'utf8')).toBe(`${Buffer.from(made.key).toString('hex')}\n${KEY}\n`);
    expect(statSync(file).mode & 0o777, 'no other user may read it').toBe(0o640);
    keys.remove(new Set(['ababab', made.keyId]));
    expect(readFileSync(file, 'utf8'), 'the current one stays').toBe(`${Buffer.from(made.key).toString('hex')}\n`);
    expect(keys.find('ababab')).toBeNull();
    expect(readdirSync(join(file, '..'))).toEqual(['master-key']);
  });

  test('behind a symbolic link the file itself is replaced', () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'real'), `${KEY}\n`, { mode: 0o600 });
    symlinkSync('real', join(folder, 'link'));
    open(readConfig({ MASTER_KEY_FILE: join(folder, 'link') })).add();
    expect(readFileSync(join(folder, 'real'), 'utf8').trim().split('\n')).toHaveLength(2);
    expect(readdirSync(folder).sort()).toEqual(['link', 'real']);
  });

  test('keys from the environment cannot be changed', () => {
    const keys = open(readConfig({ MASTER_KEY: KEY }));
    expect(keys.file).toBeNull();
    expect(() => keys.add()).toThrow(/^MASTER_KEY is set in the environment of the service/);
  });

  test('a service follows its file within a second, and at once for a key it does not know', () => {
    const file = join(newFolder(), 'master-key');
    writeFileSync(file, `${KEY}\n`);
    const config = readConfig({ MASTER_KEY_FILE: file });
    let now = 0;
    const service = openMasterKeys(config, idOf, () => now);
    const old = service.current();
    const made = open(config).add();
    now = 999;
    expect(service.current()).toBe(old);
    now = 1_000;
    expect(service.current()).toEqual(made);
    expect(service.find('ababab'), 'a key that was known stays the same object').toBe(old);
    const newer = open(config).add();
    expect(service.current()).toEqual(made);
    expect(service.find(newer.keyId)).toEqual(newer);
  });

  test('a service whose file is missing or no longer holds keys continues with those it has', () => {
    const file = join(newFolder(), 'master-key');
    writeFileSync(file, `${KEY}\n`);
    let now = 0;
    const service = openMasterKeys(readConfig({ MASTER_KEY_FILE: file }), idOf, () => now);
    for (const spoil of [() => writeFileSync(file, 'half a k'), () => rmSync(file)]) {
      spoil();
      now += 5_000;
      expect(service.current().keyId).toBe('ababab');
      expect(service.find('999999')).toBeNull();
    }
    writeFileSync(file, `${'11'.repeat(32)}\n${KEY}\n`);
    now += 5_000;
    expect(service.current().keyId).toBe('111111');
  });
});
