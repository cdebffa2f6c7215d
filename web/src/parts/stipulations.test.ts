import { expect, it } from 'vitest';
import { asked, inOneLine, named, type Stipulation, standing, stepsOf } from './stipulations.ts';

const one = (given: Partial<Stipulation> = {}): Stipulation => ({
  stipulationId: 'insurance-kafbnmpcoehi',
  kind: 'insurance',
  person: null,
  text: 'Proof of insurance',
  state: 'open',
  beforeFunding: false,
  waivedBy: 'loans:fund',
  history: [],
  ...given,
});
const alert = one({
  stipulationId: 'law-abcdefghijkl',
  kind: 'fraudAlert',
  person: 'coApplicant',
  text: 'Call the consumer',
  beforeFunding: true,
  waivedBy: 'nobody',
});
const gone = one({
  stipulationId: 'housing-mmmmmmmmmmmm',
  kind: null,
  text: null,
  state: 'expired',
  waivedBy: 'nobody',
});

it('says what still stands; what has only been received is open, and what has expired does not count', () => {
  const text = (...items: Stipulation[]) => standing(items)?.text ?? null;
  expect(text(alert, one({ state: 'received' }), one({ state: 'verified' }), one({ state: 'waived' }), gone)).toBe(
    '2 of 4 open; 1 must come before funding',
  );
  expect(standing([{ ...alert, state: 'received' }])).toEqual({
    text: '1 of 1 open; 1 must come before funding',
    holdsUp: true,
  });
  expect(standing([{ ...alert, state: 'verified' }, one()])).toEqual({
    text: '1 of 2 open',
    holdsUp: false,
  });
  expect([text(one({ state: 'waived' })), text(one({ state: 'waived' }), { ...alert, state: 'verified' })]).toEqual([
    'The only one is met',
    'All 2 are met',
  ]);
  expect([text(), text(gone)]).toEqual([null, null]);
});

it('says what each asks for, also where only its id is left', () => {
  expect([asked(alert), asked(gone), asked({ ...alert, text: null, kind: null })]).toEqual([
    'Call the consumer',
    'Housing',
    'Asked for by law',
  ]);
  expect(asked(one({ text: null, kind: 'proofOfIncome' }))).toBe('Proof of income');
  expect([inOneLine(alert), inOneLine(one())]).toEqual([
    'Call the consumer · co-applicant · before funding',
    'Proof of insurance',
  ]);
});

it('offers what the service takes: a waiver to those with its scope, and nothing of what is verified', () => {
  const all = () => true;
  const only =
    (...scopes: string[]) =>
    (scope: string) =>
      scopes.includes(scope);
  expect(stepsOf(one(), all)).toEqual(['received', 'verified', 'waived']);
  expect(stepsOf(one(), only('underwriting:write'))).toEqual(['received', 'verified']);
  expect(stepsOf(one(), only('loans:fund'))).toEqual([]);
  expect(stepsOf(alert, all)).toEqual(['received', 'verified']);
  expect(stepsOf(one({ state: 'received' }), all)).toEqual(['verified', 'waived']);
  expect(stepsOf(one({ state: 'waived' }), all)).toEqual(['verified']);
  expect([stepsOf(one({ state: 'verified' }), all), stepsOf(gone, all)]).toEqual([[], []]);
});

it('names those of a refusal, and one that is not known by its id', () => {
  expect(named([alert.stipulationId, 'other-x'], [one(), alert])).toEqual([
    { id: 'law-abcdefghijkl', text: 'Call the consumer (co-applicant)' },
    { id: 'other-x', text: 'other-x' },
  ]);
});
