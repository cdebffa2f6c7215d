/** The nightly cycles as they are reported: for each organization and date, step by step, with what could not be done and what is proposed. */
import { addDays, daysBetween, type PlainDate } from '../../core/calendar.ts';
import type { Cents } from '../../core/money.ts';
import {
  type CycleHead,
  countFindings,
  readCycles,
  readFindings,
  readHeads,
  readSteps,
  type StepRow,
} from '../../store/cycle/cycles.ts';
import type { Asker } from '../door/actor.ts';
import type { Door } from '../door/door.ts';
import { lastDayOver } from '../door/fence.ts';
import { STEPS, type Step } from './sweep.ts';

export type StepReport = {
  readonly step: Step;
  /** ISO 8601, UTC; null: not yet. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly counts: Readonly<Record<string, number>>;
  /** Late fees charged, interest posted, or what the proposed charge-offs owe; null: the step moves no money. */
  readonly amount: Cents | null;
};

export type CycleReport = {
  readonly date: PlainDate;
  /** Null: there was nothing to do on that day. */
  readonly startedAt: string | null;
  /** Null: it has not ended. */
  readonly endedAt: string | null;
  readonly exceptionCount: number;
  readonly proposalCount: number;
};

export type CycleException = { readonly loanId: string; readonly step: string; readonly error: string };

export type Proposal = {
  readonly loanId: string;
  readonly daysPastDue: number;
  readonly amount: Cents;
  /** `pastDue`, or the kind of the hold that requires it; then `holdId` names the hold. */
  readonly reason: string;
  readonly holdId: string | null;
};

export type CycleDetail = CycleReport & {
  readonly steps: readonly StepReport[];
  /** In the order of loan ids. */
  readonly exceptions: readonly CycleException[];
  readonly proposals: readonly Proposal[];
};

export type CycleList = {
  /** The last day whose cycle has run; null: none yet. */
  readonly through: PlainDate | null;
  /** Number of past days whose cycles have not run. */
  readonly daysBehind: number;
  readonly items: readonly CycleReport[];
};

export function openCycleLog({ reads, clock, clocks }: Pick<Door, 'reads' | 'clock' | 'clocks'>) {
  return { list, read };

  /** The newest first, from before a day on. */
  async function list(
    asker: Asker,
    asked: { readonly before: PlainDate | null; readonly limit: number },
  ): Promise<CycleList> {
    const { organizationId } = asker;
    const sql = reads(asker);
    const [head] = await readHeads(sql, [organizationId]);
    const rows = await readCycles(sql, organizationId, asked);
    const counts = await countFindings(
      sql,
      organizationId,
      rows.map(({ date }) => date),
    );
    const over = lastDayOver(await clocks.one(organizationId), clock());
    const items = rows.map(({ date, startedAt, endedAt }): CycleReport => {
      const count = (kind: string) => counts.find((one) => one.date === date && one.kind === kind)?.count ?? 0;
      return {
        date,
        startedAt: startedAt.toISOString(),
        endedAt: endedAt?.toISOString() ?? null,
        exceptionCount: count('exception'),
        proposalCount: count('proposal'),
      };
    });
    const daysBehind = head === undefined ? 0 : Math.max(0, daysBetween(head.through, over));
    return { through: head?.through ?? null, daysBehind, items };
  }

  /** Findings from after a loan on. Null: the cycle of that day has not begun. */
  async function read(
    asker: Asker,
    { date, after, limit }: { readonly date: PlainDate; readonly after: string | null; readonly limit: number },
  ): Promise<CycleDetail | null> {
    const { organizationId } = asker;
    const key = { organizationId, date };
    const sql = reads(asker);
    const [cycle] = (await list(asker, { before: addDays(date, 1), limit: 1 })).items;
    if (cycle?.date !== date) return idleDay(await readHeads(sql, [organizationId]), date);
    const steps = new Map((await readSteps(sql, organizationId, [date])).map((row) => [row.step, row]));
    const [exceptions, proposals] = await Promise.all(
      (['exception', 'proposal'] as const).map((kind) => readFindings(sql, key, { kind, after, limit })),
    );
    return {
      ...cycle,
      steps: STEPS.map((step) => told(step, steps.get(step))),
      exceptions: (exceptions ?? []).map(({ loanId, step, facts }) => ({ loanId, step, error: String(facts.error) })),
      proposals: (proposals ?? []).map(({ loanId, facts }) => ({
        loanId,
        daysPastDue: Number(facts.daysPastDue),
        amount: Number(facts.amount) as Cents,
        reason: String(facts.reason),
        holdId: facts.holdId === null ? null : String(facts.holdId),
      })),
    };
  }
}

/** A day that is done and left no row had nothing to post. */
function idleDay([head]: readonly CycleHead[], date: PlainDate): CycleDetail | null {
  if (head === undefined || date < head.first || date > head.through) return null;
  return {
    date,
    startedAt: null,
    endedAt: null,
    exceptionCount: 0,
    proposalCount: 0,
    steps: STEPS.map((step) => told(step, undefined)),
    exceptions: [],
    proposals: [],
  };
}

/** Steps whose amount is reported. */
const WITH_AMOUNT: ReadonlySet<Step> = new Set<Step>([
  'lateFeesAndBuckets',
  'chargeOffsRecorded',
  'accrual',
  'chargeOffsProposed',
]);

function told(step: Step, row: StepRow | undefined): StepReport {
  const { amount = 0, ...counts } = row?.counts ?? {};
  return {
    step,
    startedAt: row?.startedAt?.toISOString() ?? null,
    endedAt: row?.endedAt?.toISOString() ?? null,
    counts,
    amount: WITH_AMOUNT.has(step) ? (amount as Cents) : null,
  };
}
