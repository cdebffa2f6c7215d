/** New loans: read and sealed on a thread before they queue, then stored with their first events. */
import type { Creation } from '../../boarding/creation.ts';
import { decide, decideCreation, type When } from '../../core/decide/decide.ts';
import type { LoanEvent } from '../../core/event.ts';
import { fold } from '../../core/fold.ts';
import type { Loan } from '../../core/loan.ts';
import { isMistakes } from '../../core/reader.ts';
import { isRefusal, refuse } from '../../core/refusal.ts';
import { characteristicsOf } from '../../portfolio/characteristics.ts';
import { blindDigests, customDigests } from '../../vault/blind-index.ts';
import { commitmentToFile } from '../../vault/commitments.ts';
import { newDataKey, wrap } from '../../vault/master-keys.ts';
import { noteText } from '../../vault/note.ts';
import { newSalt, sealNote } from '../../vault/seal.ts';
import type { Actor } from '../door/actor.ts';
import { todayBy } from '../door/clocks.ts';
import type { Door } from '../door/door.ts';
import { shareOf } from '../door/too-many-waiting.ts';
import type { Change, Outcome, WriteOptions } from '../door/write.ts';
import { withAccounts } from './accounts.ts';
import { refuseCreation } from './boarding-rights.ts';
import type * as CreationWork from './creation-work.ts';
import { type SealedCreation, sealCreation } from './creation-work.ts';

/** Processor time for reading and sealing one new loan; one of 10 MiB takes a quarter of a second. */
const CREATION_MS = 2_000;

/** A loan to be created; `answer` as for a `Write`. */
export type Boarding = Creation & { readonly answer: (change: Change) => string };

/** `source` is the JSON of a creation that was checked against its schema, as text or in UTF-8. */
export type NewLoan = { readonly source: string | Uint8Array; readonly answer: (change: Change) => string };

/** The first events of a loan, and the loan after them. */
type Made = { readonly events: readonly LoanEvent[]; readonly loan: Loan };

type CreationOptions = Pick<Door, 'clock' | 'clocks' | 'masterKeys' | 'secrets' | 'queue' | 'workers' | 'unavailable'>;

export function openCreation(options: CreationOptions) {
  const { clock, clocks, masterKeys, secrets, queue, workers, unavailable } = options;
  const creations = workers.module<typeof CreationWork>(new URL('./creation-work.ts', import.meta.url), {
    limitMs: CREATION_MS,
  });
  return { create, board };

  /** A large record takes a tenth of a second to read and to seal, so a worker thread does it, before anything queues. */
  async function create(actor: Actor, given: NewLoan, how: WriteOptions): Promise<Outcome> {
    const notTaken = unavailable() ?? queue.roomForNewLoan(actor);
    if (notTaken !== null) return notTaken;
    const sealing = newSealing(actor);
    const { source, answer } = given;
    const ownersClock = await clocks.one(actor.organizationId);
    const today = todayBy(ownersClock, clock());
    const asked = { source, policies: ownersClock.policies.forNewLoans(today), today, sealing };
    const creation = await creations.run('readAndSeal', shareOf(actor), asked);
    if (isRefusal(creation)) return { kind: 'refused', refusal: creation };
    if (isMistakes(creation)) return { kind: 'mistaken', wrong: creation };
    return enter(actor, { ...creation, sealing, answer }, how);
  }

  /** Stores a creation that was read before, from a loan tape for instance. */
  async function board(actor: Actor, creation: Boarding, how: WriteOptions): Promise<Outcome> {
    const notTaken = unavailable() ?? queue.roomForNewLoan(actor);
    if (notTaken !== null) return notTaken;
    const sealing = newSealing(actor);
    return enter(actor, { ...sealCreation(creation, sealing), sealing, answer: creation.answer }, how);
  }

  function newSealing({ organizationId }: Actor) {
    return { organizationId, partyKey: secrets.party, dataKey: newDataKey(), salt: newSalt() };
  }

  async function enter(
    actor: Actor,
    creation: SealedCreation & { sealing: ReturnType<typeof newSealing>; answer: Boarding['answer'] },
    how: WriteOptions,
  ): Promise<Outcome> {
    const { contract, policy, published, boarded, search, customData, publicPart, sealed, answer, loanId } = creation;
    const mayNot = refuseCreation(actor, { boarded, published, policy });
    if (mayNot !== null) return mayNot;
    const { dataKey, salt } = creation.sealing;
    const decideOn = (when: When) => {
      const created = decideCreation(contract, policy, when, boarded?.facts);
      if (isRefusal(created) || !published) return isRefusal(created) ? created : withCustomData(created, when);
      const shown = decide(created.events, { do: 'publish', published: true }, when);
      if (isRefusal(shown)) throw new Error('A new loan could not be published.');
      return withCustomData({ events: [...created.events, ...shown.events], loan: shown.loan }, when);
    };
    /** It comes with the loan, like its record: a read of any day shows it. */
    const withCustomData = ({ events, loan }: Made, when: When): Made => {
      if (customData.length === 0) return { events, loan };
      const { organizationId } = actor;
      const date = events.reduce((least, event) => (event.date < least ? event.date : least), when.today);
      const fact = { type: 'customDataUpdated', organizationId, members: customData.length, reasoned: false } as const;
      const all = [...events, { ...fact, date, recordedOn: when.today, recordedAt: when.at }];
      return { events: all, loan: fold(all, loan.on) };
    };

    const complete = withAccounts(secrets.party, actor.organizationId, creation.file);
    if (typeof complete === 'string') {
      const detail = 'Must be a 20-byte ledger address with a valid checksum (EIP-55).';
      return { kind: 'refused', refusal: refuse('invalid_value', detail, { member: complete }) };
    }
    const { applicationId, borrowerId, lenderId, primaryServicerId, secondaryServicerId, loanType } = complete;
    const { organizationId } = actor;
    const master = masterKeys.current();
    const file = JSON.stringify(complete);
    const row = {
      organizationId,
      applicationId,
      borrowerId,
      lenderId,
      primaryServicerId,
      secondaryServicerId,
      loanType,
      file,
      applied: complete.isApplication === true,
      publicPart,
      sealed,
      keyId: master.keyId,
      wrappedKey: wrap(master, dataKey, loanId),
      blindIndex: [
        ...blindDigests(secrets.index, organizationId, search),
        ...customDigests(secrets.index, organizationId, customData),
      ],
      characteristics: characteristicsOf(complete),
    };
    // The submitted data cannot be changed unnoticed: the ledger holds hashes that only the same text and salt reproduce.
    const commitments = { ...creation.commitments, ...commitmentToFile(salt, file) };
    const details = noteText({ reason: '', details: Object.fromEntries(customData) });
    const note = customData.length === 0 ? null : sealNote(dataKey, loanId, details);
    return queue.write(actor, { loanId, create: { decide: decideOn, row, commitments, note, answer } }, how);
  }
}
