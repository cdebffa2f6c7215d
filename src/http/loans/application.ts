/** The application: documents, underwriting and collateral. */

import { Type } from 'typebox';
import { OVERRIDE_REASON_CODES, OVERRIDE_REASONS } from '../../core/overrides.ts';
import type { Change } from '../../loans/door/write.ts';
import { about, shape } from '../shared/named.ts';
import { Amount, LoanRequest, maybe, Reason, request, time, written } from '../shared/shapes.ts';
import { sentences } from '../shared/texts.ts';
import { loanWrite } from '../shared/write.ts';

const VerifyDocumentsRequest = request(
  {
    documentsComplete: Type.Boolean({
      description: 'Whether all requested documents have been received. If false, nothing changes.',
    }),
  },
  { documentsComplete: true },
);

const CompleteUnderwritingRequest = request(
  {
    approved: Type.Optional(
      Type.Boolean({
        description: 'The decision. Default: the decision of the assessment; a different one requires a `reason`.',
      }),
    ),
    dealIndex: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100_000,
        description: 'The index of the chosen deal in `Underwriting.DealTermsInfo`; default 0, the requested deal.',
      }),
    ),
    reason: Type.Optional(Reason),
    reasonCode: Type.Optional(
      Type.Enum(OVERRIDE_REASON_CODES, {
        description:
          'The kind of the `reason` to approve what the assessment declined; default: `other`, and `notAssessed` where nothing was assessed. ' +
          'It has no effect where the approval is no override. ' +
          `${Object.entries(OVERRIDE_REASONS)
            .map(([code, text]) => `\`${code}\`: ${text}`)
            .join('; ')}.`,
      }),
    ),
  },
  { approved: true },
);

const StartUnderwritingRequest = request(
  {
    repull: Type.Optional(
      Type.Boolean({
        description:
          'Whether new credit reports are pulled although those of the last run could be used; default: they are used while they are not older ' +
          'than the policy’s `reportDays`.',
      }),
    ),
  },
  {},
);

const UnderwritingStartedAnswer = written(
  'UnderwritingStart',
  {
    run: Type.Optional(
      Type.Integer({ description: 'The number of the run on this loan, from 1. Absent: nothing was assessed.' }),
    ),
    reportsOf: Type.Optional(
      Type.Integer({
        description: 'The run that pulled the credit reports on which this one stands; itself, if it pulled them.',
      }),
    ),
    assessed: Type.Optional(
      Type.Literal(false, {
        description: 'Present and false if the application could not be assessed: only the status has changed.',
      }),
    ),
    missing: Type.Optional(sentences('Data missing from the application, and where to provide it.')),
  },
  { loanStatus: 'UnderwritingStarted', run: 1, reportsOf: 1 },
);

const DecisionAnswer = written(
  'UnderwritingDecision',
  {
    decision: Type.Enum(['APPROVED', 'DECLINED'], { description: 'The decision on the application.' }),
    override: Type.Optional(
      shape('Override', 'An approval against the assessment, or without one.', {
        reasonCode: Type.Enum(OVERRIDE_REASON_CODES, { description: 'The reason code.' }),
        assessedAt: maybe(time('A time.'), 'The run that it overrides; null: nothing was assessed.'),
      }),
    ),
  },
  { loanStatus: 'Approved', decision: 'APPROVED' },
);

const ApproveCollateralRequest = request(
  { collateralAmount: about(Amount, 'The accepted value of the collateral.') },
  { collateralAmount: '31,500' },
);

const requestDocuments = loanWrite({
  does: 'request-documents',
  id: 'requestDocuments',
  summary: 'Request documents',
  description: 'Records that documents were requested from the applicant.',
  body: LoanRequest,
  command: () => ({ do: 'request-documents' }),
});

const verifyDocuments = loanWrite({
  does: 'verify-documents',
  id: 'verifyDocuments',
  summary: 'Record whether the documents are complete',
  description:
    'If `documentsComplete` is false, nothing changes and the hash of the loan’s last transaction is returned.',
  body: VerifyDocumentsRequest,
  command: (_read, { documentsComplete }) => ({ do: 'verify-documents', complete: documentsComplete }),
});

const startUnderwriting = loanWrite({
  does: 'start-underwriting',
  id: 'startUnderwriting',
  cost: 30,
  light: { cost: 1, when: 'nothing is assessed: the loan was assessed elsewhere, or the application lacks data' },
  slow: true,
  summary: 'Start underwriting',
  description:
    'Assesses an application (`Request` and the terms): pulls the credit reports and fills `Response` and `Underwriting` before this ' +
    'returns. A new run, also after a decision until the loan is funded, replaces them, and an approval does not stand until it is given again; ' +
    'it uses the reports of the last run if they are still good, unless `repull` is true. For a loan that was assessed elsewhere, only the status changes. The same is true if the ' +
    'application has no applicant or lacks data that a report cannot provide: `assessed` is then false and `missing` lists what to add. If the ' +
    'credit bureau returns no report, the response is a 503 and nothing changes.',
  body: StartUnderwritingRequest,
  answer: UnderwritingStartedAnswer,
  command: (_read, { repull }) => ({ do: 'start-underwriting', ...(repull === undefined ? {} : { repull }) }),
  tells: ({ unassessed, run }) => ({
    ...(unassessed === undefined ? {} : { assessed: false, missing: unassessed }),
    ...run,
  }),
});

const completeUnderwriting = loanWrite({
  does: 'complete-underwriting',
  id: 'completeUnderwriting',
  cost: 20,
  light: { cost: 1, when: 'no other deal than the requested one is approved' },
  slow: true,
  summary: 'Complete underwriting: approve or reject',
  description:
    'Without `approved`, the assessment’s decision on the chosen deal applies; a loan that was not assessed requires `approved`. A different ' +
    'decision requires a `reason`, which an approval of what was declined sorts under a `reasonCode`. Where a fact stands against any ' +
    'approval (`hard_stop`), no reason helps. An approval needs a credit report that is not ' +
    'older than the policy’s `reportDays`, and a run whose offers still stand. `dealIndex` chooses one of the offered deals, whose terms ' +
    'become the contract. The full record then has the decision, its time, its author and its reasons.',
  problems: ['hard_stop', 'offer_expired', 'report_expired'],
  body: CompleteUnderwritingRequest,
  answer: DecisionAnswer,
  command: (_read, { approved = null, dealIndex = 0, reason = null, reasonCode = null }) => ({
    do: 'complete-underwriting',
    approved,
    dealIndex,
    reason,
    reasonCode,
  }),
  reason: ({ reason }) => reason,
  tells: ({ status, events }) => ({
    decision: status === 'Rejected' ? 'DECLINED' : 'APPROVED',
    ...overrideIn(events),
  }),
});

function overrideIn(events: Change['events']): object {
  const event = events.find(({ type }) => type === 'approved');
  if (event?.type !== 'approved' || event.reasonCode === undefined) return {};
  const { reasonCode, assessedAt = null } = event;
  return { override: { reasonCode, assessedAt } };
}

const requestCollateral = loanWrite({
  does: 'request-collateral',
  id: 'requestCollateral',
  summary: 'Request collateral',
  description: 'Records that collateral was requested.',
  body: LoanRequest,
  command: () => ({ do: 'request-collateral' }),
});

const approveCollateral = loanWrite({
  does: 'approve-collateral',
  id: 'approveCollateral',
  summary: 'Approve the collateral',
  description: 'Records the accepted value of the collateral.',
  body: ApproveCollateralRequest,
  command: (read, body) => ({ do: 'approve-collateral', value: read.positiveAmount(body, 'collateralAmount', '') }),
});

/** In the order of the OpenAPI document. */
export const applicationWrites = [
  requestDocuments,
  verifyDocuments,
  startUnderwriting,
  completeUnderwriting,
  requestCollateral,
  approveCollateral,
] as const;
