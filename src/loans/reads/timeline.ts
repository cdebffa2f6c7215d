/** Everything that was recorded of a loan, in order: each fact with its day, by whom, what it posted, and why. */
import type { LoanFile } from '../../boarding/file.ts';
import type { PlainDate } from '../../core/calendar.ts';
import type { DecidedBy } from '../../core/credit-decision.ts';
import type { LoanEvent } from '../../core/event.ts';
import type { DefaultGround, OnFile } from '../../core/loan.ts';
import type { Cents } from '../../core/money.ts';
import type { Disbursement } from '../../core/origination.ts';
import type { OverrideReason } from '../../core/overrides.ts';
import { undoneIn } from '../../core/undo.ts';
import { type ApprovalRow, readApprovalsOf } from '../../store/approvals/approvals.ts';
import { readActs, readClientsOfOthers, readSealedParts } from '../../store/reads/reads.ts';
import { disclose } from '../../vault/disclose.ts';
import { type DataKey, dataKeyOf, type MasterKeys } from '../../vault/master-keys.ts';
import { type Note, noteIn } from '../../vault/note.ts';
import { unsealNote, unsealRequest } from '../../vault/seal.ts';
import type { Sealed } from '../approvals/approvals.ts';
import { type ApprovalFact, approvalViewOf } from '../approvals/view.ts';
import type { Actor } from '../door/actor.ts';
import type { Clocks } from '../door/clocks.ts';
import type { FairReads } from '../door/fair-reads.ts';
import { maySeePersonal } from '../door/permissions.ts';
import { type ApprovalParty, partySeenBy } from '../door/write.ts';
import type { JournalEntry } from '../ledger/ledger.ts';
import type { DisclosureBook } from '../people/disclosures.ts';
import { assessmentBefore, overrodeIn } from './decided.ts';
import type { LoanView, ViewOptions } from './view.ts';

/** One fact of a loan. */
export type TimelineItem = {
  /** Null, like the transaction: a request for approval, or a decision on one. */
  readonly sequence: number | null;
  readonly type: LoanEvent['type'] | ApprovalFact;
  readonly date: PlainDate;
  readonly recordedAt: string;
  readonly clientId: string;
  readonly userId: string | null;
  readonly transactionHash: string | null;
  /** For a payment, a fee or a quote only. */
  readonly reference: string | null;
  readonly amount: Cents | null;
  /** The transaction that this one undid, and the one by which this one was undone; null: none. */
  readonly undoes: string | null;
  readonly undoneBy: string | null;
  /** For a default only. */
  readonly ground: DefaultGround | null;
  /** For a decision on the application only: by whom or what, on which deal, and what the assessment had said of it; null: not assessed. */
  readonly decision: {
    readonly by: DecidedBy;
    readonly dealIndex: number;
    readonly assessment: OnFile['decision'];
    /** For an approval against the assessment, or without one; null: it is none. */
    readonly reasonCode: OverrideReason | null;
    /** The rules that it overrode; null also where the caller may not see them: they tell about a person. */
    readonly overrode: readonly string[] | null;
  } | null;
  /** The policy limits that it exceeded by an override. */
  readonly overrode: readonly string[];
  /** The approval by which it was carried out, or that was requested or decided; null: none. */
  readonly approvalId: string | null;
  /** The approver, if it was carried out by an approval. */
  readonly approvedBy: ApprovalParty | null;
  /** The operation that was requested, for a request or a decision only. */
  readonly operation: string | null;
  /** The lines that it posted in the general ledger. */
  readonly lines: readonly JournalEntry[];
  /** For a funding only: to whom its money went, as it was given; null: to one payee. Names as the reason. */
  readonly disbursements: readonly (Disbursement & { readonly name: string | null })[] | null;
  readonly reasonGiven: boolean;
  /** Null also where the caller may not see it. */
  readonly reason: string | null;
};

export type TimelineOptions = {
  reads: FairReads;
  clock: () => number;
  clocks: Clocks;
  masterKeys: MasterKeys;
  book: DisclosureBook;
  read(actor: Actor, loanId: string, how: ViewOptions): Promise<LoanView | 'before' | null>;
  journal(actor: Actor, loanId: string): Promise<JournalEntry[] | null>;
};

/** Approvals of a loan in a timeline at most. */
const APPROVALS_SHOWN = 1_000;

export function openTimeline({ reads, clock, clocks, masterKeys, book, read, journal }: TimelineOptions) {
  /** With reasons for callers that may see personal data, which is then a disclosure; without them for all others. */
  return async (
    actor: Actor,
    loanId: string,
    how: ViewOptions,
  ): Promise<{ view: LoanView; items: TimelineItem[]; disclosed: boolean } | 'before' | null> => {
    const view = await read(actor, loanId, how);
    if (view === null || view === 'before') return view;
    const [acts, lines, rows] = await Promise.all([
      readActs(reads(actor), loanId),
      journal(actor, loanId),
      readApprovalsOf(reads(actor), loanId, APPROVALS_SHOWN),
    ]);
    const approvals = new Map(rows.map((row) => [row.approvalId, row]));
    const clientIds = [...new Set(acts.flatMap(({ clientId, userId }) => (userId === null ? [] : [clientId])))];
    const ofOthers = await readClientsOfOthers(reads(actor), actor.organizationId, clientIds);
    const posted = Map.groupBy(lines ?? [], ({ sequence }) => sequence);
    const undone = undoneIn(view.events);
    // The reasons are the present owner's to show.
    const dataKey = maySeePersonal(actor) && view.former !== true ? await keyOf(actor, loanId) : null;
    const facts = view.events.flatMap((event, i): TimelineItem[] => {
      const act = acts[i];
      if (act === undefined || event.date > view.loan.on) return [];
      const { type, date, recordedAt, overrode = [], approvalId = null } = event;
      const isShown = isReasoned(event) || event.type === 'funded';
      const note =
        act.note === null || dataKey === null || !isShown ? null : noteIn(unsealNote(dataKey, loanId, act.note));
      const approval = approvals.get(approvalId ?? '');
      const given = event as {
        refId?: string;
        feeId?: string;
        quoteId?: string;
        holdId?: string;
        stipulationId?: string;
        amount?: TimelineItem['amount'];
      };
      return [
        {
          sequence: i + 1,
          type,
          date,
          recordedAt,
          clientId: act.clientId,
          userId: ofOthers.has(act.clientId) ? null : act.userId,
          transactionHash: act.hash,
          reference: given.refId ?? given.feeId ?? given.quoteId ?? given.holdId ?? given.stipulationId ?? null,
          amount: given.amount ?? null,
          undoes: event.type === 'undone' ? (acts[event.sequence - 1]?.hash ?? null) : null,
          undoneBy: acts[undone.get(i + 1) ?? -1]?.hash ?? null,
          ground: event.type === 'defaulted' ? event.ground : null,
          decision: decisionIn(event, view.file, note),
          overrode,
          approvalId,
          approvedBy: approval === undefined ? null : decidedBySeen(actor, approval, date),
          operation: null,
          lines: posted.get(i + 1) ?? [],
          disbursements: disbursementsIn(event, note?.details ?? null),
          reasonGiven: act.note !== null && isReasoned(event),
          reason: isReasoned(event) ? (note?.reason ?? null) : null,
        },
      ];
    });
    const { dayOf } = await clocks.one(view.organizationId);
    const moment = how.knownAt === null ? null : Date.parse(how.knownAt);
    const until = { moment, day: view.loan.on, version: view.version };
    const items = rows.length === 0 ? facts : withApprovals(facts, { actor, rows, dayOf, dataKey, until });
    if (dataKey === null) return { view, items, disclosed: false };
    const disclosed = disclose(actor, { loanId, what: 'timeline', at: clock() }, () => items);
    if ('denied' in disclosed) throw new Error('A personal read came through without its scope or key.');
    await book.enter(actor, [{ entry: disclosed.entry, dataKey }]);
    return { view, items: disclosed.data, disclosed: true };
  };

  function decisionIn(event: LoanEvent, file: LoanFile, note: Note | null): TimelineItem['decision'] {
    if (event.type !== 'approved' && event.type !== 'rejected') return null;
    const { by, dealIndex } = event;
    const assessment = assessmentBefore({ ...event, approved: event.type === 'approved' }, file);
    const reasonCode = (event.type === 'approved' && event.reasonCode) || null;
    const overrode = reasonCode === null || note === null ? null : overrodeIn(note);
    return { by, dealIndex, assessment, reasonCode, overrode };
  }

  /** Null: the borrower was erased, and the reasons with them. */
  async function keyOf(actor: Actor, loanId: string): Promise<DataKey | null> {
    const person = (await readSealedParts(reads(actor), loanId))?.person ?? null;
    return person === null ? null : dataKeyOf(masterKeys, person, loanId);
  }
}

/** Whether what is sealed beside it may be a reason. */
function isReasoned(event: LoanEvent): boolean {
  return event.type !== 'funded' && (event.type !== 'customDataUpdated' || event.reasoned);
}

function disbursementsIn(event: LoanEvent, names: Note['details']): TimelineItem['disbursements'] {
  if (event.type !== 'funded' || event.disbursements === undefined) return null;
  return event.disbursements.map((one, i) => ({ ...one, name: names?.[i] ?? null }));
}

function decidedBySeen(actor: Actor, row: ApprovalRow, on: PlainDate): ApprovalParty | null {
  const { decidedBy } = approvalViewOf(row, on);
  return decidedBy && partySeenBy(actor, decidedBy);
}

/** An item with its place: by time, then by the version of the loan. */
type Placed = { readonly item: TimelineItem; readonly at: number; readonly place: number };

type ApprovalItems = {
  readonly actor: Actor;
  readonly rows: readonly ApprovalRow[];
  readonly dayOf: (at: number) => PlainDate;
  /** Null: reasons are not shown. */
  readonly dataKey: DataKey | null;
  /** Nothing is shown of a later moment, day or version; a former owner sees what was requested in its time. */
  readonly until: { readonly moment: number | null; readonly day: PlainDate; readonly version: number };
};

/** The items of events with those of approvals, in order of time. */
function withApprovals(events: readonly TimelineItem[], shown: ApprovalItems): TimelineItem[] {
  const sequenceOf = new Map(events.map(({ transactionHash, sequence }) => [transactionHash, sequence ?? 0]));
  const { rows, until } = shown;
  const approvals = rows.flatMap((row): Placed[] => {
    const { requestedAt, decidedAt, version } = row;
    if (version > until.version) return [];
    const request = { item: itemOf(row, 'approvalRequested', shown), at: requestedAt.getTime(), place: version + 0.2 };
    if (decidedAt === null) return [request];
    const isApproved = row.state === 'approved';
    const decision = {
      item: itemOf(row, isApproved ? 'approvalApproved' : 'approvalRejected', shown),
      at: decidedAt.getTime(),
      // A decision comes before what it brings about.
      place: isApproved ? (sequenceOf.get(row.transactionHash) ?? version + 1) - 0.5 : version + 0.3,
    };
    return [request, decision];
  });
  const seen = approvals.filter(
    ({ item, at }) => item.date <= until.day && (until.moment === null || at <= until.moment),
  );
  const all = events.map((item): Placed => ({ item, at: Date.parse(item.recordedAt), place: item.sequence ?? 0 }));
  return [...all, ...seen].sort((a, b) => a.at - b.at || a.place - b.place).map(({ item }) => item);
}

function itemOf(row: ApprovalRow, type: ApprovalFact, { actor, dayOf, dataKey }: ApprovalItems): TimelineItem {
  const isRequest = type === 'approvalRequested';
  const { requestedBy, decidedBy, approvalId, operation } = approvalViewOf(row, row.requestedOn);
  const at = isRequest ? row.requestedAt : (row.decidedAt as Date);
  const { clientId, userId } = partySeenBy(actor, isRequest ? requestedBy : (decidedBy as ApprovalParty));
  return {
    sequence: null,
    type,
    date: isRequest ? row.requestedOn : dayOf(at.getTime()),
    recordedAt: at.toISOString(),
    clientId,
    userId,
    transactionHash: null,
    reference: null,
    amount: null,
    undoes: null,
    undoneBy: null,
    ground: null,
    decision: null,
    overrode: [],
    approvalId,
    approvedBy: null,
    operation,
    lines: [],
    disbursements: null,
    reasonGiven: isRequest ? row.reasonGiven : row.decisionNote !== null,
    // A former owner's discussion stays with that one; what was recorded is part of the loan, with its reason.
    reason: dataKey === null || row.disowned ? null : reasonIn(row, isRequest, dataKey),
  };
}

function reasonIn({ loanId, request, decisionNote }: ApprovalRow, isRequest: boolean, dataKey: DataKey): string | null {
  if (!isRequest) return decisionNote === null ? null : unsealNote(dataKey, loanId, decisionNote);
  const { source } = JSON.parse(unsealRequest(dataKey, loanId, request)) as Sealed;
  const { reason } = JSON.parse(source) as { reason?: unknown };
  return typeof reason === 'string' ? reason : null;
}
