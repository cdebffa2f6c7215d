/**
 * Underwriting a loan that came as an application: the applicant's reports are pulled, the engine decides, and what it made takes the
 * place of the empty parts of the record together with the event. A pull is reserved before it is made and kept sealed, so that a retry
 * never pulls twice and a run can be done again from its stored inputs. A loan that was assessed elsewhere only changes its status, and
 * so does one whose application names nobody to ask the bureau about, or lacks what no report can tell (an income, the vehicle's
 * worth): there somebody decides with `approved`.
 */
import { createHash, randomBytes } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type Bureau, type BureauReport, type BureauSubject, isBureauFailure } from '../bureau/bureau.ts';
import type { PlainDate } from '../core/calendar.ts';
import type { LoanEvent } from '../core/event.ts';
import { isRefusal } from '../core/refusal.ts';
import type { Db } from '../store/db.ts';
import { loadLoans } from '../store/loans.ts';
import { readParts } from '../store/reads.ts';
import { reservePull, savePull } from '../store/underwriting.ts';
import { dealDetails } from '../underwriting/decision.ts';
import { adverseActionNotice } from '../underwriting/notice.ts';
import type { Model } from '../underwriting/score.ts';
import { shortDecimalText } from '../underwriting/texts.ts';
import {
  type Assessment,
  type LoanDetails,
  modelOf,
  policyOf,
  recordTexts,
  type UnderwritingInput,
  underwrite,
} from '../underwriting/underwrite.ts';
import { disclose } from '../vault/disclose.ts';
import { type DataKey, dataKeyOf, type MasterKeys } from '../vault/master-keys.ts';
import { sealRecord, sealReport, unsealRecord, unsealReport } from '../vault/seal.ts';
import { commitmentsTo } from './commitments.ts';
import type { DisclosureBook } from './disclosures.ts';
import type { Door } from './execute.ts';
import type { LoanFile } from './file.ts';
import { macroOf } from './forecast.ts';
import type { Known } from './loan-cache.ts';
import type { Actor, Change, Compose, NoticeAsked, Outcome, Write, WriteOptions } from './loans.ts';

export type UnderwritingOptions = {
  db: Db;
  clock: () => number;
  dayOf: (at: number) => PlainDate;
  masterKeys: MasterKeys;
  bureau: Bureau;
  door: Door;
  book: DisclosureBook;
  visible: (actor: Actor, loanId: string) => Promise<Known | null>;
};

/** A loan's own part of a run: what was handed over, opened. */
type Case = {
  loanId: string;
  file: LoanFile;
  publicPart: string;
  dataKey: DataKey;
  salt: Buffer;
  record: string;
  personal: ReturnType<typeof unsealRecord>['personal'];
  events: readonly LoanEvent[];
};

type Reports = { primary: BureauReport; coApplicant: BureauReport | null };

type Run = { assessment: Assessment; input: UnderwritingInput; model: Model };

/** The loan's figures with another of the deals; its rate by Regulation Z is then computed from its own schedule. */
function chosenDetails({ assessment, model }: Run, index: number): LoanDetails | null {
  const { DealTermsInfo, UnderwritingInfo } = assessment.underwriting;
  const [terms, info] = [DealTermsInfo[index], UnderwritingInfo[index]];
  if (terms === undefined || info === undefined) return null;
  return { ...assessment.details, ...dealDetails(terms, info, model), apr: '' };
}

export function openUnderwriting(options: UnderwritingOptions) {
  const { db, clock, dayOf, masterKeys, bureau, door, book, visible } = options;
  return { start, complete, notice };

  async function start(actor: Actor, write: Write, how: WriteOptions, compose: Compose): Promise<Outcome> {
    const { loanId } = write;
    const known = await visible(actor, loanId);
    if (known === null) return { kind: 'missing' };
    const of = how.dryRun ? null : await openCase(loanId);
    if (of === null || of.file.assessed === 'elsewhere') return door.write(actor, write, how);
    const request = JSON.parse(compose.requestOf(of.record)) as unknown;
    const subjects = subjectsOf(request);
    if (subjects === null) return door.write(actor, write, how);

    // Whatever would refuse it anyway does so before anybody is asked about.
    const before = await door.answered(actor, how.idempotency);
    if (before !== null) return before;
    const trial = await door.write(actor, write, { ...how, dryRun: true });
    if (trial.kind !== 'done') return trial;

    const at = clock();
    const when = { today: dayOf(at), at: new Date(at).toISOString() };
    // Nor is anybody asked about for an application that cannot be assessed whatever the report says.
    const early = underwrite(
      inputOf(of, request, { primary: NO_REPORT, coApplicant: subjects.length > 1 ? NO_REPORT : null }, when),
    );
    if (isRefusal(early)) {
      if (early.refused !== 'required') return { kind: 'refused', refusal: early };
      const answer = (change: Change) => write.answer({ ...change, unassessed: early.detail });
      return door.write(actor, { ...write, answer }, how);
    }
    const reports = await pullAll(of, runsOf(of) + 1, subjects);
    if ('kind' in reports) return reports;
    const assessment = underwrite(inputOf(of, request, reports, when));
    if (isRefusal(assessment)) return { kind: 'refused', refusal: assessment };
    return door.write(actor, { ...write, assessed: partsOf(of, assessment, assessment.details, compose) }, how);
  }

  /** With another deal than the one asked for, the figures of the loan become that deal's: the run is done again from its inputs. */
  async function complete(
    actor: Actor,
    write: Write,
    how: WriteOptions,
    { dealIndex, compose }: { dealIndex: number; compose: Compose },
  ): Promise<Outcome> {
    const { loanId } = write;
    const known = await visible(actor, loanId);
    if (known === null) return { kind: 'missing' };
    const of = how.dryRun || dealIndex === 0 ? null : await openCase(loanId);
    if (of === null || of.file.assessed !== 'here') return door.write(actor, write, how);
    const again = await rerun(of, compose);
    const chosen = again === null ? null : chosenDetails(again, dealIndex);
    if (again === null || chosen === null) return door.write(actor, write, how);
    return door.write(actor, { ...write, assessed: partsOf(of, again.assessment, chosen, compose) }, how);
  }

  /**
   * The notice that is owed to an applicant whose credit was not granted as asked for. Null: no such loan; `none`: the loan was not
   * assessed here, or what was asked for is approved.
   */
  async function notice(
    actor: Actor,
    loanId: string,
    { compose, ...parties }: NoticeAsked,
  ): Promise<{ text: string } | 'none' | null> {
    if ((await visible(actor, loanId)) === null) return null;
    const of = await openCase(loanId);
    const again = of === null || of.file.assessed !== 'here' ? null : await rerun(of, compose);
    if (of === null || again === null) return 'none';
    const applicant = textsOf(again.input.request, 'ApplicantInfo');
    const name = [applicant('ApplicantFirstName'), applicant('MiddleInitial'), applicant('ApplicantLastName')];
    const place = [applicant('ApplicantCity'), applicant('ApplicantState'), applicant('ApplicantZip')];
    const disclosed = disclose(actor, { loanId, what: 'notice', at: clock() }, () =>
      adverseActionNotice(again.assessment, {
        ...parties,
        date: dayOf(clock()),
        applicantName: name.filter((part) => part !== '').join(' '),
        applicantAddress: [applicant('ApplicantAddress'), place.filter((part) => part !== '').join(' ')].filter(
          (line) => line !== '',
        ),
      }),
    );
    if ('denied' in disclosed) throw new Error('A notice came through without its scope or key.');
    if (disclosed.data === null) return 'none';
    await book.enter([disclosed.entry]);
    return { text: disclosed.data };
  }

  /** The last run, from what is stored of it; null when its reports are not there. */
  async function rerun(of: Case, compose: Compose): Promise<Run | null> {
    const started = of.events.findLast((event) => event.type === 'underwritingStarted');
    const request = JSON.parse(compose.requestOf(of.record)) as unknown;
    const subjects = subjectsOf(request);
    if (started === undefined || subjects === null) return null;
    const reports = await pullAll(of, runsOf(of), subjects);
    if ('kind' in reports) return null;
    const versions = of.file.assessedWith;
    const model = modelOf(versions?.model ?? '');
    const policy = policyOf(versions?.policy ?? '');
    if (model === null || policy === null) return null;
    const input: UnderwritingInput = {
      ...inputOf(of, request, reports, { today: started.recordedOn, at: started.recordedAt }),
      model,
      policy,
    };
    const assessment = underwrite(input);
    return isRefusal(assessment) ? null : { assessment, input, model };
  }

  /** Null: nobody to ask about, because the borrower was erased. */
  async function openCase(loanId: string): Promise<Case | null> {
    const [[loan], parts] = await Promise.all([loadLoans(db, [loanId]), readParts(db, loanId, true)]);
    if (loan === undefined || parts === null || parts.person === null) return null;
    const dataKey = dataKeyOf(masterKeys, parts.person, loanId);
    const { personal, record, salt } = unsealRecord(dataKey, loanId, parts.person.sealed);
    return {
      loanId,
      file: JSON.parse(parts.file) as LoanFile,
      publicPart: zstdDecompressSync(parts.publicPart).toString('utf8'),
      dataKey,
      salt,
      record: record.toString('utf8'),
      personal,
      events: (JSON.parse(`[${loan.bodies}]`) as { event: LoanEvent }[]).map(({ event }) => event),
    };
  }

  async function pullAll(of: Case, run: number, subjects: readonly BureauSubject[]): Promise<Reports | Outcome> {
    // Both at once: one after the other could take longer than a request may.
    const answers = await Promise.all(subjects.map((subject) => pull(of, run, subject)));
    const reports: BureauReport[] = [];
    for (const answer of answers) {
      if ('kind' in answer) return answer;
      reports.push(answer);
    }
    const [primary, coApplicant] = reports;
    return { primary: primary as BureauReport, coApplicant: coApplicant ?? null };
  }

  async function pull({ loanId, dataKey }: Case, run: number, subject: BureauSubject): Promise<BureauReport | Outcome> {
    const at = new Date(clock());
    const { role } = subject;
    const wanted = `pull_${randomBytes(16).toString('hex')}`;
    const reserved = await reservePull(db, { loanId, run, role, pullId: wanted, bureau: bureau.name, at });
    if (reserved.sealed !== null) return readReport(unsealReport(dataKey, loanId, reserved.sealed));
    const asked = { pullId: reserved.pullId, today: dayOf(at.getTime()), at: at.toISOString() };
    const report = await bureau.pull(subject, asked);
    if (isBureauFailure(report)) {
      const detail = `The credit bureau gave no report (${report.failed}): ${report.detail} Nothing has changed.`;
      return { kind: 'bureau_failed', detail, retryable: report.retryable };
    }
    const hash = createHash('sha256').update(report.raw).digest();
    await savePull(db, reserved.pullId, { sealed: sealReport(dataKey, loanId, reportText(report)), hash, at });
    return report;
  }
}

/** What nobody has said anything yet. */
const NO_REPORT: BureauReport = {
  score: null,
  scoreFactors: [],
  reportDate: '1970-01-01' as PlainDate,
  inFileSince: null,
  hit: false,
  inquiries: null,
  attributes: '{}',
  tradeLines: [],
  tradeLinesCsv: '',
  pdf: new Uint8Array(),
  raw: new Uint8Array(),
};

/** How often its underwriting has been started. */
function runsOf({ events }: Case): number {
  return events.filter(({ type }) => type === 'underwritingStarted').length;
}

function inputOf(
  { file, personal, events }: Case,
  request: unknown,
  { primary, coApplicant }: Reports,
  { today, at }: { today: PlainDate; at: string },
): UnderwritingInput {
  const first = events.find((event) => event.type === 'created');
  if (first === undefined || first.type !== 'created') throw new Error('A loan begins with its creation.');
  const { vehicle, principalAmount, term, prepaidFinanceCharge, applicationId } = file;
  return {
    request,
    // As it was asked for: a chosen deal changes what was agreed, not what was applied for.
    contract: first.contract,
    principalAmount,
    term,
    prepaidFinanceCharge,
    applicationId,
    today,
    at,
    primary,
    coApplicant,
    macro: macroOf(file.macroGiven),
    vehicle: { ...vehicle, vin: personal.vin },
  };
}

/** The record, the file and the public part as a run leaves them, sealed and committed to. */
function partsOf(
  of: Case,
  assessment: Assessment,
  details: LoanDetails,
  compose: Compose,
): NonNullable<Write['assessed']> {
  const { modelVersion, policyVersion } = assessment;
  const { applicantCreditVision, coApplicantCreditVision, lendingDecisionReason, pti, dti, ...figures } = details;
  const file: LoanFile = {
    ...of.file,
    ...figures,
    pti: wholePercent(pti),
    dti: wholePercent(dti),
    decision: assessment.decision,
    deals: assessment.deals,
    assessed: 'here',
    assessedWith: { model: modelVersion, policy: policyVersion },
  };
  const { vin } = of.personal;
  const personal = { lendingDecisionReason, applicantCreditVision, coApplicantCreditVision, vin, pti, dti };
  const { record, publicPart } = compose.replace(of, recordTexts(assessment));
  const text = JSON.stringify(file);
  return {
    parts: {
      file: text,
      publicPart: zstdCompressSync(publicPart),
      sealed: sealRecord(of.dataKey, of.loanId, { ...personal, record }, of.salt),
      modelVersion,
      policyVersion,
    },
    commitments: commitmentsTo(of.salt, { personal, record, file: text, publicPart }),
  };
}

function wholePercent(fraction: string): string {
  return fraction === '' ? '' : shortDecimalText(Number(fraction), 2);
}

/** Whom the bureau is asked about. Null: the application names nobody. */
function subjectsOf(request: unknown): BureauSubject[] | null {
  const applicant = textsOf(request, 'ApplicantInfo');
  const other = textsOf(request, 'CoApplicantInfo');
  if (digitsOf(applicant('ApplicantSSN')).length === 0) return null;
  const primary: BureauSubject = {
    role: 'primary',
    firstName: applicant('ApplicantFirstName'),
    lastName: applicant('ApplicantLastName'),
    middleInitial: applicant('MiddleInitial'),
    ssn: applicant('ApplicantSSN'),
    dateOfBirth: applicant('ApplicantDOB'),
    address: applicant('ApplicantAddress'),
    city: applicant('ApplicantCity'),
    state: applicant('ApplicantState'),
    zip: applicant('ApplicantZip'),
  };
  if (digitsOf(other('CoApplicantSSN')).length === 0) return [primary];
  const unknown = {
    firstName: '',
    lastName: '',
    middleInitial: '',
    dateOfBirth: '',
    address: '',
    city: '',
    state: '',
    zip: '',
  };
  return [primary, { ...unknown, role: 'coApplicant', ssn: other('CoApplicantSSN') }];
}

const digitsOf = (text: string): string => text.replace(/\D/g, '');

function textsOf(request: unknown, name: string): (member: string) => string {
  const object = (request as Record<string, unknown> | null)?.[name] as Record<string, unknown> | null | undefined;
  return (member) => {
    const value = object?.[member];
    return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  };
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
