/**
 * Duplicates: applications and open loans of the owner that have a person, a vehicle, a home, a telephone or an account in common. They are
 * found by the blind index, in each run before a report is pulled, and once more when the signs are read. Whoever reads them is told of
 * loans that they may see, and of no others.
 */
import { addDays, type PlainDate } from '../../core/calendar.ts';
import { type LoanStatus, STATUSES, UNDECIDED } from '../../core/loan.ts';
import type { Db } from '../../store/db/db.ts';
import { readOrigins } from '../../store/door/summaries.ts';
import { findSharing, readBelonging } from '../../store/origination/signs.ts';
import { duplicateSigns, type Match, type Shared, SIGNS, type Sign, signsIn } from '../../underwriting/signs.ts';
import { LOOKED_AT } from '../../underwriting/signs-data.ts';
import type { MasterKeys } from '../../vault/master-keys.ts';
import { NO_DETAILS, unsealDetails } from '../../vault/seal.ts';
import type { Workers } from '../../workers/workers.ts';
import type { Actor } from '../door/actor.ts';
import type { Clocks } from '../door/clocks.ts';
import type { FairReads } from '../door/fair-reads.ts';
import { formerlyOwned, roleOf } from '../door/permissions.ts';
import { shareOf } from '../door/too-many-waiting.ts';
import { changesOn, type LoanCase, openCases, submittedOf } from './cases.ts';
import type { Submitted } from './run-again.ts';
import type * as Work from './signs-work.ts';

export type SignsOptions = {
  db: Db;
  reads: FairReads;
  clock: () => number;
  clocks: Clocks;
  masterKeys: MasterKeys;
  workers: Workers;
  indexKey: Uint8Array;
};

export type Signs = ReturnType<typeof openSigns>;

export { COMPARED, SEVERITIES, SIGN_NAMES } from '../../underwriting/signs.ts';

/** A sign as it is read; `run`: the last run found it, `since`: it has come up since, or there was no run. */
export type ShownSign = Sign & { readonly about: string; readonly found: 'run' | 'since' };

const WORK_MS = 5_000;
/** Named for each kind of value; the newest. */
const NAMED_AT_MOST = 100;

const NOT_OPEN = new Set<LoanStatus>([...UNDECIDED, 'Rejected', 'Cancelled', 'Closed', 'ClosedEarly']);
/** A borrower owes, or is being lent to. */
const OPEN = STATUSES.filter((status) => !NOT_OPEN.has(status));

export function openSigns(options: SignsOptions) {
  const { reads, clocks, workers, indexKey } = options;
  const cases = openCases(options);
  const work = workers.module<typeof Work>(new URL('./signs-work.ts', import.meta.url), { limitMs: WORK_MS });
  return { shared, list };

  /** Loans of the same owner alone, whoever asks: a run is its owner's. */
  async function shared(actor: Actor, of: LoanCase, submitted: Submitted, today: PlainDate): Promise<Shared> {
    const { organizationId: owner, createdAt } = of.loaded.known;
    const { loanId, dataKey, sealed, changes } = submitted;
    const db = reads(actor);
    // Digests of a loan are those of the organization that created it, which may have sold it to this one.
    const organizationIds = [...new Set([owner, ...(await readOrigins(db, [owner]))])];
    const job = { loanId, dataKey, sealed, changes, indexKey, organizationIds };
    const values = await work.run('valueDigests', shareOf(actor), job);
    const clock = await clocks.one(owner);
    const since = new Date(clock.startOf(addDays(today, -LOOKED_AT.applicationDays)));
    const scope = { owner, not: loanId, since, open: OPEN, limit: NAMED_AT_MOST };
    const matches: Match[] = [];
    for (const { kind, of: whose, digests } of values) {
      const loans = await findSharing(db, { kind, organizationIds, digests }, scope);
      for (const { loanId: other, createdAt, assessed } of loans) {
        const createdOn = clock.dayOf(createdAt);
        matches.push({ kind, of: whose, loanId: other, createdOn, applied: assessed !== 'elsewhere' });
      }
    }
    return { own: { createdOn: clock.dayOf(createdAt), applied: of.file.assessed !== 'elsewhere' }, matches };
  }

  /** For whoever may see the loan; a former owner sees those of a run that it made. Null: no such loan. */
  async function list(
    actor: Actor,
    loanId: string,
  ): Promise<{ version: number; ranOn: PlainDate | null; items: readonly ShownSign[] } | null> {
    const of = await cases.read(actor, loanId);
    if (of === null) return null;
    const { known, events } = of.loaded;
    const former = formerlyOwned(actor, known);
    if (former === null && roleOf(actor, known) === null) return null;
    const { today } = await cases.now(of);
    const last = events.findLast(({ type }) => type === 'underwritingStarted')?.recordedOn ?? null;
    const ranOn = former !== null && last !== null && last > former.until ? null : last;
    const submitted = submittedOf(of, changesOn(of, events, today));
    const none = submitted === null || (former !== null && ranOn === null);
    const live = none || former !== null ? null : await shared(actor, of, submitted, today);
    return { version: known.version, ranOn, items: none ? [] : await shown(actor, of, live) };
  }

  /** Those of the last run, and what has come up since; `live` null: of the run alone. */
  async function shown(actor: Actor, { loanId: own, person }: LoanCase, live: Shared | null): Promise<ShownSign[]> {
    const { personal } = person === null ? { personal: NO_DETAILS } : unsealDetails(person.dataKey, own, person.sealed);
    const kept = signsIn(personal.signs);
    const matches = live?.matches ?? [];
    const named = [...kept.flatMap(({ loans }) => loans), ...matches.map(({ loanId }) => loanId)];
    const visible = await visibleOf(actor, [...new Set(named)]);
    const ofRun = kept.flatMap((sign) => seenBy(sign, visible));
    const seen = matches.filter(({ loanId }) => visible.has(loanId));
    const now = live === null ? [] : duplicateSigns(seen, live.own);
    const since = now.flatMap((sign): ShownSign[] => {
      const known = new Set(ofRun.filter((one) => one.sign === sign.sign).flatMap(({ loans }) => loans));
      const loans = sign.loans.filter((loanId) => !known.has(loanId));
      return loans.length === 0 ? [] : [shownAs({ ...sign, loans }, 'since')];
    });
    return [...ofRun.map((sign) => shownAs(sign, 'run')), ...since];
  }

  async function visibleOf(actor: Actor, loanIds: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await readBelonging(reads(actor), loanIds);
    return new Set(rows.filter((row) => roleOf(actor, row) !== null).map(({ loanId }) => loanId));
  }
}

function shownAs({ sign, severity, ...more }: Sign, found: ShownSign['found']): ShownSign {
  return { sign, severity, about: SIGNS[sign], ...more, found };
}

/** Without loans that the caller does not see; nothing where none is left, because that there are others is a secret too. */
function seenBy(sign: Sign, visible: ReadonlySet<string>): Sign[] {
  if (sign.loans.length === 0) return [sign];
  const loans = sign.loans.filter((loanId) => visible.has(loanId));
  const least = sign.sign === 'velocity' ? LOOKED_AT.velocity - 1 : 1;
  return loans.length < least ? [] : [{ ...sign, loans }];
}
