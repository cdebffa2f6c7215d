import { expect, test } from 'vitest';
import { noteIn, noteText } from './note.ts';

test.each([
  { reason: 'Letter of the court', details: null },
  { reason: 'Letter', details: { caseNumber: '26-1', note: 'a\nb "c" \u2028 – ü' } },
  { reason: '', details: { court: 'x' } },
])('a reason and its details come back: %j', (note) => {
  expect(noteIn(noteText(note))).toEqual(note);
});

test('a reason alone is stored as it is', () => {
  expect(noteText({ reason: 'why', details: null })).toBe('why');
});
