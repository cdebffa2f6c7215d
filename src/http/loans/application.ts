/** The application: documents, underwriting, collateral, and the notice of adverse action. */
import { Type } from 'typebox';
import { about, shape } from '../named.ts';
import { closed, envelope, ok, operation } from '../operation.ts';
import { Problem } from '../shell/problems.ts';
import { actorOf } from './actor.ts';
import { loanIdIn, noSuchLoan } from './ids.ts';
import { personalPost } from './read.ts';
import { Amount, LoanId, LoanRequest, Reason, request, written } from './shapes.ts';
import { loanWrite } from './write.ts';

const VerifyDocumentsRequest = request(
  {
    documentsComplete: Type.Boolean({
      description: 'Whether all requested documents are there. If false, nothing changes.',
    }),
  },
  { documentsComplete: true },
);

const CompleteUnderwritingRequest = request(
  {
    approved: Type.Optional(
      Type.Boolean({
        description: 'The decision. When absent, that of the assessment; a different one needs a `reason`.',
      }),
    ),
    dealIndex: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100_000,
        description: 'Which of the offered deals (`Underwriting.DealTermsInfo`); 0, the one asked for, when absent.',
      }),
    ),
    reason: Type.Optional(Reason),
  },
  { approved: true },
);

const UnderwritingStartedAnswer = written(
  'UnderwritingStart',
  {
    assessed: Type.Optional(
      Type.Literal(false, {
        description: 'Present if the application could not be assessed: only the status has changed.',
      }),
    ),
    missing: Type.Optional(Type.String({ description: 'What the application lacks, and where to give it.' })),
  },
  { loanStatus: 'UnderwritingStarted' },
);

const DecisionAnswer = written(
  'UnderwritingDecision',
  { decision: Type.Enum(['APPROVED', 'DECLINED'], { description: 'The decision on the application.' }) },
  { loanStatus: 'Approved', decision: 'APPROVED' },
);

const ApproveCollateralRequest = request(
  { collateralAmount: about(Amount, 'The value at which the collateral is accepted.') },
  { collateralAmount: '31,500' },
);

const NoticeParty = shape(
  'NoticeParty',
  'A company that the notice names.',
  {
    name: Type.String({ minLength: 1, maxLength: 200, description: 'Name of the company.' }),
    address: Type.String({ minLength: 1, maxLength: 400, description: 'Postal address.' }),
    telephone: Type.String({ minLength: 1, maxLength: 40, description: 'Telephone number.' }),
  },
  { additionalProperties: false },
);

const noticeParty = (name: string) => ({ name, address: '1 Main Street, Springfield', telephone: '555-0100' });

const NoticeRequest = closed(
  {
    loanId: LoanId,
    creditor: about(NoticeParty, 'The creditor that took the action.'),
    bureau: about(NoticeParty, 'The credit bureau whose report was used.'),
    federalAgency: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 400,
        description:
          'Name and address of the agency that oversees the creditor; the Federal Trade Commission when absent.',
      }),
    ),
  },
  {
    examples: [
      {
        loanId: `0x${'ab'.repeat(32)}`,
        creditor: noticeParty('Harbor Auto Finance'),
        bureau: noticeParty('Example Credit Bureau'),
      },
    ],
  },
);

const NoticeAnswer = envelope(
  shape('AdverseActionNotice', 'A notice of adverse action.', {
    notice: Type.String({ description: 'The text of the notice.' }),
  }),
  {
    notice: 'NOTICE OF ACTION TAKEN AND STATEMENT OF REASONS…',
  },
);

export const requestDocuments = loanWrite({
  does: 'request-documents',
  id: 'requestDocuments',
  summary: 'Ask for documents',
  description: 'Records that the applicant was asked for documents.',
  scopes: ['loans:write'],
  body: LoanRequest,
  command: () => ({ do: 'request-documents' }),
});

export const verifyDocuments = loanWrite({
  does: 'verify-documents',
  id: 'verifyDocuments',
  summary: 'Say whether the documents are complete',
  description:
    'With `documentsComplete` false nothing changes, and the hash of the loan’s last transaction is answered.',
  scopes: ['loans:write'],
  body: VerifyDocumentsRequest,
  command: (_read, { documentsComplete }) => ({ do: 'verify-documents', complete: documentsComplete }),
});

export const startUnderwriting = loanWrite({
  does: 'start-underwriting',
  id: 'startUnderwriting',
  cost: 30,
  slow: true,
  summary: 'Start underwriting',
  description:
    'An application (`Request` and the terms) is assessed: reports are pulled, and `Response` and `Underwriting` are there when this ' +
    'answers. A new run replaces them. On a loan that was assessed elsewhere only the status changes. The same is true if the ' +
    'application has no applicant or lacks what a report cannot provide: then `assessed` is false and `missing` says what. If the ' +
    'credit bureau gives no report, the answer is 503 and nothing has changed.',
  scopes: ['underwriting:write'],
  body: LoanRequest,
  answer: UnderwritingStartedAnswer,
  command: () => ({ do: 'start-underwriting' }),
  tells: ({ unassessed }) => (unassessed === undefined ? {} : { assessed: false, missing: unassessed }),
});

export const completeUnderwriting = loanWrite({
  does: 'complete-underwriting',
  id: 'completeUnderwriting',
  cost: 20,
  slow: true,
  summary: 'Decide: approved or rejected',
  description:
    'Without `approved` the decision of the assessment on the chosen deal is taken; a loan without one needs `approved`. Another ' +
    'decision than that one needs a `reason`. `dealIndex` chooses one of the offered deals, whose terms become the contract.',
  scopes: ['underwriting:write'],
  body: CompleteUnderwritingRequest,
  answer: DecisionAnswer,
  command: (_read, { approved = null, dealIndex = 0, reason = null }) => ({
    do: 'complete-underwriting',
    approved,
    dealIndex,
    reason,
  }),
  reason: ({ reason }) => reason,
  tells: ({ status }) => ({ decision: status === 'Rejected' ? 'DECLINED' : 'APPROVED' }),
});

export const requestCollateral = loanWrite({
  does: 'request-collateral',
  id: 'requestCollateral',
  summary: 'Ask for collateral',
  description: 'Records that collateral was asked for.',
  scopes: ['loans:write'],
  body: LoanRequest,
  command: () => ({ do: 'request-collateral' }),
});

export const approveCollateral = loanWrite({
  does: 'approve-collateral',
  id: 'approveCollateral',
  summary: 'Approve the collateral',
  description: 'With the value at which it is taken.',
  scopes: ['loans:write'],
  body: ApproveCollateralRequest,
  command: (read, body) => ({ do: 'approve-collateral', value: read.positiveAmount(body, 'collateralAmount', '') }),
});

export const writeAdverseActionNotice = operation({
  ...personalPost,
  at: 'POST /adverse-action-notice',
  id: 'writeAdverseActionNotice',
  cost: 20,
  summary: 'The notice owed to an applicant who was declined, or offered other terms',
  description:
    'Text with the principal reasons, the score and the statements that Regulation B and the Fair Credit Reporting Act want, from the ' +
    'stored inputs of the last run. 409 when the loan was not assessed here or was approved as asked for.',
  body: NoticeRequest,
  answer: NoticeAnswer,
  problems: ['not_found', 'conflict'],
  async handle(call) {
    const { loanId, creditor, bureau, federalAgency = FEDERAL_AGENCY } = call.body;
    const asked = { creditor, bureau, federalAgency };
    const notice = await call.services.loans.notice(await actorOf(call), loanIdIn({ loanId }), asked);
    if (notice === null) return noSuchLoan();
    if (notice === 'none') {
      throw new Problem(
        'conflict',
        'No notice is owed: the loan was not assessed here, or what was asked for is approved.',
      );
    }
    return ok({ notice: notice.text });
  },
});

/** Appendix A of Regulation B: the agency for finance companies and other lenders that no other agency is named for. */
const FEDERAL_AGENCY = 'Federal Trade Commission, Equal Credit Opportunity, Washington, DC 20580';
