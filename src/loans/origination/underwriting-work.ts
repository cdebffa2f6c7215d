/**
 * The heavy part of underwriting, as work for a thread: opening what was submitted, assessing it, printing the parts of the record,
 * sealing them. A run takes fifty to a hundred milliseconds, and as much again for a record of the largest size. Everything personal
 * comes in and goes out sealed, except whom to ask the bureau about; errors quote nothing.
 */

import { createHash } from 'node:crypto';
import { EARLIER_RUNS, type LoanFile } from '../../boarding/file.ts';
import { publicPartOf, readPublicPart } from '../../boarding/public-part.ts';
import { memberText, withAssessment } from '../../boarding/record-parts.ts';
import type { BureauReport, BureauSubject } from '../../bureau/bureau.ts';
import type { ScreeningAnswer } from '../../bureau/screening/screening.ts';
import { screenedIn } from '../../bureau/subjects.ts';
import type { PlainDate } from '../../core/calendar.ts';
import type { HardStop } from '../../core/hard-stops.ts';
import type { Overridden } from '../../core/overrides.ts';
import { isRefusal, type Refusal } from '../../core/refusal.ts';
import { characteristicsOf } from '../../portfolio/characteristics.ts';
import { isReusable, oldestReport } from '../../underwriting/credit-facts.ts';
import { dealDetails } from '../../underwriting/decision.ts';
import { MODELS } from '../../underwriting/model-data.ts';
import { pricingText } from '../../underwriting/pricing.ts';
import { inForce } from '../../underwriting/score.ts';
import { isMatched } from '../../underwriting/screened.ts';
import { type Shared, signsOf } from '../../underwriting/signs.ts';
import {
  type Assessment,
  dealCashflows,
  demandsOfDeal,
  type LoanDetails,
  publicText,
  recordTexts,
  refuseApplication,
  type UnderwritingInput,
  underwrite,
} from '../../underwriting/underwrite.ts';
import { commitmentsTo } from '../../vault/commitments.ts';
import { sealPublicPart, sealRecord, sealReport, unsealPublicPart } from '../../vault/seal.ts';
import type { Write } from '../door/write.ts';
import {
  type Again,
  applicationOf,
  inputOf,
  keyOf,
  type OpenedApplication,
  personOf,
  type RunConditions,
  reportsOf,
  requestWith,
  runAgain,
  type SealedReports,
  type Submitted,
  screenedOf,
} from './run-again.ts';
import { listedStipulations } from './stipulation-ids.ts';
import { stopsBefore } from './stops.ts';

/** A run, and the run on whose reports it stands. */
export type Made = { readonly run: number; readonly reportsOf: number };

type Run = { assessment: Assessment; input: UnderwritingInput };

/** Whom to ask the bureau about, or why it cannot be assessed whatever a report says. Null: it names no person. */
export function readApplication({
  conditions,
  ...submitted
}: Submitted & { conditions: RunConditions }): Named | Refusal | null {
  const application = applicationOf(submitted);
  if (application === null) return null;
  const { subjects } = application;
  const refused = refuseApplication(inputOf(application, conditions), { joint: subjects.length > 1 });
  return refused ?? { subjects, screened: screenedIn(application.request) };
}

/** The people of an application, as the bureau and as the screening are asked about them. */
type Named = { readonly subjects: readonly BureauSubject[]; readonly screened: readonly BureauSubject[] };

/** Whom to screen, also where nothing is assessed. */
export function toScreen(submitted: Submitted): readonly BureauSubject[] {
  return screenedIn(requestWith(personOf(submitted), submitted.loanId, submitted.changes));
}

export function isListed({ loanId, dataKey, answers }: Sealing & { answers: SealedReports['screening'] }): boolean {
  return isMatched(screenedOf(keyOf(dataKey), loanId, answers ?? {}));
}

type Sealing = { loanId: string; dataKey: Uint8Array };
type SealedAnswer = { sealed: Uint8Array; hash: Uint8Array };

export function sealedScreening({ loanId, dataKey, answer }: Sealing & { answer: ScreeningAnswer }): SealedAnswer {
  const hash = createHash('sha256').update(answer.raw).digest();
  return { sealed: sealReport(keyOf(dataKey), loanId, Buffer.from(JSON.stringify(answer))), hash };
}

export function sealedReport({ loanId, dataKey, report }: Sealing & { report: BureauReport }): SealedAnswer {
  const hash = createHash('sha256').update(report.raw).digest();
  return { sealed: sealReport(keyOf(dataKey), loanId, reportText(report)), hash };
}

/** The parts of the record that a new run makes. */
export function assess({
  publicPart,
  reports,
  shared,
  conditions,
  made,
  ...submitted
}: Submitted & {
  publicPart: Uint8Array;
  reports: SealedReports;
  shared: Shared;
  conditions: RunConditions;
  made: Made;
}): NonNullable<Write['assessed']> | Refusal {
  const application = applicationOf(submitted);
  const opened = application && reportsOf(application, reports);
  if (application === null || opened === null)
    throw new Error('An application was to be assessed without its reports.');
  const before = inputOf(application, conditions);
  const { collateral } = inForce(MODELS, conditions.today);
  const input = { ...before, ...opened, signs: signsOf({ ...before, collateral }, shared) };
  const assessment = underwrite(input);
  return isRefusal(assessment)
    ? assessment
    : partsOf(withRun(application, assessment, { input, made }), publicPart, { assessment, input }, assessment.details);
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

/** The rules that declined a deal, and the grade of its people, from the last run done again. Null: there is no such run, or no such deal. */
export function overriddenIn({ dealIndex, ...submitted }: Again & { dealIndex: number }): Overridden | null {
  const deal = runAgain(submitted)?.assessment.assessed[dealIndex];
  if (deal === undefined) return null;
  return { grade: deal.grade, rules: [...new Set(deal.findings.declinedBy)] };
}

/** The expected cash flows of a deal as CSV, from the last run done again. Null: there is no such run, or no such deal. */
export function cashflowsOfDeal({ dealIndex, ...submitted }: Again & { dealIndex: number }): string | null {
  const again = runAgain(submitted);
  return again?.assessment.assessed[dealIndex] === undefined ? null : dealCashflows(again.assessment, dealIndex);
}

function reportText({ pdf, raw, ...report }: BureauReport): Buffer {
  const bytes = { pdf: Buffer.from(pdf).toString('base64'), raw: Buffer.from(raw).toString('base64') };
  return Buffer.from(JSON.stringify({ ...report, ...bytes }));
}

/** The loan's figures with another of the deals; its rate by Regulation Z is then computed from its own schedule. */
function chosenDetails({ assessment }: NonNullable<ReturnType<typeof runAgain>>, index: number): LoanDetails | null {
  const { DealTermsInfo, UnderwritingInfo } = assessment.underwriting;
  const [terms, info] = [DealTermsInfo[index], UnderwritingInfo[index]];
  const deal = assessment.assessed[index];
  if (terms === undefined || info === undefined || deal === undefined) return null;
  return { ...assessment.details, ...dealDetails(terms, info, deal.grade), apr: '' };
}

// ---- what a run leaves ----

/** The application with what its new run was made from, and the one before it kept. */
function withRun(
  application: OpenedApplication,
  { modelVersion, policyVersion, decision }: Assessment,
  { input, made }: { input: UnderwritingInput; made: Made },
): OpenedApplication {
  const { assessedWith: last, earlierRuns = [] } = application.file;
  const { at, today: day, markupCap = null } = input;
  const versions = { model: modelVersion, policy: policyVersion, at, markupCap };
  const reports = { reportDate: oldestReport(input), isReusable: isReusable(input) };
  const before = last === null ? [] : [last, ...earlierRuns].slice(0, EARLIER_RUNS);
  const runs = {
    assessedWith: { ...versions, ...made, day, ...reports, decision },
    ...(before.length > 0 && { earlierRuns: before }),
  };
  return { ...application, file: { ...application.file, ...runs } };
}

/**
 * The record, the file and the public part as a run leaves them, sealed and committed to. `dealIndex` is the deal of the figures and of the
 * cash flows.
 */
function partsOf(
  { loanId, file: before, person }: OpenedApplication,
  shownBefore: Uint8Array,
  { assessment, input }: Run,
  details: LoanDetails,
  dealIndex = 0,
): NonNullable<Write['assessed']> {
  const { applicantCreditVision, coApplicantCreditVision, lendingDecisionReason, creditReportHash } = details;
  const { pti, dti, ...figures } = fileFigures(details);
  const file: LoanFile = {
    ...before,
    ...figures,
    decision: assessment.decision,
    deals: assessment.deals,
    isStopped: assessment.hardStops.length > 0,
    stipulations: listedStipulations(
      person.salt,
      dealIndex === 0 ? assessment.demands : demandsOfDeal(input, assessment, dealIndex),
    ),
    assessed: 'here',
  };
  const personal = {
    ...person.personal,
    ...{ lendingDecisionReason, applicantCreditVision, coApplicantCreditVision, pti, dti, creditReportHash },
    signs: JSON.stringify(input.signs ?? []),
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
      modelVersion: assessment.modelVersion,
      policyVersion: assessment.policyVersion,
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
