/** What the credit file of a person of the stories holds: the simulator's, with the score that the story sets. */
import type { TradeLine } from '../bureau/bureau.ts';
import { simulatedLines } from '../bureau/simulator/simulator.ts';
import type { PlainDate } from '../core/calendar.ts';
import { type Cents, cents } from '../core/money.ts';

/** A person whose score a story sets. */
export type Scored = { readonly ssn: string; readonly score: number };

/** Monthly payments of the open accounts in a person's report. They depend on number and score alone: a pull of any day shows them. */
export function debtsOf({ ssn, score }: Scored, on: PlainDate): { readonly mortgage: Cents; readonly others: Cents } {
  const paid = (lines: readonly TradeLine[]) => cents(lines.reduce((sum, { payment }) => sum + payment, 0));
  const open = simulatedLines(ssn, score, on).filter(({ closed }) => closed === null);
  return {
    mortgage: paid(open.filter(({ portfolioType }) => portfolioType === 'mortgage')),
    others: paid(open.filter(({ portfolioType }) => portfolioType !== 'mortgage')),
  };
}
