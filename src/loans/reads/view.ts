/** A loan as it is seen on a day, and its parties then: those of its file, as they are after its transfers. */
import type { LoanFile, Personal, PublicDetails } from '../../boarding/file.ts';
import type { PlainDate } from '../../core/calendar.ts';
import type { History } from '../../core/decide/decide.ts';
import type { LoanEvent } from '../../core/event.ts';
import type { Loan, LoanStatus } from '../../core/loan.ts';
import { type Parties, partiesOf } from '../../core/ownership.ts';
import { partyAddress } from '../../vault/party.ts';
import { type Known, paymentHashesIn } from '../door/loan-cache.ts';

/** A day, or a moment, other than now. */
export type ViewOptions = { readonly asOf: PlainDate | null; readonly knownAt: string | null };

/** A loan as of a date. Contains no personal data. */
export type LoanView = {
  readonly loanId: string;
  readonly organizationId: string;
  readonly version: number;
  readonly file: LoanFile;
  readonly loan: Loan;
  readonly status: LoanStatus;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly startBlock: number;
  /** By `refId`: the transaction that submitted the payment. */
  readonly paymentHashes: ReadonlyMap<string, string>;
  /** The events it is folded from, in the order they were recorded. */
  readonly events: readonly LoanEvent[];
  /** As a former owner sees it: on the last day on which it owned the loan, or before. */
  readonly former?: true;
};

/** The same without its events, and its history as far as it is in memory. */
export type LoanState = Omit<LoanView, 'events'> & { readonly history: () => History };

/**
 * `record` holds the three members after `loanDetails`, as they stand on the wire (UTF-8), in pieces; of an erased borrower they are empty.
 */
export type FullView = {
  readonly view: Omit<LoanView, 'events'>;
  readonly personal: Omit<Personal, 'record' | 'search' | 'customData'>;
  readonly record: readonly Buffer[];
};

/** The data of a public read: no borrower, no personal part, nothing that could hold one. */
export type PublicView = {
  readonly view: Omit<LoanView, 'events' | 'file'> & {
    readonly file: Omit<LoanFile, 'borrowerId' | 'decision' | 'deals'>;
  };
  readonly details: PublicDetails;
  /** `"loanInfo":{…},"Underwriting":{…}` (UTF-8). For an erased borrower all its members are empty, and so are the details. */
  readonly publicPart: Buffer;
};

export function identityOf({ loanId, organizationId, createdAt, startBlock, paymentHashes }: Known) {
  return { loanId, organizationId, createdAt, startBlock, paymentHashes: paymentHashesIn(paymentHashes) };
}

type Named = Pick<LoanFile, 'lenderId' | 'primaryServicerId' | 'secondaryServicerId' | 'loanServicer'>;

/** The servicer's ledger account follows its id; the lender's account is that of the first one. */
export function openPartiesOnDay(partyKey: Uint8Array) {
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

/** The owner whose policy a loan is under on its day: up to the day of a transfer the former owner's. */
export function policyOwner({ loan, events, organizationId, file }: LoanView): {
  organizationId: string;
  lenderId: string;
} {
  const former = partiesOf(events).formerOwners.find(({ until }) => loan.on <= until);
  return former ?? { organizationId, lenderId: file.lenderId };
}
