/**
 * The heavy part of underwriting, as work for a thread: opening what was submitted, assessing it, printing the parts of the record,
 * sealing them. A run takes fifty to a hundred milliseconds, and as much again for a record of the largest size. Everything personal
 * comes in and goes out sealed, except whom to ask the bureau about and the text of a notice; errors quote nothing.
 */

import { createHash } from 'node:crypto';
import type { LoanFile } from '../../boarding/file.ts';
import { publicPartOf, readPublicPart } from '../../boarding/public-part.ts';
import { memberText, requestOf, withAssessment } from '../../boarding/record-parts.ts';
import type { BureauReport, BureauSubject } from '../../bureau/bureau.ts';
import { namesCoApplicant, subjectsOf, textsIn } from '../../bureau/subjects.ts';
import type { PlainDate } from '../../core/calendar.ts';
import type { HardStop } from '../../core/hard-stops.ts';
import type { Contract } from '../../core/loan.ts';
import type { Percent } from '../../core/rate.ts';
import { isRefusal, type Refusal } from '../../core/refusal.ts';
import { characteristicsOf } from '../../portfolio/characteristics.ts';
import { oldestReport } from '../../underwriting/credit-facts.ts';
import { dealDetails } from '../../underwriting/decision.ts';
import { adverseActionNotice, type NoticeGrounds, unassessedGround } from '../../underwriting/notice.ts';
import { pricingText } from '../../underwriting/pricing.ts';
import {
  type Assessment,
  dealCashflows,
  type LoanDetails,
  modelOf,
  policyOf,
  publicText,
  recordTexts,
  refuseApplication,
  type UnderwritingInput,
  underwrite,
} from '../../underwriting/underwrite.ts';
import { commitmentsTo } from '../../vault/commitments.ts';
import type { DataKey } from '../../vault/master-keys.ts';
import {
  sealPublicPart,
  sealRecord,
  sealReport,
  unsealPublicPart,
  unsealRecord,
  unsealReport,
} from '../../vault/seal.ts';
import type { Write } from '../door/write.ts';
import { type SealedPartyChange, withSealedChanges } from '../people/party-work.ts';
import { stopsBefore } from './stops.ts';

/** The signer of a notice of adverse action, the bureau whose report it was based on, and the agency that supervises the creditor. */
export type NoticeRequest = {
  readonly creditor: NoticeParty;
  readonly bureau: NoticeParty;
  readonly federalAgency: string;
  /** The principal reasons; absent: those of the assessment. */
  readonly reasons?: readonly string[];
  /** The person it is for: of a joint application each person has their own. */
  readonly party: keyof NoticeGrounds;
};
export type NoticeParty = { readonly name: string; readonly address: string; readonly telephone: string };

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
export type SealedReports = { readonly primary?: Uint8Array; readonly coApplicant?: Uint8Array };

type Person = { dataKey: DataKey; salt: Buffer; record: string; personal: ReturnType<typeof unsealRecord>['personal'] };

/** An application: it names a person to ask the bureau about. */
type Application = Submitted & { person: Person; request: unknown; subjects: readonly BureauSubject[] };

type Run = { assessment: Assessment; input: UnderwritingInput };

/** Whom to ask the bureau about, or why it cannot be assessed whatever a report says. Null: it names no person. */
export function readApplication({
  conditions,
  ...submitted
}: Submitted & { conditions: RunConditions }): { subjects: readonly BureauSubject[] } | Refusal | null {
  const application = applicationOf(submitted);
  if (application === null) return null;
  const { subjects } = application;
  return refuseApplication(inputOf(application, conditions), { joint: subjects.length > 1 }) ?? { subjects };
}

export function sealedReport({
  loanId,
  dataKey,
  report,
}: {
  loanId: string;
  dataKey: Uint8Array;
  report: BureauReport;
}): {
  sealed: Uint8Array;
  hash: Uint8Array;
} {
  const hash = createHash('sha256').update(report.raw).digest();
  return { sealed: sealReport(keyOf(dataKey), loanId, reportText(report)), hash };
}

/** The parts of the record that a new run makes. */
export function assess({
  publicPart,
  reports,
  conditions,
  ...submitted
}: Submitted & { publicPart: Uint8Array; reports: SealedReports; conditions: RunConditions }):
  | NonNullable<Write['assessed']>
  | Refusal {
  const application = applicationOf(submitted);
  const opened = application && reportsOf(application, reports);
  if (application === null || opened === null)
    throw new Error('An application was to be assessed without its reports.');
  const input = { ...inputOf(application, conditions), ...opened };
  const assessment = underwrite(input);
  return isRefusal(assessment)
    ? assessment
    : partsOf(application, publicPart, { assessment, input }, assessment.details);
}

/** The parts with another deal's figures as the loan's, from the last run done again. Null: there is no such run, or no such deal. */
export function chooseDeal({
  publicPart,
  dealIndex,
  ...submitted
}: Again & { publicPart: Uint8Array; dealIndex: number }): NonNullable<Write['assessed']> | null {
  const again = runAgain(submitted);
  const chosen = again && chosenDetails(again, dealIndex);
  return again && chosen ? partsOf(again.application, publicPart, again, chosen, dealIndex) : null;
}

/** The facts against approving a deal. `run` null: it was not assessed here. */
export function stopsOf({
  run,
  dealIndex,
  today,
  ...submitted
}: Submitted & { run: Pick<Again, 'reports' | 'today'> | null; dealIndex: number; today: PlainDate }): HardStop[] {
  const again = run && runAgain({ ...submitted, ...run });
  const request = requestWith(personOf(submitted), submitted.loanId, submitted.changes);
  if (again === null) return stopsBefore(request, submitted, today);
  const { hardStops, assessed } = again.assessment;
  return [...hardStops, ...(assessed[dealIndex]?.hardStops ?? [])];
}

/** The expected cash flows of a deal as CSV, from the last run done again. Null: there is no such run, or no such deal. */
export function cashflowsOfDeal({ dealIndex, ...submitted }: Again & { dealIndex: number }): string | null {
  const again = runAgain(submitted);
  return again?.assessment.assessed[dealIndex] === undefined ? null : dealCashflows(again.assessment, dealIndex);
}

/**
 * The text of the notice that is owed, to the name and address of today (`sentTo`). Null: none is owed. `reasons`: the decision was a loan
 * officer's, whose reasons are not known. `party`: there is no co-applicant.
 */
export function writeNotice({
  parties: { reasons, party, ...parties },
  date,
  sentTo,
  declined,
  ...submitted
}: Submitted & {
  /** Null: it was not assessed here. */
  run: Pick<Again, 'reports' | 'today'> | null;
  parties: NoticeRequest;
  date: PlainDate;
  sentTo: readonly SealedPartyChange[];
  /** The loan was rejected. */
  declined: boolean;
}): string | 'reasons' | 'party' | null {
  const grounds = groundsOf(submitted, declined);
  if (grounds === null) return null;
  const ground = grounds[party];
  if (ground === null) return 'party';
  const notice = reasons === undefined ? ground : { ...ground, reasons };
  if (notice.reasons.length === 0) return 'reasons';
  const person = personOf(submitted);
  const { loanId } = submitted;
  const { info, prefix } = PARTIES[party];
  const texts = textsIn(requestWith(person, loanId, sentTo), info);
  const own = (member: string) => texts(`${prefix}${member}`);
  const name = [own('FirstName'), texts('MiddleInitial'), own('LastName')];
  const place = [own('City'), own('State'), own('Zip')];
  const to = {
    ...parties,
    date,
    applicantName: name.filter((part) => part !== '').join(' '),
    applicantAddress: [own('Address'), place.filter((part) => part !== '').join(' ')].filter((line) => line !== ''),
  };
  return adverseActionNotice({ notice }, to);
}

const PARTIES = {
  applicant: { info: 'ApplicantInfo', prefix: 'Applicant' },
  coApplicant: { info: 'CoApplicantInfo', prefix: 'CoApplicant' },
} as const;

/** Null: nothing was refused. */
function groundsOf(
  { run, ...submitted }: Submitted & { run: Pick<Again, 'reports' | 'today'> | null },
  declined: boolean,
): NoticeGrounds | null {
  const again = run && runAgain({ ...submitted, ...run });
  if (again !== null) return again.assessment.notice ?? (declined ? again.assessment.requested : null);
  if (!declined) return null;
  const { file, contract } = submitted;
  const ground = unassessedGround(contract, { term: file.term, reported: file.assessed !== null });
  const isJoint = namesCoApplicant(requestWith(personOf(submitted), submitted.loanId, submitted.changes));
  return { applicant: ground, coApplicant: isJoint ? ground : null };
}

// ---- the last run again ----

/** The reports are those of the last run, `today` the loan’s day at its moment. */
type Again = Submitted & { readonly reports: SealedReports; readonly today: PlainDate };

/** Null when it was not assessed here, or something it was made from is missing. It never asks the bureau. */
function runAgain({ reports, today, ...submitted }: Again) {
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
    model,
    policy,
  };
  const assessment = underwrite(input);
  return isRefusal(assessment) ? null : { assessment, input, application };
}

/** The loan's figures with another of the deals; its rate by Regulation Z is then computed from its own schedule. */
function chosenDetails({ assessment }: NonNullable<ReturnType<typeof runAgain>>, index: number): LoanDetails | null {
  const { DealTermsInfo, UnderwritingInfo } = assessment.underwriting;
  const [terms, info] = [DealTermsInfo[index], UnderwritingInfo[index]];
  const deal = assessment.assessed[index];
  if (terms === undefined || info === undefined || deal === undefined) return null;
  return { ...assessment.details, ...dealDetails(terms, info, deal.grade), apr: '' };
}

// ---- opening ----

function personOf(submitted: Submitted): Person {
  const dataKey = keyOf(submitted.dataKey);
  const { personal, record, salt } = unsealRecord(dataKey, submitted.loanId, submitted.sealed);
  return { dataKey, salt, personal, record: record.toString('utf8') };
}

function applicationOf(submitted: Submitted): Application | null {
  const person = personOf(submitted);
  const request = requestWith(person, submitted.loanId, submitted.changes);
  const subjects = subjectsOf(request);
  return subjects === null ? null : { ...submitted, person, request, subjects };
}

/** The application with these changes of its parties. */
function requestWith({ dataKey, record }: Person, loanId: string, changes: readonly SealedPartyChange[]): unknown {
  return JSON.parse(requestOf(withSealedChanges(record, loanId, dataKey, changes)));
}

/** A key that came to the thread as plain bytes. */
function keyOf(bytes: Uint8Array): DataKey {
  return Buffer.from(bytes) as DataKey;
}

/** Null: one of them is missing. */
function reportsOf(
  { loanId, person, subjects }: Application,
  { primary, coApplicant }: SealedReports,
): Pick<UnderwritingInput, 'primary' | 'coApplicant'> | null {
  const opened = (sealed: Uint8Array) => readReport(unsealReport(person.dataKey, loanId, sealed));
  if (primary === undefined) return null;
  if (subjects.length === 1) return { primary: opened(primary), coApplicant: null };
  return coApplicant === undefined ? null : { primary: opened(primary), coApplicant: opened(coApplicant) };
}

function reportText({ pdf, raw, ...report }: BureauReport): Buffer {
  const bytes = { pdf: Buffer.from(pdf).toString('base64'), raw: Buffer.from(raw).toString('base64') };
  return Buffer.from(JSON.stringify({ ...report, ...bytes }));
}

function readReport(text: Buffer): BureauReport {
  const { pdf, raw, ...report } = JSON.parse(text.toString('utf8')) as Omit<BureauReport, 'pdf' | 'raw'> & {
    pdf: string;
    raw: string;
  };
  return { ...report, pdf: Buffer.from(pdf, 'base64'), raw: Buffer.from(raw, 'base64') };
}

function inputOf(
  { file, contract, person, request }: Application,
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

// ---- what a run leaves ----

/**
 * The record, the file and the public part as a run leaves them, sealed and committed to. `dealIndex` is the deal of the figures and of the
 * cash flows.
 */
function partsOf(
  { loanId, file: before, person }: Application,
  shownBefore: Uint8Array,
  { assessment, input }: Run,
  details: LoanDetails,
  dealIndex = 0,
): NonNullable<Write['assessed']> {
  const { modelVersion, policyVersion } = assessment;
  const { applicantCreditVision, coApplicantCreditVision, lendingDecisionReason, creditReportHash } = details;
  const { pti, dti, ...figures } = fileFigures(details);
  const file: LoanFile = {
    ...before,
    ...figures,
    decision: assessment.decision,
    deals: assessment.deals,
    isStopped: assessment.hardStops.length > 0,
    assessed: 'here',
    assessedOn: { day: input.today, reportDate: oldestReport(input) },
    assessedWith: { model: modelVersion, policy: policyVersion, at: input.at, markupCap: input.markupCap ?? null },
  };
  const personal = {
    ...person.personal,
    ...{ lendingDecisionReason, applicantCreditVision, coApplicantCreditVision, pti, dti, creditReportHash },
  };
  const record = withAssessment(person.record, recordTexts(assessment, dealIndex));
  const given = readPublicPart(unsealPublicPart(person.dataKey, loanId, shownBefore));
  const shown = assessment.assessed[dealIndex]?.shown;
  const publicPart = publicPartOf(
    {
      ...given.details,
      pti: shown?.pti ?? '',
      dti: shown?.dti ?? '',
      creditReportHash,
      pricing: pricingText(assessment.assessed),
    },
    `"loanInfo":${memberText(given.members.toString('utf8'), 'loanInfo')},"Underwriting":${publicText(assessment, dealIndex)}`,
  );
  const text = JSON.stringify(file);
  return {
    parts: {
      file: text,
      publicPart: sealPublicPart(person.dataKey, loanId, publicPart),
      sealed: sealRecord(person.dataKey, loanId, { ...personal, record }, person.salt),
      modelVersion,
      policyVersion,
      characteristics: characteristicsOf(file),
    },
    commitments: commitmentsTo(person.salt, { personal, record, file: text, publicPart }),
  };
}

/** Without what is sealed. */
function fileFigures(details: LoanDetails) {
  const {
    applicantCreditVision: _,
    coApplicantCreditVision: __,
    lendingDecisionReason: ___,
    creditReportHash: ____,
    ...figures
  } = details;
  return figures;
}
