/** Numbers that look thrown and are the same for the same seed on every machine and every day. */
export type Dice = {
  /** A whole number, both ends included. */
  whole(from: number, to: number): number;
  pick<T>(list: readonly T[]): T;
  oneIn(sides: number): boolean;
  digits(count: number): string;
};

export function dice(seed: string): Dice {
  let state = 2_166_136_261;
  // FNV-1a over the seed, so that neighbours (loan 1, loan 2) begin far apart.
  for (const character of seed) state = Math.imul(state ^ character.charCodeAt(0), 16_777_619);
  /** mulberry32: 32 bits of state, every value once in a period. */
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const whole = (from: number, to: number) => from + (next() % (to - from + 1));
  return {
    whole,
    pick: <T>(list: readonly T[]) => list[whole(0, list.length - 1)] as T,
    oneIn: (sides) => whole(1, sides) === 1,
    digits: (count) => Array.from({ length: count }, () => whole(0, 9)).join(''),
  };
}
