/**
 * The built-in screening, for sandboxes and tests: an invented list of invented people, who match by name and date of birth, and test
 * people who are chosen by their number. `docs/bureau.md` shows both.
 */
import type { BureauSubject } from '../bureau.ts';
import { writeScreening } from './answer.ts';
import type { Screening } from './screening.ts';

const LIST = 'Simulated sanctions list';

/** By surname, first name and date of birth, in capitals and digits. */
const LISTED: ReadonlyMap<string, string> = new Map([
  ['MERROWDALE|CASPIAN|19620417', 'SIM-1001'],
  ['THISTLEVANE|ODETTE|19750930', 'SIM-1002'],
  ['QUARRELSTONE|IVO|19881205', 'SIM-1003'],
]);

const MATCHED_NUMBER = '666000020';
const UNANSWERED_NUMBER = '666000021';

export const SIMULATED_SCREENING: Screening = {
  name: 'simulator',
  async screen(person) {
    const number = person.ssn.replace(/\D/g, '');
    if (number === UNANSWERED_NUMBER) {
      return { failed: 'unavailable', detail: 'The screening service is not available (simulated).', retryable: true };
    }
    const entry = number === MATCHED_NUMBER ? 'SIM-1000' : LISTED.get(keyOf(person));
    return writeScreening(
      entry === undefined ? { result: 'clear', list: '', entry: '' } : { result: 'match', list: LIST, entry },
    );
  },
};

function keyOf({ lastName, firstName, dateOfBirth }: BureauSubject): string {
  const born = dateOfBirth.replace(/\D/g, '');
  return [lastName.trim().toUpperCase(), firstName.trim().toUpperCase(), born].join('|');
}
