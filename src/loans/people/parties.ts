/**
 * The people on a loan: their contact data changes, and the record shows it as it is or was on a day. The application is kept as it was
 * given; a change is sealed beside it, and the events say which changes are in effect.
 */
import { hasState } from '../../boarding/party-changes.ts';
import type { Loan } from '../../core/loan.ts';
import { isRefusal, refuse } from '../../core/refusal.ts';
import { readPartyChanges } from '../../store/people/parties.ts';
import { readSealedParts } from '../../store/reads/reads.ts';
import { type DataKey, dataKeyOf, type MasterKeys } from '../../vault/master-keys.ts';
import { type Workers, WorkersBusy } from '../../workers/workers.ts';
import type { Actor } from '../door/actor.ts';
import type { FairReads } from '../door/fair-reads.ts';
import type { Known } from '../door/loan-cache.ts';
import { refusedFor } from '../door/permissions.ts';
import type { WriteQueue } from '../door/queue.ts';
import { shareOf } from '../door/too-many-waiting.ts';
import type { Outcome, Write, WriteOptions } from '../door/write.ts';
import * as Work from './party-work.ts';

/** The limit of a job on a thread: fifty times what the largest record takes. */
const WORK_MS = 5_000;
/** From here on a record is changed on a thread: going through one of 1 MiB takes some milliseconds. */
const LARGE = 1024 * 1024;

export type PartyShowing = ReturnType<typeof openPartyShowing>;

/** Shows the record with the changes that are in effect. */
export function openPartyShowing({ reads, workers }: { reads: FairReads; workers: Workers }) {
  const work = workers.module<typeof Work>(new URL('./party-work.ts', import.meta.url), { limitMs: WORK_MS });
  return { shownRecord };

  async function shownRecord(
    actor: Actor,
    loanId: string,
    { record, dataKey }: { record: Buffer; dataKey: DataKey | null },
    { partyChanges }: Pick<Loan, 'partyChanges'>,
  ): Promise<Buffer> {
    if (partyChanges.length === 0 || dataKey === null) return record;
    const changes = storedChanges(partyChanges, await readPartyChanges(reads(actor), loanId));
    // Erased since it was opened.
    if (changes === null) return record;
    const job = { loanId, dataKey, record, changes };
    const bytes =
      record.length < LARGE ? Work.recordWithChanges(job) : await work.run('recordWithChanges', shareOf(actor), job);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }
}

/** The changes that are in effect, as they are stored. Null: none is stored any more, because the borrower was erased. */
export function storedChanges(
  inEffect: Loan['partyChanges'],
  stored: ReadonlyMap<string, Uint8Array>,
): Work.SealedPartyChange[] | null {
  if (stored.size === 0) return inEffect.length === 0 ? [] : null;
  return inEffect.map((one) => {
    const sealed = stored.get(one.commitment);
    if (sealed === undefined) throw new Error('A change of a party is missing.');
    return { ...one, sealed };
  });
}

export type PartyOptions = {
  reads: FairReads;
  masterKeys: MasterKeys;
  queue: WriteQueue;
  workers: Workers;
  indexKey: Uint8Array;
  visible(actor: Actor, loanId: string): Promise<Known | null>;
};

/** Changes of a party are sealed before they queue. The sealed text does not depend on the loan's version, only on who is on the loan. */
export function openParties({ reads, masterKeys, queue, workers, indexKey, visible }: PartyOptions) {
  const work = workers.module<typeof Work>(new URL('./party-work.ts', import.meta.url), { limitMs: WORK_MS });
  return { update };

  async function update(actor: Actor, write: Write, how: WriteOptions): Promise<Outcome> {
    const { command, loanId } = write;
    if (!('changes' in command)) throw new Error('Only changes of a party are prepared here.');
    const { party, changes, date, reason } = command;
    const known = await visible(actor, loanId);
    const mayNot = refusedFor(actor, known, command.do);
    if (mayNot !== null || known === null) return mayNot ?? { kind: 'missing' };
    const before = await queue.answered(actor, how.idempotency);
    if (before !== null) return before;
    if (!hasState(changes)) {
      const detail = 'Must be the two-letter code of a US state, district or territory, such as OH.';
      return { kind: 'refused', refusal: refuse('invalid_value', detail, { member: 'changes.address.state' }) };
    }
    const person = (await readSealedParts(reads(actor), loanId))?.person ?? null;
    if (person === null) {
      const detail = 'The borrower of this loan was erased: there is no personal data left to change.';
      return { kind: 'refused', refusal: refuse('not_supported', detail) };
    }
    const { organizationId } = known;
    const dataKey = dataKeyOf(masterKeys, person, loanId);
    const job = { loanId, organizationId, dataKey, indexKey, sealed: person.sealed, update: { party, changes } };
    const change = await work.run('sealChange', shareOf(actor), job).catch(busy);
    if (change === null) return { kind: 'busy', whose: 'organization' };
    if (isRefusal(change)) return { kind: 'refused', refusal: change };
    const { commitment } = change;
    const sealed: Write = {
      ...write,
      command: { do: 'update-party', party, commitment, date, reason },
      partyChange: change,
    };
    return queue.write(actor, sealed, how);
  }
}

function busy(error: unknown): null {
  if (error instanceof WorkersBusy) return null;
  throw error;
}
