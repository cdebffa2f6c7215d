/**
 * The two other notices about an application. The notice of incompleteness (12 CFR 1002.9(c)(2), sample form C-6) names what is missing and the
 * day by which it is needed; it is due within 30 days of an application that cannot be decided on. The score disclosure (12 CFR 1022.74(e) and
 * (f), model forms H-4 and H-5) goes to everybody whose credit is approved on a report, in place of a notice to those alone who pay more because
 * of it; it is due before the contract is made.
 */
import type { PlainDate } from '../core/calendar.ts';
import { listText, type NoticeGround, type NoticeParties, partyText, SCORE_RANGE } from './notice.ts';

const heading = (parties: NoticeParties): string => {
  const applicant = [parties.applicantName, ...(parties.applicantAddress ?? [])].join(', ');
  return `Date: ${parties.date}\nApplicant: ${applicant}\nCreditor: ${partyText(parties.creditor)}`;
};

export function incompleteNotice(
  { missing, respondBy }: { readonly missing: readonly string[]; readonly respondBy: PlainDate },
  parties: NoticeParties,
): string {
  return [
    'NOTICE OF INCOMPLETE APPLICATION',
    heading(parties),
    'Dear Applicant: thank you for your application for credit. We need the following information to make a decision on it:',
    listText(missing),
    `We need to receive this information by ${respondBy}, at the address above. If we do not receive it by that date, we will regrettably be unable to give further consideration to your credit request.`,
  ].join('\n\n');
}

/** The shares of consumers with scores in each range, in percent: entered from memory of published figures; replace them by the bureau's own. */
const DISTRIBUTION = [
  ['300 to 499', 3],
  ['500 to 549', 6],
  ['550 to 599', 8],
  ['600 to 649', 10],
  ['650 to 699', 12],
  ['700 to 749', 16],
  ['750 to 799', 23],
  ['800 to 850', 22],
] as const;

/** `rank`: the percentage of consumers with lower scores, as the bureau gives it. Null: the distribution is shown. */
export function scoreDisclosure(
  { score }: Pick<NoticeGround, 'score'>,
  rank: number | null,
  parties: NoticeParties,
): string {
  const { bureau } = parties;
  return [
    score === null
      ? 'CREDIT SCORE AND THE PRICE YOU PAY FOR CREDIT: NO SCORE AVAILABLE'
      : 'YOUR CREDIT SCORE AND THE PRICE YOU PAY FOR CREDIT',
    heading(parties),
    score === null ? withoutScore(parties) : withScore(score, rank, parties),
    'A credit report is a record of your credit history. It includes information about whether you pay your bills on time and how much you owe to creditors. A credit score is a number that takes into account information in a credit report, and it can change over time as that changes. It can affect whether you can get credit, and what you will have to pay for it.',
    `You have a right to dispute any inaccurate information in your credit report. If you find mistakes on your credit report, contact the consumer reporting agency: ${partyText(bureau)}. It is a good idea to check your credit report to make sure that what it contains is accurate.`,
    'Under federal law, you have the right to obtain a free copy of your credit report from each of the nationwide consumer reporting agencies once a year: by telephone at 1-877-322-8228, on the web at www.annualcreditreport.com, or by mail to Annual Credit Report Request Service, P.O. Box 105281, Atlanta, GA 30348-5281.',
    'For more information about credit reports and your rights under federal law, visit the website of the Consumer Financial Protection Bureau at www.consumerfinance.gov/learnmore.',
  ].join('\n\n');
}

function withoutScore({ bureau, creditor }: NoticeParties): string {
  return `No credit score was available for you from ${partyText(bureau)}, because it may not have enough information about your credit history. ${creditor.name} used other information about you in deciding on your application. Not having a credit score can affect whether you can get credit and what you will have to pay for it.`;
}

function withScore(
  { value, of, factors }: NonNullable<NoticeGround['score']>,
  rank: number | null,
  { bureau, creditor }: NoticeParties,
): string {
  const [low, high] = SCORE_RANGE;
  const shares = DISTRIBUTION.map(([range, share]) => `${range}: about ${share} % of consumers`);
  return [
    `Your credit score: ${value}. Date: ${of}. Source: ${partyText(bureau)}. ${creditor.name} used it in deciding on your application.`,
    `Scores range from a low of ${low} to a high of ${high}. Generally, the higher your score, the more likely you are to be offered better credit terms.`,
    rank === null
      ? `How scores are distributed:\n${listText(shares)}`
      : `Your score ranks higher than ${rank} percent of U.S. consumers.`,
    ...(factors.length === 0 ? [] : [`Key factors that adversely affected your credit score:\n${listText(factors)}`]),
  ].join('\n');
}
