import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openOneEachTurn, openShares, openTurns } from './turns.ts';

const organization = fc.constantFrom('a', 'b', 'c', 'd', 'e');

describe('turns', () => {
  test('the items of an organization keep their order, and none is lost or duplicated', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(organization, fc.constant(null)), { maxLength: 200 }), (steps) => {
        const turns = openTurns<{ of: string; n: number }>();
        const [added, taken] = [new Map<string, number[]>(), new Map<string, number[]>()];
        const note = (where: Map<string, number[]>, of: string, n: number) =>
          where.set(of, [...(where.get(of) ?? []), n]);
        const take = () => {
          const next = turns.next();
          if (next !== undefined) note(taken, next.of, next.n);
          return next !== undefined;
        };
        steps.forEach((of, n) => {
          if (of === null) take();
          else {
            turns.add(of, { of, n });
            note(added, of, n);
          }
        });
        while (take());
        expect(taken).toEqual(added);
      }),
    );
  });

  test('with k organizations waiting, each is next within k turns, whatever arrives meanwhile', () => {
    fc.assert(
      fc.property(fc.array(fc.array(organization, { maxLength: 6 }), { maxLength: 60 }), (arrivals) => {
        const turns = openTurns<string>();
        const waiting = new Map<string, number>();
        const since = new Map<string, number>();
        for (const arriving of arrivals) {
          for (const of of arriving) {
            turns.add(of, of);
            waiting.set(of, (waiting.get(of) ?? 0) + 1);
            if (!since.has(of)) since.set(of, 0);
          }
          const next = turns.next();
          expect(next === undefined).toBe(waiting.size === 0);
          for (const [of, turnsSince] of since) since.set(of, turnsSince + 1);
          if (next === undefined) continue;
          // Five organizations in all: none waits for more than the four others.
          expect(since.get(next)).toBeLessThanOrEqual(5);
          const left = (waiting.get(next) ?? 0) - 1;
          if (left > 0) {
            waiting.set(next, left);
            since.set(next, 0);
          } else {
            waiting.delete(next);
            since.delete(next);
          }
          for (const turnsSince of since.values()) expect(turnsSince).toBeLessThan(5);
        }
      }),
    );
  });
});

test('one piece of work runs in each turn of the event loop, from every organization in turn', async () => {
  const turn = openOneEachTurn();
  let passed = 0;
  let counting = true;
  const count = () => {
    passed += 1;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  const went: string[] = [];
  const when = new Set<number>();
  const piece = async (organizationId: string) => {
    await turn(organizationId);
    went.push(organizationId);
    when.add(passed);
  };
  for (const _ of [1, 2]) await Promise.all(['a', 'a', 'a', 'b'].map(piece));
  counting = false;
  expect(went).toEqual(['a', 'b', 'a', 'a', 'a', 'b', 'a', 'a']);
  expect(when.size).toBe(8);
});

describe('shares', () => {
  test('an organization below its guarantee always has room; none holds more than its share', () => {
    const limits = { everyone: 6, organization: 4, guaranteed: 2 };
    fc.assert(
      fc.property(fc.array(fc.record({ of: organization, takes: fc.boolean() }), { maxLength: 100 }), (steps) => {
        const shares = openShares(limits);
        const held = new Map<string, number>();
        for (const { of, takes } of steps) {
          const own = held.get(of) ?? 0;
          if (takes) {
            const all = [...held.values()].reduce((sum, one) => sum + one, 0);
            const excess = shares.take(of);
            if (excess === null) held.set(of, own + 1);
            expect(excess).toBe(own >= 4 ? 'organization' : own >= 2 && all >= 6 ? 'everyone' : null);
          } else if (own > 0) {
            shares.give(of);
            held.set(of, own - 1);
          } else expect(() => shares.give(of)).toThrow();
        }
      }),
    );
  });
});
