/** Seeded pseudo-random numbers (mulberry32), with the choices that the fuzzing needs. */
export type Random = {
  /** A whole number from 0 to `below` - 1. */
  int(below: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** One of the values, in proportion to its weight. */
  weighted<T>(list: readonly (readonly [weight: number, value: T])[]): T;
  bytes(length: number): Buffer;
  /** Letters and digits. */
  word(length: number): string;
};

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
  return {
    int,
    chance: (probability) => next() < probability,
    pick: (list) => list[int(list.length)] as (typeof list)[number],
    weighted(list) {
      let left = next() * list.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, value] of list) {
        left -= weight;
        if (left < 0) return value;
      }
      return (list[0] as (typeof list)[number])[1];
    },
    bytes: (length) => Buffer.from(Array.from({ length }, () => int(256))),
    word: (length) => Array.from({ length }, () => LETTERS[int(LETTERS.length)]).join(''),
  };
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
