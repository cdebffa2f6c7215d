/** Everything that was recorded of a loan, in order: each fact with its day, by whom, what it posted, and why. */
import type { LoanFile } from '../../boarding/file.ts';
import type { LoanEvent } from '../../core/event.ts';
import { undoneIn } from '../../core/undo.ts';
import { readApprovalsOf } from '../../store/approvals/approvals.ts';
import { readActs, readSealedParts } from '../../store/reads/reads.ts';
import { disclose } from '../../vault/disclose.ts';
import { type DataKey, dataKeyOf, type MasterKeys } from '../../vault/master-keys.ts';
import { noteIn } from '../../vault/note.ts';
import { unsealNote } from '../../vault/seal.ts';
import { viewOf } from '../approvals/open.ts';
import type { Clocks } from '../door/clocks.ts';
import type { FairReads } from '../door/fair-reads.ts';
import type { Actor, JournalEntry, LoanView, TimelineItem, ViewOptions } from '../loans.ts';
import { maySeePersonal } from '../origination/deals.ts';
import type { DisclosureBook } from '../people/disclosures.ts';
import { assessmentBefore } from './decided.ts';
import { withApprovals } from './timeline-approvals.ts';

export type TimelineOptions = {
  reads: FairReads;
  clock: () => number;
  clocks: Clocks;
  masterKeys: MasterKeys;
  book: DisclosureBook;
  read(actor: Actor, loanId: string, how: ViewOptions): Promise<LoanView | 'before' | null>;
  journal(actor: Actor, loanId: string): Promise<JournalEntry[] | null>;
};

/** Of a loan, in a timeline. */
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
    const posted = Map.groupBy(lines ?? [], ({ sequence }) => sequence);
    const undone = undoneIn(view.events);
    // The reasons are the present owner's to show.
    const dataKey = maySeePersonal(actor) && view.former !== true ? await keyOf(actor, loanId) : null;
    const facts = view.events.flatMap((event, i): TimelineItem[] => {
      const act = acts[i];
      if (act === undefined || event.date > view.loan.on) return [];
      const { type, date, recordedAt, overrode = [], approvalId = null } = event;
      const approval = approvals.get(approvalId ?? '');
      const given = event as {
        refId?: string;
        feeId?: string;
        quoteId?: string;
        holdId?: string;
        amount?: TimelineItem['amount'];
      };
      return [
        {
          sequence: i + 1,
          type,
          date,
          recordedAt,
          clientId: act.clientId,
          userId: act.userId,
          transactionHash: act.hash,
          reference: given.refId ?? given.feeId ?? given.quoteId ?? given.holdId ?? null,
          amount: given.amount ?? null,
          undoes: event.type === 'undone' ? (acts[event.sequence - 1]?.hash ?? null) : null,
          undoneBy: acts[undone.get(i + 1) ?? -1]?.hash ?? null,
          ground: event.type === 'defaulted' ? event.ground : null,
          decision: decisionIn(event, view.file),
          overrode,
          approvalId,
          approvedBy: approval === undefined ? null : viewOf(approval, date).decidedBy,
          operation: null,
          lines: posted.get(i + 1) ?? [],
          reasonGiven: act.note !== null,
          reason: act.note === null || dataKey === null ? null : noteIn(unsealNote(dataKey, loanId, act.note)).reason,
        },
      ];
    });
    const { dayOf } = await clocks.one(view.organizationId);
    const moment = how.knownAt === null ? null : Date.parse(how.knownAt);
    const until = { moment, day: view.loan.on, version: view.version };
    const items = rows.length === 0 ? facts : withApprovals(facts, { rows, dayOf, dataKey, until });
    if (dataKey === null) return { view, items, disclosed: false };
    const disclosed = disclose(actor, { loanId, what: 'timeline', at: clock() }, () => items);
    if ('denied' in disclosed) throw new Error('A personal read came through without its scope or key.');
    await book.enter(actor, [{ entry: disclosed.entry, dataKey }]);
    return { view, items: disclosed.data, disclosed: true };
  };

  function decisionIn(event: LoanEvent, file: LoanFile): TimelineItem['decision'] {
    if (event.type !== 'approved' && event.type !== 'rejected') return null;
    const { by, dealIndex } = event;
    const assessment = assessmentBefore({ ...event, approved: event.type === 'approved' }, file);
    return { by, dealIndex, assessment };
  }

  /** Null: the borrower was erased, and the reasons with them. */
  async function keyOf(actor: Actor, loanId: string): Promise<DataKey | null> {
    const person = (await readSealedParts(reads(actor), loanId))?.person ?? null;
    return person === null ? null : dataKeyOf(masterKeys, person, loanId);
  }
}
