/** What the simulated bureau says about somebody of a demonstration, whose story says the score. */
import type { BureauSubject } from '../bureau/bureau.ts';
import { simulateScore } from '../bureau/simulator/simulator.ts';
import type { PlainDate } from '../core/calendar.ts';
import { type Cents, cents } from '../core/money.ts';
import type { Applicant } from './applicant.ts';

export type Credit = {
  readonly csv: string;
  readonly count: number;
  readonly open: number;
  /** What the open accounts but mortgages ask for each month. */
  readonly monthly: Cents;
  readonly pastDue: number;
  readonly oldest: PlainDate;
  readonly attributes: object;
  /** As base64. */
  readonly pdf: string;
  /** The bureau's answer. */
  readonly raw: Uint8Array;
};

export function creditOf(person: Applicant, role: BureauSubject['role'], score: number, on: PlainDate): Credit {
  const { firstName, lastName, middleInitial, ssn, born, street, city, state, zip } = person;
  const report = simulateScore(
    { role, firstName, lastName, middleInitial, ssn, dateOfBirth: born, address: street, city, state, zip },
    { pullId: ssn, today: on, at: `${on}T10:30:00.000-06:00` },
    score,
  );
  const lines = report.tradeLines;
  const open = lines.filter(({ closed }) => closed === null);
  const monthly = open
    .filter(({ portfolioType }) => portfolioType !== 'mortgage')
    .reduce((sum, { payment }) => sum + payment, 0);
  return {
    csv: report.tradeLinesCsv,
    count: lines.length,
    open: open.length,
    monthly: cents(monthly),
    pastDue: open.filter(({ pastDue }) => pastDue > 0).length,
    oldest: report.inFileSince ?? on,
    attributes: JSON.parse(report.attributes) as object,
    pdf: Buffer.from(report.pdf).toString('base64'),
    raw: report.raw,
  };
}
