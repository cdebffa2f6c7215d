import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Config, ConfigError } from '../config.ts';
import { keepRoot, keptRoot } from './ledger-root.ts';

function folder(): { config: Config; file: string } {
  const dataDir = mkdtempSync(join(tmpdir(), 'daybook-root-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  return { config: { dataDir } as Config, file: join(dataDir, 'ledger-root.json') };
}
const hash = (digit: string) => `0x${digit.repeat(64)}`;

test('the last root is read as it was saved, replaced as a whole, and deleted on request', () => {
  const { config, file } = folder();
  expect(keptRoot(config)).toBeNull();
  keepRoot(config, { number: 1, hash: hash('1') });
  keepRoot(config, { number: 2, hash: hash('2') });
  expect(keptRoot(config)).toEqual({ number: 2, hash: hash('2') });
  expect(readdirSync(config.dataDir)).toEqual(['ledger-root.json']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  keepRoot(config, null);
  expect(keptRoot(config)).toBeNull();
});

test.each(['', '{}', 'null', '{"number":1}', '{"number":-1,"hash":"0x00"}'])(
  'a file with %j is refused in one line',
  (text) => {
    const { config, file } = folder();
    writeFileSync(file, text);
    expect(() => keptRoot(config)).toThrow(ConfigError);
  },
);
