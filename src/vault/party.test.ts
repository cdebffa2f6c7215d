import { expect, test } from 'vitest';
import { asAddress, isAddress, partyAddress } from './party.ts';

// The examples of EIP-55.
const EXAMPLES = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
];

test.each(EXAMPLES)('EIP-55: %s has the right checksum', (address) => {
  expect(isAddress(address)).toBe(true);
  expect(asAddress(address.toLowerCase())).toBe(address);
  expect(asAddress(`0x${address.slice(2).toUpperCase()}`)).toBe(address);
});

test('a wrong checksum, length, prefix or digit is not an address', () => {
  const [, , , , good = ''] = EXAMPLES;
  for (const bad of [
    good.replace('aA', 'AA'),
    good.slice(0, -1),
    `${good}0`,
    good.slice(2),
    good.replace('5', 'g'),
    '',
  ]) {
    expect(isAddress(bad), bad).toBe(false);
    expect(asAddress(bad)).toBeNull();
  }
});

test('the same party of the same organization always has the same address; any other has a different one', () => {
  const key = new Uint8Array(32).fill(5);
  const address = partyAddress(key, 'org_a', 'borrower', 'B-1001');
  expect(asAddress(address)).toBe(address);
  expect(partyAddress(key, 'org_a', 'borrower', 'B-1001')).toBe(address);
  const others = [
    partyAddress(key, 'org_b', 'borrower', 'B-1001'),
    partyAddress(key, 'org_a', 'lender', 'B-1001'),
    partyAddress(key, 'org_a', 'borrower', 'B-1002'),
    partyAddress(new Uint8Array(32).fill(6), 'org_a', 'borrower', 'B-1001'),
  ];
  expect(new Set([address, ...others]).size).toBe(5);
});
