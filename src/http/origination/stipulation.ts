/** Stipulations: what must be shown or done beside an approval, and what has become of each. */
import { Type } from 'typebox';
import { STIPULATION_KINDS, STIPULATION_STATES, STIPULATION_WAIVERS } from '../../loans/origination/stipulations.ts';
import { actorOf } from '../shared/actor.ts';
import { noSuchLoan } from '../shared/ids.ts';
import { about, named, shape } from '../shared/named.ts';
import { closed, envelope, operation } from '../shared/operation.ts';
import { pageName, pageOf, wholeOrPages } from '../shared/pages.ts';
import { loanIdOf, okText, reading, shown } from '../shared/read.ts';
import { LoanIdOut, loanExample, maybe, NextCursor, Reason, Reference, request, time } from '../shared/shapes.ts';
import { idOut, sentences } from '../shared/texts.ts';
import { loanWrite } from '../shared/write.ts';

const State = named(
  'StipulationState',
  Type.Enum([...STIPULATION_STATES], { description: 'What was recorded of a stipulation.' }),
);

const UpdateStipulationRequest = request(
  {
    stipulationId: about(Reference, 'The stipulation, by its id in `GET /loans/{loan_id}/stipulations`.'),
    state: about(
      State,
      '`received`: it came and is not checked yet. `verified`: it is met; needs `evidence`. `waived`: it is not asked for any more; needs `reason`.',
    ),
    evidence: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'A reference to what met it: a document, a call. Kept encrypted.',
      }),
    ),
    reason: Type.Optional(Reason),
  },
  { stipulationId: 'insurance-kafbnmpcoehi', state: 'verified', evidence: 'Policy 55-1 of 2026-01-12' },
);

const updateStipulation = loanWrite({
  does: 'update-stipulation',
  id: 'updateStipulation',
  summary: 'Record what has become of a stipulation',
  description:
    'Records that a stipulation of the last run of underwriting was received, verified or waived. What the law asks for (contact after an alert, ' +
    'identity) is verified, and waived by nobody: 409 `not_waivable`. Funding with an open one that comes first is 409 `stipulations_open`.',
  problems: ['not_waivable'],
  body: UpdateStipulationRequest,
  command: (_read, { stipulationId, state, evidence = null, reason = null }) => ({
    do: 'update-stipulation',
    stipulationId,
    state,
    evidence,
    reason,
  }),
  reason: ({ evidence, reason }) =>
    evidence === undefined ? reason : [`Evidence: ${evidence}`, ...(reason === undefined ? [] : [reason])].join('. '),
});

const Item = shape('Stipulation', 'Something that must be shown or done beside an approval.', {
  stipulationId: idOut('Its id: the same in every run, as long as what it is about is.'),
  kind: maybe(
    named('StipulationKind', Type.Enum([...STIPULATION_KINDS], { description: 'What a stipulation asks for.' })),
    'What it asks for; null: it is of an earlier run, or the borrower was erased.',
  ),
  person: maybe(Type.Enum(['applicant', 'coApplicant']), 'Whom it is about; null: the application as a whole.'),
  text: maybe(sentences('In words.'), 'In words, without the telephone number of an alert, which the full record has.'),
  state: Type.Enum(['open', 'expired', ...STIPULATION_STATES], {
    description: '`expired`: a later run of underwriting does not ask for it, or asks for it on other facts.',
  }),
  beforeFunding: Type.Boolean({ description: 'It must be verified or waived before the loan is funded.' }),
  waivedBy: Type.Enum([...STIPULATION_WAIVERS], {
    description: 'The scope that a waiver needs; `nobody`: the law, or the lending policy, asks for it.',
  }),
  history: Type.Array(
    shape('StipulationStep', 'Something that was recorded of a stipulation.', {
      state: about(State, 'The state that was recorded.'),
      at: time('When.'),
      sequence: Type.Integer({ description: 'The number of the event, by which the timeline names its author.' }),
    }),
    { description: 'What was recorded of it, the first first.' },
  ),
});

const StipulationsAnswer = envelope(
  shape('StipulationList', 'The stipulations of a loan.', {
    loanId: LoanIdOut,
    items: Type.Array(Item, { description: 'Those of the last run of underwriting, then those that have expired.' }),
    nextCursor: NextCursor,
  }),
  { loanId: loanExample, items: [], nextCursor: null },
);

/** They do not depend on the day. */
const ANY_DAY = { on: '1970-01-01' as never };
const NOW = { asOf: null, knownAt: null };

export const listStipulations = operation({
  ...reading,
  at: 'GET /loans/{loan_id}/stipulations',
  id: 'listStipulations',
  cost: 10,
  summary: 'The stipulations of a loan',
  description:
    'What underwriting asks for beside an approval, each with its state. A loan that was not assessed here has none.',
  scopes: ['loans:read'],
  query: closed(wholeOrPages),
  answer: StipulationsAnswer,
  problems: ['not_found'],
  async handle(call) {
    const loanId = loanIdOf(call);
    const { version, items } =
      (await call.services.loans.origination.stipulations(await actorOf(call), loanId)) ?? noSuchLoan();
    const page = pageOf(items, call.query, ({ stipulationId }) => stipulationId);
    return shown(call, { version, loan: ANY_DAY }, ['stipulations', NOW, items.length, pageName(call.query)], () =>
      okText({ loanId, ...page }),
    );
  },
});

export const stipulationWrites = [updateStipulation] as const;
