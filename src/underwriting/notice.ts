/**
 * The notice that a creditor owes an applicant whose credit is denied, or offered on other terms than were asked for: what was decided,
 * the principal reasons, the score and where it came from, and the statements that the law wants in it. Built on the sample forms C-1,
 * C-2 and C-4 of Regulation B (12 CFR 1002, appendix C) with the disclosures of the Fair Credit Reporting Act, section 615(a). It is due
 * within 30 days of a complete application (12 CFR 1002.9(a)(1)).
 */
import type { PlainDate } from '../core/calendar.ts';
import { formatDecimal } from '../core/rate.ts';
import type { AssessedDeal } from './deal.ts';
import type { CreditFacts } from './facts.ts';
import { inWords } from './policy.ts';
import { principalStatements } from './reasons.ts';
import type { Assessment } from './underwrite.ts';

export type NoticeParties = {
  readonly date: PlainDate;
  readonly applicantName: string;
  /** Lines of an address; may be empty. */
  readonly applicantAddress?: readonly string[];
  readonly creditor: Party;
  readonly bureau: Party;
  /** Name and address of the agency that supervises the creditor, by appendix A of Regulation B. */
  readonly federalAgency: string;
  /** Until when a counter-offer holds. */
  readonly offerDays?: number;
};

export type Party = { readonly name: string; readonly address: string; readonly telephone: string };

/** Null when what was asked for is approved: then nothing is owed. */
export function adverseActionNotice(assessment: Assessment, parties: NoticeParties): string | null {
  if (assessment.decision === 'APPROVED') return null;
  const offered = assessment.assessed.find(({ decision }) => decision === 'APPROVED');
  return [
    `NOTICE OF ACTION TAKEN AND STATEMENT OF REASONS`,
    `Date: ${parties.date}\nApplicant: ${[parties.applicantName, ...(parties.applicantAddress ?? [])].join(', ')}\nCreditor: ${partyText(parties.creditor)}`,
    `Credit requested: ${creditText(assessment.assessed[0] as AssessedDeal)}`,
    `Dear Applicant: thank you for your application. ${actionText(offered, parties)}`,
    `Principal reasons:\n${principalStatements(assessment.reasons)
      .map((statement) => `- ${statement}`)
      .join('\n')}`,
    ...(offered === undefined ? [] : [offerText(offered, parties)]),
    bureauText(parties),
    ...scoreText(assessment.facts.primary, parties),
    equalCreditText(parties),
  ].join('\n\n');
}

function actionText(offered: AssessedDeal | undefined, { creditor }: NoticeParties): string {
  return offered === undefined
    ? `After reviewing it, ${creditor.name} is unable to grant you the credit you requested.`
    : `After reviewing it, ${creditor.name} is unable to offer you credit on the terms that you requested.`;
}

function offerText(offered: AssessedDeal, { offerDays = 30 }: NoticeParties): string {
  const down = offered.moreDown === 0 ? '' : `, with ${inWords(offered.moreDown, 'dollars')} more of a down payment`;
  return `We can, however, offer you credit on the following terms: ${creditText(offered)}${down}. If this offer is acceptable to you, please notify us within ${offerDays} days of the date of this notice.`;
}

function creditText({ contract, term, monthlyPayment }: AssessedDeal): string {
  return `${inWords(contract.amount, 'dollars')} over ${term} months at ${formatDecimal(contract.rate)} % a year, ${inWords(monthlyPayment, 'dollars')} a month`;
}

function partyText({ name, address, telephone }: Party): string {
  return [name, address, telephone].filter((part) => part !== '').join(', ');
}

function bureauText({ bureau }: NoticeParties): string {
  return [
    'Our credit decision was based in whole or in part on information obtained in a report from the consumer reporting agency listed below.',
    'You have a right under the Fair Credit Reporting Act to know the information contained in your credit file at the consumer reporting agency.',
    'The reporting agency played no part in our decision and is unable to supply specific reasons why we have denied credit to you.',
    'You also have a right to a free copy of your report from the reporting agency, if you request it no later than 60 days after you receive this notice.',
    'In addition, if you find that any information contained in the report you receive is inaccurate or incomplete, you have the right to dispute the matter with the reporting agency.',
    `\nConsumer reporting agency: ${partyText(bureau)}`,
  ].join(' ');
}

/** The scores that are in use range so. */
const LOWEST_SCORE = 300;
const HIGHEST_SCORE = 850;

function scoreText({ score, scoreFactors, reportDate }: CreditFacts, { bureau }: NoticeParties): string[] {
  if (score === null) return [];
  const factors =
    scoreFactors.length === 0
      ? ''
      : `\nKey factors that adversely affected your credit score:\n${scoreFactors.map((factor) => `- ${factor}`).join('\n')}`;
  return [
    [
      'We also obtained your credit score from this consumer reporting agency and used it in making our credit decision.',
      'Your credit score is a number that reflects the information in your credit report.',
      'Your credit score can change, depending on how the information in your credit report changes.',
      `If you have any questions regarding your credit score, you should contact ${partyText(bureau)}.`,
      `\nYour credit score: ${score}, of ${reportDate}. Scores range from a low of ${LOWEST_SCORE} to a high of ${HIGHEST_SCORE}.${factors}`,
    ].join(' '),
  ];
}

/** 12 CFR 1002.9(b)(1). */
function equalCreditText({ federalAgency }: NoticeParties): string {
  return `Notice: The Federal Equal Credit Opportunity Act prohibits creditors from discriminating against credit applicants on the basis of race, color, religion, national origin, sex, marital status, age (provided the applicant has the capacity to enter into a binding contract); because all or part of the applicant's income derives from any public assistance program; or because the applicant has in good faith exercised any right under the Consumer Credit Protection Act. The Federal agency that administers compliance with this law concerning this creditor is ${federalAgency}.`;
}
