/**
 * Custom data: what the owner of a loan keeps with it for its own use. All members are sealed together beside the event of the last update,
 * under the loan's key, and go with it. Each owner has its own: a new owner begins with none, and a former one still sees what it had.
 */
import type { PlainDate } from '../../core/calendar.ts';
import { type CustomData, type CustomMembers, customDataOf, withCustomChanges } from '../../core/custom-data.ts';
import type { LoanEvent } from '../../core/event.ts';
import type { Loan } from '../../core/loan.ts';
import { refuse } from '../../core/refusal.ts';
import type { Sql } from '../../store/db/db.ts';
import { readCustomNotes } from '../../store/people/custom-data.ts';
import { readSealedParts } from '../../store/reads/reads.ts';
import { customDigests } from '../../vault/blind-index.ts';
import { disclose } from '../../vault/disclose.ts';
import { type DataKey, dataKeyOf, type MasterKeys } from '../../vault/master-keys.ts';
import { noteIn } from '../../vault/note.ts';
import { unsealNote } from '../../vault/seal.ts';
import type { Actor } from '../door/actor.ts';
import type { FairReads } from '../door/fair-reads.ts';
import type { Known } from '../door/loan-cache.ts';
import { refusedFor } from '../door/permissions.ts';
import type { WriteQueue } from '../door/queue.ts';
import type { Outcome, Write, WriteOptions } from '../door/write.ts';
import type { DisclosureBook } from './disclosures.ts';

/** Times that a change is merged again because another one came first, in another process. */
const ATTEMPTS = 12;
/** Changes of one loan that may wait for each other, as many as writes of it may. */
const WAITING_AT_MOST = 256;

/** A day, or a moment, other than now. */
type OnDay = { readonly asOf: PlainDate | null; readonly knownAt: string | null };

/** A loan as of a day; `former`: as a former owner sees it. */
type Viewed = {
  readonly organizationId: string;
  readonly version: number;
  readonly loan: Loan;
  readonly former?: true;
};

export type CustomDataOptions = {
  reads: FairReads;
  clock: () => number;
  masterKeys: MasterKeys;
  queue: WriteQueue;
  book: DisclosureBook;
  indexKey: Uint8Array;
  reach(actor: Actor, loanId: string): Promise<{ readonly known: Known } | null>;
  read(actor: Actor, loanId: string, how: OnDay): Promise<Viewed | 'before' | null>;
};

export type CustomDataShown = {
  readonly loanId: string;
  readonly version: number;
  readonly on: PlainDate;
  readonly members: CustomMembers;
  /** Null: there was never any. */
  readonly updatedAt: string | null;
  readonly erased: boolean;
};

export function openCustomData({ reads, clock, masterKeys, queue, book, indexKey, reach, read }: CustomDataOptions) {
  /** The last change of each loan that is being changed, and how many there are. */
  const turns = new Map<string, { last: Promise<unknown>; waiting: number }>();
  return { update, shown };

  /** Changes of one loan take turns, because each is merged with what the one before has left. */
  async function update(actor: Actor, write: Write, how: WriteOptions): Promise<Outcome> {
    const { loanId } = write;
    const turn = turns.get(loanId) ?? { last: Promise.resolve(), waiting: 0 };
    if (turn.waiting >= WAITING_AT_MOST) return { kind: 'busy', whose: 'loan' };
    turn.waiting += 1;
    turns.set(loanId, turn);
    const done = turn.last.then(() => merge(actor, write, how));
    turn.last = done.catch(() => {});
    try {
      return await done;
    } finally {
      turn.waiting -= 1;
      if (turn.waiting === 0) turns.delete(loanId);
    }
  }

  async function merge(actor: Actor, write: Write, how: WriteOptions): Promise<Outcome> {
    const { command, loanId } = write;
    if (!('set' in command)) throw new Error('Only changes of custom data are prepared here.');
    for (let attempt = 1; ; attempt += 1) {
      const known = (await reach(actor, loanId))?.known ?? null;
      const mayNot = refusedFor(actor, known, command.do);
      if (mayNot !== null || known === null) return mayNot ?? { kind: 'missing' };
      const before = await queue.answered(actor, how.idempotency);
      if (before !== null) return before;
      const { organizationId } = known;
      const dataKey = await keyOf(actor, loanId);
      if (dataKey === null) {
        const detail = 'The borrower of this loan was erased, and its custom data with it: nothing more can be kept.';
        return { kind: 'refused', refusal: refuse('not_supported', detail) };
      }
      const latest = customDataOf(known.folding.working, organizationId);
      const members = withCustomChanges(await membersOf(reads(actor), { loanId, dataKey, latest }), command.set);
      const merged: Write = {
        ...write,
        command: { do: 'update-custom-data', organizationId, members: members.length, reasoned: command.reasoned },
        details: Object.fromEntries(members),
        customData: {
          organizationId,
          since: latest?.recordedAt ?? null,
          digests: customDigests(indexKey, organizationId, members).map(({ digest }) => digest),
        },
      };
      const outcome = await queue.write(actor, merged, how);
      if (outcome.kind !== 'overtaken' || attempt === ATTEMPTS) return outcome;
    }
  }

  /** As a disclosure. A former owner sees what it had on its last day; null: no such loan, or not visible to the actor. */
  async function shown(actor: Actor, loanId: string, how: OnDay): Promise<CustomDataShown | 'before' | null> {
    const view = await read(actor, loanId, how);
    if (view === null || view === 'before') return view;
    const { version, loan } = view;
    const latest = customDataOf(loan, view.former === true ? actor.organizationId : view.organizationId);
    const dataKey = await keyOf(actor, loanId);
    const sealed = dataKey === null ? null : { loanId, dataKey, latest };
    const members = sealed === null ? [] : await membersOf(reads(actor), sealed);
    const disclosed = disclose(actor, { loanId, what: 'customData', at: clock() }, () => members);
    if ('denied' in disclosed) throw new Error('A personal read came through without its scope or key.');
    await book.enter(actor, [{ entry: disclosed.entry, dataKey }]);
    const facts = { loanId, version, on: loan.on, updatedAt: latest?.recordedAt ?? null };
    return { ...facts, members: disclosed.data, erased: dataKey === null };
  }

  /** Null: the borrower was erased. */
  async function keyOf(actor: Actor, loanId: string): Promise<DataKey | null> {
    const person = (await readSealedParts(reads(actor), loanId))?.person ?? null;
    return person === null ? null : dataKeyOf(masterKeys, person, loanId);
  }
}

/** The members that were sealed with this update. */
export async function membersOf(
  db: Sql,
  { loanId, dataKey, latest }: { loanId: string; dataKey: DataKey; latest: CustomData | null },
): Promise<CustomMembers> {
  if (latest === null || latest.members === 0) return [];
  const notes = await readCustomNotes(db, loanId);
  const found = notes.findLast(({ body }) => isOf(latest, (JSON.parse(body) as { event: LoanEvent }).event));
  if (found === undefined) throw new Error('The custom data of a loan is missing.');
  return Object.entries(noteIn(unsealNote(dataKey, loanId, found.note)).details ?? {});
}

function isOf({ organizationId, recordedAt }: CustomData, event: LoanEvent): boolean {
  return (
    event.type === 'customDataUpdated' && event.organizationId === organizationId && event.recordedAt === recordedAt
  );
}
