/**
 * Parts of a sealed record, as work for a thread: a record may have 10 MiB, and finding its deals or its reports means going through all of
 * it. Errors quote nothing.
 */
import { memberText } from '../boarding/record-parts.ts';
import type { DataKey } from '../vault/master-keys.ts';
import { unsealRecord } from '../vault/seal.ts';
import type { DealRow } from './loans.ts';

type Sealed = { readonly loanId: string; readonly dataKey: Uint8Array; readonly sealed: Uint8Array };

/** With reasons. */
export function dealsOfRecord({ loanId, dataKey, sealed }: Sealed): DealRow[] {
  const { record } = unsealRecord(Buffer.from(dataKey) as DataKey, loanId, sealed);
  return rowsOf(memberText(record.toString('utf8'), 'Underwriting'), true);
}

/** Of the public part of the record, which has no reasons. */
export function dealsOfPublicPart({ members }: { readonly members: Uint8Array }): DealRow[] {
  return rowsOf(memberText(Buffer.from(members).toString('utf8'), 'Underwriting'), false);
}

/** The applicant's report, and the co-applicant's. */
const REPORTS = ['PrimaryCreditBureauPDF', 'CoApplicantCreditBureauPDF'];

/** Null: there is none, or the submitted value is not a PDF. */
export function reportOfRecord({ loanId, dataKey, sealed, n }: Sealed & { readonly n: number }): Uint8Array | null {
  const { record } = unsealRecord(Buffer.from(dataKey) as DataKey, loanId, sealed);
  const underwriting = objectOf(memberText(record.toString('utf8'), 'Underwriting'));
  const text = underwriting[REPORTS[n - 1] ?? ''];
  if (typeof text !== 'string') return null;
  const bytes = Buffer.from(text, 'base64');
  return bytes.subarray(0, 5).toString('latin1') === '%PDF-' ? bytes : null;
}

function rowsOf(text: string, withReasons: boolean): DealRow[] {
  const { DealTermsInfo, UnderwritingInfo } = objectOf(text);
  const infos = listOf(UnderwritingInfo);
  return listOf(DealTermsInfo).map((terms, dealIndex) => {
    const info = infos[dealIndex] ?? {};
    const reasons = [info.DecisionReason, info.AllWarnings].flatMap((one) => sentences(one));
    return {
      dealIndex,
      loanAmount: textOf(terms.TermsLoanAmount),
      term: textOf(terms.TermsTerm),
      apr: textOf(terms.TermsAPR),
      monthlyPayment: textOf(terms.TermsMonthlyPayment),
      downPayment: textOf(terms.ApprovedDownPayment),
      ltv: textOf(terms.TermsLTV),
      pti: textOf(terms.TermsPTI),
      dti: textOf(terms.TermsDTI),
      decision: textOf(info.DecisionStatus),
      reasons: withReasons ? reasons : null,
      defaultProbability: textOf(info.DefaultProb),
      forecast: {
        principalPaid: textOf(info.ForecastPrincipalPaid),
        interestPaid: textOf(info.ForecastInterestPaid),
        chargeoffAmount: textOf(info.ForecastChargeoffAmount),
        recoveredAmount: textOf(info.ForecastRecoveredAmount),
        netLossAmount: textOf(info.ForecastNetLossAmount),
        totalPaid: textOf(info.ForecastTotalPaid),
        presentValue: textOf(info.ForecastPresentValue),
        fairValuePrice: textOf(info.FairValuePrice),
        yield: textOf(info.ForecastCompoundingNetIRR),
      },
    };
  });
}

function objectOf(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map((one) => (typeof one === 'object' && one !== null ? one : {})) : [];
}

/** As it was given: of a loan that was assessed elsewhere a figure may be a number. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

function sentences(value: unknown): string[] {
  return textOf(value)
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}
