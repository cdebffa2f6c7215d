/** Requests for approval are stored here, read, and decided; what is approved goes through the write path like every other write. */
import { createHmac } from 'node:crypto';
import type { PlainDate } from '../../core/calendar.ts';
import { refuse } from '../../core/refusal.ts';
import {
  type ApprovalRow,
  type ApprovalsQuery,
  addApproval,
  countPending,
  listApprovals,
  ownersAsked,
  readApproval,
  rejectApproval,
} from '../../store/approvals/approvals.ts';
import type { AuditEntry } from '../../store/audit/audit.ts';
import type { Db } from '../../store/db/db.ts';
import { loadLoans, readDataKeys } from '../../store/door/loans.ts';
import { disclose } from '../../vault/disclose.ts';
import { type DataKey, dataKeyOf, type MasterKeys } from '../../vault/master-keys.ts';
import { sealNote, sealRequest, unsealRequest } from '../../vault/seal.ts';
import type { Actor } from '../door/actor.ts';
import { type Clocks, todayBy, whenOfLoan } from '../door/clocks.ts';
import type { Writer } from '../door/door.ts';
import type { FairReads } from '../door/fair-reads.ts';
import type { CallKey } from '../door/keys.ts';
import { fromStored, type Known } from '../door/loan-cache.ts';
import type { OnceOnly } from '../door/once.ts';
import { maySeePersonal, refusedFor, roleOf } from '../door/permissions.ts';
import type { WriteQueue } from '../door/queue.ts';
import type { Approvable, Approving, Change, NeededApproval, Outcome, Write } from '../door/write.ts';
import type { DisclosureBook } from '../people/disclosures.ts';
import { bodyShown } from './body.ts';
import { type OrganizationApproval, openOrganizationApprovals } from './organization-approvals.ts';
import { cursorIn, cursorOf, newestFirst } from './page.ts';
import { areOneParty, partyOf } from './parties.ts';
import { type ApprovalState, type ApprovalView, approvalViewOf, seenBy } from './view.ts';

export type AnyApproval = ApprovalView | OrganizationApproval;

export type ShownApproval = {
  readonly approval: ApprovalView;
  /** Null: the borrower was erased, and the body with them. */
  readonly body: Readonly<Record<string, unknown>> | null;
  readonly disclosed: boolean;
};

export type ApprovalFilter = {
  /** The operations on no loan whose requests are among them. */
  readonly operations: readonly string[];
  readonly state: ApprovalState | null;
  readonly loanId: string | null;
  readonly limit: number;
  readonly cursor: string | null;
};

/** The reason that a caller cannot decide on a request now. */
export type Undecidable =
  | { readonly kind: 'own_request' }
  | { readonly kind: 'decided'; readonly approval: ApprovalView }
  | { readonly kind: 'lapsed'; readonly approval: ApprovalView }
  | { readonly kind: 'denied'; readonly needs: 'grant' | 'ownership' }
  /** The borrower was erased, and the request with it. */
  | { readonly kind: 'erased' };

/** A request that the caller may approve, as it was sent. */
export type ToApprove = {
  readonly kind: 'open';
  readonly source: string;
  readonly fresh: string;
  readonly approving: Approving;
};

export type ApprovalsOptions = {
  db: Db;
  reads: FairReads;
  clock: () => number;
  clocks: Clocks;
  masterKeys: MasterKeys;
  /** `idempotency` recognises the same call. */
  secrets: { readonly idempotency: Uint8Array };
  queue: Pick<WriteQueue, 'keyOf'>;
  once: OnceOnly;
  book: DisclosureBook;
};

/** The part of a request that is sealed. */
export type Sealed = Pick<Approvable<Change>, 'source' | 'fresh'>;

/** Requests of one loan that may be pending. */
const PENDING_AT_MOST = 100;
/** Times that a call is decided again because its loan changed before the request was stored. */
const ATTEMPTS = 5;

export function openApprovals({ db, reads, clock, clocks, masterKeys, secrets, queue, once, book }: ApprovalsOptions) {
  const organization = openOrganizationApprovals({ db, reads, clock, clocks, once, secrets });
  return { service: { list, read, show, open, reject, countPending: pendingOf, organization }, requesting };

  /** The writer that stores a request where a write needs an approval. */
  function requesting(writerOf: (operation: Write['command']['do']) => Writer): Writer {
    return async function write(actor, asked, how) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const send = writerOf(asked.command.do);
        const outcome = await (how.approval === undefined ? send : approved(send))(actor, asked, how);
        if (outcome.kind !== 'needs_approval' || asked.approvable === undefined) return outcome;
        const key = queue.keyOf(actor, asked.command.do, how.idempotency);
        const requested = await request(actor, { ...asked, approvable: asked.approvable }, outcome.needed, key);
        if (requested !== null) return requested;
      }
      return { kind: 'busy', whose: 'everyone' };
    };

    /** The requester may have used the key for another call since; and for this one, if it needed no approval any more. */
    function approved(send: Writer): Writer {
      return async (actor, asked, how) => {
        const outcome = await send(actor, asked, how);
        if (outcome.kind === 'replayed') return { kind: 'not_pending' };
        if (outcome.kind !== 'key_reused' || how.approval === undefined) return outcome;
        return send(actor, asked, { ...how, approval: { ...how.approval, key: null } });
      };
    }
  }

  /** Null: the loan has changed since. */
  async function request(
    actor: Actor,
    { approvable: { source, fresh, says }, reason }: Pick<Write, 'reason'> & { approvable: Approvable<Change> },
    needed: NeededApproval,
    key: CallKey | null,
  ): Promise<Outcome | null> {
    const { loanId, operation } = needed;
    const dataKey = await keyOfLoan(loanId);
    if (dataKey === null) {
      const detail = 'The borrower of this loan was erased, so a request for approval cannot be stored.';
      return { kind: 'refused', refusal: refuse('approval_required', detail) };
    }
    const caller = actor.userId ?? actor.clientId;
    const call = `approval\n${caller}\n${operation}\n${says()}`;
    const request = {
      loanId,
      organizationId: needed.organizationId,
      operation,
      version: needed.version,
      requestedOrganizationId: actor.organizationId,
      requestedClientId: actor.clientId,
      requestedUserId: actor.userId ?? null,
      requestedAt: new Date(needed.at),
      requestedOn: needed.today,
      lapsesOn: needed.lapsesOn,
      requestDigest: `0x${createHmac('sha256', secrets.idempotency).update(call).digest('hex')}`,
      request: sealRequest(dataKey, loanId, JSON.stringify({ source, fresh } satisfies Sealed)),
      reasonGiven: reason !== null,
      preview: needed.preview,
      previewHash: needed.previewHash,
      facts: needed.facts,
      keyHash: key?.keyHash ?? null,
      keyRequestHash: key?.requestHash ?? null,
      keyForever: key?.forever ?? null,
    };
    const entry = entryOf(actor, needed, { operation, outcome: 'approval_requested' });
    const row = await addApproval(db, request, { entry, most: PENDING_AT_MOST });
    if (row === 'too_many') {
      const detail = `${PENDING_AT_MOST} requests of this loan wait for an approval, which is the most; decide on some of them first.`;
      return { kind: 'refused', refusal: refuse('approval_required', detail, { retryable: true }) };
    }
    return row === null ? null : { kind: 'requested', request: approvalViewOf(row, needed.today) };
  }

  async function keyOfLoan(loanId: string): Promise<DataKey | null> {
    const part = (await readDataKeys(db, [loanId])).get(loanId);
    return part === undefined ? null : dataKeyOf(masterKeys, part, loanId);
  }

  /** The newest first: those of loans, for whoever reads loans, and those of no loan. */
  async function list(
    actor: Actor,
    { operations, ...filter }: ApprovalFilter,
  ): Promise<{ items: readonly AnyApproval[]; nextCursor: string | null } | 'bad_cursor'> {
    const { state, loanId, limit, cursor } = filter;
    const before = cursor === null ? null : cursorIn(cursor);
    if (before === undefined) return 'bad_cursor';
    const asked = { state, before, limit: limit + 1 };
    const ofLoans = actor.scopes.has('loans:read') ? await listOfLoans(actor, { ...asked, loanId }) : [];
    const ofNone = loanId === null ? await organization.list(actor, { ...asked, operations }) : [];
    const items = [...ofLoans, ...ofNone].sort(newestFirst).slice(0, limit);
    const last = ofLoans.length + ofNone.length > limit ? items.at(-1) : undefined;
    return { items, nextCursor: last === undefined ? null : cursorOf(last) };
  }

  async function listOfLoans(
    actor: Actor,
    asked: Pick<ApprovalsQuery, 'state' | 'loanId' | 'before' | 'limit'>,
  ): Promise<ApprovalView[]> {
    const { organizationId, grants } = actor;
    const sql = reads(actor);
    const others = await ownersAsked(sql, organizationId);
    const ids = new Set([organizationId, ...grants.map((one) => one.ownerOrganizationId), ...others]);
    const clockOf = await clocks.of(ids);
    const owners = [...clockOf].map(([id, one]) => ({ organizationId: id, today: todayBy(one, clock()) }));
    const todayOf = new Map(owners.map((one) => [one.organizationId, one.today]));
    const rows = await listApprovals(sql, { ...asked, organizationId, owners, grants });
    return rows.map((row) => seenBy(actor, approvalViewOf(row, todayOf.get(row.organizationId) as PlainDate)));
  }

  /** Null: there is none, or the actor may not see it. */
  async function read(actor: Actor, approvalId: string): Promise<ApprovalView | null> {
    const view = (await find(actor, approvalId))?.view;
    return view === undefined ? null : seenBy(actor, view);
  }

  /** With the body of the call; what may name a person only for callers that may see personal data, which is then a disclosure. */
  async function show(actor: Actor, approvalId: string): Promise<ShownApproval | null> {
    const found = await find(actor, approvalId);
    if (found === null) return null;
    const { row, known, view } = found;
    const approval = seenBy(actor, view);
    const { loanId } = row;
    const dataKey = await keyOfLoan(loanId);
    if (dataKey === null) return { approval, body: null, disclosed: false };
    const { source } = JSON.parse(unsealRequest(dataKey, loanId, row.request)) as Sealed;
    // Text about the borrower is the present owner's to show.
    if (!maySeePersonal(actor) || row.disowned || roleOf(actor, known) === null) {
      return { approval, body: bodyShown(source, false), disclosed: false };
    }
    const disclosed = disclose(actor, { loanId, what: 'approval', at: clock() }, () => bodyShown(source, true));
    if ('denied' in disclosed) throw new Error('A personal read came through without its scope or key.');
    await book.enter(actor, [{ entry: disclosed.entry, dataKey }]);
    return { approval, body: disclosed.data, disclosed: true };
  }

  /** By its owner's clock. */
  async function pendingOf(actor: Actor, { loanId, organizationId }: { loanId: string; organizationId: string }) {
    return countPending(reads(actor), loanId, todayBy(await clocks.one(organizationId), clock()));
  }

  /** With its loan; null: there is none, or the actor may not see it. */
  async function find(actor: Actor, approvalId: string) {
    const sql = reads(actor);
    const row = /^approval_[0-9a-f]{32}$/.test(approvalId) ? await readApproval(sql, approvalId) : null;
    const [stored] = row === null ? [] : await loadLoans(sql, [row.loanId]);
    if (row === null || stored === undefined) return null;
    const ownersClock = await clocks.one(stored.organizationId);
    const { known } = fromStored(stored, ownersClock.policies);
    const isOwn = [row.organizationId, row.requestedOrganizationId].includes(actor.organizationId);
    if (!isOwn && (row.disowned || roleOf(actor, known) === null)) return null;
    const asked = row.organizationId === stored.organizationId ? ownersClock : await clocks.one(row.organizationId);
    return { row, known, ownersClock, view: approvalViewOf(row, todayBy(asked, clock())) };
  }

  /** The write to be carried out. A decision that the actor has taken before is answered again (`decided`). */
  async function open(
    actor: Actor,
    approvalId: string,
    decision: { readonly reason: string; readonly previewHash: string | null },
  ): Promise<ToApprove | Undecidable | null> {
    const found = await find(actor, approvalId);
    if (found === null) return null;
    const { row, known, view } = found;
    const undecidable = refused(actor, known, view);
    if (undecidable !== null) return undecidable;
    if (await areOneParty(reads(actor), actor, view.requestedBy)) return { kind: 'own_request' } as const;
    const dataKey = await keyOfLoan(row.loanId);
    if (dataKey === null) return { kind: 'erased' } as const;
    const { source, fresh } = JSON.parse(unsealRequest(dataKey, row.loanId, row.request)) as Sealed;
    const { preview, previewHash, facts, version, requestedOn: today, lapsesOn } = row;
    return {
      kind: 'open',
      source,
      fresh,
      approving: {
        approvalId,
        requestedBy: view.requestedBy,
        key: keyIn(row),
        shown: { preview, previewHash, facts, version, today },
        lapsesOn,
        previewHash: decision.previewHash,
        decidedBy: partyOf(actor),
        note: sealNote(dataKey, row.loanId, decision.reason),
        entry: entryOf(actor, known, { operation: 'approve', outcome: 'done', approvalId }),
      },
    } as const;
  }

  /** The person or client that requested or decided it, in real time. */
  function entryOf(
    { organizationId, clientId, userId = null, keyId, requestId }: Actor,
    loan: { readonly loanId: string; readonly organizationId: string },
    what: Pick<AuditEntry, 'operation' | 'outcome' | 'approvalId'>,
  ): AuditEntry {
    const ownerId = loan.organizationId === organizationId ? null : loan.organizationId;
    const by = { organizationId, ownerId, clientId, userId, keyId, requestId };
    return { at: new Date(clock()), kind: 'did', ...by, loanId: loan.loanId, ...what };
  }

  /** By the requester it withdraws the request. */
  async function reject(actor: Actor, approvalId: string, reason: string) {
    const found = await find(actor, approvalId);
    if (found === null) return null;
    const { row, known, ownersClock, view } = found;
    const undecidable = refused(actor, known, view);
    if (undecidable !== null) return undecidable;
    const dataKey = await keyOfLoan(row.loanId);
    const note = dataKey === null ? null : sealNote(dataKey, row.loanId, reason);
    const at = new Date(whenOfLoan(known, ownersClock, clock()).at);
    const entry = entryOf(actor, known, { operation: 'reject', outcome: 'done', approvalId });
    const isRejected = await rejectApproval(db, { approvalId, ...partyOf(actor), at, note, entry });
    const after = await read(actor, approvalId);
    if (after === null) return null;
    return isRejected ? after : ({ kind: 'decided', approval: after } as const);
  }
}

/** The reason that nobody, or not this actor, can decide on it; null: it is pending, and the actor may do what it requests. */
function refused(actor: Actor, known: Known, approval: ApprovalView): Undecidable | null {
  const mayNot = refusedFor(actor, known, approval.operation);
  if (mayNot !== null) {
    const needs = mayNot.kind === 'denied' && mayNot.needs === 'ownership' ? 'ownership' : 'grant';
    return { kind: 'denied', needs };
  }
  if (approval.state === 'pending') return null;
  return { kind: approval.state === 'lapsed' ? 'lapsed' : 'decided', approval: seenBy(actor, approval) };
}

function keyIn({ keyHash, keyRequestHash, keyForever }: ApprovalRow): CallKey | null {
  if (keyHash === null || keyRequestHash === null) return null;
  return { keyHash, requestHash: keyRequestHash, forever: keyForever === true };
}
