/** The stipulations of a loan: those of the last run of underwriting, what has become of each, and those that have expired. */
import { type ListedStipulation, STIPULATION_STATES, type StipulationState } from '../../core/stipulations.ts';
import { DEMAND_KINDS, type DemandKind, WAIVERS } from '../../underwriting/demand-kinds.ts';
import type { Workers } from '../../workers/workers.ts';
import type { Actor } from '../door/actor.ts';
import { roleOf } from '../door/permissions.ts';
import { shareOf } from '../door/too-many-waiting.ts';
import { type CaseOptions, openCases } from './cases.ts';
import type * as Work from './stipulation-work.ts';

export type Stipulation = Omit<ListedStipulation, 'id'> & {
  readonly stipulationId: string;
  /** Null: of a run before the last, or the borrower was erased. */
  readonly kind: DemandKind | null;
  readonly person: 'applicant' | 'coApplicant' | null;
  readonly text: string | null;
  readonly state: 'open' | 'expired' | StipulationState;
  /** The first first. */
  readonly history: readonly { readonly state: StipulationState; readonly at: string; readonly sequence: number }[];
};

/** For the wire. */
export { DEMAND_KINDS as STIPULATION_KINDS, STIPULATION_STATES, WAIVERS as STIPULATION_WAIVERS };

const WORK_MS = 10_000;

export function openStipulations({ workers, ...options }: CaseOptions & { workers: Workers }) {
  const cases = openCases(options);
  const work = workers.module<typeof Work>(new URL('./stipulation-work.ts', import.meta.url), { limitMs: WORK_MS });
  return { stipulations };

  /** Null: no such loan. */
  async function stipulations(
    actor: Actor,
    loanId: string,
  ): Promise<{ version: number; items: readonly Stipulation[] } | null> {
    const of = await cases.read(actor, loanId);
    if (of === null || roleOf(actor, of.loaded.known) === null) return null;
    const { known, events } = of.loaded;
    const { undone } = known.folding;
    const recorded = events.flatMap((event, i) =>
      event.type === 'stipulationUpdated' && !undone.has(i + 1)
        ? [{ id: event.stipulationId, state: event.state, at: event.recordedAt, sequence: i + 1 }]
        : [],
    );
    const historyOf = (id: string) => recorded.filter((one) => one.id === id).map(({ id: _, ...one }) => one);
    const listed = of.file.stipulations ?? [];
    const run = listed.length === 0 ? null : await cases.lastRun(of);
    const described = run === null ? {} : await work.run('describe', shareOf(actor), run);
    const present = listed.map(({ id, ...rest }): Stipulation => {
      const { kind = null, text = null, person = null } = described[id] ?? {};
      const history = historyOf(id);
      return { stipulationId: id, kind, person, text, state: history.at(-1)?.state ?? 'open', ...rest, history };
    });
    const gone = new Set(recorded.map(({ id }) => id).filter((id) => !listed.some((one) => one.id === id)));
    const expired = [...gone].map((id): Stipulation => {
      const nothing = { kind: null, person: null, text: null, beforeFunding: false, waivedBy: 'nobody' } as const;
      return { stipulationId: id, state: 'expired', ...nothing, history: historyOf(id) };
    });
    return { version: known.version, items: [...present, ...expired] };
  }
}
