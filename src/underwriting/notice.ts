/**
 * The notice that a creditor owes an applicant whose credit is denied, or offered on other terms than requested: the decision, the
 * principal reasons, the score and where it came from, and the statements that the law requires. Built on the sample forms C-1, C-2 and C-4
 * of Regulation B (12 CFR 1002, appendix C) with the disclosures of the Fair Credit Reporting Act, section 615(a). It is due within 30 days
 * of a complete application (12 CFR 1002.9(a)(1)).
 */
import type { PlainDate } from '../core/calendar.ts';
import type { Cents } from '../core/money.ts';
import { formatDecimal, type Percent } from '../core/rate.ts';
import { inFileOf } from './adverse-action.ts';
import type { CounterOffer } from './counter-offers.ts';
import type { PersonFacts } from './credit-facts.ts';
import type { AssessedDeal } from './deal.ts';
import type { Facts } from './facts.ts';
import { inWords } from './policy.ts';
import { isAboutTheFile, principalStatements, REASONS, type Reason } from './reasons.ts';
import { NOT_CLEARED } from './screened.ts';

/** The part of an assessment that a notice is made from: plain data. */
export type NoticeGround = {
  readonly reasons: readonly string[];
  readonly asked: string;
  /** Counter-offers: up to three, each with the reason for offering it. */
  readonly offers: readonly { readonly as: string; readonly credit: string }[];
  readonly score: { readonly value: number; readonly of: PlainDate; readonly factors: readonly string[] } | null;
  /** Whether a report of a consumer reporting agency was used (15 USC 1681m(a)). */
  readonly reported: boolean;
};

export type NoticeParties = {
  readonly date: PlainDate;
  readonly applicantName: string;
  /** Lines of an address; may be empty. */
  readonly applicantAddress?: readonly string[];
  readonly creditor: Party;
  readonly bureau: Party;
  /** Name and address of the agency that supervises the creditor, by appendix A of Regulation B. */
  readonly federalAgency: string;
  /** The last day on which a counter-offer can be taken. */
  readonly offersEnd: PlainDate;
};

export type Party = { readonly name: string; readonly address: string; readonly telephone: string };

/** Null when the application is approved as requested: no notice is due. */
export function adverseActionNotice(
  { notice }: { readonly notice: NoticeGround | null },
  parties: NoticeParties,
): string | null {
  if (notice === null) return null;
  const { reasons, asked, offers, score } = notice;
  const applicant = [parties.applicantName, ...(parties.applicantAddress ?? [])].join(', ');
  return [
    'NOTICE OF ACTION TAKEN AND STATEMENT OF REASONS',
    `Date: ${parties.date}\nApplicant: ${applicant}\nCreditor: ${partyText(parties.creditor)}\nCredit requested: ${asked}`,
    `Dear Applicant: thank you for your application. ${actionText(offers, parties)}`,
    `Principal reasons:\n${listText(reasons)}`,
    ...(offers.length === 0 ? [] : [offersText(offers, parties)]),
    ...(notice.reported ? [bureauText(parties)] : []),
    ...(score === null ? [] : [scoreText(score, parties)]),
    equalCreditText(parties),
  ].join('\n\n');
}

export type NoticeGrounds = { readonly applicant: NoticeGround; readonly coApplicant: NoticeGround | null };

/** The content of each person's notice: their own score and factors, and the reasons as they concern them. */
export function noticeGrounds(
  asked: AssessedDeal,
  instead: readonly CounterOffer[],
  { primary, coApplicant }: Pick<Facts, 'primary' | 'coApplicant'>,
): NoticeGrounds {
  const ground = (own: PersonFacts, isJoint: boolean) => noticeGround(asked, instead, own, isJoint);
  return {
    applicant: ground(primary, coApplicant !== null),
    coApplicant: coApplicant === null ? null : ground(coApplicant, true),
  };
}

function noticeGround(
  asked: AssessedDeal,
  instead: readonly CounterOffer[],
  own: PersonFacts,
  isJoint: boolean,
): NoticeGround {
  const found = asked.findings.reasons;
  // Without an offer there is no rate that this credit has, so the rate asked for cannot be below it.
  const others = instead.length === 0 ? found.filter(({ code }) => code !== 'rate-not-offered') : found;
  const reasons = others.length === 0 ? found : others;
  // A score is disclosed when it was used (15 USC 1681m(a)(2)); one of a file that may be somebody else's was not, and is not shown.
  const score = reasons.some(isAboutTheFile) ? null : own.score;
  return {
    reasons: principalStatements(isJoint ? reasons.map((reason) => asConcerns(reason, own)) : reasons),
    asked: creditText(asked),
    offers: instead.map(({ deal, names }) => ({ as: names.join(', '), credit: creditText(deal) })),
    score: score === null ? null : { value: score, of: own.reportDate, factors: own.scoreFactors },
    reported: true,
  };
}

/** A reason in another person's file is not told to this one: only that it is there. */
function asConcerns(reason: Reason, own: PersonFacts): Reason {
  return reason.rule === NOT_CLEARED.rule || inFileOf(reason.code, own)
    ? reason
    : { ...reason, code: 'other-applicant', statement: REASONS['other-applicant'] };
}

/** The ground of a notice for an application that was decided without an assessment. */
export function unassessedGround(
  { amount, rate }: { readonly amount: Cents; readonly rate: Percent },
  { term, reported }: { readonly term: number; readonly reported: boolean },
): NoticeGround {
  const asked = `${inWords(amount, 'dollars')} over ${term} months at ${formatDecimal(rate)} % a year`;
  return { reasons: [], asked, offers: [], score: null, reported };
}

function creditText({ contract, term, monthlyPayment, moreDown }: AssessedDeal): string {
  const down = moreDown === 0 ? '' : `, with ${inWords(moreDown, 'dollars')} more of a down payment`;
  return `${inWords(contract.amount, 'dollars')} over ${term} months at ${formatDecimal(contract.rate)} % a year, ${inWords(monthlyPayment, 'dollars')} a month${down}`;
}

function actionText({ length }: NoticeGround['offers'], { creditor }: NoticeParties): string {
  return length === 0
    ? `After reviewing it, ${creditor.name} is unable to grant you the credit you requested.`
    : `After reviewing it, ${creditor.name} is unable to offer you credit on the terms that you requested.`;
}

/** A counter-offer (12 CFR 1002.9(a)(1)(iv), sample form C-4). */
function offersText(offers: NoticeGround['offers'], { offersEnd }: NoticeParties): string {
  const terms = listText(offers.map(({ as, credit }) => `${credit} (${as})`));
  const [which, one] = offers.length === 1 ? ['on', 'this offer'] : ['on any one of', 'one of these offers'];
  return `We can, however, offer you credit ${which} the following terms:\n${terms}\nIf ${one} is acceptable to you, please notify us by ${offersEnd}.`;
}

export function listText(entries: readonly string[]): string {
  return entries.map((entry) => `- ${entry}`).join('\n');
}

export function partyText({ name, address, telephone }: Party): string {
  return [name, address, telephone].filter((part) => part !== '').join(', ');
}

function bureauText({ bureau }: NoticeParties): string {
  const rights = [
    'Our credit decision was based in whole or in part on information obtained in a report from the consumer reporting agency listed below.',
    'You have a right under the Fair Credit Reporting Act to know the information contained in your credit file at the consumer reporting agency.',
    'The reporting agency played no part in our decision and is unable to supply specific reasons why we have denied credit to you.',
    'You also have a right to a free copy of your report from the reporting agency, if you request it no later than 60 days after you receive this notice.',
    'In addition, if you find that any information contained in the report you receive is inaccurate or incomplete, you have the right to dispute the matter with the reporting agency.',
  ];
  return `${rights.join(' ')}\nConsumer reporting agency: ${partyText(bureau)}`;
}

/** The range of the scores in use. */
export const SCORE_RANGE = [300, 850] as const;

function scoreText({ value, of, factors }: NonNullable<NoticeGround['score']>, { bureau }: NoticeParties): string {
  const about = [
    'We also obtained your credit score from this consumer reporting agency and used it in making our credit decision.',
    'Your credit score is a number that reflects the information in your credit report.',
    'Your credit score can change, depending on how the information in your credit report changes.',
    `If you have any questions regarding your credit score, you should contact ${partyText(bureau)}.`,
  ];
  const range = `Scores range from a low of ${SCORE_RANGE[0]} to a high of ${SCORE_RANGE[1]}.`;
  const key =
    factors.length === 0 ? '' : `\nKey factors that adversely affected your credit score:\n${listText(factors)}`;
  return `${about.join(' ')}\nYour credit score: ${value}. Date: ${of}. ${range}${key}`;
}

/** 12 CFR 1002.9(b)(1). */
function equalCreditText({ federalAgency }: NoticeParties): string {
  return `Notice: The Federal Equal Credit Opportunity Act prohibits creditors from discriminating against credit applicants on the basis of race, color, religion, national origin, sex, marital status, age (provided the applicant has the capacity to enter into a binding contract); because all or part of the applicant's income derives from any public assistance program; or because the applicant has in good faith exercised any right under the Consumer Credit Protection Act. The Federal agency that administers compliance with this law concerning this creditor is ${federalAgency}.`;
}
