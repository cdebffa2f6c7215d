/** Transfers of many loans: what is scheduled, offered and done. */
import { listTransfers } from '../../store/transfers/transfers.ts';
import type { FairReads } from '../door/fair-reads.ts';
import type { Transfers } from './transfers.ts';

export function openTransfers({ reads }: { reads: FairReads }): Transfers {
  return {
    async list(asker, filter) {
      const rows = await listTransfers(reads(asker), { ...filter, organizationId: asker.organizationId });
      return rows.map(({ toServicerId, toOrganizationId, toLenderId, scheduledAt, changedAt, ...row }) => ({
        ...row,
        to: toServicerId ?? { organizationId: toOrganizationId ?? '', lenderId: toLenderId ?? '' },
        scheduledAt: scheduledAt.toISOString(),
        changedAt: changedAt.toISOString(),
      }));
    },
  };
}
