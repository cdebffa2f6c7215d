/**
 * The full record as of a day: with the decision on the application, and with the contact data of that day. Events say what was decided, by whom or what and when; the reason of a loan
 * officer is sealed beside its event. On a loan that was assessed elsewhere, the decision that came with it stays as it was given unless a
 * loan officer has decided.
 */
import { type DecisionTexts, decisionTexts, withDecision } from '../../boarding/decided-record.ts';
import type { LoanFile } from '../../boarding/file.ts';
import { EMPTY_RECORD } from '../../boarding/record-members.ts';
import type { CreditDecision } from '../../core/credit-decision.ts';
import { assessedOn } from '../../core/decide/application.ts';
import type { LoanEvent } from '../../core/event.ts';
import type { Loan, OnFile } from '../../core/loan.ts';
import { type DecisionNote, readDecisionNotes } from '../../store/reads/reads.ts';
import type { DataKey } from '../../vault/master-keys.ts';
import { type Note, noteIn } from '../../vault/note.ts';
import { type PersonalDetails, unsealNote } from '../../vault/seal.ts';
import type { Workers } from '../../workers/workers.ts';
import type { Actor } from '../door/actor.ts';
import type { FairReads } from '../door/fair-reads.ts';
import { eventsIn } from '../door/loan-cache.ts';
import { shareOf } from '../door/too-many-waiting.ts';
import type { PartyShowing } from '../people/parties.ts';
import type * as Work from './record-work.ts';
import type { FullView } from './view.ts';

/** The limit of a job on a thread: fifty times what the largest record takes. */
const WORK_MS = 5_000;
/**
 * From here on a record is gone through on a thread. One with sixty deals and all their cash flows has 1.1 MB and takes a millisecond; one of
 * this size with nothing but tiny members takes 40. A thread costs a copy and its turn, which halves cold reads.
 */
const LARGE = 2 * 1024 * 1024;

type Opened = {
  readonly file: LoanFile;
  readonly decisions: readonly DecisionNote[];
  readonly personal: PersonalDetails;
  /** As it is stored. Null: erased. */
  readonly record: Buffer | null;
  readonly dataKey: DataKey | null;
};

type Decided = { readonly texts: DecisionTexts; readonly pieces: readonly Buffer[] };

/** The record after its borrower was erased. */
const ERASED = [Buffer.from(EMPTY_RECORD)];

export type RecordShowing = ReturnType<typeof openRecordShowing>;

export function openRecordShowing({
  reads,
  workers,
  parties,
}: {
  reads: FairReads;
  workers: Workers;
  parties: PartyShowing;
}) {
  const work = workers.module<typeof Work>(new URL('./record-work.ts', import.meta.url), { limitMs: WORK_MS });
  /** By opened record, and forgotten with it. A loan that is folded anew has another object for its decision. */
  const known = new WeakMap<Buffer, { readonly decision: CreditDecision; readonly made: Promise<Decided> }>();
  return { shownOn };

  async function shownOn(
    actor: Actor,
    loanId: string,
    opened: Opened,
    loan: Loan,
  ): Promise<Pick<FullView, 'personal' | 'record'>> {
    const { personal, record } = await decided(actor, loanId, opened, loan);
    if (loan.partyChanges.length === 0) return { personal, record };
    const given = { record: Buffer.concat(record), dataKey: opened.dataKey };
    return { personal, record: [await parties.shownRecord(actor, loanId, given, loan)] };
  }

  /** Shows nothing of the decision either when the borrower is erased. */
  async function decided(
    actor: Actor,
    loanId: string,
    { file, decisions, personal, record, dataKey }: Opened,
    { decision }: Pick<Loan, 'decision'>,
  ): Promise<Pick<FullView, 'personal' | 'record'>> {
    const asGiven = decision?.by === 'assessment' && file.assessed === 'elsewhere';
    if (record === null || dataKey === null) return { personal, record: ERASED };
    if (decision === null || asGiven) return { personal, record: [record] };
    let found = known.get(record);
    if (found?.decision !== decision) {
      // Shared from the first moment on: readers who open a record together look for its decision once.
      found = { decision, made: decidedTexts(actor, loanId, { file, decisions, personal, record, dataKey }, decision) };
      known.set(record, found);
      found.made.catch(() => known.delete(record));
    }
    const { texts, pieces } = await found.made;
    return { personal: { ...personal, lendingDecisionReason: texts.lendingDecisionReason }, record: pieces };
  }

  async function decidedTexts(
    actor: Actor,
    loanId: string,
    { file, decisions, personal, record, dataKey }: Opened & { readonly record: Buffer; readonly dataKey: DataKey },
    decision: CreditDecision,
  ): Promise<Decided> {
    const { lendingDecisionReason } = personal;
    const isOfOfficer = decision.by === 'officer' && decision.reasoned;
    // The opened record may be older than the decision.
    const note = !isOfOfficer
      ? null
      : (decisionNoteIn(decisions, loanId, decision, dataKey) ??
        decisionNoteIn(await readDecisionNotes(reads(actor), loanId), loanId, decision, dataKey));
    const { reason, overrode } = { reason: note?.reason ?? '', overrode: overrodeIn(note) };
    const assessed = assessmentBefore(decision, file) !== null;
    const shown = { decision, assessed, reason, overrode, lendingDecisionReason };
    const texts =
      record.length < LARGE
        ? decisionTexts(record, shown)
        : await work.run('decisionTextsOf', shareOf(actor), { record, shown });
    return { texts, pieces: withDecision(record, texts) };
  }
}

/**
 * The event is found by its kind and its moment. With several of one moment, which a test clock at the end of its day has, it is the last
 * that was not undone. Null: it is not among them.
 */
function decisionNoteIn(
  rows: readonly DecisionNote[],
  loanId: string,
  { approved, at }: CreditDecision,
  dataKey: DataKey,
): Note | null {
  const events = eventsIn(rows.map(({ body }) => body).join(','));
  const undone = new Set(events.flatMap((event) => (event.type === 'undone' ? [event.sequence] : [])));
  const type: LoanEvent['type'] = approved ? 'approved' : 'rejected';
  const found = rows.filter((_, i) => events[i]?.type === type && events[i]?.recordedAt === at);
  const note = (found.findLast(({ sequence }) => !undone.has(sequence)) ?? found.at(-1))?.note ?? null;
  return note === null ? null : noteIn(unsealNote(dataKey, loanId, note));
}

/** The rules that an approval overrode, as they are sealed with its reason. */
export function overrodeIn(note: Note | null): string[] {
  return (note?.details?.overrode ?? '').split(' ').filter((rule) => rule !== '');
}

/** The result of the assessment for the deal that was decided on; null: it was not assessed. */
export function assessmentBefore(
  { approved, by, overridden, dealIndex }: Pick<CreditDecision, 'approved' | 'by' | 'overridden' | 'dealIndex'>,
  onFile: OnFile,
): OnFile['decision'] {
  if (by === 'officer' && !overridden && assessedOn(onFile, dealIndex) === null) return null;
  return approved === overridden ? 'DECLINED' : 'APPROVED';
}
