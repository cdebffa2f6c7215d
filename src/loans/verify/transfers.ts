/** The rows of a loan in `transfers`, compared with the events that made them. */
import type { PlainDate } from '../../core/calendar.ts';
import type { LoanEvent } from '../../core/event.ts';
import { changesOwner, isTransfer } from '../../core/ownership.ts';
import type { CheckedBook } from '../../store/verify/verify.ts';
import type { Tell } from './complaint.ts';

type State = 'scheduled' | 'offered' | 'accepted' | 'cancelled' | 'done';

type Row = {
  readonly organizationId: string;
  readonly what: 'servicer' | 'owner';
  readonly servicerId: string;
  readonly toOrganizationId: string;
  readonly toLenderId: string;
  readonly date: PlainDate;
  readonly state: State;
};

const OPEN: readonly State[] = ['scheduled', 'offered', 'accepted'];
const NOBODY = { servicerId: '', toOrganizationId: '', toLenderId: '' };

/** `first`: the organization that created the loan. */
export function checkTransfers(row: CheckedBook, events: readonly LoanEvent[], first: string, tell: Tell): void {
  const expected = rowsOf(events, first);
  for (const line of row.transfers === null ? [] : row.transfers.split('\n')) {
    const [transferId = '', ...found] = line.split('\t');
    const should = expected.get(transferId);
    expected.delete(transferId);
    if (should === undefined) tell('transfers', null, `${transferId} is not of its history`);
    else if (textOf(should) !== found.join(' ')) {
      const compared = { expected: textOf(should), found: found.join(' ') };
      tell('transfers', null, `${transferId} does not match its history`, compared);
    }
  }
  for (const transferId of expected.keys()) tell('transfers', null, `${transferId} is missing`);
}

const textOf = ({ organizationId, what, servicerId, toOrganizationId, toLenderId, date, state }: Row): string =>
  [organizationId, what, servicerId, toOrganizationId, toLenderId, date, state].join(' ');

/** As `saveTransfer` leaves them. */
function rowsOf(events: readonly LoanEvent[], first: string): Map<string, Row> {
  const rows = new Map<string, Row>();
  let organizationId = first;
  const set = (transferId: string, state: State) => {
    const known = rows.get(transferId);
    if (known !== undefined) rows.set(transferId, { ...known, state });
  };
  const endOthers = (transferId: string, what: Row['what']) => {
    for (const [id, one] of rows) {
      if (id !== transferId && one.what === what && OPEN.includes(one.state)) set(id, 'cancelled');
    }
  };
  for (const event of events.filter(isTransfer)) {
    const { transferId } = event;
    const isNew = !rows.has(transferId);
    switch (event.type) {
      case 'transferScheduled': {
        const { what, to, on: date } = event;
        const state = what === 'servicer' ? 'scheduled' : 'offered';
        const named =
          typeof to === 'string'
            ? { ...NOBODY, servicerId: to }
            : { servicerId: '', toOrganizationId: to.organizationId, toLenderId: to.lenderId };
        endOthers(transferId, what);
        rows.set(transferId, { organizationId, what, ...named, date, state });
        break;
      }
      case 'transferAccepted':
        set(transferId, 'accepted');
        break;
      case 'transferCancelled':
        set(transferId, 'cancelled');
        break;
      case 'transferred':
        if (changesOwner(event)) {
          set(transferId, 'done');
          endOthers(transferId, 'servicer');
          ({ organizationId } = event.to);
        } else if (isNew) {
          endOthers(transferId, 'servicer');
          const named = { ...NOBODY, servicerId: event.to };
          rows.set(transferId, { organizationId, what: 'servicer', ...named, date: event.date, state: 'done' });
        } else set(transferId, 'done');
    }
  }
  return rows;
}
