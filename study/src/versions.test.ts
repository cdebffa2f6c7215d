/** A version from a file is as good as a built-in one, and whatever is wrong with it has a sentence. */
import { describe, expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import { builtIn, readModel, readPolicy, versionsOn } from './versions.ts';

const { model, policy } = versionsOn(date('2026-01-15'));

test('every built-in version can be written and read again', () => {
  for (const one of builtIn('model')) expect(readModel(JSON.stringify(one))).toEqual(one);
  for (const one of builtIn('policy')) expect(readPolicy(JSON.stringify(one))).toEqual(one);
});

describe('what cannot be used', () => {
  const changedPolicy = (change: object) => () => readPolicy(JSON.stringify({ ...policy, ...change }));

  test.each<[string, () => unknown, RegExp]>([
    ['no JSON', () => readPolicy('{'), /^The policy is not JSON\.$/],
    ['no object', () => readModel('7'), /^The model cannot be used\. must be an object with version, /],
    ['a list instead of rules', changedPolicy({ rules: {} }), /rules: must be a list/],
    ['rules that are none', changedPolicy({ rules: [1, null] }), /rules\[0\]: must be an object with id.*rules\[1\]/],
    ['text for a number', changedPolicy({ highestRate: '29.99' }), /highestRate: must be a number/],
    ['a misspelt member', changedPolicy({ higestRate: 1 }), /higestRate: is unknown; known are version/],
    ['a missing member', changedPolicy({ pricing: undefined }), /pricing: is missing/],
    ['a wrong sense', changedPolicy({ terms: [12] }), /terms: at least five are required/],
    [
      'an unknown measure',
      changedPolicy({ rules: [{ ...policy.rules[0], measure: 'zip' }] }),
      /measure must be one of/,
    ],
    [
      'a weight of the wrong sign',
      () => {
        const features = model.default.features.map((one) => ({ ...one, weight: -one.weight }));
        return readModel(JSON.stringify({ ...model, default: { ...model.default, features } }));
      },
      /default\.score: the weight has the wrong sign/,
    ],
    [
      'a feature that is no object',
      () => readModel(JSON.stringify({ ...model, default: { ...model.default, features: ['score'] } })),
      /default\.features\[0\]: must be an object with name/,
    ],
  ])('%s', (_, read, says) => {
    expect(read).toThrow(says);
    expect(read).not.toThrow(TypeError);
  });

  test('null in place of any member of any depth never fails inside', () => {
    const places = (value: unknown, at: readonly (string | number)[]): (readonly (string | number)[])[] =>
      typeof value === 'object' && value !== null
        ? [at, ...Object.entries(value).flatMap(([name, one]) => places(one, [...at, name]))]
        : [at];
    const withNull = (value: unknown, [name, ...rest]: readonly (string | number)[]): unknown => {
      if (name === undefined) return null;
      const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string | number, unknown>;
      copy[name] = withNull(copy[name], rest);
      return copy;
    };
    for (const [example, read] of [
      [model, readModel],
      [policy, readPolicy],
    ] as const) {
      for (const place of places(example, [])) {
        let failure: unknown = null;
        try {
          read(JSON.stringify(withNull(example, place)));
        } catch (error) {
          failure = error;
        }
        expect(failure, place.join('.')).not.toBeInstanceOf(TypeError);
        if (failure !== null) expect((failure as Error).message).toMatch(/cannot be used/);
      }
    }
  });
});
