/** The bureau of the demonstration: the service's simulator, with the score that a person's story sets. */
import type { Bureau, BureauReport, BureauSubject } from '../bureau/bureau.ts';
import { simulateScore, simulator } from '../bureau/simulator/simulator.ts';
import type { PlainDate } from '../core/calendar.ts';
import { type Cents, cents } from '../core/money.ts';

/** A person whose score a story sets. */
export type Scored = { readonly ssn: string; readonly score: number };

/** People who are not in the stories get the simulator's ordinary answer. */
export function demoBureau(people: readonly Scored[]): Bureau {
  const scores = new Map(people.map(({ ssn, score }) => [ssn, score]));
  return {
    name: simulator.name,
    async pull(subject, pull) {
      const score = scores.get(subject.ssn);
      return score === undefined ? simulator.pull(subject, pull) : simulateScore(subject, pull, score);
    },
  };
}

/** Monthly payments of the open accounts in a person's report. They depend on number and score alone: a pull of any day shows them. */
export function debtsOf({ ssn, score }: Scored, on: PlainDate): { readonly mortgage: Cents; readonly others: Cents } {
  const { tradeLines } = simulateScore({ ...NOBODY, ssn }, { pullId: '', today: on, at: `${on}T12:00:00.000Z` }, score);
  const paid = (lines: BureauReport['tradeLines']) => cents(lines.reduce((sum, { payment }) => sum + payment, 0));
  const open = tradeLines.filter(({ closed }) => closed === null);
  return {
    mortgage: paid(open.filter(({ portfolioType }) => portfolioType === 'mortgage')),
    others: paid(open.filter(({ portfolioType }) => portfolioType !== 'mortgage')),
  };
}

const NOBODY: BureauSubject = {
  ...{ role: 'primary', firstName: '', lastName: '', middleInitial: '', ssn: '', dateOfBirth: '' },
  ...{ address: '', city: '', state: '', zip: '' },
};
