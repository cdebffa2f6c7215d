/**
 * The seeded random numbers for everything that is simulated: the simulator's files and the demo's loans. The same seed gives
 * the same numbers on every machine. Code that draws from them uses only + − × ÷ and rounding: those are exact by IEEE 754 everywhere,
 * while `Math.exp`, `Math.log` and `Math.pow` may differ in the last digit from one engine to the next. A package would do, but the
 * simulator's test people depend on this exact sequence.
 */
import { createHash } from 'node:crypto';

export type SeededRandom = {
  /** From 0 up to, but not including, 1. */
  share(): number;
  /** A whole number, both ends included. */
  whole(from: number, to: number): number;
  between(from: number, to: number): number;
  pick<T>(list: readonly T[]): T;
  happens(probability: number): boolean;
  oneIn(count: number): boolean;
  digits(count: number): string;
};

/** Each purpose has its own sequence, so that one more draw for one of them does not change the others. */
export function seededRandom(seed: string, purpose = ''): SeededRandom {
  const hash = createHash('sha256').update(`${purpose}\n${seed}`).digest();
  // sfc32 (Chris Doty-Humphrey): 128 bits of state, passes PractRand, four additions and two shifts a number.
  let a = hash.readUInt32LE(0) | 0;
  let b = hash.readUInt32LE(4) | 0;
  let c = hash.readUInt32LE(8) | 0;
  let counter = hash.readUInt32LE(12) | 0;
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return sum >>> 0;
  };
  const share = () => next() / 4_294_967_296;
  const whole = (from: number, to: number) => from + Math.floor(share() * (to - from + 1));
  return {
    share,
    whole,
    between: (from, to) => from + share() * (to - from),
    pick: <T>(list: readonly T[]) => list[whole(0, list.length - 1)] as T,
    happens: (probability) => share() < probability,
    oneIn: (count) => whole(1, count) === 1,
    digits(count) {
      let text = '';
      for (let i = 0; i < count; i++) text += whole(0, 9);
      return text;
    },
  };
}

/** The value at `position` (0 to 1) of a line through evenly spaced points. */
export function along(position: number, points: readonly number[]): number {
  const steps = points.length - 1;
  const at = Math.min(Math.max(position, 0), 1) * steps;
  const left = Math.min(Math.floor(at), steps - 1);
  const from = points[left] as number;
  return from + (at - left) * ((points[left + 1] as number) - from);
}
