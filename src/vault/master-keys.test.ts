import { describe, expect, test } from 'vitest';
import { type DataKey, masterKeyId, newDataKey, rewrap, unwrap, wrap } from './master-keys.ts';
import { unwrapRootSecret } from './roots.ts';
import { unsealNote } from './seal.ts';

const LOAN = `0x${'1a'.repeat(32)}`;
const OTHER = `0x${'2b'.repeat(32)}`;
const master = (byte: number) => {
  const key = new Uint8Array(32).fill(byte);
  return { keyId: masterKeyId(key), key };
};

describe('a data key', () => {
  const [one, two] = [master(1), master(2)];
  const dataKey = newDataKey();
  const wrapped = wrap(one, dataKey, LOAN);

  test('is unwrapped by its master key for its loan, and by nothing else', () => {
    expect(unwrap(one, wrapped, LOAN)?.equals(dataKey)).toBe(true);
    expect(unwrap(two, wrapped, LOAN)).toBeNull();
    expect(unwrap(one, wrapped, OTHER)).toBeNull();
    const spoilt = Buffer.from(wrapped);
    spoilt[spoilt.length - 1] = (spoilt.at(-1) ?? 0) ^ 1;
    expect(unwrap(one, spoilt, LOAN)).toBeNull();
    expect(unwrap(one, new Uint8Array(3), LOAN)).toBeNull();
  });

  test('stays the same when it is rewrapped under another master key', () => {
    const rewrapped = rewrap(one, two, wrapped, LOAN);
    expect(rewrapped && unwrap(two, rewrapped, LOAN)?.equals(dataKey)).toBe(true);
    expect(rewrapped && unwrap(one, rewrapped, LOAN)).toBeNull();
    expect(rewrap(two, one, wrapped, LOAN)).toBeNull();
  });

  test('sealed data that is not a key is not accepted as one', () => {
    const long = wrap(one, Buffer.alloc(33) as typeof dataKey, LOAN);
    expect(unwrap(one, long, LOAN)).toBeNull();
  });
});

test('a master key’s id is the same wherever it is computed, and differs between keys', () => {
  expect(masterKeyId(new Uint8Array(32).fill(7))).toBe(masterKeyId(Buffer.alloc(32, 7)));
  expect(masterKeyId(new Uint8Array(32).fill(7))).toMatch(/^mk_[0-9a-f]{16}$/);
  expect(masterKeyId(new Uint8Array(32).fill(7))).not.toBe(masterKeyId(new Uint8Array(32).fill(8)));
  expect(() => masterKeyId(new Uint8Array(31))).toThrow('32 bytes');
});

test('an existing database can still be decrypted: ids, wrapped keys, sealed notes and root secrets keep their format', () => {
  const kept = master(7);
  const dataKey = Buffer.alloc(32, 9) as Buffer as DataKey;
  const hex = (text: string) => Buffer.from(text, 'hex');
  expect(kept.keyId).toBe('mk_64d84943507a6307');
  const wrapped = hex(
    '91c6ab6d61e20a8d78ab00f78e4440670f3b9891fee637e835e49005c4ab21c7527b044904deae36dbc23b0801c175df7ca0469b522ad9eeda39634e',
  );
  expect(unwrap(kept, wrapped, LOAN)?.equals(dataKey)).toBe(true);
  const note = hex('ddf6704069e0bbf23937a528cce701fb39ffbc463299da02599140a5891d3d');
  expect(unsealNote(dataKey, LOAN, note)).toBe('why');
  const root = hex(
    '01731b3d4e326bbae51c434229808dd05beb33a6e3a504e6ebaac879d48b53426c547639e454e37d3597673a83e16310adcc9ec0b1cbc8a586af15fc00',
  );
  const keys = { current: () => kept, find: () => kept, all: () => [kept] };
  expect(unwrapRootSecret(keys, { name: 'index', key_id: kept.keyId, wrapped: root })).toEqual(dataKey);
});
