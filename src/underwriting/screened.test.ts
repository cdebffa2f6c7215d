/** Words about a screening: for the loan officer, and none for an offer. */
import { expect, test } from 'vitest';
import { isMatched, type Screened, screeningWarnings } from './screened.ts';

const CLEAR: Screened = { result: 'clear', list: '', entry: '' };
const MATCH: Screened = { result: 'match', list: 'OFAC SDN', entry: '12345' };

test.each<[string, Screened | null, Screened | null, string[]]>([
  ['both clear', CLEAR, CLEAR, []],
  [
    'nobody',
    null,
    null,
    ['Nobody on the application was screened against sanctions lists: no screening is configured'],
  ],
  ['one of two', CLEAR, null, ['The co-applicant was not screened against sanctions lists']],
  [
    'a number alone',
    CLEAR,
    { ...CLEAR, withoutName: true },
    ['The co-applicant was screened against sanctions lists without a name'],
  ],
  [
    'a match',
    CLEAR,
    MATCH,
    ['The co-applicant matches an entry of a sanctions list (OFAC SDN, 12345): do not tell them'],
  ],
  ['a match in an offer', { ...MATCH, list: '', entry: '' }, CLEAR, ['The applicant has not been cleared']],
])('%s', (_, primary, coApplicant, warnings) => {
  expect(screeningWarnings({ primary, coApplicant }, true)).toEqual(warnings);
  expect(isMatched({ primary, coApplicant })).toBe(primary?.result === 'match' || coApplicant === MATCH);
});
