import { scryptSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { withUsualCosts } from '../../test/support/hashing.ts';
import {
  hashSecret,
  isApiKey,
  isClientId,
  isClientSecret,
  keyring,
  newApiKey,
  newClientSecret,
  newId,
  verifySecret,
} from './secrets.ts';

withUsualCosts();

const master = (byte: number) => new Uint8Array(32).fill(byte);

test('a secret matches its own hash only, and the hash states how it was computed', async () => {
  const hash = await hashSecret('correct horse');
  expect(hash).toMatch(/^\$scrypt\$ln=14,r=8,p=1\$/);
  expect(await verifySecret('correct horse', hash)).toBe(true);
  expect(await verifySecret('correct horsf', hash)).toBe(false);
  expect(await verifySecret('correct horse', null)).toBe(false);
  expect(await hashSecret('correct horse'), 'salted').not.toBe(hash);
  await expect(verifySecret('x', 'plain text')).rejects.toThrow('unknown format');
});

test('a hash computed with other parameters is checked with those parameters', async () => {
  const cheap = scryptSync('s', Buffer.alloc(16, 7), 32, { N: 1_024, r: 4, p: 2 }).toString('base64url');
  const text = `$scrypt$ln=10,r=4,p=2$${Buffer.alloc(16, 7).toString('base64url')}$${cheap}`;
  expect(await verifySecret('s', text)).toBe(true);
});

test('sealed data opens only under the same master key and label, and not when a bit was changed', () => {
  const ring = keyring(master(1));
  const sealed = ring.seal(Buffer.from('private'), 'sig_a');
  expect(ring.unseal(sealed, 'sig_a')?.toString()).toBe('private');
  expect(ring.unseal(sealed, 'sig_b')).toBeNull();
  expect(keyring(master(2)).unseal(sealed, 'sig_a')).toBeNull();
  for (const at of [0, 1, 13, sealed.length - 1]) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(ring.unseal(changed, 'sig_a'), `byte ${at}`).toBeNull();
  }
  expect(ring.unseal(sealed.subarray(0, 20), 'sig_a')).toBeNull();
  expect(ring.seal(Buffer.from('private'), 'sig_a').equals(sealed), 'a new nonce each time').toBe(false);
});

test('the hash of an API key depends on the master key', () => {
  const hash = keyring(master(1)).hashApiKey('dbk_x');
  expect(hash).toHaveLength(32);
  expect(keyring(master(1)).hashApiKey('dbk_x').equals(hash)).toBe(true);
  expect(keyring(master(2)).hashApiKey('dbk_x').equals(hash)).toBe(false);
  expect(() => keyring(new Uint8Array(31))).toThrow('32 bytes');
});

test('generated ids, secrets and keys are recognised and accepted', () => {
  expect(newClientSecret()).toMatch(/^dbs_[\w-]{43}$/);
  expect(newApiKey()).toMatch(/^dbk_[\w-]{43}$/);
  expect(newId('client')).toMatch(/^client_[a-z2-7]{24}$/);
  expect(new Set(Array.from({ length: 1_000 }, () => newId('key'))).size).toBe(1_000);
});

test('ids, secrets and keys of unknown shape: bounded, printable, no NUL', () => {
  for (const fits of [isClientId, isClientSecret]) {
    expect(fits('a')).toBe(true);
    expect(fits('Bank für Autos: desk 7')).toBe(true);
    for (const bad of ['', 'a\0b', 'a\nb', '\u0007', '\ud800', 'x'.repeat(513)]) expect(fits(bad)).toBe(false);
  }
  expect(isClientId('x'.repeat(128))).toBe(true);
  expect(isClientId('x'.repeat(129))).toBe(false);
  expect(isClientSecret('x'.repeat(512))).toBe(true);
  expect(isApiKey('a key')).toBe(true);
  for (const bad of ['', ' a', 'a ', 'ü', 'a\tb', 'x'.repeat(513)]) expect(isApiKey(bad)).toBe(false);
});
