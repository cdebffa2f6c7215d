import { describe, expect, test } from 'vitest';
import { addressOf, bareAddress } from './address.ts';

describe('the address in a text of a proxy', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:4711', '192.0.2.1'],
    ['"192.0.2.1:4711"', '192.0.2.1'],
    [' 192.0.2.1 ', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['"[2001:db8::1]:443"', '2001:db8::1'],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
  ])('%s', (text, address) => {
    expect(bareAddress(text)).toBe(address);
  });

  test.each([
    '',
    'unknown',
    '_hidden',
    'a, b',
    '192.0.2.1:',
    '192.0.2.1:x',
    '192.0.2.999',
    '[192.0.2.1',
    '2001:db8::1:443:x',
    '" "',
    '"',
    'x'.repeat(10_000),
    undefined,
  ])('none in %s', (text) => {
    expect(bareAddress(text)).toBe(null);
    const socket = { remoteAddress: '127.0.0.1' } as Parameters<typeof addressOf>[0]['socket'];
    expect(addressOf({ ip: text as string, socket })).toBe('127.0.0.1');
  });
});
