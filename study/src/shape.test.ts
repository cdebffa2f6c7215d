import { expect, test } from 'vitest';
import { mistakesIn, shapeOf } from './shape.ts';

const shape = shapeOf([
  {
    version: 'one',
    rules: [
      { id: 'a', limit: 3, outcome: { decline: 'x' } },
      { id: 'b', limit: { byGrade: { A: 1 } }, outcome: { warning: 'y' } },
      { id: 'c', limit: { byState: [{ state: 'OH', until: null }] }, outcome: { decline: 'z' }, note: 'n' },
      { id: 'd', limit: { byState: [{ state: 'TX', until: '2026-01-01' }] }, outcome: { decline: 'z' } },
    ],
  },
]);
const rule = { id: 'a', limit: 3, outcome: { decline: 'x' } };
const withRule = (change: object) => mistakesIn({ version: 'two', rules: [rule, { ...rule, ...change }] }, shape);

test('what has the shape of an example has no mistakes', () => {
  expect(withRule({})).toEqual([]);
  expect(withRule({ limit: { byGrade: { A: 7 } }, note: 'optional', outcome: { warning: 'w' } })).toEqual([]);
  expect(withRule({ limit: { byState: [] } })).toEqual([]);
  expect(withRule({ limit: { byState: [{ state: 'GA', until: '2030-01-01' }] } })).toEqual([]);
});

test.each([
  [{ limit: '3' }, 'rules[1].limit: must be a number, or an object with byGrade, or an object with byState'],
  [{ limit: null }, 'rules[1].limit: must be a number, or an object with byGrade, or an object with byState'],
  [{ limit: {} }, 'rules[1].limit: must be a number, or an object with byGrade, or an object with byState'],
  [{ limit: [] }, 'rules[1].limit: must be a number, or an object with byGrade, or an object with byState'],
  [{ limit: { byGrade: { B: 1 } } }, 'rules[1].limit.byGrade.A: is missing'],
  [{ limit: { byGrade: null } }, 'rules[1].limit.byGrade: must be an object with A'],
  [{ limit: { byState: [{ state: 'OH', until: 5 }] } }, 'rules[1].limit.byState[0].until: must be null, or text'],
  [{ id: 7 }, 'rules[1].id: must be text'],
  [{ idd: 'x' }, 'rules[1].idd: is unknown; known are id, limit, outcome, note'],
  [{ outcome: { deny: 'x' } }, 'rules[1].outcome: must be an object with decline, or an object with warning'],
])('a mistake is named with its place: %j', (change, mistake) => {
  expect(withRule(change)).toContain(mistake);
});

test('what is no such thing at all', () => {
  expect(mistakesIn(null, shape)).toEqual(['must be an object with version, rules']);
  expect(mistakesIn([], shape)).toEqual(['must be an object with version, rules']);
  expect(mistakesIn({}, shape)).toEqual(['version: is missing', 'rules: is missing']);
  expect(mistakesIn(JSON.parse('{"version": "x", "rules": [], "__proto__": 1}'), shape)).toEqual([
    '__proto__: is unknown; known are version, rules',
  ]);
});

test('of many mistakes, the first twenty', () => {
  expect(mistakesIn({ version: 1, rules: Array(100).fill(1) }, shape)).toHaveLength(20);
});
