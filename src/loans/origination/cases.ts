/** A loan as underwriting and notices need it: with its history, its submitted data and its last run, all read at one moment. */
import type { LoanFile } from '../../boarding/file.ts';
import type { PlainDate } from '../../core/calendar.ts';
import type { When } from '../../core/decide/decide.ts';
import { loanOn } from '../../core/decide/operation.ts';
import type { LoanEvent } from '../../core/event.ts';
import { fold } from '../../core/fold.ts';
import type { Contract, Loan } from '../../core/loan.ts';
import type { Percent } from '../../core/rate.ts';
import type { Db } from '../../store/db/db.ts';
import { readPulls } from '../../store/origination/underwriting.ts';
import { readPartyChanges } from '../../store/people/parties.ts';
import { readCase } from '../../store/reads/reads.ts';
import { type DataKey, dataKeyOf, type MasterKeys } from '../../vault/master-keys.ts';
import type { Actor } from '../door/actor.ts';
import { type Clocks, whenOfLoan } from '../door/clocks.ts';
import type { FairReads } from '../door/fair-reads.ts';
import { fromStored, type Loaded } from '../door/loan-cache.ts';
import { storedChanges } from '../people/parties.ts';
import type { ByRole, Submitted } from './run-again.ts';
import { type ScreenedAt, screeningRole, startOf } from './runs.ts';

const ROLES = ['primary', 'coApplicant'] as const;

/** Personal data stays sealed: it is opened on a thread. */
export type LoanCase = {
  loanId: string;
  loaded: Loaded;
  file: LoanFile;
  publicPart: Uint8Array;
  /** Null: the borrower was erased. */
  person: { dataKey: DataKey; sealed: Uint8Array } | null;
  /** Sealed changes of its parties, by commitment. */
  partyChanges: ReadonlyMap<string, Uint8Array>;
};

export type CaseOptions = { db: Db; reads: FairReads; clock: () => number; clocks: Clocks; masterKeys: MasterKeys };

export function openCases({ db, reads, clock, clocks, masterKeys }: CaseOptions) {
  return { read, lastRun, now };

  async function read(actor: Actor, loanId: string): Promise<LoanCase | null> {
    const stored = await readCase(reads(actor), loanId);
    if (stored === null) return null;
    const loaded = fromStored(stored, (await clocks.one(stored.organizationId)).policies);
    const changed = loaded.events.some(({ type }) => type === 'partyUpdated');
    return {
      loanId,
      loaded,
      partyChanges: changed ? await readPartyChanges(reads(actor), loanId) : new Map(),
      file: JSON.parse(stored.file) as LoanFile,
      publicPart: stored.publicPart,
      person: stored.person && {
        dataKey: dataKeyOf(masterKeys, stored.person, loanId),
        sealed: stored.person.sealed,
      },
    };
  }

  /** The inputs of the last run, as they are stored; null when the loan was not assessed here. */
  async function lastRun(of: LoanCase) {
    const { events } = of.loaded;
    const { assessed, assessedWith } = of.file;
    if (assessed !== 'here' || assessedWith === null) return null;
    const { run, reportsOf, day: today } = assessedWith;
    const submitted = submittedOf(of, changesOn(of, events.slice(0, startOf(events, run)), today));
    if (submitted === null) return null;
    const own = await readPulls(db, of.loanId, run);
    const pulled = reportsOf === run ? own : await readPulls(db, of.loanId, reportsOf);
    const screening = screenedIn(own, { before: startOf(events, run), day: today });
    return { ...submitted, reports: { ...Object.fromEntries(pulled), screening }, today };
  }

  /** The present moment and the loan's day, as a write of the loan would have them. */
  async function now({ loaded: { known } }: LoanCase): Promise<When> {
    return whenOfLoan(known, await clocks.one(known.organizationId), clock());
  }
}

/** The answers about the people of a run, sealed, among all that is kept of it. */
function screenedIn(kept: ReadonlyMap<string, Uint8Array>, moment: ScreenedAt): ByRole {
  const answers = ROLES.flatMap((role) => {
    const sealed = kept.get(screeningRole(role, moment));
    return sealed === undefined ? [] : [[role, sealed] as const];
  });
  return Object.fromEntries(answers);
}

/** Null: the borrower was erased. */
export function submittedOf(of: LoanCase, changes: Submitted['changes']): Submitted | null {
  const { loanId, file, person } = of;
  return person && { loanId, file, ...person, contract: contractOf(of), changes };
}

/** The changes of its parties that are in effect on a day, as far as these events tell. */
export function changesOn(
  { partyChanges }: LoanCase,
  events: readonly LoanEvent[],
  on: PlainDate,
): Submitted['changes'] {
  return storedChanges(fold(events, on).partyChanges, partyChanges) ?? [];
}

/** By the version of its lender's policy that is in force on a day, as far as it is known now. */
export function markupCapOf({ loaded: { known, events } }: LoanCase, on: PlainDate): Percent | null {
  return (loanOn({ folding: known.folding, events }, on) as Loan).policy.markupCap;
}

/** The number of times its underwriting has been started, within its first events. */
export function runsOf({ loaded: { events } }: LoanCase, first = events.length): number {
  return events.slice(0, first).filter(({ type }) => type === 'underwritingStarted').length;
}

function contractOf({ loaded: { events } }: LoanCase): Contract {
  const first = events.find((event) => event.type === 'created');
  if (first === undefined || first.type !== 'created') throw new Error('A loan begins with its creation.');
  return first.contract;
}
