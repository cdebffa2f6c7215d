/** A seasoned loan's servicing figures, as one opening. */
import type { PlainDate } from '../core/calendar.ts';
import type { Opening } from '../core/decide.ts';
import type { Contract, Policy } from '../core/loan.ts';

/** What is known of a loan that is about to be funded; a `LoanView` has it. */
export type Boarding = {
  readonly loan: { readonly contract: Contract; readonly policy: Policy };
  readonly file: { readonly loanType: string; readonly term: number; readonly opening: Opening | null };
};

/**
 * `metadata` of POST /fund-loan (`{ AutoLoan: {…} }`, or the members alone), read with the texts of its numbers kept (`exactNumbers`).
 * `date` is the funding date it names, or null; `opening` is what it and the file tell of earlier servicing, or null. Throws a `Problem`.
 */
export function openingFromMetadata(
  metadata: object,
  view: Boarding,
  today: PlainDate,
): { date: PlainDate | null; opening: Opening | null } {
  throw new Error(`Not read yet: ${typeof metadata}, ${typeof view}, ${today}`);
}
