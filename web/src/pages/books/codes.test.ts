import { expect, it } from 'vitest';
import { changedCodes, isCleared, withoutSaved } from './codes.ts';

it('sends the codes that differ, and none that is empty', () => {
  const saved = { cash: '1000', suspense: '2000' };
  expect(changedCodes({ cash: ' 1000 ', suspense: '2001', opening: ' 9 ', feeIncome: ' ' }, saved)).toEqual({
    suspense: '2001',
    opening: '9',
  });
  expect(['cash', 'feeIncome', 'suspense'].map((one) => isCleared({ cash: ' ', feeIncome: '' }, saved, one))).toEqual([
    true,
    false,
    false,
  ]);
});

it('keeps what was typed while codes were being saved', () => {
  expect(withoutSaved({ cash: '1000', suspense: '2002 ', opening: '' }, { cash: '1000', suspense: '2001' })).toEqual({
    suspense: '2002 ',
    opening: '',
  });
});
