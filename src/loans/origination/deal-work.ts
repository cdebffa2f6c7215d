/**
 * Parts of a sealed record, as work for a thread: a record may have 10 MiB, and finding its deals or its reports means going through all of
 * it. Errors quote nothing.
 */
import { memberText } from '../../boarding/record-parts.ts';
import type { DataKey } from '../../vault/master-keys.ts';
import { unsealRecord } from '../../vault/seal.ts';
import { type DealRow, dealRows } from './deal-rows.ts';

type Sealed = { readonly loanId: string; readonly dataKey: Uint8Array; readonly sealed: Uint8Array };

/** With reasons. */
export function dealsOfRecord({ loanId, dataKey, sealed, pricing }: Sealed & { readonly pricing: string }): DealRow[] {
  const { record } = unsealRecord(Buffer.from(dataKey) as DataKey, loanId, sealed);
  return dealRows(objectOf(memberText(record.toString('utf8'), 'Underwriting')), { withReasons: true, pricing });
}

/** The deals in the public part of the record, which has no reasons. */
export function dealsOfPublicPart({
  members,
  pricing,
}: {
  readonly members: Uint8Array;
  readonly pricing: string;
}): DealRow[] {
  return dealRows(objectOf(memberText(Buffer.from(members).toString('utf8'), 'Underwriting')), {
    withReasons: false,
    pricing,
  });
}

/** The applicant's report, and the co-applicant's. */
const REPORTS = ['PrimaryCreditBureauPDF', 'CoApplicantCreditBureauPDF'];

/** Null: there is none, or the submitted text is not a PDF. */
export function reportOfRecord({ loanId, dataKey, sealed, n }: Sealed & { readonly n: number }): Uint8Array | null {
  const { record } = unsealRecord(Buffer.from(dataKey) as DataKey, loanId, sealed);
  const underwriting = objectOf(memberText(record.toString('utf8'), 'Underwriting'));
  const text = underwriting[REPORTS[n - 1] ?? ''];
  if (typeof text !== 'string') return null;
  const bytes = Buffer.from(text, 'base64');
  return bytes.subarray(0, 5).toString('latin1') === '%PDF-' ? bytes : null;
}

function objectOf(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}
