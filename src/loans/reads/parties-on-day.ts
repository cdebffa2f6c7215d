/** The parties in the file of a loan, as they are after its transfers. */
import type { LoanFile } from '../../boarding/file.ts';
import type { LoanEvent } from '../../core/event.ts';
import type { Loan } from '../../core/loan.ts';
import { type Parties, partiesOf } from '../../core/ownership.ts';
import { partyAddress } from '../../vault/party.ts';
import type { Known } from '../door/loan-cache.ts';
import type { LoanView } from '../loans.ts';

type Named = Pick<LoanFile, 'lenderId' | 'primaryServicerId' | 'secondaryServicerId' | 'loanServicer'>;

/** The servicer's ledger account follows its id; the lender's account is that of the first one. */
export function openParties(partyKey: Uint8Array) {
  return <F extends Named>(
    file: F,
    { parties, organizationId }: Pick<Known, 'parties' | 'organizationId'>,
    then: Parties = parties,
  ): F => {
    const { lenderId, primaryServicerId, secondaryServicerId } = then;
    if (lenderId === null && primaryServicerId === null) return file;
    const present = {
      lenderId: lenderId ?? file.lenderId,
      primaryServicerId: primaryServicerId ?? file.primaryServicerId,
      secondaryServicerId: secondaryServicerId ?? file.secondaryServicerId,
    };
    const owner = parties.formerOwners[then.formerOwners.length]?.organizationId ?? organizationId;
    const servicer = present.primaryServicerId || present.lenderId;
    return { ...file, ...present, loanServicer: partyAddress(partyKey, owner, 'servicer', servicer) };
  };
}

/** As of the day of a view: a transfer takes effect on the day on which it was carried out. */
export function partiesThen({ events, loan }: { events: readonly LoanEvent[]; loan: Loan }): Parties {
  return partiesOf(events.filter(({ date }) => date <= loan.on));
}

/** Whose policy a loan is under on its day: up to the day of a transfer the former owner's. */
export function policyOwner({ loan, events, organizationId, file }: LoanView): {
  organizationId: string;
  lenderId: string;
} {
  const former = partiesOf(events).formerOwners.find(({ until }) => loan.on <= until);
  return former ?? { organizationId, lenderId: file.lenderId };
}
