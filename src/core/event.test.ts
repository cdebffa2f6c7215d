import { expect, test } from 'vitest';
import { EVENTS } from '../../test/support/operations.ts';
import { KINDS } from './event.ts';
import { PHASES } from './events/definition.ts';

test('events of a day take effect in this order, in which stored histories are folded', () => {
  expect(Object.keys(KINDS)).toEqual(EVENTS.map(([type]) => type));
  expect(Object.values(KINDS).map(({ rank }) => rank)).toEqual(Object.keys(KINDS).map((_, i) => i));
});

test('the application comes before everything else, whatever its date', () => {
  expect(kindsThat(({ early }) => early)).toEqual(marked('before all'));
});

test('disbursements, holds and changes of terms come before the late fees of their day', () => {
  expect(kindsThat(({ judgedFirst }) => !judgedFirst)).toEqual(marked('before late fees'));
});

test('an event without effect at its position comes after everything that moves installments', () => {
  expect(kindsThat(({ inert }) => inert)).toEqual(marked('no effect'));
  const lastMove = Math.max(...Object.values(KINDS).flatMap(({ judgedFirst, rank }) => (judgedFirst ? [] : [rank])));
  for (const { inert, rank } of Object.values(KINDS)) expect(!inert || rank > lastMove).toBe(true);
  expect(Object.keys(PHASES)[0]).toBe('application');
});

function kindsThat(holds: (kind: (typeof KINDS)[keyof typeof KINDS]) => boolean): string[] {
  return Object.entries(KINDS).flatMap(([type, kind]) => (holds(kind) ? [type] : []));
}

function marked(mark: (typeof EVENTS)[number][1]): string[] {
  return EVENTS.flatMap(([type, ...marks]) => (marks.includes(mark as never) ? [type] : []));
}
