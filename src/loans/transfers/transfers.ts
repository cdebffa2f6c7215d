/** Transfers of loans to another servicer or owner: offered, scheduled, carried out when they are due; of one loan or of many. */

import type { PlainDate } from '../../core/calendar.ts';
import type { TransferState } from '../../store/door/save-transfers.ts';
import { listTransfers } from '../../store/transfers/transfers.ts';
import type { Actor, Asker, AskRights } from '../door/actor.ts';
import type { Door, Writer } from '../door/door.ts';
import type { HowWritten, Outcome, Write, WriteOptions } from '../door/write.ts';
import { type DueOptions, openDueTransfers } from './due.ts';
import { openOffers } from './offers.ts';
import { openRuns, type RunStatus, type RunsOptions, type TransferNotStarted, type TransferOrder } from './runs.ts';

export const TRANSFER_STATES = [
  'scheduled',
  'offered',
  'accepted',
  'cancelled',
  'done',
] as const satisfies readonly TransferState[];

/** A loan that is transferred. */
export type TransferItem = {
  readonly transferId: string;
  readonly loanId: string;
  /** The owner that transfers it. */
  readonly organizationId: string;
  readonly what: 'servicer' | 'owner';
  readonly to: string | { readonly organizationId: string; readonly lenderId: string };
  readonly date: PlainDate;
  readonly state: TransferState;
  readonly scheduledAt: string;
  readonly changedAt: string;
};

export type TransferFilter = {
  /** `in`: offered to the actor's organization; `out`: scheduled by it. */
  readonly direction: 'in' | 'out';
  readonly transferId: string | null;
  readonly state: TransferState | null;
  readonly after: { readonly transferId: string; readonly loanId: string } | null;
  readonly limit: number;
};

export type TransfersOptions = Door & {
  listLoans: RunsOptions['list'];
  write: Writer;
  reach: DueOptions['reach'];
  /** Null: transfers of many loans are left to other processes. */
  rightsNow: AskRights | null;
};

export type Transfers = ReturnType<typeof openTransfers>;

export function openTransfers({ listLoans, write, reach, rightsNow, ...door }: TransfersOptions) {
  const { reads, queue, unavailable } = door;
  const { refuseOffer, refuseRun } = openOffers(door);
  const runs = openRuns({ ...door, list: listLoans, write, rightsNow });
  const carryOut = openDueTransfers({ ...door, reach, write: queue.write });
  return {
    service: {
      list,
      start,
      /** The state of a run, with its refused loans after one of them; null: no such transfer of the actor's organization. */
      run: runs.status,
      /** Goes on with transfers of many loans that no other process carries out; returns the number of loans that were settled. */
      goOn: async (stopped?: () => boolean): Promise<number> => (unavailable() === null ? runs.carryOn(stopped) : 0),
      /** Carries out the transfers that are due, of one owner or of all; returns their number. */
      carryOutDue: async (organizationId?: string): Promise<number> =>
        unavailable() === null ? carryOut(organizationId) : 0,
    },
    /** Commands that are prepared here on their way through the door. */
    prepared: { transfer: offer },
  };

  async function list(asker: Asker, filter: TransferFilter): Promise<TransferItem[]> {
    const rows = await listTransfers(reads(asker), { ...filter, organizationId: asker.organizationId });
    return rows.map(({ toServicerId, toOrganizationId, toLenderId, scheduledAt, changedAt, ...row }) => ({
      ...row,
      to: toServicerId ?? { organizationId: toOrganizationId ?? '', lenderId: toLenderId ?? '' },
      scheduledAt: scheduledAt.toISOString(),
      changedAt: changedAt.toISOString(),
    }));
  }

  /** Schedules a transfer of one loan, if it can be offered at all. */
  async function offer(actor: Actor, asked: Write, how: WriteOptions): Promise<Outcome> {
    return (await refuseOffer(actor, asked.command)) ?? queue.write(actor, asked, how);
  }

  /** Begins a transfer or acceptance of many loans, which goes on in the background. */
  async function start(actor: Actor, order: TransferOrder, how: HowWritten): Promise<RunStatus | TransferNotStarted> {
    return unavailable() ?? (await refuseRun(actor, order)) ?? runs.start(actor, order, how);
  }
}
