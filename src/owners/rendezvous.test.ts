import { expect, test } from 'vitest';
import { ownersOf } from './rendezvous.ts';

const IDS = Array.from({ length: 6 }, (_, n) => `process_${n}`);

test('every process computes the same owners, in whatever order it lists the others', () => {
  expect(ownersOf(256, [...IDS].reverse())).toEqual(ownersOf(256, IDS));
});

test('each process owns an equal share, within a third', () => {
  const owners = ownersOf(256, IDS);
  for (const id of IDS) {
    const share = owners.filter((owner) => owner === id).length;
    expect(share).toBeGreaterThan((256 / IDS.length) * 0.66);
    expect(share).toBeLessThan((256 / IDS.length) * 1.34);
  }
});

test('when a process leaves, only its own volumes change owners', () => {
  const before = ownersOf(256, IDS);
  const after = ownersOf(256, IDS.slice(1));
  before.forEach((owner, volume) => {
    if (owner !== IDS[0]) expect(after[volume]).toBe(owner);
    else expect(IDS.slice(1)).toContain(after[volume]);
  });
});

test('a single process owns everything', () => {
  expect(new Set(ownersOf(16, ['process_a']))).toEqual(new Set(['process_a']));
});
