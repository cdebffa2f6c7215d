/**
 * Stipulations of an approval as the loan keeps them: what an assessment demands is listed in the loan's file by id, and what has become of
 * it is told by events. The same demand on the same facts has the same id in every run, so what was verified stays verified; one that a later
 * run does not list any more has expired. What each is about is sealed with the application.
 */
import { type Refusal, refuse } from './refusal.ts';

export const STIPULATION_STATES = ['received', 'verified', 'waived'] as const;
export type StipulationState = (typeof STIPULATION_STATES)[number];

/** The scope that a waiver needs. */
export type WaivedBy = 'underwriting:write' | 'loans:fund' | 'nobody';

/** As the loan's file lists it. */
export type ListedStipulation = {
  readonly id: string;
  /** It must be met before the loan is funded. */
  readonly beforeFunding: boolean;
  readonly waivedBy: WaivedBy;
};

/** The last that was recorded of it. */
export type StipulationDone = { readonly id: string; readonly state: StipulationState };

/** As far as a loan, and its file, tell of them. */
type Recorded = { readonly stipulations: readonly StipulationDone[] };
type Listed = { readonly stipulations?: readonly ListedStipulation[] };

/** Those that stand before funding: what has only been received counts as open. */
function openBeforeFunding({ stipulations: done }: Recorded, { stipulations: listed = [] }: Listed): string[] {
  const isMet = (id: string) => done.some((one) => one.id === id && one.state !== 'received');
  return listed.filter(({ id, beforeFunding }) => beforeFunding && !isMet(id)).map(({ id }) => id);
}

export function refuseOpen(loan: Recorded & { readonly stage: string }, onFile: Listed): Refusal | null {
  if (loan.stage === 'Funded') return null;
  const open = openBeforeFunding(loan, onFile);
  if (open.length === 0) return null;
  const detail = `Stipulations that come before funding are open: ${open.join(', ')}. Record how each was met with update-stipulation, with evidence, then fund the loan.`;
  return refuse('stipulations_open', detail, { facts: { stipulations: open } });
}

/** Against recording a state. */
export function refuseStipulation(
  { stipulations: done }: Recorded,
  { stipulations: listed = [] }: Listed,
  { id, state }: StipulationDone,
): Refusal | ListedStipulation {
  const found = listed.find((one) => one.id === id);
  if (found === undefined) {
    return refuse('unknown_reference', 'The last run of underwriting has no stipulation with this id.', {
      member: 'stipulationId',
    });
  }
  if (state === 'waived' && found.waivedBy === 'nobody') {
    const detail =
      'Nobody may waive this stipulation: the law, or the lending policy, asks for it. Verify it, with evidence.';
    return refuse('not_waivable', detail, { member: 'state' });
  }
  const now = done.find((one) => one.id === id)?.state ?? null;
  if (now === 'verified' || now === state || (now === 'waived' && state === 'received')) {
    const detail = `This stipulation is ${now} already; undo that first if it was a mistake.`;
    return refuse('contradiction', detail, { member: 'state' });
  }
  return found;
}
