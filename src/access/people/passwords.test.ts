import { describe, expect, test } from 'vitest';
import { withUsualCosts } from '../../../test/support/hashing.ts';
import { hashPassword, passwordFault, verifyPassword } from './passwords.ts';

withUsualCosts();

const ROBIN = { email: 'robin.ellis@harbor.example', name: 'Robin Ellis' };

describe('a hash', () => {
  test('is a PHC string of argon2id with its numbers, salted, and recognises its password alone', async () => {
    const [one, other] = await Promise.all([
      hashPassword('violet kettle harvest'),
      hashPassword('violet kettle harvest'),
    ]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=32768,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(other).not.toBe(one);
    expect(await verifyPassword('violet kettle harvest', one)).toBe(true);
    expect(await verifyPassword('violet kettle harvesT', one)).toBe(false);
    expect(await verifyPassword('violet kettle harvest', null)).toBe(false);
  });

  test('is checked with the numbers that it names, and in an unknown form it is an error', async () => {
    const weak = (await hashPassword('violet kettle harvest')).replace('t=2', 't=3');
    expect(await verifyPassword('violet kettle harvest', weak)).toBe(false);
    await expect(verifyPassword('x', '$argon2i$v=19$m=8,t=1,p=1$AA$AA')).rejects.toThrow(/unknown format/);
  });

  test('is the same for two ways to type the same text', async () => {
    expect(await verifyPassword('Cafe\u0301 violet kettle', await hashPassword('Caf\u00e9 violet kettle'))).toBe(true);
  });
});

describe('a new password', () => {
  test.each([
    ['short12345!', /at least 12/],
    ['x'.repeat(201), /at most 200/],
    ['robin.ellis@harbor.example', /your name/],
    ['Robin Ellis 2026', /your name/],
    ['robinellis123', /your name/],
    ['Password1234!', /easy to guess/],
    ['password12345', /easy to guess/],
    ['qwertyuiop123', /easy to guess/],
    ['aaaaaaaaaaaaaa', /easy to guess/],
    ['abababababababab', /easy to guess/],
    ['hungryhungryhungry', /easy to guess/],
    ['123456789012', /easy to guess/],
  ])('%s is refused', (password, why) => expect(passwordFault(password, ROBIN)).toMatch(why));

  test.each(['violet kettle harvest', 'T9#mq2!vLz8w', 'Grüße aus dem Süden', '🦊🦉🐝🐢🦀🐙🦋🐍🦔🐿🦇🐳'])(
    '%s is accepted',
    (password) => expect(passwordFault(password, ROBIN)).toBeNull(),
  );
});
