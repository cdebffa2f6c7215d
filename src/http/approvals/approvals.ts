/** Approvals: the requests, and the decisions on them. */
import { Type } from 'typebox';
import type { Caller } from '../../access/access.ts';
import type { Scope } from '../../access/scopes.ts';
import type { AnyApproval } from '../../loans/approvals/approvals.ts';
import type { OrganizationApproval } from '../../loans/approvals/organization-approvals.ts';
import { APPROVAL_STATES, type ApprovalView } from '../../loans/approvals/view.ts';
import type { Actor } from '../../loans/door/actor.ts';
import { isBy } from '../../loans/door/write.ts';
import { scopeProblem } from '../shared/access-problems.ts';
import { actorOf } from '../shared/actor.ts';
import { ApprovalId, aboveLimit, approvalExample, outcomeChanged } from '../shared/approval-answers.ts';
import { parseJson } from '../shared/body.ts';
import { SMALL_BODY } from '../shared/body-limits.ts';
import { idIn } from '../shared/ids.ts';
import { about, shape } from '../shared/named.ts';
import { numbersOf, plainValue, previewPlaces } from '../shared/numbers.ts';
import { type Answer, type Call, closed, envelope, type Operation, ok, operation } from '../shared/operation.ts';
import { badCursor } from '../shared/pages.ts';
import { Problem, type ProblemCode } from '../shared/problems.ts';
import { tagged } from '../shared/read.ts';
import { RequestReader } from '../shared/request-reader.ts';
import {
  conditionalHeaders,
  hashExample,
  Limit,
  LoanId,
  NextCursor,
  NoQuery,
  personalHeaders,
  preferring,
  Reason,
} from '../shared/shapes.ts';
import { type Validated, validatorCompiler } from '../shared/validate.ts';
import { WRITE_PROBLEMS } from '../shared/write.ts';
import { again, againOwn, decidedBy } from './again.ts';
import { DetailAnswer, detailData, listedData, listedShape, pendingExample, ReadAnswer } from './shown.ts';

/** One who may read loans, or do an operation on no loan that may wait for an approval. */
function readersOf(ofNone: readonly Operation[]): Scope[] {
  const theirs = ofNone.flatMap(({ access }) => (access === 'anonymous' ? [] : access.scopes));
  return [...new Set<Scope>(['loans:read', ...theirs])];
}

const ListQuery = closed({
  state: Type.Optional(Type.Enum([...APPROVAL_STATES], { description: 'Only those in this state.' })),
  loanId: Type.Optional(about(LoanId, 'Only those of this loan.')),
  limit: Limit(),
  cursor: Type.Optional(Type.String({ maxLength: 100, description: '`nextCursor` of the previous page.' })),
});

/** `ofNone`: every operation on no loan that may have been requested. */
export function listApprovals(ofNone: readonly Operation[]): Operation {
  return operation({
    at: 'GET /approvals',
    id: 'listApprovals',
    tag: 'Approvals',
    cost: 2,
    summary: 'List requests for approval',
    description:
      'Writes that wait for an approval, and those that were decided or have lapsed: of your organization’s loans, of loans that it has a grant for, ' +
      'and those that it has requested; with `loans:read`. Those of no loan, with a scope of their operation. The newest first.',
    scopes: readersOf(ofNone),
    key: 'checked',
    query: ListQuery,
    ...conditionalHeaders,
    answer: envelope(
      shape('ApprovalPage', 'A page of requests for approval.', {
        items: Type.Array(shape('Approval', 'A request for approval.', listedShape), {
          description: 'The requests.',
        }),
        nextCursor: NextCursor,
      }),
      { items: [pendingExample], nextCursor: null },
    ),
    problems: [],
    async handle(call) {
      const { state = null, limit = 25, cursor = null } = call.query;
      const read = new RequestReader();
      const loanId = call.query.loanId === undefined ? null : idIn(call.query.loanId);
      if (call.query.loanId !== undefined && loanId === null) {
        read.note('/loanId', { code: 'format', detail: 'Must be `0x` and 64 hexadecimal digits.' });
      }
      read.done();
      const actor = await actorOf(call);
      const operations = ofNone.filter((one) => mayDo(actor, one)).map(({ name }) => name);
      const page = await call.services.loans.approvals.list(actor, { operations, state, loanId, limit, cursor });
      if (page === 'bad_cursor') return badCursor();
      return tagged(call, ok({ items: page.items.map(listedData), nextCursor: page.nextCursor }));
    },
  });
}

const noSuchApproval = (): never => {
  throw new Problem('not_found', 'There is no such request for approval.');
};

/** `writes`: every operation on a loan that may have been requested; `ofNone`: on no loan. */
export function readApproval(writes: readonly Operation[], ofNone: readonly Operation[]): Operation {
  const known = byName(ofNone);
  const onLoans = new Map(writes.map((one) => [one.path, one]));
  return operation({
    at: 'GET /approvals/{approval_id}',
    id: 'readApproval',
    tag: 'Approvals',
    summary: 'Get a request for approval',
    description:
      'With the body of the call, the preview that its approval binds to, and the result once it was carried out. With the scope ' +
      '`loans:read_pii` and the key also what may name a person, such as the reason; that is a disclosure.',
    scopes: readersOf(ofNone),
    key: 'checked',
    query: NoQuery,
    params: { approval_id: ApprovalId },
    ...conditionalHeaders,
    requestHeaders: {
      ...conditionalHeaders.requestHeaders,
      ...preferring.requestHeaders,
      purpose: personalHeaders.requestHeaders.purpose,
    },
    answerHeaders: { ...conditionalHeaders.answerHeaders, ...preferring.answerHeaders },
    answer: ReadAnswer,
    problems: ['not_found'],
    async handle(call) {
      const { approval_id: id = '' } = call.params;
      const form = numbersOf(call);
      const actor = await actorOf(call);
      const { approvals } = call.services.loans;
      const own = await approvals.organization.read(actor, id);
      if (own !== null) {
        if (!isShown(actor, own, known)) noSuchApproval();
        const body = await approvals.organization.bodyOf(actor, id);
        const shown = detailData(own, { operation: known.get(own.operation), form });
        return tagged(call, ok({ ...shown, body }), { ...form.headers, 'Cache-Control': 'no-store' });
      }
      const found = (actor.scopes.has('loans:read') ? await approvals.show(actor, id) : null) ?? noSuchApproval();
      const { approval, body, disclosed } = found;
      const uncached: Record<string, string> = disclosed ? { 'Cache-Control': 'no-store' } : {};
      const shown = detailData(approval, { operation: onLoans.get(`/${approval.operation}`), form });
      return tagged(call, ok({ ...shown, body }), { ...form.headers, ...uncached });
    },
  });
}

const decision = {
  approvalId: Type.String({ maxLength: 64, description: 'The request for approval.' }),
  reason: about(Reason, 'The reason for the decision. Stored encrypted; the timeline of the loan returns it.'),
};

const DECISION_PROBLEMS: readonly ProblemCode[] = [
  'not_found',
  'not_granted',
  'insufficient_scope',
  'own_request',
  'person_required',
  'already_decided',
  'approval_lapsed',
  'conflict',
];

const example = { approvalId: approvalExample, reason: 'Seen and agreed' };

/** `writes`: every operation on a loan that may have been requested; `ofNone`: on no loan. */
export function approveRequest(writes: readonly Operation[], ofNone: readonly Operation[]): Operation {
  const compile = validatorCompiler();
  const validated = (one: Operation): Known => ({ ...one, validate: compile({ schema: one.body, httpPart: 'body' }) });
  const known = new Map(writes.map((one) => [one.path, validated(one)]));
  const knownOfNone = byName(ofNone.map(validated));
  const decides = operation({
    changes: true,
    at: 'POST /approve',
    id: 'approveRequest',
    // The result of creating a client or a key is its secret.
    isSecret: true,
    tag: 'Approvals',
    cost: 2,
    summary: 'Approve a request, and carry it out',
    description:
      'Carries out what was requested, for the requester. It needs the scope of the requested operation, and has to come from another person or ' +
      'client than the request. If the outcome would differ from the preview of the request, the response is 409 `outcome_changed` with the new ' +
      'preview, and nothing is changed; with the `previewHash` of that preview the new outcome is approved. Repeating the call changes nothing ' +
      'and has the same response.',
    scopes: [],
    key: 'checked',
    body: closed(
      {
        ...decision,
        previewHash: Type.Optional(
          Type.String({
            pattern: '^0x[0-9a-f]{64}$',
            description:
              'The hash of the preview that you approve, as a 409 `outcome_changed` returned it; default: that of the request.',
          }),
        ),
      },
      { examples: [{ ...example, previewHash: hashExample }] },
    ),
    ...preferring,
    answer: DetailAnswer,
    problems: [...DECISION_PROBLEMS, ...WRITE_PROBLEMS, 'outcome_changed', 'above_limit', 'key_required'],
    async handle(call) {
      const { services, body } = call;
      const { approvals } = services.loans;
      const { approvalId, previewHash = null } = body;
      const reason = statedReason(body.reason);
      const actor = await actorOf(call);
      const own = await approvals.organization.read(actor, approvalId);
      if (own !== null) {
        const named = knownOfNone.get(own.operation);
        checkScope(actor, named);
        return inFormOf(call, named as Known, (shown) =>
          approveOwn(call, { actor, own, named: named as Known, reason, previewHash, shown }),
        );
      }
      const approval = (await approvals.read(actor, approvalId)) ?? noSuchApproval();
      const requestedOperation = operationOf(approval);
      checkScope(actor, requestedOperation);
      const found = (await approvals.open(actor, approvalId, { reason, previewHash })) ?? noSuchApproval();
      return inFormOf(call, requestedOperation, async (shown) => {
        if (found.kind !== 'open') return shown(again(found, actor, 'approved'));
        const { source, fresh, approving } = found;
        const asked = { body: rereadBody(requestedOperation, source), source, fresh };
        const options = { dryRun: false, ifVersion: null, idempotency: null, approval: approving };
        const done = await requestedOperation.carryOut?.(services, actor, { ...asked, options });
        const after = (await approvals.read(actor, approvalId)) ?? noSuchApproval();
        if (done !== undefined && after.state === 'approved' && decidedBy(after, actor)) return shown(after);
        if (after.state === 'pending') throw carriedOutAlready();
        const kind = after.state === 'lapsed' ? 'lapsed' : 'decided';
        return shown(again({ kind, approval: after }, actor, 'approved'));
      });
    },
  });
  return { ...decides, name: 'approve' };

  function operationOf(approval: ApprovalView): Known {
    const found = known.get(`/${approval.operation}`);
    if (found?.carryOut === undefined) throw new Error('An approval of an operation that cannot be carried out.');
    return found;
  }
}

type Known = Operation & { validate: (value: unknown) => Validated };

/** Answers with a request in its detail; `answer` replaces the one that is kept. */
type Showing = (approval: AnyApproval, answer?: string) => Answer;

/** Everything that a decision shows of a request, also the new preview of a refused one, is in the form of this call. */
async function inFormOf(
  call: Call & { caller: Caller },
  operation: Operation | undefined,
  decide: (shown: Showing) => Promise<Answer> | Answer,
): Promise<Answer> {
  const form = numbersOf(call);
  const { headers } = form;
  try {
    return await decide((approval, answer) => ({ ...ok(detailData(approval, { operation, form }, answer)), headers }));
  } catch (error) {
    if (!(error instanceof Problem && form.plain && operation !== undefined && 'preview' in error.facts)) throw error;
    const preview = plainValue(error.facts.preview, previewPlaces(operation.answer));
    throw new Problem(error.code, error.message, { ...error.facts, preview }, error.headers);
  }
}

/** Carries out a request that belongs to no loan, for its requester and with their rights. */
async function approveOwn(
  call: Call & { caller: Caller },
  given: {
    actor: Actor;
    own: OrganizationApproval;
    named: Known;
    reason: string;
    previewHash: string | null;
    shown: Showing;
  },
): Promise<Answer> {
  const { actor, own, named, reason, previewHash, shown } = given;
  const { organization } = call.services.loans.approvals;
  const { approvalId } = own;
  const found = (await organization.open(actor, approvalId)) ?? noSuchApproval();
  if (found.kind !== 'open') return shown(againOwn(found, actor, 'approved'));
  const { request, approval } = found;
  const { clientId, userId } = approval.requestedBy;
  const rights = { scopes: new Set(request.scopes) as Caller['scopes'], keyId: request.keyed ? approvalId : null };
  // They are shown what a secret operation makes.
  const approvedBy = actor.userId ?? actor.clientId;
  const caller: Caller & { approvedBy: string } = { ...call.caller, clientId, userId, ...rights, approvedBy };
  const asked = { ...call, caller, body: rereadBody(named, request.source), source: request.source, query: {} };
  const outcome = await named.approved?.(asked, { actor, found, reason, previewHash });
  switch (outcome?.kind) {
    case 'done': {
      const after = (await organization.read(actor, approvalId)) ?? noSuchApproval();
      return shown(after, outcome.text);
    }
    case 'outcome_changed':
      throw outcomeChanged(outcome);
    case 'person_required':
      return shown(againOwn(outcome, actor, 'approved'));
    case 'above_limit':
      throw aboveLimit(outcome);
    case 'not_pending': {
      const after = (await organization.read(actor, approvalId)) ?? noSuchApproval();
      const kind = after.state === 'lapsed' ? 'lapsed' : 'decided';
      return shown(againOwn({ kind, approval: after }, actor, 'approved'));
    }
    default:
      throw carriedOutAlready();
  }
}

const carriedOutAlready = () =>
  new Problem(
    'conflict',
    'What was requested has been done in the meantime, without this approval; reject the request.',
  );

/** It was validated when it was requested, perhaps by another release. */
function rereadBody({ limits = SMALL_BODY, exactNumbers = false, validate }: Known, source: string): unknown {
  const { value } = parseJson(Buffer.from(source), { limits, exactNumbers });
  if (validate(value) === true) return value;
  throw new Problem('conflict', 'The request is not valid any more; reject it and send it again.');
}

/** `writes`: every operation on a loan that may have been requested; `ofNone`: on no loan. */
export function rejectRequest(writes: readonly Operation[], ofNone: readonly Operation[]): Operation {
  const known = new Map(writes.map((one) => [one.path, one]));
  const knownOfNone = byName(ofNone);
  const decides = operation({
    changes: true,
    at: 'POST /reject',
    id: 'rejectRequest',
    tag: 'Approvals',
    cost: 2,
    summary: 'Reject a request, or withdraw your own',
    description:
      'The request is not carried out. It needs the scope of the requested operation. The requester may reject their own request, which withdraws ' +
      'it. Repeating the call changes nothing and has the same response.',
    scopes: [],
    key: 'checked',
    body: closed(decision, { examples: [example] }),
    ...preferring,
    answer: DetailAnswer,
    problems: DECISION_PROBLEMS.filter((code) => !['own_request', 'person_required', 'conflict'].includes(code)),
    async handle(call) {
      const { services, body } = call;
      const { approvals } = services.loans;
      const reason = statedReason(body.reason);
      const actor = await actorOf(call);
      const own = await approvals.organization.read(actor, body.approvalId);
      if (own !== null) {
        const named = knownOfNone.get(own.operation);
        checkScope(actor, named);
        const done = (await approvals.organization.reject(actor, body.approvalId, reason)) ?? noSuchApproval();
        return inFormOf(call, named, (shown) => shown('kind' in done ? againOwn(done, actor, 'rejected') : done));
      }
      const approval = (await approvals.read(actor, body.approvalId)) ?? noSuchApproval();
      const named = known.get(`/${approval.operation}`);
      checkScope(actor, named);
      const found = (await approvals.reject(actor, body.approvalId, reason)) ?? noSuchApproval();
      return inFormOf(call, named, (shown) => shown('kind' in found ? again(found, actor, 'rejected') : found));
    },
  });
  return { ...decides, name: 'reject' };
}

function statedReason(reason: string): string {
  if (reason.trim() !== '') return reason;
  const read = new RequestReader();
  read.note('/reason', { code: 'reason_required', detail: 'A decision requires a reason.' });
  read.done();
  return reason;
}

function checkScope(actor: Actor, requestedOperation: Operation | undefined): void {
  if (requestedOperation === undefined || requestedOperation.access === 'anonymous') {
    throw new Error('An approval of an unknown operation.');
  }
  if (mayDo(actor, requestedOperation)) return;
  const { scopes } = requestedOperation.access;
  const detail = `To decide on this request, the token must have the scope ${scopes.join(' or ')}.`;
  throw scopeProblem(detail, scopes);
}

function mayDo(actor: Actor, { access }: Operation): boolean {
  return access !== 'anonymous' && (access.scopes.length === 0 || access.scopes.some((one) => actor.scopes.has(one)));
}

const byName = <O extends Operation>(some: readonly O[]) => new Map(some.map((one) => [one.name, one]));

/** Those who may do the operation see its requests, and so does the requester. */
function isShown(actor: Actor, own: OrganizationApproval, known: ReadonlyMap<string, Operation>): boolean {
  const named = known.get(own.operation);
  return (named !== undefined && mayDo(actor, named)) || isBy(actor, own.requestedBy);
}
