/** Boarding a loan that another lender has assessed: the terms, the figures of the assessment, and the whole record. */
import type { FullView } from '../loans/reads/view.ts';

/** Members of POST /loans that a lender fills in from its assessment. */
const FIGURES = [
  'grade',
  'defaultProbability',
  'predictedPrincipalPaid',
  'predictedInterestPaid',
  'predictedChargeoffAmount',
  'predictedRecoveredAmount',
  'predictedGrossCashflow',
  'predictedNetCashflow',
  'predictedYield',
  'apr',
  'fairValuePrice',
] as const;

/** The text of a body of POST /loans. `Request` is taken from the record, which is restated under the number of the new application. */
export function recordHandedOver({ view, personal, record }: FullView, application: object): string {
  const { Request: _, ...terms } = application as { Request: object; applicationId: string };
  const { lendingDecisionReason, applicantCreditVision, coApplicantCreditVision, creditReportHash } = personal;
  const assessed = {
    ...Object.fromEntries(FIGURES.map((name) => [name, view.file[name]])),
    ...{ lendingDecisionReason, applicantCreditVision, coApplicantCreditVision, creditReportHash },
    macroEconomicFeatures: JSON.parse(view.file.macroEconomicFeatures) as unknown,
  };
  const restated = Buffer.concat(record).toString('utf8').replaceAll(view.file.applicationId, terms.applicationId);
  return `${JSON.stringify({ ...terms, ...assessed }).slice(0, -1)},${restated}}`;
}
