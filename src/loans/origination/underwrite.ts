/**
 * Underwriting a loan that came as an application: the applicant's reports are pulled, the engine decides, and what it made takes the
 * place of the empty parts of the record together with the event. Pulling and assessing happen before the write path, which the result
 * then visits once: it is written only on the version and the day of the loan that it was made from. A loan that was assessed elsewhere only
 * changes its status, and so does one whose application names no person, or lacks a figure that no report contains (an income, the
 * vehicle's value): a loan officer then decides with `approved`.
 */
import { randomUUID } from 'node:crypto';
import type { Bureau } from '../../bureau/bureau.ts';
import type { Screening } from '../../bureau/screening/screening.ts';
import type { PlainDate } from '../../core/calendar.ts';
import { assessedOn, isOverride } from '../../core/decide/application.ts';
import type { When } from '../../core/decide/decide.ts';
import { loanOn } from '../../core/decide/operation.ts';
import { type HardStop, hardStop } from '../../core/hard-stops.ts';
import type { Loan } from '../../core/loan.ts';
import { NOT_ASSESSED } from '../../core/overrides.ts';
import { isRefusal, refuse } from '../../core/refusal.ts';
import type { Db } from '../../store/db/db.ts';
import type { MasterKeys } from '../../vault/master-keys.ts';
import { TooMuchWork, type Workers, WorkersBusy } from '../../workers/workers.ts';
import type { Actor } from '../door/actor.ts';
import { afterEvent } from '../door/change.ts';
import type { Clock, Clocks } from '../door/clocks.ts';
import type { FairReads } from '../door/fair-reads.ts';
import { refusedFor, roleOf } from '../door/permissions.ts';
import type { WriteQueue } from '../door/queue.ts';
import { settle } from '../door/settle.ts';
import { shareOf } from '../door/too-many-waiting.ts';
import type { Change, Outcome, Write, WriteOptions } from '../door/write.ts';
import type { DisclosureBook } from '../people/disclosures.ts';
import { changesOn, type LoanCase, markupCapOf, openCases, runsOf, submittedOf } from './cases.ts';
import { openPulls } from './pulls.ts';
import { reportsStill } from './runs.ts';
import type { Signs } from './signs.ts';
import type * as Work from './underwriting-work.ts';

export type UnderwritingOptions = {
  db: Db;
  reads: FairReads;
  clock: () => number;
  clocks: Clocks;
  masterKeys: MasterKeys;
  /** The bureau that is asked for the loans of an organization with this clock. */
  bureauOf: (ownersClock: Clock) => Bureau;
  /** Null: nobody is screened. */
  screeningOf: (ownersClock: Clock) => Screening | null;
  queue: WriteQueue;
  book: DisclosureBook;
  workers: Workers;
  signs: Signs;
};

/** The additions to an event: none, or the parts that a run made; `unassessed` says what the application lacks. */
type Prepared = Pick<Write, 'assessed'> & { unassessed?: string; run?: Work.Made };

type Completion = Extract<Write['command'], { do: 'complete-underwriting' }>;

/** Times that it is prepared again because the loan changed in the meantime. */
const ATTEMPTS = 5;

/** The limit of one run on a thread: a hundred times what an ordinary one takes. */
const RUN_LIMIT_MS = 10_000;

export function openUnderwriting(options: UnderwritingOptions) {
  const { clocks, queue } = options;
  const { read: readLoanCase, lastRun, now } = openCases(options);
  const address = new URL('./underwriting-work.ts', import.meta.url);
  const work = options.workers.module<typeof Work>(address, { limitMs: RUN_LIMIT_MS });
  const pulls = openPulls({ ...options, work });
  /** Runs that this process is preparing, by loan, version and day: callers at the same time share one. */
  const underWay = new Map<string, Promise<Prepared | Outcome>>();
  return { start, complete, cashflows };

  async function start(actor: Actor, write: Write, how: WriteOptions): Promise<Outcome> {
    if (how.dryRun) return queue.write(actor, write, how);
    const repull = isRepull(write);
    return prepared(actor, write, how, async (of, when) => {
      const key = `${of.loanId} ${of.loaded.known.version} ${when.today} ${repull}`;
      const shared = underWay.get(key) ?? newRun(of, actor, { when, repull }).finally(() => underWay.delete(key));
      underWay.set(key, shared);
      return shared;
    });
  }

  /** Approving another deal than the one asked for makes its figures those of the loan: the run is done again from its inputs. */
  async function complete(actor: Actor, write: Write, how: WriteOptions): Promise<Outcome> {
    const { command } = write;
    if (command.do !== 'complete-underwriting') throw new Error('Only the end of underwriting is prepared here.');
    const { dealIndex, approved } = command;
    // An officer's own approval may override what was assessed: the rules that it overrides must be known before it is decided.
    const isPlain = approved !== true && (how.dryRun || dealIndex === 0);
    const outcome = isPlain ? await queue.write(actor, write, how) : await completePrepared(actor, write, how, command);
    if (outcome.kind !== 'refused' || outcome.refusal.refused !== 'hard_stop') return outcome;
    if (outcome.refusal.facts !== undefined) return outcome;
    const of = await readLoanCase(actor, write.loanId);
    if (of === null) return outcome;
    // Without a free thread it stays unsaid which ones, and refused.
    const stops = await stopsOf(of, dealIndex, shareOf(actor)).catch((error) => void unfinished(error));
    return stops === undefined ? outcome : { kind: 'refused', refusal: hardStop(stops) };
  }

  /** By name, for whoever decides: they are opened from the sealed application. */
  async function stopsOf(of: LoanCase, dealIndex: number, share: string): Promise<HardStop[]> {
    const { today } = await now(of);
    const run = await lastRun(of);
    const submitted = run ?? submittedOf(of, changesOn(of, of.loaded.events, today));
    return submitted === null ? [] : work.run('stopsOf', share, { ...submitted, run, dealIndex, today });
  }

  async function completePrepared(
    actor: Actor,
    write: Write,
    how: WriteOptions,
    { dealIndex, approved: said }: Completion,
  ): Promise<Outcome> {
    const prepare = async (of: LoanCase, when: When): Promise<Prepared | Outcome> => {
      const { publicPart, file } = of;
      const approved = said ?? assessedOn(file, dealIndex) === 'APPROVED';
      const listed = approved && !how.dryRun ? await screenUnassessed(of, actor, when) : null;
      if (listed !== null) return listed;
      // A decline, whichever deal it was of, leaves the contract and its figures as they were asked for.
      if (!approved || dealIndex === 0 || how.dryRun) return {};
      const again = await lastRun(of);
      const assessed = again && (await work.run('chooseDeal', shareOf(actor), { ...again, publicPart, dealIndex }));
      return assessed === null ? {} : { assessed };
    };
    return prepared(actor, write, how, prepare, (of) => withOverridden(of, write, shareOf(actor)));
  }

  /** An application that could not be assessed is screened when it is approved. Null: nothing stands against it. */
  async function screenUnassessed(of: LoanCase, actor: Actor, { today }: When): Promise<Outcome | null> {
    const { file, loaded } = of;
    const screening = options.screeningOf(await clocks.one(loaded.known.organizationId));
    const submitted = submittedOf(of, changesOn(of, loaded.events, today));
    if (screening === null || submitted === null || !file.isApplication || file.assessed !== null) return null;
    const { loanId, dataKey } = submitted;
    const share = shareOf(actor);
    const people = await work.run('toScreen', share, submitted);
    const pull = { loanId, dataKey, organizationId: share, run: runsOf(of), today };
    const answers = await pulls.screenAll(pull, { screening, people, before: loaded.events.length });
    if ('kind' in answers) return answers;
    const isListed = await work.run('isListed', share, { loanId, dataKey, answers });
    return isListed ? { kind: 'refused', refusal: hardStop(['sanctions']) } : null;
  }

  /** The rules that an approval overrides: its authority is measured by them, and they are sealed beside it. Null: it overrides nothing. */
  async function withOverridden(of: LoanCase, write: Write, share: string): Promise<Write | null> {
    const { command } = write;
    if (command.do !== 'complete-underwriting' || command.approved !== true) return null;
    const { dealIndex } = command;
    const assessed = assessedOn(of.file, dealIndex);
    if (!isOverride(of.file, assessed)) return null;
    const run = await lastRun(of);
    const found = run && (await work.run('overriddenIn', share, { ...run, dealIndex }));
    const overrides = found ?? { rules: assessed === null ? [NOT_ASSESSED] : null, grade: null };
    const details = { ...write.details, overrode: overrides.rules?.join(' ') ?? '' };
    return { ...write, command: { ...command, overrides }, details };
  }

  /** Prepares the write from the loan's present version and day, and writes it if those still are; otherwise starts again. */
  async function prepared(
    actor: Actor,
    given: Write,
    how: WriteOptions,
    prepare: (of: LoanCase, when: When) => Promise<Prepared | Outcome>,
    /** Completes the write with what limits measure it by; null: it is complete as it is. */
    complete: (of: LoanCase) => Promise<Write | null> = async () => null,
  ): Promise<Outcome> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const of = await readLoanCase(actor, given.loanId);
      const mayNot = refusedFor(actor, of?.loaded.known ?? null, given.command.do);
      if (mayNot !== null || of === null) return mayNot ?? { kind: 'missing' };
      // After the loan: an answer that is not there yet belongs to a change that the loan does not show either.
      const before = how.dryRun ? null : await queue.answered(actor, how.idempotency);
      if (before !== null) return before;
      // Anything that refuses it anyway does so before the bureau is asked or anything is assessed.
      const when = await now(of);
      const first = tried(of, actor, given, how, when);
      const byLimits = first === null || first.kind === 'needs_approval' || first.kind === 'above_limit';
      const completed = byLimits ? await complete(of).catch(unfinished) : null;
      if (completed !== null && 'kind' in completed) return completed;
      const write = completed ?? given;
      const refused = completed === null ? first : tried(of, actor, write, how, when);
      if (refused !== null) return refused;
      const made = await prepare(of, when).catch(unfinished);
      if ('kind' in made) return made;
      const { unassessed, run, ...more } = made;
      const told = { ...(unassessed === undefined ? {} : { unassessed }), ...(run && { run }) };
      const answer = (change: Change) => write.answer({ ...change, ...told });
      const basis = { version: of.loaded.known.version, today: when.today };
      const outcome = await queue.write(actor, { ...write, ...more, answer, basis }, how);
      if (outcome.kind === 'done' && made.assessed !== undefined) return { ...outcome, assessed: true };
      if (outcome.kind !== 'overtaken') return outcome;
      const same =
        how.ifVersion === null && write.command.do === 'start-underwriting'
          ? await sameRun(actor, of, isRepull(write))
          : null;
      if (same === null) continue;
      const text = answer(same);
      await queue.keep(actor, write.loanId, how.idempotency, { answer: text, version: same.version });
      return { kind: 'done', text, change: same, ...(made.assessed === undefined ? {} : { assessed: true }) };
    }
    return { kind: 'busy', whose: 'everyone' };
  }

  /** The outcome that needs no preparation; null: it would be done. */
  function tried(of: LoanCase, actor: Actor, write: Write, how: WriteOptions, when: When): Outcome | null {
    const { loanId, loaded, file } = of;
    const asked = { actor, loanId, options: how, idempotency: null };
    const held = { known: loaded.known, history: loaded, file, when, note: null, nonce: randomUUID };
    const trial = settle(asked, write, held);
    if (trial.kind === 'save') return null;
    if (trial.kind !== 'answer') throw new Error('A decision on a whole history has no answer.');
    return trial.outcome.kind === 'done' ? null : trial.outcome;
  }

  /** The next run of a case, if another caller has recorded it in the meantime: it is also this caller's result. */
  async function sameRun(actor: Actor, before: LoanCase, repull: boolean): Promise<Change | null> {
    const now = await readLoanCase(actor, before.loanId);
    if (now === null) return null;
    const run = runsOf(before) + 1;
    const made = now.file.assessedWith;
    if (repull && made !== null && (made.run !== run || made.reportsOf !== run)) return null;
    const index = now.loaded.events.findIndex(
      (event, i) => event.type === 'underwritingStarted' && runsOf(now, i + 1) === run,
    );
    return index < 0 ? null : afterEvent(now.loaded, index);
  }

  async function newRun(
    of: LoanCase,
    actor: Actor,
    { when, repull }: { when: When; repull: boolean },
  ): Promise<Prepared | Outcome> {
    const share = shareOf(actor);
    if (of.file.assessed === 'elsewhere') return {};
    const submitted = submittedOf(of, changesOn(of, of.loaded.events, when.today));
    if (submitted === null) return erased(of, when.today);
    const conditions = { ...when, markupCap: markupCapOf(of, when.today) };
    const read = await work.run('readApplication', share, { ...submitted, conditions });
    if (read === null) return { unassessed: NOBODY };
    if (isRefusal(read)) {
      return read.refused === 'required' ? { unassessed: read.detail } : { kind: 'refused', refusal: read };
    }
    const shared = await options.signs.shared(actor, of, submitted, when.today);
    const { loanId, dataKey } = submitted;
    const ownersClock = await clocks.one(of.loaded.known.organizationId);
    const bureau = options.bureauOf(ownersClock);
    const run = runsOf(of) + 1;
    const screening = options.screeningOf(ownersClock);
    const pull = { loanId, dataKey, organizationId: share, run, today: when.today };
    const from = repull ? null : reportsStill(of.loaded, of.file.assessedWith, when.today);
    const kept = from === null ? {} : await pulls.stored(loanId, from);
    const reportsOf = from !== null && read.subjects.every(({ role }) => kept[role] !== undefined) ? from : run;
    // Lists change daily, so also a run on earlier reports screens.
    const asked = { screening, people: read.screened, before: of.loaded.events.length };
    const [pulled, screened] = await Promise.all([
      reportsOf === run ? pulls.pullAll(pull, { bureau, subjects: read.subjects }) : kept,
      pulls.screenAll(pull, asked),
    ]);
    if ('kind' in pulled) return pulled;
    if ('kind' in screened) return screened;
    const reports = { ...pulled, screening: screened };
    const { publicPart } = of;
    const made = { run, reportsOf };
    const assessed = await work.run('assess', share, { ...submitted, publicPart, reports, shared, conditions, made });
    return isRefusal(assessed) ? { kind: 'refused', refusal: assessed } : { assessed, run: made };
  }

  /**
   * The expected cash flows of one of the deals, as CSV. Null: no such loan; `none`: it was not assessed here, its borrower was erased, or it
   * has no such deal. They are computed again, because sixty deals are thousands of rows, which most loans would keep for nothing. Nothing
   * personal leaves the thread.
   */
  async function cashflows(
    actor: Actor,
    loanId: string,
    dealIndex: number,
  ): Promise<{ version: number; csv: string } | 'none' | null> {
    const of = await readLoanCase(actor, loanId);
    if (of === null || roleOf(actor, of.loaded.known) === null) return null;
    const again = of.file.deals[dealIndex] === undefined ? null : await lastRun(of);
    const csv = again && (await work.run('cashflowsOfDeal', shareOf(actor), { ...again, dealIndex }));
    return csv === null ? 'none' : { version: of.loaded.known.version, csv };
  }
}

const NOBODY = 'The applicant is missing: give Request.ApplicantInfo with ApplicantSSN.';

/** The result of a run that found no free thread or exceeded the limits of a thread; any other error is rethrown. */
function unfinished(error: unknown): Outcome {
  if (error instanceof WorkersBusy) return { kind: 'busy', whose: 'organization' };
  if (!(error instanceof TooMuchWork)) throw error;
  const detail =
    'Assessing this application takes more time or memory than is allowed for one request. Nothing has changed.';
  return { kind: 'refused', refusal: refuse('not_supported', detail) };
}

/** Without its borrower an application is not assessed, and one that was decided stays so. */
function erased({ loaded: { known, events } }: LoanCase, today: PlainDate): Prepared | Outcome {
  const detail = 'The borrower was erased.';
  const { decision } = loanOn({ folding: known.folding, events }, today) as Loan;
  if (decision === null) return { unassessed: detail };
  return { kind: 'refused', refusal: refuse('not_supported', `${detail} A new application can be submitted.`) };
}

function isRepull({ command }: Write): boolean {
  return command.do === 'start-underwriting' && command.repull === true;
}
