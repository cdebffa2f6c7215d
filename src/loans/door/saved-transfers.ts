/** The changes that the events of a transfer make beside the loan's history: its row in `transfers`, and the parties of the loan. Pure. */
import { addDays, type PlainDate } from '../../core/calendar.ts';
import type { When } from '../../core/decide/decide.ts';
import type { Holder } from '../../core/decide/transfer.ts';
import type { LoanEvent } from '../../core/event.ts';
import { changesOwner, isTransfer, type Parties } from '../../core/ownership.ts';
import type { DatedLine } from '../../ledger/journal.ts';
import { type ColumnValues, columnIn, withColumns } from '../../portfolio/loan-columns.ts';
import type { TransferPlan, TransferSave, TransferState } from '../../store/door/save-transfers.ts';
import type { Known } from './loan-cache.ts';
import type { LoanCommand } from './write.ts';

export function holderOf({ organizationId, lenderId, primaryServicerId }: Known): Holder {
  return { organizationId, lenderId, servicerId: primaryServicerId };
}

/** A loan changes its owner on a day that neither of the two has left: the later one, where their clocks show two. */
export function dayOfBoth(command: LoanCommand, when: When): When {
  if (command.do !== 'transfer' || !('carryOut' in command)) return when;
  const { notBefore } = command;
  return notBefore !== null && notBefore > when.today ? { ...when, today: notBefore } : when;
}

/** The loan after these events, as far as its parties go. */
export function withParties(known: Known, events: readonly LoanEvent[]): Known {
  const last = events.findLast((event) => event.type === 'transferred');
  if (last?.type !== 'transferred') return known;
  if (last.what === 'servicer') return { ...known, primaryServicerId: last.to };
  // It was folded with the policies of the former owner: what uses it next folds it again.
  const timeline = { key: 'of the former owner', changes: [] };
  return { ...known, ...last.to, timeline, primaryServicerId: last.servicerId, secondaryServicerId: '' };
}

/** On the day after a transfer the new owner's policy begins, by which figures may change. */
export function withNextPolicy(columns: ColumnValues, events: readonly LoanEvent[]): ColumnValues {
  const last = events.findLast(changesOwner);
  if (last === undefined) return columns;
  const next = addDays(last.date, 1);
  const sooner = (name: 'books_change_on' | 'changes_on') => {
    const day = columnIn(columns, name);
    return day !== null && day < next ? day : next;
  };
  return withColumns(columns, { books_change_on: sooner('books_change_on'), changes_on: sooner('changes_on') });
}

/** An operation records one event of a transfer, alone. `entering`: its lines in the books of a new owner. */
export function transferSaved(
  { parties, version }: Pick<Known, 'parties' | 'version'>,
  events: readonly LoanEvent[],
  { entering, linesBefore }: { entering: readonly DatedLine[]; linesBefore: number },
): TransferSave | null {
  const event = events.find(isTransfer);
  if (event === undefined) return null;
  const { transferId } = event;
  const changed = { transferId, plan: null, servicers: null, owner: null };
  switch (event.type) {
    case 'transferScheduled':
      return { ...changed, state: event.what === 'servicer' ? 'scheduled' : 'offered', plan: planOf(event) };
    case 'transferAccepted':
      return { ...changed, state: 'accepted' };
    case 'transferCancelled':
      return { ...changed, state: 'cancelled' };
    case 'transferred': {
      const done = { ...changed, state: 'done' as const };
      if (!changesOwner(event)) {
        const isNew = !parties.planned.some((one) => one.transferId === transferId);
        const plan = isNew ? { ...NOBODY, what: 'servicer' as const, servicerId: event.to, date: event.date } : null;
        return { ...done, plan, servicers: { primary: event.to, secondary: null } };
      }
      const { from, to, servicerId, recordedOn: on } = event;
      const owner = { ...to, from, on, sequence: version + 1, lines: entering, linesBefore };
      return { ...done, servicers: { primary: servicerId, secondary: '' }, owner };
    }
  }
}

/** The transfer as a command shows it; null: there is none. */
export function transferOf(
  { planned }: Parties,
  events: readonly LoanEvent[],
): { transferId: string; state: TransferState; date: PlainDate } | null {
  const event = events.find(isTransfer);
  const found = planned.find(({ transferId }) => event === undefined || transferId === event.transferId);
  if (found !== undefined) {
    const state = found.what === 'servicer' ? 'scheduled' : found.accepted ? 'accepted' : 'offered';
    return { transferId: found.transferId, state, date: found.on };
  }
  if (event === undefined) return null;
  const { transferId, date } = event;
  return { transferId, state: event.type === 'transferred' ? 'done' : 'cancelled', date };
}

const NOBODY = { servicerId: null, organizationId: null, lenderId: null };

function planOf({ what, to, on: date }: Extract<LoanEvent, { type: 'transferScheduled' }>): TransferPlan {
  return typeof to === 'string'
    ? { ...NOBODY, what, servicerId: to, date }
    : { what, servicerId: null, organizationId: to.organizationId, lenderId: to.lenderId, date };
}
