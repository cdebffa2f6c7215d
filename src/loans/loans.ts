/**
 * The interface of this module: every operation on loans. A loan that the caller may not see does not exist (`missing`). It is longer than other
 * files because the types of all operations are here.
 */
import type { Creation } from '../boarding/creation.ts';
import type { LoanFile, Personal, PublicDetails, SearchTerms } from '../boarding/file.ts';
import type { PartyChanges } from '../boarding/party-changes.ts';
import type { PlainDate } from '../core/calendar.ts';
import type { Changed } from '../core/changes.ts';
import type { DecidedBy } from '../core/credit-decision.ts';
import type { Command, History, Operation } from '../core/decide/decide.ts';
import type { LoanEvent } from '../core/event.ts';
import type { AreaEffect, HoldArea } from '../core/hold-effects.ts';
import type { HOLD_STANDINGS, Hold } from '../core/holds.ts';
import type { DefaultGround, Loan, LoanStatus, OnFile, Party } from '../core/loan.ts';
import type { Cents } from '../core/money.ts';
import type { Mistakes } from '../core/reader.ts';
import type { Refusal } from '../core/refusal.ts';
import type { DatedLine } from '../ledger/journal.ts';
import type { Keep } from '../store/door/idempotency.ts';
import type { AssessedParts } from '../store/door/save-loans.ts';
import type { TransferState } from '../store/door/save-transfers.ts';
import type { PartyChangeRow } from '../store/people/parties.ts';
import type {
  Approvable,
  ApprovalFact,
  ApprovalOutcome,
  Party as ApprovalParty,
  Approvals,
  Approving,
} from './approvals/approvals.ts';
import type { Audit } from './audit/audit.ts';
import type { Books, HowWritten } from './books/books.ts';
import type { Cycles } from './cycle/cycles.ts';
import type { ClockView } from './door/clocks.ts';
import type { Exports } from './exports/exports.ts';
import type { Feed } from './feed/feed.ts';
import type { Block, JournalEntry, LedgerRoot, LedgerTransaction } from './ledger/ledgered.ts';
import type { Market } from './market/market.ts';
import type { DealRow } from './origination/deal-rows.ts';
import type { Offer } from './origination/offer.ts';
import type { Identity } from './people/masked.ts';
import type { Policies } from './policies/policies.ts';
import type { ListFilter, LoanPage, LoanSummary } from './reads/listed.ts';
import type { Portfolio } from './reports/portfolio.ts';
import type { RunAsked, RunStatus, Transfers } from './transfers/transfers.ts';

export type { AuditFilter } from './audit/audit.ts';
export type { Keep };

/** Who asks. */
export type Actor = {
  readonly organizationId: string;
  /** Whose share of places and turns it uses: of a sandbox its maker, otherwise the organization itself. */
  readonly countedFor?: string;
  readonly clientId: string;
  /** The person who acts through the client; absent or null: the client acts by itself. */
  readonly userId?: string | null;
  readonly keyId: string | null;
  readonly scopes: ReadonlySet<string>;
  /** By operation, the amount above which a write of this person needs approval; absent: without limits. */
  readonly limits?: Readonly<Record<string, Cents>>;
  /** What other organizations let this one do with their loans. */
  readonly grants: readonly {
    readonly ownerOrganizationId: string;
    readonly access: 'read' | 'servicing';
    readonly servicerId: string | null;
  }[];
  readonly requestId: string;
  /** The caller's reason for reading personal data. */
  readonly purpose: string;
};

export type WriteOptions = {
  readonly dryRun: boolean;
  /** The version that the caller saw (If-Match); null: any. */
  readonly ifVersion: number | null;
  /** `request` is everything the call said, as text; only a keyed hash of both is kept. */
  readonly idempotency: { readonly key: string; readonly request: string } | null;
  /** The approval by which it is carried out; absent: none. */
  readonly approval?: Approving;
};

/** What a command has done, or would do. */
export type Change = {
  readonly loanId: string;
  /** Of the last event; for a repeated command, of the event that the first call recorded. */
  readonly transactionHash: string;
  readonly version: number;
  /** After it, on the day of the command; for a repeated command as it was right after the first time. */
  readonly loan: Loan;
  readonly status: LoanStatus;
  readonly events: readonly LoanEvent[];
  readonly journal: readonly DatedLine[];
  readonly repeated: boolean;
  /** What was already true and is not any more; null for a command that looks only ahead. */
  readonly changes: readonly Changed[] | null;
  /** The transfer that the command schedules, accepts, cancels or carries out, or the one that is scheduled. */
  readonly transfer?: { readonly transferId: string; readonly state: TransferState; readonly date: PlainDate };
  /** Of a dry run: whether the write would need an approval. */
  readonly approval?: boolean;
  /** What an application lacks, which was therefore not assessed when its underwriting started. */
  readonly unassessed?: string;
};

/** The engine's command, or one that becomes the engine's on its way there. */
export type LoanCommand =
  | Command
  /** With the record of an earlier servicer, which is read once the loan is known. */
  | { readonly do: 'fund-loan'; readonly metadata: object }
  /** Sealed before it queues. */
  | {
      readonly do: 'update-party';
      readonly party: Party;
      readonly changes: PartyChanges;
      readonly date: PlainDate | null;
      readonly reason: string;
    }
  /** The engine knows the transaction by its position, which the write path finds. */
  | { readonly do: 'undo'; readonly transactionHash: string; readonly reason: string };

/** `answer` makes the text that is answered, and kept for an idempotency key, from what was done. It must be pure. */
export type Write = {
  readonly loanId: string;
  readonly command: LoanCommand;
  /** The caller's reason, sealed beside the event. */
  readonly reason: string | null;
  /** Details that may name a person, sealed with the reason. */
  readonly details?: Readonly<Record<string, string>> | null;
  readonly answer: (change: Change) => string;
  /** What a request for approval is made of; absent: what needs an approval is refused. */
  readonly approvable?: Approvable<Change>;
  /** The version of the loan, and its day, that what is written was prepared from: on any other it is not written. */
  readonly basis?: { readonly version: number; readonly today: PlainDate };
  /** What an underwriting run has made, sealed and ready: stored with the event. */
  readonly assessed?: {
    readonly parts: AssessedParts;
    readonly commitments: Readonly<Record<string, string>>;
  };
  /** New contact data of a party, sealed and ready: stored with the event that names its commitment. */
  readonly partyChange?: PartyChangeRow;
};

/** Who signs a notice of adverse action, whose report it was based on, and who supervises the creditor. */
export type NoticeAsked = {
  readonly creditor: NoticeParty;
  readonly bureau: NoticeParty;
  readonly federalAgency: string;
  /** The principal reasons; absent: those of the assessment. */
  readonly reasons?: readonly string[];
};
export type NoticeParty = { readonly name: string; readonly address: string; readonly telephone: string };

/** A loan to be created; `answer` as for a `Write`. */
export type Boarding = Creation & { readonly answer: (change: Change) => string };

/** Nothing can be written now, whatever it is. */
export type Unavailable = {
  readonly kind: 'unavailable';
  readonly detail: string;
  readonly retryAfterSeconds: number;
};

export type Outcome =
  | { readonly kind: 'done'; readonly text: string; readonly change: Change }
  /** The stored answer of the first call with this idempotency key. */
  | { readonly kind: 'replayed'; readonly text: string }
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

/** Of an offer that was asked for. */
export type OfferOutcome =
  | { readonly kind: 'offered'; readonly offer: Offer }
  | Extract<Outcome, { kind: 'refused' | 'mistaken' | 'bureau_failed' }>;

/** A write that belongs to no loan. */
export type OnceAsked<T> = {
  /** `request` is everything the call said, as text. Null: the write is carried out whenever it is sent. */
  readonly idempotency: { readonly key: string; readonly request: string } | null;
  /** The text that is answered, and stored for a repeated call. */
  readonly answer: (done: T) => string;
  /** The answer holds a secret and is never stored, only that there was one. */
  readonly isSecret: boolean;
  /** For the audit trail: the operation's name, and the id of what was changed. Null: nothing is changed (a dry run). */
  readonly audit: { readonly operation: string; readonly subject: (done: T) => string | null } | null;
};

export type OnceOutcome =
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'replayed'; readonly text: string }
  | { readonly kind: 'already_answered' }
  | { readonly kind: 'key_reused' }
  | { readonly kind: 'key_running' };

/** Who asks for a write that belongs to no loan. */
export type OnceAsker = Pick<Actor, 'organizationId' | 'clientId' | 'userId' | 'keyId' | 'requestId'>;

/** `work` hands `keep` to whatever changes the database. What it throws is thrown, and the key is free again. */
export type OnceOnly = <T extends object>(
  asker: OnceAsker,
  once: OnceAsked<T>,
  work: (keep: Keep) => Promise<T>,
) => Promise<OnceOutcome>;

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

/** Whatever the loan's state, `grant`: the actor's role does not include it; `ownership`: the actor is a former owner. */
export type NotAllowed = { readonly operation: Operation; readonly refusal: Refusal | 'grant' | 'ownership' };

export type Allowed = {
  readonly view: LoanState;
  readonly allowed: readonly Operation[];
  readonly notAllowed: readonly NotAllowed[];
};

/**
 * `record` holds the three members after `loanDetails`, as they stand on the wire (UTF-8), in pieces; of an erased borrower they are empty.
 */
export type FullView = {
  readonly view: Omit<LoanView, 'events'>;
  readonly personal: Omit<Personal, 'record' | 'search'>;
  readonly record: readonly Buffer[];
};

/** What a public read is made of: no borrower, no personal part, nothing that could hold one. */
export type PublicView = {
  readonly view: Omit<LoanView, 'events' | 'file'> & {
    readonly file: Omit<LoanFile, 'borrowerId' | 'decision' | 'deals'>;
  };
  readonly details: PublicDetails;
  /** `"loanInfo":{…},"Underwriting":{…}` (UTF-8). Of an erased borrower all its members are empty, and so are the details. */
  readonly publicPart: Buffer;
};

export type { DealForecast, DealPricing, DealRow } from './origination/deal-rows.ts';
export { type ListFilter, type LoanPage, type LoanSummary, SORTS, type Sort } from './reads/listed.ts';

/** One fact of a loan. */
export type TimelineItem = {
  /** Null, like the transaction: a request for approval, or a decision on one. */
  readonly sequence: number | null;
  readonly type: LoanEvent['type'] | ApprovalFact;
  readonly date: PlainDate;
  readonly recordedAt: string;
  readonly clientId: string;
  readonly userId: string | null;
  readonly transactionHash: string | null;
  /** Of a payment, a fee or a quote. */
  readonly reference: string | null;
  readonly amount: Cents | null;
  /** The transaction that this one undid, and the one by which this one was undone; null: none. */
  readonly undoes: string | null;
  readonly undoneBy: string | null;
  /** Of a default. */
  readonly ground: DefaultGround | null;
  /** Of a decision on the application: by whom or what, on which deal, and what the assessment had said of it; null: not assessed. */
  readonly decision: {
    readonly by: DecidedBy;
    readonly dealIndex: number;
    readonly assessment: OnFile['decision'];
  } | null;
  /** The policy limits that it exceeded by an override. */
  readonly overrode: readonly string[];
  /** The approval by which it was carried out, or that was requested or decided; null: none. */
  readonly approvalId: string | null;
  /** Of what was carried out by an approval: who approved it. */
  readonly approvedBy: ApprovalParty | null;
  /** Of a request or a decision: the operation that was requested. */
  readonly operation: string | null;
  /** What it posted in the general ledger. */
  readonly lines: readonly JournalEntry[];
  readonly reasonGiven: boolean;
  /** Null also where the caller may not see it. */
  readonly reason: string | null;
};

/** A hold, and what it changes while it is in force. */
export type HoldItem = {
  readonly hold: Hold;
  readonly standing: (typeof HOLD_STANDINGS)[number];
  readonly effects: readonly (AreaEffect & { readonly area: HoldArea })[];
  /** Null also where the caller may not see them. */
  readonly details: Readonly<Record<string, string>> | null;
  readonly reason: string | null;
};

export type { Block, JournalEntry, LedgerRoot, LedgerTransaction } from './ledger/ledgered.ts';

export type Disclosed = {
  readonly at: string;
  readonly organizationId: string;
  readonly clientId: string;
  readonly userId: string | null;
  readonly keyId: string | null;
  readonly what: string;
  readonly purpose: string;
  readonly requestId: string;
};

/** Why a transfer of many loans was not begun. */
export type NotStarted = Extract<Outcome, { kind: 'refused' | 'denied' | 'unavailable' }>;

export type Loans = {
  /** The clock of an organization; its loans follow it, for every caller. */
  clock(organizationId: string): Promise<ClockView>;
  /** The zone is in force from the organization's next business day on. */
  setTimeZone(organizationId: string, timeZone: string, keep?: Keep): Promise<ClockView | Refusal | Unavailable>;
  /**
   * Moves a test clock forward, and runs the cycle of each day that ends. Answers when the date is reached, or after 20 seconds with the date that it
   * has reached, while it continues.
   */
  advanceClock(organizationId: string, to: PlainDate): Promise<ClockView | Refusal | Unavailable>;
  /** Every write that belongs to no loan, once under its idempotency key. */
  once: OnceOnly;
  audit: Audit;
  /** `source` is the JSON of a creation that was checked against its schema, as text or in UTF-8. */
  create(
    actor: Actor,
    given: { readonly source: string | Uint8Array; readonly answer: (change: Change) => string },
    options: WriteOptions,
  ): Promise<Outcome>;
  /** Every change of a loan. An application whose underwriting starts is assessed first. */
  write(actor: Actor, write: Write, options: WriteOptions): Promise<Outcome>;
  /** Null: no such loan, or not visible to the actor. `before`: the requested date or time is before the loan was recorded. */
  read(actor: Actor, loanId: string, options: ViewOptions): Promise<LoanView | 'before' | null>;
  /** The same without its events; of today it needs no fold when this process knows the present version. */
  readState(actor: Actor, loanId: string, options: ViewOptions): Promise<LoanState | 'before' | null>;
  /** What the actor can do with the loan on that date, and for every other operation the reason. */
  allowed(actor: Actor, loanId: string, options: ViewOptions): Promise<Allowed | 'before' | null>;
  /** Leaves a durable entry before it answers. */
  readFull(actor: Actor, loanId: string, options: ViewOptions): Promise<FullView | 'before' | null>;
  readPublic(actor: Actor, loanId: string, options: ViewOptions): Promise<PublicView | 'before' | null>;
  /** Masked, for a caller with `loans:read_pii`; no entry is made. */
  identity(actor: Actor, loanId: string): Promise<Identity | null>;
  /** With reasons, and then with a durable entry, for a caller with `loans:read_pii` and a key. */
  deals(actor: Actor, loanId: string): Promise<{ version: number; items: DealRow[]; disclosed: boolean } | null>;
  /** The expected cash flows of a deal as CSV; `none`: the loan was not assessed here, its borrower was erased, or it has no such deal. */
  dealCashflows(
    actor: Actor,
    loanId: string,
    dealIndex: number,
  ): Promise<{ version: number; csv: string } | 'none' | null>;
  /** The decision on an application and its deals; nothing is stored. `source` as for `create`, of an offer. */
  calculateOffer(actor: Actor, given: { readonly source: Uint8Array }): Promise<OfferOutcome>;
  timeline(
    actor: Actor,
    loanId: string,
    options: ViewOptions,
  ): Promise<{ view: LoanView; items: TimelineItem[]; disclosed: boolean } | 'before' | null>;
  /** With details and reasons, and then with a durable entry, for a caller with `loans:read_pii` and a key. */
  holds(
    actor: Actor,
    loanId: string,
    options: ViewOptions,
  ): Promise<{ view: LoanView; items: HoldItem[]; disclosed: boolean } | 'before' | null>;
  /** The nth stored report of the credit bureau, a PDF; `none`: there is no such. Leaves a durable entry before it answers. */
  report(actor: Actor, loanId: string, n: number): Promise<Uint8Array | 'none' | null>;
  /** Null: no such loan; `none`: nothing is owed; `reasons`: the caller must give them. Leaves a durable entry before it answers. */
  notice(
    actor: Actor,
    loanId: string,
    asked: NoticeAsked,
  ): Promise<{ text: string } | Refusal | 'none' | 'reasons' | null>;
  /** Published loans, for everybody. */
  market: Market<Actor, PublicView>;
  list(actor: Actor, filter: ListFilter): Promise<LoanPage | 'bad_cursor'>;
  search(actor: Actor, terms: SearchTerms): Promise<LoanSummary[]>;
  transactions(actor: Actor, loanId: string): Promise<LedgerTransaction[] | null>;
  transaction(actor: Actor, hash: string): Promise<LedgerTransaction | null>;
  block(actor: Actor, number: number): Promise<{ block: Block | null; number: number; transactions: string[] } | null>;
  /** The newest first; `before` a number, or null for the newest. */
  roots(before: number | null, limit: number): Promise<LedgerRoot[]>;
  journal(actor: Actor, loanId: string): Promise<JournalEntry[] | null>;
  approvals: Approvals<Actor>;
  /** Every fact of the loans that an organization may see, in one order. */
  feed: Feed;
  transfers: Transfers;
  /** Begins a transfer or acceptance of many loans, which goes on in the background. */
  startTransfers(actor: Actor, asked: RunAsked, how: HowWritten): Promise<RunStatus | NotStarted>;
  /** How far it is, with the refused loans after one of them; null: no such transfer of the actor's organization. */
  transferRun(
    actor: Actor,
    transferId: string,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<RunStatus | null>;
  /** Whole tables, for callers that keep a copy. */
  exports: Exports<Actor>;
  /** The books of the actor's organization. */
  books: Books;
  portfolio: Portfolio;
  /** Its nightly cycles. */
  cycles: Cycles;
  /** Its servicing policies. */
  policies: Omit<Policies, 'add'> & {
    add(...asked: Parameters<Policies['add']>): Promise<Awaited<ReturnType<Policies['add']>> | Unavailable>;
  };
  disclosures(
    actor: Actor,
    loanId: string,
  ): Promise<{ items: Disclosed[]; reasons: { transactionHash: string; at: string; reason: string }[] } | null>;
  /** Waits for what is under way; nothing more is taken. */
  close(): Promise<void>;
};
