/** Answers of writes and approvals about approvals. */

import { Type } from 'typebox';
import { formatCents } from '../../core/money.ts';
import type { AboveLimit, ApprovalOutcome, RequestedApproval } from '../../loans/door/write.ts';
import { shape } from './named.ts';
import { Problem } from './problems.ts';
import { date, hash, hashExample, LoanIdOut, loanExample, maybe } from './shapes.ts';
import { wordOut } from './texts.ts';

export const approvalExample = 'approval_3b5d0c9e4f7a1b8263d0e5f49a7c1b28';

export const ApprovalId = Type.String({
  pattern: '^approval_[0-9a-f]{32}$',
  description: 'The request for approval.',
});

const Preview = Type.Unknown({
  description: 'The expected outcome of the write, as in the data of its dry run (`?dryRun=true`).',
});

export const requested = {
  approvalId: ApprovalId,
  loanId: maybe(LoanIdOut, 'The loan; null: the write belongs to no loan.'),
  operation: wordOut(
    'The operation that was requested: its path, such as `charge-off`; on no loan its name in the audit trail, such as `invite-user`.',
  ),
  lapsesOn: date('The last date on which it can be approved, by the clock of the loan’s owner.'),
  previewHash: hash('The hash of `preview`.'),
  preview: Preview,
};

export const requestedExample = {
  approvalId: approvalExample,
  loanId: loanExample,
  operation: 'charge-off',
  lapsesOn: '2026-02-22',
  previewHash: hashExample,
  preview: {
    loanStatus: 'ChargedOff',
    dryRun: true,
    approval: true,
    events: [{ type: 'chargedOff', date: '2026-02-15' }],
  },
};

const MESSAGE = 'approval required';

export const RequestedAnswer = shape(
  'RequestedApprovalAnswer',
  'Answer: the write waits for an approval.',
  {
    message: Type.Literal(MESSAGE, { description: 'Says that nothing is done yet.' }),
    data: shape('RequestedApproval', 'A write that waits for an approval. Nothing was changed.', requested),
  },
  { examples: [{ message: MESSAGE, data: requestedExample }] },
);

type Shown = Omit<RequestedApproval, 'loanId' | 'operation'> & {
  readonly loanId: string | null;
  readonly operation: string;
};

/** The preview is JSON already. */
export function requestedData({ preview, ...request }: Shown): object {
  const { approvalId, loanId, operation, lapsesOn, previewHash } = request;
  return { approvalId, loanId, operation, lapsesOn, previewHash, preview: JSON.parse(preview) };
}

export function requestedText(request: Shown): string {
  return JSON.stringify({ message: MESSAGE, data: requestedData(request) });
}

export function outcomeChanged({
  preview,
  previewHash,
}: Extract<ApprovalOutcome, { kind: 'outcome_changed' }>): Problem {
  const detail =
    'The outcome would now differ from what the request showed. To approve the new outcome, send its previewHash.';
  return new Problem('outcome_changed', detail, { preview: JSON.parse(preview), previewHash });
}

export function personRequired(detail = 'The policy leaves approvals to people: approve it in a session.'): Problem {
  return new Problem('person_required', detail);
}

export function aboveLimit(above: AboveLimit): Problem {
  if ('beyond' in above) {
    const detail = `The override is beyond the authority of your role: ${above.beyond.join('; ')}. A person with a wider authority, or a client, can approve it.`;
    return new Problem('above_limit', detail);
  }
  const { operation, amount, limit } = above;
  const detail =
    amount === null
      ? `Under your role ${operation} needs an approval every time, so you cannot approve it. A person without this limit, or a client, can.`
      : `The amount of ${operation}, ${formatCents(amount)}, is above the limit of your role, ${formatCents(limit)}. A person with a higher limit, or a client, can approve it.`;
  return new Problem('above_limit', detail);
}
