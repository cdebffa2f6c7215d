/**
 * An approval, and what was offered instead, stands for so many days (`offerDays`), and a credit report may be so many days old when credit is
 * approved on it (`reportDays`): a person's credit, and the rates, do not stay as they were. The last day still counts. A loan that
 * came decided was approved by somebody else, and has neither.
 */
import { addDays, type PlainDate } from './calendar.ts';
import type { Loan, OnFile } from './loan.ts';
import { type Refusal, refuse } from './refusal.ts';

const AGAIN = 'Start underwriting again';

/** The last day on which an approval or an offer of this day can be taken. */
export function offerEnds(on: PlainDate, { offerDays }: Loan['policy']): PlainDate {
  return addDays(on, offerDays);
}

/** The last day on which a report of this day can be approved on. */
export function reportEnds(reportDate: PlainDate, { reportDays }: Loan['policy']): PlainDate {
  return addDays(reportDate, reportDays);
}

/** Against approving a deal today: its offer has ended, or the report that it rests on is too old. */
export function refuseApproval(
  { policy }: Pick<Loan, 'policy'>,
  { assessedWith }: OnFile,
  { dealIndex, today }: { readonly dealIndex: number; readonly today: PlainDate },
): Refusal | null {
  if (assessedWith === undefined || assessedWith === null) return null;
  const { day, reportDate } = assessedWith;
  const offered = offerEnds(day, policy);
  // The requested deal is no offer before it is approved.
  if (dealIndex > 0 && today > offered) {
    const detail = `The offers of ${day} were good through ${offered} (offerDays ${policy.offerDays}). ${AGAIN}: a new run makes new ones.`;
    return refuse('offer_expired', detail, { facts: { date: offered } });
  }
  const ends = reportEnds(reportDate, policy);
  if (today <= ends) return null;
  const detail = `The credit report is of ${reportDate} and could be approved on through ${ends} (reportDays ${policy.reportDays}). ${AGAIN}: a new run pulls a new one.`;
  return refuse('report_expired', detail, { facts: { date: ends } });
}

/** Against funding today: the approval has ended. */
export function refuseFunding(
  { policy, decision, stage }: Pick<Loan, 'policy' | 'decision' | 'stage'>,
  { isApplication }: OnFile,
  today: PlainDate,
): Refusal | null {
  if (isApplication !== true || decision === null || stage === 'Funded') return null;
  const ends = offerEnds(decision.on, policy);
  if (today <= ends) return null;
  const detail = `The approval of ${decision.on} was good through ${ends} (offerDays ${policy.offerDays}). ${AGAIN} and approve it again, then fund it.`;
  return refuse('offer_expired', detail, { facts: { date: ends } });
}
