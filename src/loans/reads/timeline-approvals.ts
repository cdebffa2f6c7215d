/** Requests for approval, and the decisions on them, in the timeline of a loan. Pure. */
import type { PlainDate } from '../../core/calendar.ts';
import type { ApprovalRow } from '../../store/approvals/approvals.ts';
import type { DataKey } from '../../vault/master-keys.ts';
import { unsealNote, unsealRequest } from '../../vault/seal.ts';
import type { ApprovalFact, Party } from '../approvals/approvals.ts';
import { type Sealed, viewOf } from '../approvals/open.ts';
import type { TimelineItem } from '../loans.ts';

/** An item with its place: by time, then by the version of the loan. */
type Placed = { readonly item: TimelineItem; readonly at: number; readonly place: number };

export type ApprovalsShown = {
  readonly rows: readonly ApprovalRow[];
  readonly dayOf: (at: number) => PlainDate;
  /** Null: reasons are not shown. */
  readonly dataKey: DataKey | null;
  /** Nothing is shown of a later moment, day or version; a former owner sees what was requested in its time. */
  readonly until: { readonly moment: number | null; readonly day: PlainDate; readonly version: number };
};

/** The items of events with those of approvals, in order of time. */
export function withApprovals(events: readonly TimelineItem[], shown: ApprovalsShown): TimelineItem[] {
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

function itemOf(row: ApprovalRow, type: ApprovalFact, { dayOf, dataKey }: ApprovalsShown): TimelineItem {
  const isRequest = type === 'approvalRequested';
  const { requestedBy, decidedBy, approvalId, operation } = viewOf(row, row.requestedOn);
  const at = isRequest ? row.requestedAt : (row.decidedAt as Date);
  const { clientId, userId } = isRequest ? requestedBy : (decidedBy as Party);
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
    reasonGiven: isRequest ? row.reasonGiven : row.decisionNote !== null,
    reason: dataKey === null ? null : reasonIn(row, isRequest, dataKey),
  };
}

function reasonIn({ loanId, request, decisionNote }: ApprovalRow, isRequest: boolean, dataKey: DataKey): string | null {
  if (!isRequest) return decisionNote === null ? null : unsealNote(dataKey, loanId, decisionNote);
  const { source } = JSON.parse(unsealRequest(dataKey, loanId, request)) as Sealed;
  const { reason } = JSON.parse(source) as { reason?: unknown };
  return typeof reason === 'string' ? reason : null;
}
