/** A write of a loan: the command and what goes with it, what it changes, and every way in which it can end. */

import type { PartyChanges } from '../../boarding/party-changes.ts';
import type { PlainDate } from '../../core/calendar.ts';
import type { Changed } from '../../core/changes.ts';
import type { CustomChanges } from '../../core/custom-data.ts';
import type { Command, Operation } from '../../core/decide/decide.ts';
import type { LoanEvent } from '../../core/event.ts';
import type { Loan, LoanStatus, Party } from '../../core/loan.ts';
import type { Cents } from '../../core/money.ts';
import type { Disbursement } from '../../core/origination.ts';
import type { OVERRIDE } from '../../core/overrides.ts';
import type { Mistakes } from '../../core/reader.ts';
import type { Refusal } from '../../core/refusal.ts';
import type { DatedLine } from '../../ledger/journal.ts';
import type { AuditEntry } from '../../store/audit/audit.ts';
import type { Keep, Key } from '../../store/door/idempotency.ts';
import type { AssessedParts } from '../../store/door/save-loans.ts';
import type { TransferState } from '../../store/door/save-transfers.ts';
import type { PartyChangeRow } from '../../store/people/parties.ts';

export type { Keep, Need } from '../../store/door/idempotency.ts';

export type WriteOptions = {
  readonly dryRun: boolean;
  /** The version that the caller saw (If-Match); null: any. */
  readonly ifVersion: number | null;
  /** `request` is everything the call said, as text; only a keyed hash of both is kept. */
  readonly idempotency: { readonly key: string; readonly request: string } | null;
  /** The approval by which it is carried out; absent: none. */
  readonly approval?: Approving;
};

/** The change that a command has made, or would make. */
export type Change = {
  readonly loanId: string;
  /** The hash of the last event; for a repeated command, of the event that the first call recorded. */
  readonly transactionHash: string;
  readonly version: number;
  /** After it, on the day of the command; for a repeated command as it was right after the first time. */
  readonly loan: Loan;
  readonly status: LoanStatus;
  readonly events: readonly LoanEvent[];
  readonly journal: readonly DatedLine[];
  readonly repeated: boolean;
  /** Facts that were true already and are not any more; null for a command that looks only ahead. */
  readonly changes: readonly Changed[] | null;
  /** The transfer that the command schedules, accepts, cancels or carries out, or the one that is scheduled. */
  readonly transfer?: { readonly transferId: string; readonly state: TransferState; readonly date: PlainDate };
  /** For a dry run only: whether the write would need an approval. */
  readonly approval?: boolean;
  /** The data that an application lacks, which was therefore not assessed when its underwriting started. */
  readonly unassessed?: string;
  /** The run of underwriting that it has made, and the run on whose reports that stands. */
  readonly run?: { readonly run: number; readonly reportsOf: number };
};

/** The engine's command, or one that becomes the engine's on its way there. */
export type LoanCommand =
  | Command
  /** With the record of an earlier servicer, which is read once the loan is known. */
  | {
      readonly do: 'fund-loan';
      readonly metadata: object;
      readonly disbursements: readonly Disbursement[] | null;
    }
  /** Sealed before it queues. */
  | {
      readonly do: 'update-party';
      readonly party: Party;
      readonly changes: PartyChanges;
      readonly date: PlainDate | null;
      readonly reason: string;
    }
  /** Merged with what is there, and sealed beside its event. */
  | { readonly do: 'update-custom-data'; readonly set: CustomChanges; readonly reasoned: boolean }
  /** The engine knows the transaction by its position, which the write path finds. */
  | {
      readonly do: 'undo';
      readonly transactionHash: string;
      readonly reason: string;
      readonly chargeRetroactive?: boolean;
    };

/** `answer` makes the text that is answered, and kept for an idempotency key, from what was done. It must be pure. */
export type Write = {
  readonly loanId: string;
  readonly command: LoanCommand;
  /** The caller's reason, sealed beside the event. */
  readonly reason: string | null;
  /** Details that may name a person, sealed with the reason. */
  readonly details?: Readonly<Record<string, string>> | null;
  readonly answer: (change: Change) => string;
  /** The parts of a request for approval; absent: a write that needs an approval is refused. */
  readonly approvable?: Approvable<Change>;
  /** The version of the loan, and its day, that what is written was prepared from: on any other it is not written. */
  readonly basis?: { readonly version: number; readonly today: PlainDate };
  /** The results of an underwriting run, sealed and ready: stored with the event. */
  readonly assessed?: {
    readonly parts: AssessedParts;
    readonly commitments: Readonly<Record<string, string>>;
  };
  /** New contact data of a party, sealed and ready: stored with the event that names its commitment. */
  readonly partyChange?: PartyChangeRow;
  /** All members of the custom data after it are the details that are sealed with it. */
  readonly customData?: MergedCustomData;
};

/** Custom data that was merged with what an organization had with the loan: written only while that is the owner, and had nothing newer. */
export type MergedCustomData = {
  readonly organizationId: string;
  /** The time at which its last update was recorded; null: there was none. */
  readonly since: string | null;
  /** By which the loan is found from then on. */
  readonly digests: readonly Uint8Array[];
};

/** Nothing can be written now, whatever it is. */
export type Unavailable = {
  readonly kind: 'unavailable';
  readonly detail: string;
  readonly retryAfterSeconds: number;
};

/** Whether the database was set back to an older copy: found by what this process remembers of it, or by others. */
export type SetBackWatch = {
  /** The reason that nothing is written until the operator has accepted it; null: there is none. */
  problem(): string | null;
  /** The database lacks something that this process has read from it or committed to it. */
  noticed(): void;
};

export type Outcome =
  /** `assessed`: an assessment was made for it, or computed again. */
  | { readonly kind: 'done'; readonly text: string; readonly change: Change; readonly assessed?: true }
  /** The stored answer of the first call with this idempotency key, and the version of the loan after it. */
  | { readonly kind: 'replayed'; readonly text: string; readonly loanId: string; readonly version: number | null }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** Values of the request are wrong, each with its pointer. */
  | { readonly kind: 'mistaken'; readonly wrong: Mistakes }
  | { readonly kind: 'missing' }
  /** The loan can be seen, but this needs a scope, or more than the grant gives. */
  | { readonly kind: 'denied'; readonly needs: 'scope'; readonly scope: string }
  /** `ownership`: the loan was transferred to another owner. `key`: it opens personal data to another organization. */
  | { readonly kind: 'denied'; readonly needs: 'grant' | 'ownership' | 'key' }
  | { readonly kind: 'key_reused' }
  | { readonly kind: 'key_running' }
  | { readonly kind: 'version'; readonly version: number }
  /** `loanId`: of the loan that there is. */
  | { readonly kind: 'application_exists'; readonly loanId: string }
  /** The credit bureau gave no report; nothing has changed. */
  | { readonly kind: 'bureau_failed'; readonly detail: string; readonly retryable: boolean }
  /** The loan has changed since what is written was prepared from it (`Write.basis`), or a new day has begun: the caller must prepare it again. */
  | { readonly kind: 'overtaken' }
  /**
   * Not done, and not taken: as many writes as may wait do, for this loan or of this organization, or in all. The loan may also be
   * changing faster than it can be decided on (`everyone`).
   */
  | { readonly kind: 'busy'; readonly whose: 'loan' | 'organization' | 'everyone' }
  | ApprovalOutcome
  | Unavailable;

/** A dry run answers what would be stored, and stores nothing. */
export type HowWritten = { readonly dryRun: boolean; readonly keep: Keep };

/** The person or client that requested or decided it. */
export type ApprovalParty = {
  readonly organizationId: string;
  readonly clientId: string;
  /** Null: the client acted by itself. */
  readonly userId: string | null;
};

/** The party as an organization sees it: people of another one are its own affair, and their ids are not shown. */
export function partySeenBy(
  { organizationId }: { readonly organizationId: string },
  party: ApprovalParty,
): ApprovalParty {
  return party.organizationId === organizationId ? party : { ...party, userId: null };
}

/** The same person, through whichever session or client; or the same client acting by itself. */
export function isBy(
  { clientId, userId }: { readonly clientId: string; readonly userId?: string | null },
  party: ApprovalParty,
): boolean {
  return (userId ?? null) === null && party.userId === null ? clientId === party.clientId : userId === party.userId;
}

/** The parts by which a write can wait for an approval; `Change` is what it would do. */
export type Approvable<Change> = {
  /** The JSON text of its body, and how it is read: with the same ids that were made up for it. */
  readonly source: string;
  readonly fresh: string;
  /** The body as one text (`says.ts`): the same call again is the same request. */
  readonly says: () => string;
  /** The data of its dry run, as JSON. Pure. */
  readonly preview: (change: Change) => string;
};

/** The outcome shown by a request: the preview, and what the operation itself would do (`approval-outcome.ts`), both on the day of the request. */
export type PreviewedOutcome = {
  readonly preview: string;
  readonly previewHash: string;
  readonly facts: string;
  readonly version: number;
  readonly today: PlainDate;
};

/** A write that is not carried out before it is approved. */
export type NeededApproval = PreviewedOutcome & {
  readonly loanId: string;
  /** The owner of the loan. */
  readonly organizationId: string;
  readonly operation: Operation;
  readonly at: string;
  readonly lapsesOn: PlainDate;
};

/** A pending request that is being approved: with it the write path carries out what was requested. */
export type Approving = {
  readonly approvalId: string;
  readonly requestedBy: ApprovalParty;
  /** The idempotency key of the request. */
  readonly key: Pick<Key, 'keyHash' | 'requestHash' | 'forever'> | null;
  readonly shown: PreviewedOutcome;
  readonly lapsesOn: PlainDate;
  /** The hash of a newer preview that the approver has seen; null: what the request has shown counts. */
  readonly previewHash: string | null;
  readonly decidedBy: ApprovalParty;
  /** The reason of the decision, sealed. */
  readonly note: Uint8Array | null;
  /** The approver's, for the audit trail. */
  readonly entry: AuditEntry;
};

/** The outcomes of writes that have to do with approvals. */
export type ApprovalOutcome =
  /** Within this module: it becomes `requested`. */
  | { readonly kind: 'needs_approval'; readonly needed: NeededApproval }
  | { readonly kind: 'requested'; readonly request: RequestedApproval }
  /** The approval was decided or has lapsed in the meantime. */
  | { readonly kind: 'not_pending' }
  /** The outcome now is not the one that was shown. */
  | { readonly kind: 'outcome_changed'; readonly preview: string; readonly previewHash: string }
  /** The policy leaves approvals to people, and a client approves by itself. */
  | { readonly kind: 'person_required' }
  /** This operation, which it brings about, is above what the approver's role allows. */
  | ({ readonly kind: 'above_limit' } & AboveLimit);

export type AboveLimit =
  | { readonly operation: string; readonly amount: Cents | null; readonly limit: Cents }
  /** The respects in which an override is beyond the authority of the role, in words. */
  | { readonly operation: typeof OVERRIDE; readonly beyond: readonly string[] };

export type RequestedApproval = Pick<
  NeededApproval,
  'loanId' | 'operation' | 'preview' | 'previewHash' | 'lapsesOn'
> & {
  readonly approvalId: string;
};
