/**
 * Transfers of a loan to another servicer or owner. A transfer to a servicer takes effect on its date by itself; one to an owner is an offer
 * that the new owner must accept. The write path carries out what is due (`carryOut`); nothing else changes an owner.
 */
import { addDays, type PlainDate } from '../calendar.ts';
import type { Owner } from '../events/transfer.ts';
import { isTransfer, type PlannedTransfer, partiesOf, plannedOn } from '../ownership.ts';
import { policiesBy } from '../references.ts';
import { type Refusal, refuse } from '../refusal.ts';
import { type Decided, type Family, FUNDED, type Situation } from './operation.ts';
import { isBlank } from './refusals.ts';

/** The loan's owner and servicer when the command is decided: the write path fills it in. */
export type Holder = Owner & { readonly servicerId: string };

type TransferRequest = {
  readonly do: 'transfer';
  readonly transferId: string;
  readonly date: PlainDate;
  readonly reason: string;
  readonly from: Holder | null;
};

export type TransferCommand =
  | (TransferRequest & { readonly what: 'servicer'; readonly to: string })
  | (TransferRequest & { readonly what: 'owner'; readonly to: Owner })
  /** Due, by the service itself; of a new owner, not before the day that its clock shows. */
  | {
      readonly do: 'transfer';
      readonly carryOut: string;
      readonly notBefore: PlainDate | null;
      readonly from: Holder | null;
    }
  | { readonly do: 'accept-transfer'; readonly servicerId: string }
  /** Null: whichever is scheduled. */
  | { readonly do: 'cancel-transfer'; readonly what: PlannedTransfer['what'] | null; readonly reason: string | null };

/** The furthest ahead that a transfer may be scheduled. */
const DAYS_AHEAD = 366;

export const transfer: Family<TransferCommand> = {
  transfer: {
    from: FUNDED,
    to: 'unchanged',
    by: 'owner',
    scopes: ['servicing:write', 'loans:write'],
    records: ['transferScheduled', 'transferred'],
    onHistory: true,
    scope: ({ events }) => scopeOf(events[0]),
    refuse(command, { today }) {
      if ('carryOut' in command) return null;
      const { date, reason } = command;
      if (isBlank(reason)) return refuse('reason_required', 'A transfer requires a reason.', { member: 'reason' });
      if (date < today) {
        return refuse('invalid_value', `The date must be today (${today}) or later.`, { member: 'date' });
      }
      if (date > addDays(today, DAYS_AHEAD)) {
        return refuse('invalid_value', `The date must be at most ${DAYS_AHEAD} days ahead.`, { member: 'date' });
      }
      return null;
    },
    decide(situation, command) {
      const { history, when } = situation;
      if (history.events === null) return 'needs_events';
      const parties = partiesOf(history.events);
      if ('carryOut' in command) return carriedOut(situation, parties.planned, command);
      const { transferId, what, to, date } = command;
      const planned = plannedOn(parties, what, when.today);
      if (planned !== null) {
        if (planned.on === date && isSame(planned.to, to)) return [];
        return alreadyPlanned(planned);
      }
      const before = history.events.findLast((event) => isTransfer(event) && event.transferId === transferId);
      if (before?.type === 'transferred') return [];
      if (before !== undefined) {
        return refuse('reference_conflict', 'This transfer was cancelled for this loan; request a new one.');
      }
      const same = isSame(what === 'servicer' ? (command.from?.servicerId ?? '') : (command.from as Owner), to);
      if (same) {
        const detail =
          what === 'servicer' ? 'This servicer already has the loan.' : 'This lender already owns the loan.';
        return refuse('contradiction', detail, { member: 'to' });
      }
      const stamped = { transferId, date: when.today };
      if (command.what === 'servicer') {
        return date === when.today
          ? [{ type: 'transferred', what: 'servicer', to: command.to, ...stamped }]
          : [{ type: 'transferScheduled', what: 'servicer', to: command.to, on: date, ...stamped }];
      }
      return [{ type: 'transferScheduled', what: 'owner', to: ownerOf(command.to), on: date, ...stamped }];
    },
  },

  'accept-transfer': {
    from: FUNDED,
    to: 'unchanged',
    by: 'owner',
    scopes: ['loans:write'],
    records: ['transferAccepted'],
    onHistory: true,
    decide({ history, when }, { servicerId }) {
      if (history.events === null) return 'needs_events';
      const [offer] = partiesOf(history.events).planned.filter(({ what }) => what === 'owner');
      if (offer === undefined) return nothingPlanned('No transfer of this loan to another owner is offered.');
      if (offer.accepted) return [];
      if (offer.on < when.today) {
        return refuse(
          'reference_conflict',
          `The transfer was offered for ${offer.on}, which has passed. Ask the owner for a new offer.`,
        );
      }
      return [{ type: 'transferAccepted', transferId: offer.transferId, servicerId, date: when.today }];
    },
  },

  'cancel-transfer': {
    from: FUNDED,
    to: 'unchanged',
    by: 'owner',
    scopes: ['loans:write', 'servicing:write'],
    records: ['transferCancelled'],
    onHistory: true,
    scope: ({ events }) => scopeOf(events[0]),
    decide({ history, when }, { what }) {
      if (history.events === null) return 'needs_events';
      const found = partiesOf(history.events).planned.filter((one) => what === null || one.what === what);
      const [planned] = found;
      if (planned === undefined) return nothingPlanned('No transfer of this loan is scheduled.');
      if (found.length > 1) {
        return refuse('required', 'A transfer of the owner and one of the servicer are scheduled: give what.', {
          member: 'what',
        });
      }
      return [{ type: 'transferCancelled', transferId: planned.transferId, what: planned.what, date: when.today }];
    },
  },
};

/** Money moves between books only with the scope that creates loans. */
function scopeOf(event: { readonly type: string } | undefined): string {
  return event !== undefined && 'what' in event && event.what === 'owner' ? 'loans:write' : 'servicing:write';
}

function carriedOut(
  { history, when }: Situation,
  planned: readonly PlannedTransfer[],
  { carryOut, from }: { readonly carryOut: string; readonly from: Holder | null },
): Decided {
  const due = planned.find(({ transferId }) => transferId === carryOut);
  if (due === undefined || !due.accepted || from === null) return nothingPlanned('This transfer is not scheduled.');
  if (due.on > when.today) return refuse('invalid_value', `This transfer is scheduled for ${due.on}.`);
  const stamped = { transferId: carryOut, date: when.today };
  if (due.what === 'servicer') return [{ type: 'transferred', what: 'servicer', to: due.to, ...stamped }];
  const policies = policiesBy(history.folding, when.today);
  const owners = { from: ownerOf(from), to: due.to, servicerId: due.servicerId };
  return [
    { type: 'transferred', what: 'owner', ...owners, ...(policies.length === 0 ? {} : { policies }), ...stamped },
  ];
}

const ownerOf = ({ organizationId, lenderId }: Owner): Owner => ({ organizationId, lenderId });

function isSame(a: string | Owner, b: string | Owner): boolean {
  if (typeof a === 'string' || typeof b === 'string') return a === b;
  return a.organizationId === b.organizationId && a.lenderId === b.lenderId;
}

function alreadyPlanned({ what, on, to }: PlannedTransfer): Refusal {
  const whom = typeof to === 'string' ? to : `${to.organizationId} (${to.lenderId})`;
  const kind = what === 'servicer' ? 'servicer' : 'owner';
  const detail = `A transfer of this loan to the ${kind} ${whom} is scheduled for ${on}. Cancel it first with POST /cancel-transfer.`;
  return refuse('reference_conflict', detail, { facts: { date: on } });
}

const nothingPlanned = (detail: string): Refusal => refuse('unknown_reference', detail);
