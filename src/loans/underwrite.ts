/**
 * Underwriting a loan that came as an application: the applicant's reports are pulled, the engine decides, and what it made takes the
 * place of the empty parts of the record together with the event. Pulling and assessing happen before the write path, which the result
 * then visits once: it is written only on the version of the loan that it was made from. A loan that was assessed elsewhere only
 * changes its status, and so does one whose application names no person, or lacks a figure that no report contains (an income, the
 * vehicle's value): a loan officer then decides with `approved`.
 */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { LoanFile } from '../boarding/file.ts';
import { requestOf, withAssessment } from '../boarding/record-parts.ts';
import type { Bureau, BureauSubject } from '../bureau/bureau.ts';
import type { PlainDate } from '../core/calendar.ts';
import type { When } from '../core/decide/decide.ts';
import type { LoanEvent } from '../core/event.ts';
import { isRefusal } from '../core/refusal.ts';
import type { Db } from '../store/db.ts';
import { readCase, type StoredCase } from '../store/reads.ts';
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
  refuseApplication,
  type UnderwritingInput,
  underwrite,
} from '../underwriting/underwrite.ts';
import { disclose } from '../vault/disclose.ts';
import { type DataKey, dataKeyOf, type MasterKeys } from '../vault/master-keys.ts';
import { sealRecord, unsealRecord } from '../vault/seal.ts';
import { type Clocks, dayOfLoan, whenOfLoan } from './clock/clocks.ts';
import { commitmentsTo } from './commitments.ts';
import type { DisclosureBook } from './disclosures.ts';
import { macroOf } from './forecast.ts';
import { fromStored, type Loaded } from './loan-cache.ts';
import type { Actor, Change, NoticeAsked, Outcome, Write, WriteOptions } from './loans.ts';
import { roleOf } from './permissions.ts';
import { openPulls } from './pulls.ts';
import type { WriteQueue } from './queue.ts';
import { afterEvent, transact } from './transact.ts';

export type UnderwritingOptions = {
  db: Db;
  clock: () => number;
  clocks: Clocks;
  masterKeys: MasterKeys;
  bureau: Bureau;
  queue: WriteQueue;
  book: DisclosureBook;
};

/** A loan with its history and its submitted data, unsealed, all read at one moment. */
type Case = {
  loanId: string;
  loaded: Loaded;
  file: LoanFile;
  publicPart: string;
  /** Null: the borrower was erased. */
  person: Person | null;
};

type Person = { dataKey: DataKey; salt: Buffer; record: string; personal: ReturnType<typeof unsealRecord>['personal'] };

/** A case that can be assessed: it names a person to ask the bureau about. */
type Application = Case & { person: Person; request: unknown; subjects: readonly BureauSubject[] };

type Run = { assessment: Assessment; input: UnderwritingInput; model: Model };

/** What an event is written with: nothing more, or the parts that a run made; `unassessed` says what the application lacks. */
type Prepared = Pick<Write, 'assessed'> & { unassessed?: string };

/** How often it is prepared again because the loan changed in the meantime. */
const ATTEMPTS = 5;

export function openUnderwriting(options: UnderwritingOptions) {
  const { db, clock, clocks, masterKeys, queue, book } = options;
  const pulls = openPulls(options);
  /** Runs that this process is preparing, by loan and version: callers at the same time share one. */
  const underWay = new Map<string, Promise<Prepared | Outcome>>();
  return { start, complete, notice };

  async function start(actor: Actor, write: Write, how: WriteOptions): Promise<Outcome> {
    if (how.dryRun) return queue.write(actor, write, how);
    return prepared(actor, write, how, async (of) => {
      const key = `${of.loanId} ${of.loaded.known.version}`;
      const shared = underWay.get(key) ?? newRun(of).finally(() => underWay.delete(key));
      underWay.set(key, shared);
      return shared;
    });
  }

  /** With another deal than the one asked for, the figures of the loan become that deal's: the run is done again from its inputs. */
  async function complete(actor: Actor, write: Write, how: WriteOptions): Promise<Outcome> {
    const { command } = write;
    if (command.do !== 'complete-underwriting') throw new Error('Only the end of underwriting is prepared here.');
    if (how.dryRun || command.dealIndex === 0) return queue.write(actor, write, how);
    return prepared(actor, write, how, async (of) => {
      const application = of.file.assessed === 'here' ? applicationOf(of) : null;
      const again = application && (await rerun(application));
      const chosen = again && chosenDetails(again, command.dealIndex);
      return application && again && chosen ? { assessed: partsOf(application, again, chosen) } : {};
    });
  }

  /** Prepares the write from the loan's present version, and writes it if that is still the version; otherwise starts again. */
  async function prepared(
    actor: Actor,
    write: Write,
    how: WriteOptions,
    prepare: (of: Case) => Promise<Prepared | Outcome>,
  ): Promise<Outcome> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const of = await readLoanCase(write.loanId);
      if (of === null || roleOf(actor, of.loaded.known) === null) return { kind: 'missing' };
      // After the loan: an answer that is not there yet belongs to a change that the loan does not show either.
      const before = await queue.answered(actor, how.idempotency);
      if (before !== null) return before;
      // Whatever refuses it anyway does so before the bureau is asked or anything is assessed.
      const refused = await tried(of, actor, write, how);
      if (refused !== null) return refused;
      const made = await prepare(of);
      if ('kind' in made) return made;
      const { unassessed, ...more } = made;
      const answer = (change: Change) => write.answer(unassessed === undefined ? change : { ...change, unassessed });
      const basis = of.loaded.known.version;
      const outcome = await queue.write(actor, { ...write, ...more, answer, basis }, how);
      if (outcome.kind !== 'overtaken') return outcome;
      const same = how.ifVersion === null && write.command.do === 'start-underwriting' ? await sameRun(of) : null;
      if (same === null) continue;
      const text = answer(same);
      await queue.keep(actor, write.loanId, how.idempotency, text);
      return { kind: 'done', text, change: same };
    }
    return { kind: 'busy' };
  }

  /** The outcome that needs no preparation; null: it would be done. */
  async function tried(of: Case, actor: Actor, write: Write, how: WriteOptions): Promise<Outcome | null> {
    const { loanId, loaded, file } = of;
    const asked = { actor, loanId, options: { ...how, dryRun: true }, idempotency: null };
    const when = await now(of);
    const trial = transact(asked, write, { known: loaded.known, history: loaded, file, when, note: null });
    if (trial.kind !== 'answer') throw new Error('A dry run on a whole history has no answer.');
    return trial.outcome.kind === 'done' ? null : trial.outcome;
  }

  /** The run that was to be the next one of a case, when another caller has recorded it in the meantime: it is this caller's too. */
  async function sameRun(before: Case): Promise<Change | null> {
    const now = await readLoanCase(before.loanId);
    if (now === null) return null;
    const run = runsOf(before) + 1;
    const index = now.loaded.events.findIndex(
      (event, i) => event.type === 'underwritingStarted' && runsOf(now, i + 1) === run,
    );
    return index < 0 ? null : afterEvent(now.loaded, index);
  }

  async function newRun(of: Case): Promise<Prepared | Outcome> {
    const application = of.file.assessed === 'elsewhere' ? null : applicationOf(of);
    if (application === null) return {};
    const when = await now(of);
    const { subjects } = application;
    const inputs = inputOf(application, when);
    const early = refuseApplication(inputs, { joint: subjects.length > 1 });
    if (early !== null) {
      return early.refused === 'required' ? { unassessed: early.detail } : { kind: 'refused', refusal: early };
    }
    const reports = await pulls.pullAll({ ...pullsOf(application, runsOf(of) + 1), today: when.today }, subjects);
    if ('kind' in reports) return reports;
    const input = { ...inputs, ...reports };
    const assessment = underwrite(input);
    if (isRefusal(assessment)) return { kind: 'refused', refusal: assessment };
    return { assessed: partsOf(application, { assessment, input }, assessment.details) };
  }

  /**
   * The notice that is owed to an applicant whose credit was not granted as asked for. Null: no such loan; `none`: the loan was not
   * assessed here, or what was asked for is approved.
   */
  async function notice(actor: Actor, loanId: string, parties: NoticeAsked): Promise<{ text: string } | 'none' | null> {
    const of = await readLoanCase(loanId);
    if (of === null || roleOf(actor, of.loaded.known) === null) return null;
    const application = of.file.assessed === 'here' ? applicationOf(of) : null;
    const again = application && (await rerun(application));
    if (again === null) return 'none';
    const applicant = textsOf(again.input.request, 'ApplicantInfo');
    const name = [applicant('ApplicantFirstName'), applicant('MiddleInitial'), applicant('ApplicantLastName')];
    const place = [applicant('ApplicantCity'), applicant('ApplicantState'), applicant('ApplicantZip')];
    const { today } = await now(of);
    const disclosed = disclose(actor, { loanId, what: 'notice', at: clock() }, () =>
      adverseActionNotice(again.assessment, {
        ...parties,
        date: today,
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

  /** The last run, from what is stored of it; null when its reports are missing. It never asks the bureau. */
  async function rerun(of: Application): Promise<Run | null> {
    const versions = of.file.assessedWith;
    if (versions === null) return null;
    const reports = await pulls.stored(pullsOf(of, runsOf(of)), of.subjects);
    const model = modelOf(versions.model);
    const policy = policyOf(versions.policy);
    if (reports === null || model === null || policy === null) return null;
    // The day of that run: by the owner's clock at that moment, and not before what was recorded of the loan until then.
    const { events, known } = of.loaded;
    const before = events[events.findLastIndex(({ type }) => type === 'underwritingStarted') - 1] as LoanEvent;
    const today = dayOfLoan(before, await clocks.one(known.organizationId), Date.parse(versions.at));
    const when = { today, at: versions.at };
    const input: UnderwritingInput = { ...inputOf(of, when), ...reports, model, policy };
    const assessment = underwrite(input);
    return isRefusal(assessment) ? null : { assessment, input, model };
  }

  /** The present moment and the loan's day, as a write of the loan would have them. */
  async function now({ loaded: { known } }: Case): Promise<When> {
    return whenOfLoan(known, await clocks.one(known.organizationId), clock());
  }

  async function readLoanCase(loanId: string): Promise<Case | null> {
    const stored = await readCase(db, loanId);
    if (stored === null) return null;
    return {
      loanId,
      loaded: fromStored(stored),
      file: JSON.parse(stored.file) as LoanFile,
      publicPart: zstdDecompressSync(stored.publicPart).toString('utf8'),
      person: stored.person && unsealPerson(loanId, stored.person),
    };
  }

  function unsealPerson(loanId: string, person: NonNullable<StoredCase['person']>): Person {
    const dataKey = dataKeyOf(masterKeys, person, loanId);
    const { personal, record, salt } = unsealRecord(dataKey, loanId, person.sealed);
    return { dataKey, salt, personal, record: record.toString('utf8') };
  }
}

/** Null: it names no person, or the borrower was erased. */
function applicationOf(of: Case): Application | null {
  const { person } = of;
  if (person === null) return null;
  const request = JSON.parse(requestOf(person.record)) as unknown;
  const subjects = subjectsOf(request);
  return subjects === null ? null : { ...of, person, request, subjects };
}

function pullsOf({ loanId, person }: Application, run: number) {
  return { loanId, dataKey: person.dataKey, run };
}

/** How often its underwriting has been started, within its first events. */
function runsOf({ loaded: { events } }: Case, first = events.length): number {
  return events.slice(0, first).filter(({ type }) => type === 'underwritingStarted').length;
}

/** The loan's figures with another of the deals; its rate by Regulation Z is then computed from its own schedule. */
function chosenDetails({ assessment, model }: Run, index: number): LoanDetails | null {
  const { DealTermsInfo, UnderwritingInfo } = assessment.underwriting;
  const [terms, info] = [DealTermsInfo[index], UnderwritingInfo[index]];
  if (terms === undefined || info === undefined) return null;
  return { ...assessment.details, ...dealDetails(terms, info, model), apr: '' };
}

function inputOf(
  { file, person, request, loaded: { events } }: Application,
  { today, at }: { today: PlainDate; at: string },
): Omit<UnderwritingInput, 'primary' | 'coApplicant'> {
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
    macro: macroOf(file.macroGiven),
    vehicle: { ...vehicle, vin: person.personal.vin },
  };
}

/** The record, the file and the public part as a run leaves them, sealed and committed to. */
function partsOf(
  { loanId, file: before, publicPart: shown, person }: Application,
  { assessment, input }: Omit<Run, 'model'>,
  details: LoanDetails,
): NonNullable<Write['assessed']> {
  const { modelVersion, policyVersion } = assessment;
  const { applicantCreditVision, coApplicantCreditVision, lendingDecisionReason, pti, dti, ...figures } = details;
  const file: LoanFile = {
    ...before,
    ...figures,
    pti: wholePercent(pti),
    dti: wholePercent(dti),
    decision: assessment.decision,
    deals: assessment.deals,
    assessed: 'here',
    assessedWith: { model: modelVersion, policy: policyVersion, at: input.at },
  };
  const { vin } = person.personal;
  const personal = { lendingDecisionReason, applicantCreditVision, coApplicantCreditVision, vin, pti, dti };
  const { record, publicPart } = withAssessment({ record: person.record, publicPart: shown }, recordTexts(assessment));
  const text = JSON.stringify(file);
  return {
    parts: {
      file: text,
      publicPart: zstdCompressSync(publicPart),
      sealed: sealRecord(person.dataKey, loanId, { ...personal, record }, person.salt),
      modelVersion,
      policyVersion,
    },
    commitments: commitmentsTo(person.salt, { personal, record, file: text, publicPart }),
  };
}

function wholePercent(fraction: string): string {
  return fraction === '' ? '' : shortDecimalText(Number(fraction), 2);
}

/** The people the bureau is asked about. Null: the application names none. */
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
