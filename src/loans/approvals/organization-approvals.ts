/**
 * Approvals of writes that belong to no loan. The need is found inside the write's own transaction, before it changes anything: because the
 * policy without a lender names the operation, or because a second administrator is needed. The write is then rolled back, and what it would
 * have done is the preview of the request. An approval runs it again, and commits it together with the decision.
 */
import { createHmac, hash } from 'node:crypto';
import { addDays } from '../../core/calendar.ts';
import { cents } from '../../core/money.ts';
import { type OrganizationOperation, organizationPolicyOn } from '../../policy/approvals.ts';
import {
  type ApproverNeeded,
  addOrganizationApproval,
  decideOrganizationApproval,
  holdOrganizationApproval,
  listOrganizationApprovals,
  type OrganizationApprovalRow,
  readOrganizationApproval,
} from '../../store/approvals/organization-approvals.ts';
import type { AuditEntry } from '../../store/audit/audit.ts';
import type { Db, Sql } from '../../store/db/db.ts';
import { type Sealing, sealing } from '../../vault/cipher.ts';
import { type Actor, amountLimit } from '../door/actor.ts';
import { type Clock, type Clocks, todayBy } from '../door/clocks.ts';
import type { FairReads } from '../door/fair-reads.ts';
import type { CallKey } from '../door/keys.ts';
import type { OnceCaller, OnceOnly, OnceOutcome, OnceWrite } from '../door/once.ts';
import type { Keep, Need } from '../door/write.ts';
import {
  type ApprovedOutcome,
  NotApproved,
  type OrganizationApproval,
  organizationApprovalOf,
  Waits,
} from './organization-request.ts';
import { areOneParty } from './parties.ts';

export type { OrganizationOperation } from '../../policy/approvals.ts';
export type { ApprovedOutcome, OrganizationApproval } from './organization-request.ts';

/** A write that may wait for an approval. */
export type Askable<T> = {
  readonly operation: OrganizationOperation;
  /** The JSON text of its body. */
  readonly source: string;
  /** The body as one text (`says.ts`): the same call again is the same request. */
  readonly says: () => string;
  /** The outcome, without secrets, personal data and whatever differs each time. Pure. */
  readonly preview: (done: T) => object;
  /** Within its transaction: whether a second administrator has to approve it. Throws where the caller may not even ask. */
  readonly second: (tx: Sql) => Promise<boolean>;
};

/** The rights of the requester, which the request keeps: it does not depend on what they may still do. */
type Rights = { readonly scopes: readonly string[]; readonly keyed: boolean };
type SealedRequest = Pick<Askable<object>, 'source'> & Rights;

export type OrganizationUndecidable =
  | { readonly kind: 'own_request' }
  | { readonly kind: 'person_required'; readonly administrator: boolean }
  | { readonly kind: 'decided' | 'lapsed'; readonly approval: OrganizationApproval };

/** A request that the caller may approve. */
export type OpenRequest = {
  readonly kind: 'open';
  readonly approval: OrganizationApproval;
  readonly request: SealedRequest;
  readonly key: CallKey | null;
  readonly needs: ApproverNeeded;
};

export type RequestedOutcome =
  | OnceOutcome
  /** `isNew`: not by the same call before. */
  | { readonly kind: 'requested'; readonly request: OrganizationApproval; readonly isNew: boolean }
  | { readonly kind: 'too_many'; readonly most: number };

type Asking = OnceCaller & Pick<Actor, 'scopes' | 'limits'>;

/** Requests of one organization that may be pending. */
const PENDING_AT_MOST = 100;

export type OrganizationApprovalsOptions = {
  db: Db;
  reads: FairReads;
  clock: () => number;
  clocks: Clocks;
  once: OnceOnly;
  secrets: { readonly idempotency: Uint8Array };
};

export function openOrganizationApprovals({ db, reads, clock, clocks, once, secrets }: OrganizationApprovalsOptions) {
  return { carryOut, list, read, bodyOf, open, approve, reject };

  function keyOf(organizationId: string): Sealing {
    return sealing(secrets.idempotency, `daybook organization ${organizationId} v1`);
  }

  /** Does the write, or stores a request where it needs an approval. */
  async function carryOut<T extends object>(
    asker: Asking,
    write: OnceWrite<T>,
    asked: Askable<T>,
    work: (keep: Keep) => Promise<T>,
  ): Promise<RequestedOutcome> {
    try {
      return await once(asker, write, (keep) => work(waiting(asker, asked, keep)));
    } catch (error) {
      if (!(error instanceof Waits)) throw error;
      const subject = write.audit?.subject(error.done as T) ?? null;
      const key = write.idempotency === null || 'keyHash' in write.idempotency ? null : write.idempotency;
      return request(asker, { asked, waits: error, subject, key: key && once.keyOf(asker, key) });
    }
  }

  /** Finds the need at the beginning and on the way, and lets nothing be committed that has one. */
  function waiting<T>({ organizationId, limits = {} }: Asking, asked: Askable<T>, keep: Keep): Keep {
    let [needs, isBegun]: [ApproverNeeded | null, boolean] = [null, false];
    const kept = async (tx: Sql, done: object) => {
      if (!isBegun)
        throw new Error(`${asked.operation} was changed before it was asked whether it waits for an approval.`);
      if (needs !== null) throw new Waits(needs, done, JSON.stringify(asked.preview(done as T)));
      await keep(tx, done);
    };
    return Object.assign(kept, {
      async begin(tx: Sql, { always = false, amount = 0 }: Need = {}) {
        [needs, isBegun] = [null, true];
        const rule = (await policyIn(tx, organizationId)).approvals[asked.operation];
        const limit = amountLimit(limits, asked.operation);
        const isRuled = rule === true || (rule !== undefined && amount > rule.above);
        if (always || isRuled || (limit !== undefined && amount > limit)) needs = 'approver';
      },
      async second(tx: Sql) {
        if (await asked.second(tx)) needs = 'administrator';
      },
    });
  }

  async function policyIn(sql: Sql, organizationId: string) {
    const owners = (await clocks.held(sql, [organizationId])).get(organizationId) as Clock;
    return organizationPolicyOn(owners.policies.versions, todayBy(owners, clock()));
  }

  async function request<T>(
    asker: Asking,
    of: { asked: Askable<T>; waits: Waits; subject: string | null; key: CallKey | null },
  ): Promise<RequestedOutcome> {
    const { asked, waits, subject, key } = of;
    const { organizationId, clientId, userId = null, keyId, scopes } = asker;
    const { operation, source, says } = asked;
    const owners = await clocks.one(organizationId);
    const today = todayBy(owners, clock());
    const sealed: SealedRequest = { source, scopes: [...scopes], keyed: keyId !== null };
    const call = `approval\n${userId ?? clientId}\n${operation}\n${says()}`;
    const added = await addOrganizationApproval(
      db,
      {
        organizationId,
        operation,
        needs: waits.needs,
        requestedClientId: clientId,
        requestedUserId: userId,
        requestedAt: new Date(owners.datesAt(clock())),
        requestedOn: today,
        lapsesOn: addDays(today, organizationPolicyOn(owners.policies.versions, today).approvalDays),
        requestDigest: `0x${createHmac('sha256', secrets.idempotency).update(call).digest('hex')}`,
        request: keyOf(organizationId).seal(Buffer.from(JSON.stringify(sealed)), `request ${operation}`),
        preview: waits.preview,
        previewHash: hashOf(waits.preview),
        keyHash: key?.keyHash ?? null,
        keyRequestHash: key?.requestHash ?? null,
      },
      { entry: { ...entryOf(asker, operation), outcome: 'approval_requested', subject }, most: PENDING_AT_MOST },
    );
    if (added === 'too_many') return { kind: 'too_many', most: PENDING_AT_MOST };
    const { row, isNew } = added;
    return { kind: 'requested', request: organizationApprovalOf(row, today), isNew };
  }

  function entryOf(
    { organizationId, clientId, userId = null, keyId, requestId }: OnceCaller,
    operation: string,
  ): AuditEntry {
    const by = { organizationId, clientId, userId, keyId, requestId };
    return { at: new Date(clock()), kind: 'did', operation, outcome: 'done', ...by };
  }

  /** The newest first, of these operations and of the caller itself. */
  async function list(
    actor: Actor,
    asked: {
      readonly operations: readonly string[];
      readonly state: OrganizationApprovalRow['state'] | null;
      readonly before: { requestedAt: Date; approvalId: string } | null;
      readonly limit: number;
    },
  ): Promise<OrganizationApproval[]> {
    const { organizationId, clientId, userId = null } = actor;
    const today = todayBy(await clocks.one(organizationId), clock());
    const query = { ...asked, organizationId, today, requestedBy: { clientId, userId } };
    return (await listOrganizationApprovals(reads(actor), query)).map((row) => organizationApprovalOf(row, today));
  }

  /** Null: the actor's organization has no such request. */
  async function find(actor: Actor, approvalId: string) {
    const row = /^approval_[0-9a-f]{32}$/.test(approvalId)
      ? await readOrganizationApproval(reads(actor), approvalId)
      : null;
    if (row === null || row.organizationId !== actor.organizationId) return null;
    const today = todayBy(await clocks.one(row.organizationId), clock());
    return { row, view: organizationApprovalOf(row, today) };
  }

  async function read(actor: Actor, approvalId: string): Promise<OrganizationApproval | null> {
    return (await find(actor, approvalId))?.view ?? null;
  }

  function requestIn(row: OrganizationApprovalRow): SealedRequest {
    const plain = keyOf(row.organizationId).unseal(row.request, `request ${row.operation}`);
    if (plain === null) throw new Error('A request of an organization cannot be unsealed.');
    return JSON.parse(plain.toString('utf8')) as SealedRequest;
  }

  /** The body of the call, as far as it is shown. */
  async function bodyOf(actor: Actor, approvalId: string): Promise<Readonly<Record<string, unknown>> | null> {
    const found = await find(actor, approvalId);
    if (found === null) return null;
    const body = JSON.parse(requestIn(found.row).source) as Record<string, unknown>;
    return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, SECRETS.has(name) ? null : value]));
  }

  /** Null: there is no such request. */
  async function open(actor: Actor, approvalId: string): Promise<OpenRequest | OrganizationUndecidable | null> {
    const found = await find(actor, approvalId);
    if (found === null) return null;
    const { row, view } = found;
    if (view.state !== 'pending') return { kind: view.state === 'lapsed' ? 'lapsed' : 'decided', approval: view };
    if (await areOneParty(reads(actor), actor, view.requestedBy)) return { kind: 'own_request' };
    const lacks = await lacksPerson(reads(actor), actor, row.needs);
    if (lacks !== null) return lacks;
    const { keyHash, keyRequestHash } = row;
    const key =
      keyHash === null || keyRequestHash === null ? null : { keyHash, requestHash: keyRequestHash, forever: false };
    return { kind: 'open', approval: view, request: requestIn(row), key, needs: row.needs };
  }

  /** A second administrator is a person; and the policy may leave approvals to people. */
  async function lacksPerson(sql: Sql, actor: Actor, needs: ApproverNeeded) {
    const isPerson = (actor.userId ?? null) !== null;
    const administrator = needs === 'administrator';
    if (administrator && !(isPerson && actor.scopes.has('admin')))
      return { kind: 'person_required', administrator } as const;
    if (isPerson || (await policyIn(sql, actor.organizationId)).approvers !== 'people') return null;
    return { kind: 'person_required', administrator } as const;
  }

  /** Carries out what was requested, and decides with it. `requester`: as the audit trail names them. */
  async function approve<T extends object>(
    actor: Actor,
    { approval, key, needs }: OpenRequest,
    of: {
      readonly requester: OnceCaller;
      readonly write: Omit<OnceWrite<T>, 'idempotency'>;
      readonly preview: (done: T) => object;
      readonly reason: string;
      readonly previewHash: string | null;
      readonly work: (keep: Keep) => Promise<T>;
    },
  ): Promise<ApprovedOutcome> {
    const { requester, write, work } = of;
    const decide = (idempotency: CallKey | null) =>
      once(requester, { ...write, idempotency }, async (keep) => {
        let isDecided = false;
        const kept: Keep = async (tx, result) => {
          await keep(tx, result);
          isDecided = true;
        };
        const done = await work(deciding(actor, { approval, needs, of, keep: kept }));
        // There was nothing left to do, such as a month that is closed by now.
        if (!isDecided) throw new NotApproved({ kind: 'carried_out' });
        return done;
      });
    try {
      const outcome = await decide(key);
      if (outcome.kind === 'done') return outcome;
      if (outcome.kind !== 'key_reused') return { kind: 'carried_out' };
      // The requester has used the key for another call since.
      const without = await decide(null);
      return without.kind === 'done' ? without : { kind: 'carried_out' };
    } catch (error) {
      const outcome = error instanceof NotApproved ? error.outcome : null;
      if (outcome !== null && outcome.kind !== 'carried_out') return outcome;
      // The months are closed in a snapshot: a decision of somebody else that came first fails it.
      if (outcome === null && (error as { code?: unknown } | null)?.code !== '40001') throw error;
      const after = await read(actor, approval.approvalId);
      if (after?.state !== 'pending') return { kind: 'not_pending' };
      if (outcome === null) throw error;
      return outcome;
    }
  }

  function deciding<T extends object>(
    actor: Actor,
    given: {
      readonly approval: OrganizationApproval;
      readonly needs: ApproverNeeded;
      readonly of: {
        readonly write: Omit<OnceWrite<T>, 'idempotency'>;
        readonly preview: (done: T) => object;
        readonly reason: string;
        readonly previewHash: string | null;
      };
      readonly keep: Keep;
    },
  ): Keep {
    const { approval, of, keep } = given;
    const { approvalId } = approval;
    const { organizationId } = actor;
    const decided = async (tx: Sql, done: object) => {
      const preview = JSON.stringify(of.preview(done as T));
      const previewHash = hashOf(preview);
      if (previewHash !== (of.previewHash ?? approval.previewHash)) {
        throw new NotApproved({ kind: 'outcome_changed', preview, previewHash });
      }
      const answer = of.write.isSecret
        ? JSON.stringify({ message: 'ok', data: JSON.parse(preview) })
        : of.write.answer(done as T);
      if (!(await decideOrganizationApproval(tx, await decisionOf(actor, approvalId, of.reason, 'approve'), answer))) {
        throw new NotApproved({ kind: 'not_pending' });
      }
      await keep(tx, done);
    };
    return Object.assign(decided, {
      async begin(tx: Sql, { amount = 0 }: Need = {}) {
        const owners = (await clocks.held(tx, [organizationId])).get(organizationId) as Clock;
        const isPending = await holdOrganizationApproval(tx, approvalId, todayBy(owners, clock()));
        if (!isPending) throw new NotApproved({ kind: 'not_pending' });
        const { operation } = approval;
        const limit = amountLimit(actor.limits, operation);
        if (limit !== undefined && amount > limit) {
          throw new NotApproved({ kind: 'above_limit', operation, amount: cents(amount), limit });
        }
      },
      /** A change that needed no administrator when it was requested may need one now. */
      async second(tx: Sql) {
        const lacks = await lacksPerson(tx, actor, 'administrator');
        if (lacks !== null) throw new NotApproved(lacks);
      },
    });
  }

  async function decisionOf(actor: Actor, approvalId: string, reason: string, operation: 'approve' | 'reject') {
    const { organizationId, clientId, userId = null } = actor;
    return {
      approvalId,
      clientId,
      userId,
      at: new Date((await clocks.one(organizationId)).datesAt(clock())),
      note: keyOf(organizationId).seal(Buffer.from(reason), `note ${approvalId}`),
      entry: { ...entryOf(actor, operation), approvalId },
    };
  }

  /** By the requester it withdraws the request. Null: there is none. */
  async function reject(
    actor: Actor,
    approvalId: string,
    reason: string,
  ): Promise<OrganizationApproval | OrganizationUndecidable | null> {
    const found = await find(actor, approvalId);
    if (found === null) return null;
    const { state } = found.view;
    if (state !== 'pending') return { kind: state === 'lapsed' ? 'lapsed' : 'decided', approval: found.view };
    const decision = await decisionOf(actor, approvalId, reason, 'reject');
    const isRejected = await db.transaction((tx) => decideOrganizationApproval(tx, decision, null));
    const after = await read(actor, approvalId);
    if (after === null || isRejected) return after;
    return { kind: 'decided', approval: after };
  }
}

/** Members of bodies that nobody is shown. */
const SECRETS: ReadonlySet<string> = new Set(['clientSecret']);

const hashOf = (preview: string): string => `0x${hash('sha256', preview)}`;
