/** Requests for approval as they are shown. */
import { Type } from 'typebox';
import type { AnyApproval } from '../../loans/approvals/approvals.ts';
import { APPROVAL_STATES } from '../../loans/approvals/view.ts';
import { requested, requestedData, requestedExample } from '../shared/approval-answers.ts';
import { shape } from '../shared/named.ts';
import { type NumbersForm, plainValue, previewPlaces } from '../shared/numbers.ts';
import { envelope, type Operation } from '../shared/operation.ts';
import { ApprovalParty, date, hash, maybe, time, Version } from '../shared/shapes.ts';

const { preview, ...alwaysListed } = requested;
const decided = {
  state: Type.Enum([...APPROVAL_STATES], {
    description:
      '`pending`: to be decided. `approved`: carried out. `rejected`: also when the requester has withdrawn it. `lapsed`: not decided in time, ' +
      'or the loan has another owner since.',
  }),
  requestedBy: ApprovalParty,
  requestedAt: time('When it was requested, by the clock of the loan’s owner.'),
  requestedOn: date('The day of the loan’s owner on which it was requested; the preview is of this day.'),
  version: maybe(Version, 'The version of the loan at the request; null: it belongs to no loan.'),
  decidedBy: maybe(ApprovalParty, 'Who approved or rejected it; null while it is not decided.'),
  decidedAt: maybe(Type.String({ format: 'date-time' }), 'When it was decided; null while it is not.'),
  transactionHash: maybe(
    hash('A transaction.'),
    'The transaction by which it was carried out; null: it was not, or it belongs to no loan.',
  ),
};

export const listedShape = { ...alwaysListed, ...decided };

const Result = Type.Unknown({
  description: 'The data of the operation’s response, once it was carried out; else null.',
});

const ApprovalDetail = shape('ApprovalDetail', 'A request for approval, with its expected or actual outcome.', {
  ...alwaysListed,
  ...decided,
  preview,
  result: Result,
});

const { preview: previewExample, ...listedExample } = requestedExample;
export const pendingExample = {
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

export const ReadAnswer = envelope(
  shape('ApprovalToDecide', 'A request for approval, with the body of the call.', {
    ...alwaysListed,
    ...decided,
    preview,
    result: Result,
    body: maybe(
      Type.Record(Type.String(), Type.Unknown()),
      'The body of the call as it was sent, without `loanId`. What may name a person (`reason`, `details`, `changes`, `metadata`) is null ' +
        'without the scope `loans:read_pii` and the key; a secret is always null. Null: the borrower was erased.',
    ),
  }),
  {
    ...pendingExample,
    preview: previewExample,
    result: null,
    body: { date: '2026-02-15', reason: null },
  },
);

export const DetailAnswer = envelope(ApprovalDetail, { ...pendingExample, preview: previewExample, result: null });

export function listedData({ answer: _, ...approval }: AnyApproval): object {
  const { preview: __, ...data } = requestedData(approval) as { preview: unknown };
  const { state, requestedBy, requestedAt, requestedOn, version, decidedBy, decidedAt, transactionHash } = approval;
  return { ...data, state, requestedBy, requestedAt, requestedOn, version, decidedBy, decidedAt, transactionHash };
}

/** `result`: what was answered, where it is not kept. The form of the stored texts is the interface's; they are shown in that of the request. */
export function detailData(
  approval: AnyApproval,
  { operation, form }: { operation: Operation | undefined; form: NumbersForm },
  answer = approval.answer,
): object {
  const result = answer === null ? null : (JSON.parse(answer) as { data: object }).data;
  const preview = JSON.parse(approval.preview) as object;
  const places = form.plain && operation !== undefined ? previewPlaces(operation.answer) : null;
  return { ...listedData(approval), preview: plainValue(preview, places), result: plainValue(result, places) };
}
