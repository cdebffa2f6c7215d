/**
 * Credit reports of applicants. A pull is claimed before it is made and its answer kept, sealed under the loan's key: a retry never
 * pulls twice, two callers at the same time make one pull, and a run can be done again from what was answered then.
 */
import { createHash, randomBytes } from 'node:crypto';
import { type Bureau, type BureauReport, type BureauSubject, isBureauFailure } from '../bureau/bureau.ts';
import type { PlainDate } from '../core/calendar.ts';
import type { Db } from '../store/db.ts';
import { claimPull, readPulls, releasePull, savePull } from '../store/underwriting.ts';
import type { DataKey } from '../vault/master-keys.ts';
import { sealReport, unsealReport } from '../vault/seal.ts';
import type { Outcome } from './loans.ts';

export type Reports = { primary: BureauReport; coApplicant: BureauReport | null };

/** Whose report for which run of which loan, on which day of the loan. */
type Pull = { loanId: string; dataKey: DataKey; run: number; subject: BureauSubject; today: PlainDate };

/** How long a process may take for a pull; a bureau's own limits are well below it. After that another one takes it over. */
const HELD_MS = 60_000;
const heldUntil = (at: number) => new Date(at + HELD_MS);
/** How often, and how many times, the answer of another process's pull is looked for. */
const LOOK_EVERY_MS = 100;
const LOOKS = 250;

export function openPulls(options: { db: Db; clock: () => number; bureau: Bureau }) {
  const { db, clock, bureau } = options;
  /** Pulls that this process is making, by loan, run and role. */
  const underWay = new Map<string, Promise<BureauReport | Outcome>>();
  return { pullAll, stored };

  /** The reports of a run: those that are stored, and pulls for the others. */
  async function pullAll(
    of: Omit<Pull, 'subject'>,
    subjects: readonly BureauSubject[],
  ): Promise<Reports | Extract<Outcome, { kind: 'bureau_failed' }>> {
    // Both at once: one after the other could take longer than a request may.
    const answers = await Promise.all(subjects.map((subject) => shared({ ...of, subject })));
    const reports: BureauReport[] = [];
    for (const answer of answers) {
      if ('kind' in answer) return answer as Extract<Outcome, { kind: 'bureau_failed' }>;
      reports.push(answer);
    }
    const [primary, coApplicant] = reports;
    return { primary: primary as BureauReport, coApplicant: coApplicant ?? null };
  }

  /** The reports of a run as they are stored; null when one of them is missing. It never asks the bureau. */
  async function stored(
    { loanId, dataKey, run }: Omit<Pull, 'subject' | 'today'>,
    subjects: readonly BureauSubject[],
  ): Promise<Reports | null> {
    const sealed = await readPulls(db, loanId, run);
    const reports = subjects.map(({ role }) => {
      const one = sealed.get(role);
      return one === undefined ? null : readReport(unsealReport(dataKey, loanId, one));
    });
    const [primary, coApplicant] = reports;
    if (!primary || coApplicant === null) return null;
    return { primary, coApplicant: coApplicant ?? null };
  }

  function shared(pull: Pull): Promise<BureauReport | Outcome> {
    const key = `${pull.loanId} ${pull.run} ${pull.subject.role}`;
    const running = underWay.get(key);
    if (running !== undefined) return running;
    const made = make(pull).finally(() => underWay.delete(key));
    underWay.set(key, made);
    return made;
  }

  async function make(pull: Pull): Promise<BureauReport | Outcome> {
    const { loanId, dataKey, run, subject } = pull;
    const pullId = `pull_${randomBytes(16).toString('hex')}`;
    for (let look = 0; look < LOOKS; look++) {
      const at = clock();
      const claim = { loanId, run, role: subject.role, pullId, bureau: bureau.name };
      const claimed = await claimPull(db, { ...claim, at: new Date(at), until: heldUntil(at) });
      if (claimed.state === 'answered') return readReport(unsealReport(dataKey, loanId, claimed.sealed));
      if (claimed.state === 'claimed') return ask(claimed.pullId, pull, at);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    const detail = 'Another process is waiting for the credit bureau. Nothing has changed; try again in a moment.';
    return { kind: 'bureau_failed', detail, retryable: true };
  }

  async function ask(
    pullId: string,
    { loanId, dataKey, run, subject, today }: Pull,
    at: number,
  ): Promise<BureauReport | Outcome> {
    const asked = { pullId, today, at: new Date(at).toISOString() };
    const release = () => releasePull(db, pullId, { until: heldUntil(at), at: new Date(clock()) });
    const report = await bureau.pull(subject, asked).catch(async (error: unknown) => {
      await release();
      throw error;
    });
    if (isBureauFailure(report)) {
      await release();
      const detail = `The credit bureau gave no report (${report.failed}): ${report.detail} Nothing has changed.`;
      return { kind: 'bureau_failed', detail, retryable: report.retryable };
    }
    const hash = createHash('sha256').update(report.raw).digest();
    const sealed = sealReport(dataKey, loanId, reportText(report));
    if (await savePull(db, pullId, { sealed, hash, at: new Date(clock()) })) return report;
    // Another process took the pull over and kept its answer: the run is made from what is stored.
    const kept = (await readPulls(db, loanId, run)).get(subject.role);
    if (kept === undefined) throw new Error('A pull was answered, and its answer is gone.');
    return readReport(unsealReport(dataKey, loanId, kept));
  }
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
