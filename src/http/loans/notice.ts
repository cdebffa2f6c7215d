/** Notices to applicants: of adverse action, of an incomplete application, and of the score; and those that were made. */
import { Type } from 'typebox';
import { parseDate } from '../../core/calendar.ts';
import { isRefusal } from '../../core/refusal.ts';
import { actorOf } from '../shared/actor.ts';
import { loanIdIn, noSuchLoan } from '../shared/ids.ts';
import { about, shape } from '../shared/named.ts';
import { closed, envelope, ok, operation } from '../shared/operation.ts';
import { badCursor, pageName, pageOf, pages, wholeOrPages } from '../shared/pages.ts';
import { Problem } from '../shared/problems.ts';
import { loanIdOf, okText, personalPost, reading, shown, tagged } from '../shared/read.ts';
import { refusedProblem } from '../shared/refusal-problems.ts';
import { mistakesProblem, RequestReader } from '../shared/request-reader.ts';
import {
  conditionalHeaders,
  date,
  day,
  LoanId,
  LoanIdOut,
  loanExample,
  maybe,
  NextCursor,
  personalHeaders,
  Status,
} from '../shared/shapes.ts';
import { idOut, referenceOut, sentences } from '../shared/texts.ts';

const KINDS = ['adverseAction', 'incompleteApplication', 'scoreDisclosure'];

const NoticeParty = shape(
  'NoticeParty',
  'A company named in the notice.',
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
          'Name and address of the agency that supervises the creditor; default: the Federal Trade Commission.',
      }),
    ),
    reasons: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }), {
        minItems: 1,
        maxItems: 4,
        description:
          'The principal reasons, specific and at most four; default: those of the assessment. Required if you declined an application ' +
          'that the assessment approved, or one that was not assessed.',
      }),
    ),
    kind: Type.Optional(
      Type.Enum(KINDS, {
        description:
          '`adverseAction`, the default: for an applicant who was declined or offered other terms. `incompleteApplication`: what is missing, and by when. ' +
          '`scoreDisclosure`: for an applicant whose credit is approved on a report.',
      }),
    ),
    missing: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }), {
        minItems: 1,
        maxItems: 20,
        description:
          'Of `incompleteApplication`: the information that is missing, in the words of the notice; default: what the application cannot be assessed ' +
          'without, and the documents that were requested.',
      }),
    ),
    respondBy: Type.Optional(
      day('Of `incompleteApplication`: the date by which it is needed, at most 90 days ahead; default: in 30 days.'),
    ),
    scoreRank: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        description:
          'Of `scoreDisclosure`: the percentage of consumers with lower scores, as the bureau gives it; default: the distribution of scores is shown.',
      }),
    ),
    party: Type.Optional(
      Type.Union([Type.Literal('applicant'), Type.Literal('coApplicant')], {
        description:
          'Whose notice it is; default: the applicant’s. Each person on a joint application has their own, with their own score.',
      }),
    ),
  },
  {
    examples: [
      {
        loanId: `0x${'ab'.repeat(32)}`,
        creditor: noticeParty('Harbor Auto Finance'),
        bureau: noticeParty('Example Credit Bureau'),
        reasons: ['Income insufficient for amount of credit requested'],
      },
    ],
  },
);

const members = {
  noticeId: idOut('The id of the notice: the same whenever it is asked for again.'),
  kind: Type.Enum(KINDS, { description: 'The kind of notice.' }),
  party: Type.Enum(['applicant', 'coApplicant'], { description: 'Whose notice it is.' }),
  date: date('The day on which it was made.'),
  run: Type.Integer({ description: 'The run of underwriting on which it is based; 0: before the first.' }),
};

const noticeExample = {
  noticeId: 'notice_5c1b0a9d3f7e4a2c8b6d1e0f9a8b7c6d',
  kind: 'adverseAction',
  party: 'applicant',
  date: '2026-01-16',
  run: 1,
  notice: 'NOTICE OF ACTION TAKEN AND STATEMENT OF REASONS…',
};

const NoticeAnswer = envelope(
  shape('AdverseActionNotice', 'A notice to an applicant, as it was made.', {
    ...members,
    notice: sentences('The text of the notice.'),
  }),
  noticeExample,
);

const NoticesAnswer = envelope(
  shape('NoticeList', 'The notices of a loan.', {
    loanId: LoanIdOut,
    items: Type.Array(
      shape('NoticeMade', 'A notice that was made.', {
        ...members,
        notice: maybe(
          sentences('A text.'),
          'The text; null without `loans:read_pii` and the key, and after the borrower was erased.',
        ),
      }),
      { description: 'In the order in which they were made.' },
    ),
    nextCursor: NextCursor,
  }),
  { loanId: loanExample, items: [noticeExample], nextCursor: null },
);

export const writeAdverseActionNotice = operation({
  ...personalPost,
  at: 'POST /adverse-action-notice',
  id: 'writeAdverseActionNotice',
  cost: 20,
  summary: 'Create a notice to an applicant',
  description:
    'The notice that is owed to an applicant, dated once and kept: the same call for the same person, `kind` and run of underwriting answers the ' +
    'same text. `adverseAction`: for one who was declined or was made a counteroffer, with the principal reasons, the score and the statements ' +
    'required by Regulation B and the Fair Credit Reporting Act, from the stored inputs of the last assessment; for a decision that was your ' +
    'own, with `reasons`. 409 if no such notice is owed: nothing was declined, or a counteroffer was accepted. It is not sent.',
  body: NoticeRequest,
  answer: NoticeAnswer,
  problems: ['not_found', 'conflict'],
  async handle(call) {
    const { loanId, federalAgency = FEDERAL_AGENCY, party = 'applicant', respondBy, kind, ...given } = call.body;
    const read = new RequestReader();
    const by = respondBy === undefined ? {} : { respondBy: read.date({ respondBy }, 'respondBy', '') };
    read.done();
    const asked = { ...given, ...by, federalAgency, party, kind: (kind ?? 'adverseAction') as Kind };
    const notice = await call.services.loans.origination.notice(await actorOf(call), loanIdIn({ loanId }), asked);
    if (notice === null) return noSuchLoan();
    if (isRefusal(notice)) throw refusedProblem(notice);
    if (typeof notice !== 'string') return ok(told(notice));
    if (notice === 'none') throw new Problem('conflict', NOT_OWED[asked.kind]);
    throw mistakesProblem({ mistakes: [LACKING[notice]] });
  },
});

export const listNotices = operation({
  ...reading,
  requestHeaders: personalHeaders.requestHeaders,
  at: 'GET /loans/{loan_id}/notices',
  id: 'listNotices',
  cost: 3,
  summary: 'The notices that were made',
  description:
    'Every notice to the people on the application, with its date and the run of underwriting it is based on. With the scope `loans:read_pii` and ' +
    'the key also their texts; that is a disclosure.',
  scopes: ['loans:read'],
  query: closed(wholeOrPages),
  answer: NoticesAnswer,
  problems: ['not_found'],
  async handle(call) {
    const loanId = loanIdOf(call);
    const { version, items, disclosed } =
      (await call.services.loans.origination.notices(await actorOf(call), loanId)) ?? noSuchLoan();
    const name = disclosed ? 'personal notices' : 'notices';
    const page = pageOf(items.map(told), call.query, ({ noticeId }) => noticeId);
    return shown(call, { version, loan: ANY_DAY }, [name, NOW, items.length, pageName(call.query)], () =>
      okText({ loanId, ...page }),
    );
  },
});

const DueAnswer = envelope(
  shape('NoticeDueList', 'Applications to whose people a notice is owed.', {
    items: Type.Array(
      shape('NoticeDue', 'An application to whose people a notice is owed.', {
        loanId: LoanIdOut,
        applicationId: referenceOut('Your id of the application.'),
        lenderId: referenceOut('Your id of the lender.'),
        loanStatus: Status,
        owes: Type.Enum(['adverseAction', 'decision'], {
          description:
            '`adverseAction`: it was declined, and not everybody on it has a notice. `decision`: it is not decided, and has no notice of incompleteness.',
        }),
        receivedOn: date('The day on which it was received.'),
        dueOn: date('The day by which the notice is owed: 30 days later.'),
        daysLeft: Type.Integer({ description: 'Days until then, by your clock; negative: it is late.' }),
      }),
      { description: 'In the order of `dueOn`.' },
    ),
    nextCursor: NextCursor,
  }),
  {
    items: [
      {
        loanId: loanExample,
        applicationId: 'APP-1001',
        lenderId: 'LND-1',
        loanStatus: 'Rejected',
        owes: 'adverseAction',
        receivedOn: '2026-01-15',
        dueOn: '2026-02-14',
        daysLeft: 12,
      },
    ],
    nextCursor: null,
  },
);

export const listNoticesDue = operation({
  at: 'GET /notices-due',
  id: 'listNoticesDue',
  tag: 'Reading',
  cost: 2,
  summary: 'Applications that owe a notice',
  description:
    'Applications of your organization that were declined without a notice to everybody on them since the last run, or that are neither ' +
    'decided nor have a notice of incompleteness (12 CFR 1002.9(a)(1)), received in the last 25 months. Loans that came with a decision of ' +
    'your own are not listed.',
  scopes: ['loans:read'],
  key: 'checked',
  query: closed(pages),
  ...conditionalHeaders,
  answer: DueAnswer,
  problems: [],
  async handle(call) {
    const { limit = 25, cursor } = call.query;
    const after = cursor === undefined ? null : placeIn(cursor);
    const found = await call.services.loans.origination.due(await actorOf(call), { after, limit: limit + 1 });
    const last = found.length > limit ? found[limit - 1] : undefined;
    const items = found.slice(0, limit).map(({ status: loanStatus, ...one }) => ({ ...one, loanStatus }));
    return tagged(call, ok({ items, nextCursor: last === undefined ? null : `${last.receivedOn}/${last.loanId}` }));
  },
});

function placeIn(cursor: string) {
  const [day = '', loanId = ''] = cursor.split('/');
  const receivedOn = parseDate(day);
  return receivedOn === null || !/^0x[0-9a-f]{64}$/.test(loanId) ? badCursor() : { receivedOn, loanId };
}

type Kind = 'adverseAction' | 'incompleteApplication' | 'scoreDisclosure';

/** It does not depend on the day. */
const NOW = { asOf: null, knownAt: null };
const ANY_DAY = { on: '1970-01-01' as never };

function told<T extends string | null>({
  noticeId,
  kind,
  party,
  madeOn,
  run,
  text,
}: {
  noticeId: string;
  kind: string;
  party: string;
  madeOn: string;
  run: number;
  text: T;
}) {
  return { noticeId, kind, party, date: madeOn, run, notice: text };
}

const NOT_OWED: Readonly<Record<Kind, string>> = {
  adverseAction:
    'No adverse action notice is required: the application was not declined, and what was requested, or offered instead, is approved.',
  incompleteApplication: 'No notice of incompleteness is required: the application was decided.',
  scoreDisclosure:
    'No score disclosure is required: the application is not approved, or it was not assessed here on a credit report.',
};

const LACKING = {
  reasons: {
    pointer: '/reasons',
    code: 'required',
    detail: 'No assessment has declined it: give the principal reasons of your decision.',
  },
  missing: {
    pointer: '/missing',
    code: 'required',
    detail: 'The application lacks nothing that an assessment needs: say what is missing.',
  },
  party: {
    pointer: '/party',
    code: 'contradiction',
    detail: 'The application names no co-applicant: leave party out.',
  },
} as const;

/** Appendix A of Regulation B: the agency for finance companies and other lenders that no other agency is named for. */
const FEDERAL_AGENCY = 'Federal Trade Commission, Equal Credit Opportunity, Washington, DC 20580';
