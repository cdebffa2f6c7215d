/**
 * Credit reports of applicants. A pull is claimed before it is made and its answer kept, sealed under the loan's key: a retry never
 * pulls twice, two callers at the same time make one pull, and a run can be done again from what was answered then.
 */
import { randomBytes } from 'node:crypto';
import { type Bureau, type BureauSubject, isBureauFailure } from '../../bureau/bureau.ts';
import type { PlainDate } from '../../core/calendar.ts';
import type { Db } from '../../store/db/db.ts';
import { claimPull, readPulls, releasePull, savePull } from '../../store/origination/underwriting.ts';
import type { WorkModule } from '../../workers/workers.ts';
import type { Outcome } from '../door/write.ts';
import type { SealedReports } from './run-again.ts';
import type * as Work from './underwriting-work.ts';

/** One report: its subject, the loan and its run, and the day of the loan. */
type Pull = {
  loanId: string;
  dataKey: Uint8Array;
  organizationId: string;
  run: number;
  subject: BureauSubject;
  today: PlainDate;
  bureau: Bureau;
};

/** A report as it is stored: sealed under the loan's key. */
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
  const underWay = new Map<string, Promise<Sealed | Outcome>>();
  return { pullAll, stored };

  /** The reports of a run: those that are stored, and pulls for the others. */
  async function pullAll(
    of: Omit<Pull, 'subject'>,
    subjects: readonly BureauSubject[],
  ): Promise<SealedReports | Extract<Outcome, { kind: 'bureau_failed' }>> {
    // Both at once: one after the other could take longer than a request may.
    const answers = await Promise.all(subjects.map((subject) => shared({ ...of, subject })));
    const reports: Partial<Record<BureauSubject['role'], Uint8Array>> = {};
    for (const [i, answer] of answers.entries()) {
      if ('kind' in answer) return answer as Extract<Outcome, { kind: 'bureau_failed' }>;
      reports[(subjects[i] as BureauSubject).role] = answer.sealed;
    }
    return reports;
  }

  /** The reports of a run that are stored. It never asks the bureau. */
  async function stored(loanId: string, run: number): Promise<SealedReports> {
    return Object.fromEntries(await readPulls(db, loanId, run));
  }

  function shared(pull: Pull): Promise<Sealed | Outcome> {
    const key = `${pull.loanId} ${pull.run} ${pull.subject.role}`;
    const running = underWay.get(key);
    if (running !== undefined) return running;
    const made = make(pull).finally(() => underWay.delete(key));
    underWay.set(key, made);
    return made;
  }

  async function make(pull: Pull): Promise<Sealed | Outcome> {
    const { loanId, run, subject, bureau } = pull;
    const pullId = `pull_${randomBytes(16).toString('hex')}`;
    for (let look = 0; look < LOOKS; look++) {
      const at = clock();
      const claim = { loanId, run, role: subject.role, pullId, bureau: bureau.name };
      const claimed = await claimPull(db, { ...claim, at: new Date(at), until: heldUntil(at) });
      if (claimed.state === 'answered') return { sealed: claimed.sealed };
      if (claimed.state === 'claimed') return ask(claimed.pullId, pull, at);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    const detail =
      'Another request for this loan is waiting for the credit bureau. Nothing has changed; try again in a moment.';
    return { kind: 'bureau_failed', detail, retryable: true };
  }

  async function ask(
    pullId: string,
    { loanId, dataKey, organizationId, run, subject, today, bureau }: Pull,
    at: number,
  ): Promise<Sealed | Outcome> {
    const asked = { pullId, organizationId, today, at: new Date(at).toISOString() };
    const release = () => releasePull(db, { loanId, pullId }, { until: heldUntil(at), at: new Date(clock()) });
    const released = async (error: unknown): Promise<never> => {
      await release();
      throw error;
    };
    const report = await bureau.pull(subject, asked).catch(released);
    if (isBureauFailure(report)) {
      await release();
      const detail = `The credit bureau returned no report (${report.failed}): ${report.detail} Nothing has changed.`;
      return { kind: 'bureau_failed', detail, retryable: report.retryable };
    }
    const answer = await work.run('sealedReport', organizationId, { loanId, dataKey, report }).catch(released);
    if (await savePull(db, { loanId, pullId }, { ...answer, at: new Date(clock()) })) return answer;
    // Another process took the pull over and kept its answer: the run is made from what is stored.
    const kept = (await readPulls(db, loanId, run)).get(subject.role);
    if (kept === undefined) throw new Error('A pull was answered, and its answer is gone.');
    return { sealed: kept };
  }
}
