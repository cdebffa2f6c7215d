/**
 * Credit reports of applicants, and their screening. A pull is claimed before it is made and its answer kept, sealed under the loan's key: a
 * retry never pulls twice, two callers at the same time make one pull, and a run can be done again from what was answered then.
 */
import { randomBytes } from 'node:crypto';
import {
  type Bureau,
  type BureauFailure,
  type BureauPull,
  type BureauSubject,
  isBureauFailure,
} from '../../bureau/bureau.ts';
import { asAsked, type Screening } from '../../bureau/screening/screening.ts';
import type { PlainDate } from '../../core/calendar.ts';
import type { Db } from '../../store/db/db.ts';
import { claimPull, readPulls, releasePull, savePull } from '../../store/origination/underwriting.ts';
import type { WorkModule } from '../../workers/workers.ts';
import type { Outcome } from '../door/write.ts';
import type { SealedReports } from './run-again.ts';
import { type ScreenedAt, screeningRole } from './runs.ts';
import type * as Work from './underwriting-work.ts';

/** The loan and its run, and the day of the loan. */
type OfRun = { loanId: string; dataKey: Uint8Array; organizationId: string; run: number; today: PlainDate };

/** One question: whom it goes to, and what it is kept as. */
type Pull = OfRun & {
  role: string;
  name: string;
  /** In sentences: who is asked, and that there is no answer. */
  says: { asked: string; none: string };
  /** The answer, sealed. */
  ask(asked: BureauPull): Promise<BureauFailure | (() => Promise<Sealed & { hash: Uint8Array }>)>;
};

type Failed = Extract<Outcome, { kind: 'bureau_failed' }>;

/** An answer as it is stored: sealed under the loan's key. */
type Sealed = { sealed: Uint8Array };

/** The time that a process may take for a pull; a bureau's own limits are well below it. After that another one takes it over. */
const HELD_MS = 60_000;
const heldUntil = (at: number) => new Date(at + HELD_MS);
/** The interval, and the number of times, that the answer of another process's pull is looked for. */
const LOOK_EVERY_MS = 100;
const LOOKS = 250;

export function openPulls(options: { db: Db; clock: () => number; work: WorkModule<typeof Work> }) {
  const { db, clock, work } = options;
  /** Pulls that this process is making, by loan, run and role. */
  const underWay = new Map<string, Promise<Sealed | Failed>>();
  return { pullAll, screenAll, stored };

  /** The reports of a run: those that are stored, and pulls for the others. */
  function pullAll(
    of: OfRun,
    { bureau, subjects }: { bureau: Bureau; subjects: readonly BureauSubject[] },
  ): Promise<SealedReports | Failed> {
    const { loanId, dataKey, organizationId } = of;
    const says = { asked: 'the credit bureau', none: 'The credit bureau returned no report' };
    return all(subjects, (subject) => ({
      ...of,
      ...{ role: subject.role, name: bureau.name, says },
      async ask(asked) {
        const report = await bureau.pull(subject, asked);
        if (isBureauFailure(report)) return report;
        return () => work.run('sealedReport', organizationId, { loanId, dataKey, report });
      },
    }));
  }

  /** The answers about these people at this moment: those that are stored, and the others. None where there is no screening. */
  function screenAll(
    of: OfRun,
    {
      screening,
      people,
      before,
    }: Pick<ScreenedAt, 'before'> & { screening: Screening | null; people: readonly BureauSubject[] },
  ): Promise<NonNullable<SealedReports['screening']> | Failed> {
    if (screening === null) return Promise.resolve({});
    const { loanId, dataKey, organizationId, today: day } = of;
    const says = { asked: 'the screening service', none: 'The screening service gave no answer' };
    return all(people, (person) => ({
      ...of,
      ...{ role: screeningRole(person.role, { before, day }), name: screening.name, says },
      async ask(asked) {
        const given = await screening.screen(person, asked);
        if ('failed' in given) return given;
        const answer = asAsked(given, person);
        return () => work.run('sealedScreening', organizationId, { loanId, dataKey, answer });
      },
    }));
  }

  async function all(
    people: readonly BureauSubject[],
    pullOf: (person: BureauSubject) => Pull,
  ): Promise<Pick<SealedReports, 'primary' | 'coApplicant'> | Failed> {
    // Both at once: one after the other could take longer than a request may.
    const answers = await Promise.all(people.map((person) => shared(pullOf(person))));
    const kept: Partial<Record<BureauSubject['role'], Uint8Array>> = {};
    for (const [i, answer] of answers.entries()) {
      if ('kind' in answer) return answer;
      kept[(people[i] as BureauSubject).role] = answer.sealed;
    }
    return kept;
  }

  /** The reports of a run that are stored. It never asks the bureau. */
  async function stored(loanId: string, run: number): Promise<SealedReports> {
    return Object.fromEntries(await readPulls(db, loanId, run));
  }

  function shared(pull: Pull): Promise<Sealed | Failed> {
    const key = `${pull.loanId} ${pull.run} ${pull.role}`;
    const running = underWay.get(key);
    if (running !== undefined) return running;
    const made = make(pull).finally(() => underWay.delete(key));
    underWay.set(key, made);
    return made;
  }

  async function make(pull: Pull): Promise<Sealed | Failed> {
    const { loanId, run, role, name, says } = pull;
    const pullId = `pull_${randomBytes(16).toString('hex')}`;
    for (let look = 0; look < LOOKS; look++) {
      const at = clock();
      const claim = { loanId, run, role, pullId, bureau: name };
      const claimed = await claimPull(db, { ...claim, at: new Date(at), until: heldUntil(at) });
      if (claimed.state === 'answered') return { sealed: claimed.sealed };
      if (claimed.state === 'claimed') return ask(claimed.pullId, pull, at);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    const detail = `Another request for this loan is waiting for ${says.asked}. Nothing has changed; try again in a moment.`;
    return { kind: 'bureau_failed', detail, retryable: true };
  }

  async function ask(pullId: string, pull: Pull, at: number): Promise<Sealed | Failed> {
    const { loanId, organizationId, run, role, today, says } = pull;
    const asked = { pullId, organizationId, today, at: new Date(at).toISOString() };
    const release = () => releasePull(db, { loanId, pullId }, { until: heldUntil(at), at: new Date(clock()) });
    const released = async (error: unknown): Promise<never> => {
      await release();
      throw error;
    };
    const sealing = await pull.ask(asked).catch(released);
    if (typeof sealing !== 'function') {
      await release();
      const detail = `${says.none} (${sealing.failed}): ${sealing.detail} Nothing has changed.`;
      return { kind: 'bureau_failed', detail, retryable: sealing.retryable };
    }
    const answer = await sealing().catch(released);
    if (await savePull(db, { loanId, pullId }, { ...answer, at: new Date(clock()) })) return answer;
    // Another process took the pull over and kept its answer: the run is made from what is stored.
    const kept = (await readPulls(db, loanId, run)).get(role);
    if (kept === undefined) throw new Error('A pull was answered, and its answer is gone.');
    return { sealed: kept };
  }
}
