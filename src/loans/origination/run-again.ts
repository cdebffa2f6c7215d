/** The submitted data of a loan opened on a thread, and its last run of underwriting done again from what it was made from. */
import type { LoanFile } from '../../boarding/file.ts';
import { requestOf } from '../../boarding/record-parts.ts';
import type { BureauReport, BureauSubject } from '../../bureau/bureau.ts';
import { subjectsOf } from '../../bureau/subjects.ts';
import type { PlainDate } from '../../core/calendar.ts';
import type { Contract } from '../../core/loan.ts';
import type { Percent } from '../../core/rate.ts';
import { isRefusal } from '../../core/refusal.ts';
import type { Screened, ScreenedPeople } from '../../underwriting/screened.ts';
import { signsIn } from '../../underwriting/signs.ts';
import { modelOf, policyOf, type UnderwritingInput, underwrite } from '../../underwriting/underwrite.ts';
import type { DataKey } from '../../vault/master-keys.ts';
import { unsealRecord, unsealReport } from '../../vault/seal.ts';
import { type SealedPartyChange, withSealedChanges } from '../people/party-work.ts';

/** The submitted data of a loan, as it is stored. */
export type Submitted = {
  readonly loanId: string;
  readonly dataKey: Uint8Array;
  readonly sealed: Uint8Array;
  readonly file: LoanFile;
  /** As it was asked for: a chosen deal changes what was agreed, not what was applied for. */
  readonly contract: Contract;
  /** Those in effect when the application was assessed: the bureau is asked about the name and address of that day. */
  readonly changes: readonly SealedPartyChange[];
};

/** The conditions of a run besides the application, the reports and the versions of the engine. */
export type RunConditions = {
  readonly today: PlainDate;
  /** The moment of the run. */
  readonly at: string;
  /** The cap of the lender's policy. */
  readonly markupCap: Percent | null;
};

/** Sealed, by role. */
export type ByRole = { readonly primary?: Uint8Array; readonly coApplicant?: Uint8Array };
/** With the answers of the screening, as far as there are any. */
export type SealedReports = ByRole & { readonly screening?: ByRole };

export type OpenedRecord = {
  dataKey: DataKey;
  salt: Buffer;
  record: string;
  personal: ReturnType<typeof unsealRecord>['personal'];
};

/** An application: it names a person to ask the bureau about. */
export type OpenedApplication = Submitted & {
  person: OpenedRecord;
  request: unknown;
  subjects: readonly BureauSubject[];
};

// ---- the last run again ----

/** The reports are those of the last run, `today` the loan’s day at its moment. */
export type Again = Submitted & { readonly reports: SealedReports; readonly today: PlainDate };

/** Null when it was not assessed here, or something it was made from is missing. It never asks the bureau. */
export function runAgain({ reports, today, ...submitted }: Again) {
  const versions = submitted.file.assessedWith;
  const application = submitted.file.assessed === 'here' && versions !== null ? applicationOf(submitted) : null;
  const opened = application && reportsOf(application, reports);
  if (versions === null || application === null || opened === null) return null;
  const { at, markupCap } = versions;
  const model = modelOf(versions.model);
  const policy = policyOf(versions.policy);
  if (model === null || policy === null) return null;
  const input: UnderwritingInput = {
    ...inputOf(application, { today, at, markupCap }),
    ...opened,
    signs: signsIn(application.person.personal.signs),
    model,
    policy,
  };
  const assessment = underwrite(input);
  return isRefusal(assessment) ? null : { assessment, input, application };
}

// ---- opening ----

export function personOf(submitted: Submitted): OpenedRecord {
  const dataKey = keyOf(submitted.dataKey);
  const { personal, record, salt } = unsealRecord(dataKey, submitted.loanId, submitted.sealed);
  return { dataKey, salt, personal, record: record.toString('utf8') };
}

export function applicationOf(submitted: Submitted): OpenedApplication | null {
  const person = personOf(submitted);
  const request = requestWith(person, submitted.loanId, submitted.changes);
  const subjects = subjectsOf(request);
  return subjects === null ? null : { ...submitted, person, request, subjects };
}

/** The application with these changes of its parties. */
export function requestWith(
  { dataKey, record }: OpenedRecord,
  loanId: string,
  changes: readonly SealedPartyChange[],
): unknown {
  return JSON.parse(requestOf(withSealedChanges(record, loanId, dataKey, changes)));
}

/** A key that came to the thread as plain bytes. */
export function keyOf(bytes: Uint8Array): DataKey {
  return Buffer.from(bytes) as DataKey;
}

/** Null: a report is missing. */
export function reportsOf(
  { loanId, person, subjects }: OpenedApplication,
  { primary, coApplicant, screening: kept = {} }: SealedReports,
): Pick<UnderwritingInput, 'primary' | 'coApplicant' | 'screening'> | null {
  const opened = (sealed: Uint8Array) => readReport(unsealReport(person.dataKey, loanId, sealed));
  if (primary === undefined) return null;
  const screening = screenedOf(person.dataKey, loanId, kept);
  if (subjects.length === 1) return { primary: opened(primary), coApplicant: null, screening };
  return coApplicant === undefined ? null : { primary: opened(primary), coApplicant: opened(coApplicant), screening };
}

/** Null where nobody was asked about the person. */
export function screenedOf(dataKey: DataKey, loanId: string, { primary, coApplicant }: ByRole): ScreenedPeople {
  const opened = (sealed: Uint8Array | undefined) =>
    sealed === undefined ? null : (JSON.parse(unsealReport(dataKey, loanId, sealed).toString('utf8')) as Screened);
  return { primary: opened(primary), coApplicant: opened(coApplicant) };
}

function readReport(text: Buffer): BureauReport {
  const { pdf, raw, ...report } = JSON.parse(text.toString('utf8')) as Omit<BureauReport, 'pdf' | 'raw'> & {
    pdf: string;
    raw: string;
  };
  return { ...report, pdf: Buffer.from(pdf, 'base64'), raw: Buffer.from(raw, 'base64') };
}

export function inputOf(
  { file, contract, person, request }: OpenedApplication,
  { today, at, markupCap }: RunConditions,
): Omit<UnderwritingInput, 'primary' | 'coApplicant'> {
  const { vehicle, principalAmount, term, prepaidFinanceCharge, applicationId } = file;
  return {
    request,
    contract,
    principalAmount,
    term,
    prepaidFinanceCharge,
    applicationId,
    today,
    at,
    vehicle: { ...vehicle, vin: person.personal.vin },
    markupCap,
  };
}
