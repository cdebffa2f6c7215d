/** Approvals: the requests, and the decisions on them. */
import { Type } from 'typebox';
import { APPROVAL_STATES, type ApprovalView, type Undecidable } from '../../loans/approvals/approvals.ts';
import type { Actor } from '../../loans/door/actor.ts';
import { isBy } from '../../loans/door/write.ts';
import { scopeProblem } from '../shared/access-problems.ts';
import { actorOf } from '../shared/actor.ts';
import { NOT_GRANTED } from '../shared/allowed.ts';
import { ApprovalId, approvalExample, requested, requestedData, requestedExample } from '../shared/approval-answers.ts';
import { parseJson } from '../shared/body.ts';
import { SMALL_BODY } from '../shared/body-limits.ts';
import { idIn } from '../shared/ids.ts';
import { about, shape } from '../shared/named.ts';
import { closed, envelope, type Operation, ok, operation } from '../shared/operation.ts';
import { Problem, type ProblemCode } from '../shared/problems.ts';
import { tagged } from '../shared/read.ts';
import { RequestReader } from '../shared/request-reader.ts';
import {
  ApprovalParty,
  conditionalHeaders,
  date,
  hash,
  hashExample,
  Limit,
  LoanId,
  maybe,
  NextCursor,
  NoQuery,
  personalHeaders,
  Reason,
  time,
  Version,
} from '../shared/shapes.ts';
import { type Validated, validatorCompiler } from '../shared/validate.ts';
import { WRITE_PROBLEMS } from '../shared/write.ts';

const { preview, ...listed } = requested;
const decided = {
  state: Type.Enum([...APPROVAL_STATES], {
    description:
      '`pending`: to be decided. `approved`: carried out. `rejected`: also when the requester has withdrawn it. `lapsed`: not decided in time, ' +
      'or the loan has another owner since.',
  }),
  requestedBy: ApprovalParty,
  requestedAt: time('When it was requested, by the clock of the loan’s owner.'),
  requestedOn: date('The day of the loan’s owner on which it was requested; the preview is of this day.'),
  version: { ...Version, description: 'The version of the loan at the request.' } as typeof Version,
  decidedBy: maybe(ApprovalParty, 'Who approved or rejected it; null while it is not decided.'),
  decidedAt: maybe(Type.String({ format: 'date-time' }), 'When it was decided; null while it is not.'),
  transactionHash: maybe(hash('A transaction.'), 'The transaction by which it was carried out; null: it was not.'),
};

const Result = Type.Unknown({
  description: 'The data of the operation’s response, once it was carried out; else null.',
});

const ApprovalDetail = shape('ApprovalDetail', 'A request for approval, with its expected or actual outcome.', {
  ...listed,
  ...decided,
  preview,
  result: Result,
});

const { preview: previewExample, ...listedExample } = requestedExample;
const pendingExample = {
  ...listedExample,
  state: 'pending',
  requestedBy: { organizationId: 'org_harbor', clientId: 'client_8r3k2m5t7x', userId: null },
  requestedAt: '2026-02-15T12:00:00.000Z',
  requestedOn: '2026-02-15',
  version: 12,
  decidedBy: null,
  decidedAt: null,
  transactionHash: null,
};

const ReadAnswer = envelope(
  shape('ApprovalToDecide', 'A request for approval, with the body of the call.', {
    ...listed,
    ...decided,
    preview,
    result: Result,
    body: maybe(
      Type.Record(Type.String(), Type.Unknown()),
      'The body of the call as it was sent, without `loanId`. What may name a person (`reason`, `details`, `changes`, `metadata`) is null ' +
        'without the scope `loans:read_pii` and the key. Null: the borrower was erased.',
    ),
  }),
  {
    ...pendingExample,
    preview: previewExample,
    result: null,
    body: { date: '2026-02-15', reason: null },
  },
);

const DetailAnswer = envelope(ApprovalDetail, { ...pendingExample, preview: previewExample, result: null });

function listedData({ answer: _, ...approval }: ApprovalView): object {
  const { preview: __, ...data } = requestedData(approval) as { preview: unknown };
  const { state, requestedBy, requestedAt, requestedOn, version, decidedBy, decidedAt, transactionHash } = approval;
  return { ...data, state, requestedBy, requestedAt, requestedOn, version, decidedBy, decidedAt, transactionHash };
}

function detailData(approval: ApprovalView): object {
  const result = approval.answer === null ? null : (JSON.parse(approval.answer) as { data: object }).data;
  return { ...listedData(approval), preview: JSON.parse(approval.preview), result };
}

const ListQuery = closed({
  state: Type.Optional(Type.Enum([...APPROVAL_STATES], { description: 'Only those in this state.' })),
  loanId: Type.Optional(about(LoanId, 'Only those of this loan.')),
  limit: Limit(),
  cursor: Type.Optional(Type.String({ maxLength: 100, description: '`nextCursor` of the previous page.' })),
});

export const listApprovals = operation({
  at: 'GET /approvals',
  id: 'listApprovals',
  tag: 'Approvals',
  cost: 2,
  summary: 'List requests for approval',
  description:
    'Writes that wait for an approval, and those that were decided or have lapsed: of your organization’s loans, of loans that it has a grant for, ' +
    'and those that it has requested. The newest first.',
  scopes: ['loans:read'],
  key: 'checked',
  query: ListQuery,
  ...conditionalHeaders,
  answer: envelope(
    shape('ApprovalPage', 'A page of requests for approval.', {
      items: Type.Array(shape('Approval', 'A request for approval.', { ...listed, ...decided }), {
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
    const page = await call.services.loans.approvals.list(await actorOf(call), { state, loanId, limit, cursor });
    if (page === 'bad_cursor') {
      read.note('/cursor', { code: 'format', detail: 'Must be the nextCursor of a previous page.' });
      read.done();
      throw new Error('A bad cursor was not refused.');
    }
    return tagged(call, ok({ items: page.items.map(listedData), nextCursor: page.nextCursor }));
  },
});

const noSuchApproval = (): never => {
  throw new Problem('not_found', 'There is no such request for approval.');
};

export const readApproval = operation({
  at: 'GET /approvals/{approval_id}',
  id: 'readApproval',
  tag: 'Approvals',
  summary: 'Get a request for approval',
  description:
    'With the body of the call, the preview that its approval binds to, and the result once it was carried out. With the scope ' +
    '`loans:read_pii` and the key also what may name a person, such as the reason; that is a disclosure.',
  scopes: ['loans:read'],
  key: 'checked',
  query: NoQuery,
  params: { approval_id: ApprovalId },
  ...conditionalHeaders,
  requestHeaders: { ...conditionalHeaders.requestHeaders, purpose: personalHeaders.requestHeaders.purpose },
  answer: ReadAnswer,
  problems: ['not_found'],
  async handle(call) {
    const { approval_id: id = '' } = call.params;
    const found = (await call.services.loans.approvals.show(await actorOf(call), id)) ?? noSuchApproval();
    const { approval, body, disclosed } = found;
    const uncached: Record<string, string> = disclosed ? { 'Cache-Control': 'no-store' } : {};
    return tagged(call, ok({ ...detailData(approval), body }), uncached);
  },
});

const decision = {
  approvalId: Type.String({ maxLength: 64, description: 'The request for approval.' }),
  reason: about(Reason, 'The reason for the decision. Stored encrypted; the timeline of the loan returns it.'),
};

const DECISION_PROBLEMS: readonly ProblemCode[] = [
  'not_found',
  'not_granted',
  'insufficient_scope',
  'own_request',
  'already_decided',
  'approval_lapsed',
  'conflict',
];

const example = { approvalId: approvalExample, reason: 'Seen and agreed' };

/** `writes`: every operation that may have been requested. */
export function approveRequest(writes: readonly Operation[]): Operation {
  const compile = validatorCompiler();
  const known = new Map(
    writes.map((one) => [one.path, { ...one, validate: compile({ schema: one.body, httpPart: 'body' }) }]),
  );
  const decides = operation({
    changes: true,
    at: 'POST /approve',
    id: 'approveRequest',
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
    answer: DetailAnswer,
    problems: [...DECISION_PROBLEMS, ...WRITE_PROBLEMS, 'outcome_changed', 'above_limit', 'key_required'],
    async handle(call) {
      const { services, body } = call;
      const { approvals } = services.loans;
      const { approvalId, previewHash = null } = body;
      const reason = statedReason(body.reason);
      const actor = await actorOf(call);
      const approval = (await approvals.read(actor, approvalId)) ?? noSuchApproval();
      const requestedOperation = operationOf(approval);
      checkScope(actor, requestedOperation);
      const found = (await approvals.open(actor, approvalId, { reason, previewHash })) ?? noSuchApproval();
      if (found.kind !== 'open') return ok(detailData(again(found, actor, 'approved')));
      const { source, fresh, plain, approving } = found;
      const asked = { body: rereadBody(requestedOperation, source), source, plain, fresh };
      const options = { dryRun: false, ifVersion: null, idempotency: null, approval: approving };
      const done = await requestedOperation.carryOut?.(services, actor, { ...asked, options });
      const after = (await approvals.read(actor, approvalId)) ?? noSuchApproval();
      if (done !== undefined && after.state === 'approved' && decidedBy(after, actor)) return ok(detailData(after));
      if (after.state === 'pending') {
        const detail = 'The requester has carried this out in the meantime, without an approval; reject the request.';
        throw new Problem('conflict', detail);
      }
      const kind = after.state === 'lapsed' ? 'lapsed' : 'decided';
      return ok(detailData(again({ kind, approval: after }, actor, 'approved')));
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

/** It was validated when it was requested, perhaps by another release. */
function rereadBody({ limits = SMALL_BODY, exactNumbers = false, validate }: Known, source: string): unknown {
  const { value } = parseJson(Buffer.from(source), { limits, exactNumbers });
  if (validate(value) === true) return value;
  throw new Problem('conflict', 'The request is not valid any more; reject it and send it again.');
}

/** `writes`: every operation that may have been requested. */
export function rejectRequest(writes: readonly Operation[]): Operation {
  const known = new Map(writes.map((one) => [one.path, one]));
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
    answer: DetailAnswer,
    problems: DECISION_PROBLEMS.filter((code) => code !== 'own_request' && code !== 'conflict'),
    async handle(call) {
      const { services, body } = call;
      const { approvals } = services.loans;
      const reason = statedReason(body.reason);
      const actor = await actorOf(call);
      const approval = (await approvals.read(actor, body.approvalId)) ?? noSuchApproval();
      checkScope(actor, known.get(`/${approval.operation}`));
      const found = (await approvals.reject(actor, body.approvalId, reason)) ?? noSuchApproval();
      return ok(detailData('kind' in found ? again(found, actor, 'rejected') : found));
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
  const { scopes } = requestedOperation.access;
  if (scopes.length === 0 || scopes.some((scope) => actor.scopes.has(scope))) return;
  const detail = `To decide on this request, the token must have the scope ${scopes.join(' or ')}.`;
  throw scopeProblem(detail, scopes);
}

const decidedBy = ({ decidedBy: party }: ApprovalView, actor: Actor) => party !== null && isBy(actor, party);

/** The same decision of the same person or client is answered again; everything else is a problem. */
function again(found: Undecidable, actor: Actor, state: 'approved' | 'rejected'): ApprovalView {
  switch (found.kind) {
    case 'decided': {
      const { approval } = found;
      if (approval.state === state && decidedBy(approval, actor)) return approval;
      const detail = `The request was ${approval.state} at ${approval.decidedAt}.`;
      const { approvalId, decidedBy: by, decidedAt, transactionHash } = approval;
      throw new Problem('already_decided', detail, {
        approvalId,
        state: approval.state,
        decidedBy: by,
        decidedAt,
        transactionHash,
      });
    }
    case 'lapsed': {
      const { approvalId, lapsesOn } = found.approval;
      const detail = `The request could be decided until ${lapsesOn}, and only while the loan kept its owner. Send the write again.`;
      throw new Problem('approval_lapsed', detail, { approvalId });
    }
    case 'own_request':
      throw new Problem('own_request', 'You made this request yourself; another person or client has to approve it.');
    case 'erased':
      throw new Problem(
        'conflict',
        'The borrower of this loan was erased, so the request can no longer be read. Reject it.',
      );
    case 'denied':
      throw new Problem('not_granted', NOT_GRANTED[found.needs]);
  }
}
