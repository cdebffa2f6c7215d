/** An offer for an application that is not a loan yet: the decision, and the sixty deals with their prices. */

import { Type } from 'typebox';
import { HARD_STOPS } from '../../core/hard-stops.ts';
import { type Offer, REPORT_SOURCES } from '../../loans/origination/offer.ts';
import { members } from '../origination/creation.ts';
import { Deal, dealExample } from '../origination/deal-shape.ts';
import { actorOf } from '../shared/actor.ts';
import { RECORD_BODY } from '../shared/body-limits.ts';
import { holder } from '../shared/input-values.ts';
import { about, shape } from '../shared/named.ts';
import { decimalOut } from '../shared/numbers.ts';
import { closed, envelope, type LargeBody, ok, operation } from '../shared/operation.ts';
import { unavailable } from '../shared/problems.ts';
import { refusedProblem } from '../shared/refusal-problems.ts';
import { mistakesProblem } from '../shared/request-reader.ts';
import { date, maybe } from '../shared/shapes.ts';
import { sentences, wordOut } from '../shared/texts.ts';
import { calculator } from './shared.ts';

const cell = (format: object) =>
  Type.Optional(
    Type.Unsafe<string | number | null>({
      type: ['string', 'number', 'null'],
      maxLength: 200,
      ...format,
      description: 'As in the column of the CSV.',
    }),
  );

/** The columns of the trade lines (`bureau/trade-lines.ts`). */
const COLUMNS =
  'subscriber account_type member account_num opened closed payment terms portfolio_type balance high_balance past_due rating 30dpd 60dpd ' +
  '90dpd account_class today age age_closed seasoned';
const DATES = ['opened', 'closed', 'today'];

const TradeLine = closed(
  Object.fromEntries(COLUMNS.split(' ').map((name) => [name, cell(DATES.includes(name) ? { format: 'date' } : {})])),
  { title: 'TradeLineInput', description: 'One account; the members are the columns of the trade lines.' },
);

const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

/** The bureau's answer as `docs/bureau.md` describes it. `bureau/answer.ts` reads it, and has the same limits. */
const reportMembers = {
  hit: Type.Optional(Type.Boolean({ description: 'Whether the bureau knows this person; default true.' })),
  score: Type.Optional(
    Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 1,
      maximum: 999,
      description: 'The credit score; null: the bureau has none. Without one the policy declines.',
    }),
  ),
  scoreFactors: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: 20,
      description: 'Why the score is not higher, the most important first.',
    }),
  ),
  reportDate: Type.Optional(
    Type.String({ maxLength: 10, format: 'date', description: 'The date of the report; default `asOf`.' }),
  ),
  inFileSince: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: 10,
      format: 'date',
      description: 'Since when the person is in file; null: the bureau has no such date. Omit it if it is unknown.',
    }),
  ),
  inquiries: Type.Optional(
    Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 0,
      maximum: 9_999,
      description: 'Inquiries of the last six months; null: not reported.',
    }),
  ),
  flags: Type.Optional(
    closed(
      {
        frozen: flag('The file is frozen.'),
        deceased: flag('The person is reported dead.'),
        addressDiscrepancy: flag('The address differs substantially from those in file.'),
        ssnMatch: Type.Optional(
          maybe(Type.Enum(['exact', 'partial', 'noMatch']), 'Whether the number is this person’s; null: unknown.'),
        ),
        fraudAlert: Type.Optional(
          Type.Enum(['none', 'initial', 'extended', 'activeDuty'], { description: 'A fraud or active duty alert.' }),
        ),
        alertPhone: Type.Optional(
          Type.Unsafe<string | null>({
            type: ['string', 'null'],
            maxLength: 30,
            description: 'The telephone number of the alert; null: none.',
          }),
        ),
      },
      { title: 'FileFlagsInput', description: 'The bureau’s remarks about the file itself.' },
    ),
  ),
  attributes: Type.Optional(
    Type.Unsafe<object>({
      type: 'object',
      maxProperties: 5_000,
      additionalProperties: { type: 'string', maxLength: 200 },
      description: 'The bureau’s attributes; they change nothing.',
    }),
  ),
  tradeLines: Type.Optional(
    Type.Unsafe<string | object[]>({
      type: ['string', 'array'],
      maxLength: 8_388_608,
      maxItems: 2_000,
      items: TradeLine,
      description:
        'The accounts: CSV text, or a list of objects with its columns as members. An empty list is a person without accounts; omit it if the accounts are unknown.',
    }),
  ),
  pdf: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: 10_485_760,
      description: 'The report in base64; it changes nothing.',
    }),
  ),
};

const report = (whose: string) =>
  Type.Optional(
    about(
      holder(
        'CreditReportInput',
        reportMembers,
        'A credit report in the form in which a bureau answers. Every member is optional: what is left out is unknown, and counts neither for nor against the applicant.',
      ),
      whose,
    ),
  );

const OFFER_EXAMPLE = {
  loanAmount: '18,000.00',
  principalAmount: '17,000.00',
  interestRate: '8.49',
  term: 60,
  Request: {
    ApplicantInfo: { ApplicantState: 'OH', MonthlyGross: 6500, HousingMonthlyPayment: 1400 },
    VehicleInfo: { VehicleWholesaleValue: '19,500', VehicleYear: '2024', VehicleMileage: '21,000' },
  },
  report: { score: 700 },
};

const OfferRequest = closed(
  {
    Request: about(
      members.Request,
      'The application, as in `POST /loans`. May have further fields. Nothing of it is stored or returned.',
    ),
    loanAmount: about(members.loanAmount, 'The amortized amount: the amount financed, including products.'),
    interestRate: members.interestRate,
    term: members.term,
    principalAmount: Type.Optional(members.principalAmount),
    paymentFrequency: Type.Optional(members.paymentFrequency),
    installment: Type.Optional(members.installment),
    originationDate: Type.Optional(about(members.originationDate, 'The contract date. Default: `asOf`.')),
    firstPaymentDate: Type.Optional(members.firstPaymentDate),
    dayCount: Type.Optional(members.dayCount),
    amortizationType: Type.Optional(members.amortizationType),
    balloonAmount: Type.Optional(members.balloonAmount),
    interestOnlyCount: Type.Optional(members.interestOnlyCount),
    prepaidFinanceCharge: Type.Optional(members.prepaidFinanceCharge),
    macroEconomicFeatures: Type.Optional(members.macroEconomicFeatures),
    loanInfo: Type.Optional(members.loanInfo),
    lenderId: Type.Optional(
      about(
        members.lenderId,
        'Your id of the lender, whose servicing policy decides how interest is rounded and how far a rate may be above the buy rate (`markupCap`).',
      ),
    ),
    report: report(
      'The applicant’s credit report. Without it no bureau is contacted; if your bureau is the simulator and `ApplicantSSN` is given, the simulated file is used.',
    ),
    coApplicantReport: report('The co-applicant’s credit report, with `report` only.'),
    asOf: Type.Optional(about(members.originationDate, 'The date of the offer; default: today.')),
    modelVersion: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        maxLength: 100,
        description: 'The version of the model; default: the one in force on that date.',
      }),
    ),
    policyVersion: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        maxLength: 100,
        description: 'The version of the underwriting policy; default: the one in force on that date.',
      }),
    ),
  },
  { examples: [OFFER_EXAMPLE] },
);

const texts = (description: string) => Type.Array(sentences('A sentence.'), { description });

const OfferAnswer = envelope(
  shape('OfferCalculation', 'The decision on an application, and its deals.', {
    decision: Type.Enum(['APPROVED', 'DECLINED'], { description: 'The decision on the requested deal.' }),
    reasons: texts('The principal reasons of a decline, at most four, as a notice of adverse action words them.'),
    decisionReason: sentences('All reasons, or the figures of an approval.'),
    hardStops: Type.Array(Type.Enum(HARD_STOPS), {
      description: 'Facts about the people or the requested deal that stand against any approval.',
    }),
    warnings: texts('Warnings about the application or the deal.'),
    stipulations: texts('Items that the borrower must still provide, for the first deal that would be approved.'),
    grade: wordOut('Credit grade, A to F.'),
    riskRating: wordOut('Low for A and B, Medium for C and D, High for E and F.'),
    standardDefaultProbability: decimalOut(
      'The probability of default of this applicant under a standard deal, as a fraction in text: what the grade is read off. Each deal has its own.',
    ),
    reportFrom: Type.Enum([...REPORT_SOURCES], {
      description:
        'The source of the credit report: `request`; `simulator`, an invented file; or `none`. No bureau is contacted for an offer.',
    }),
    note: maybe(
      sentences('A text.'),
      'Advice on the data to send for a decision, if there was no credit report; otherwise null.',
    ),
    modelVersion: wordOut('The version of the model.'),
    policyVersion: wordOut('The version of the underwriting policy.'),
    asOf: date('The date of the offer.'),
    counterOffers: Type.Array(Type.Integer(), {
      description:
        'If the requested deal is declined, the `dealIndex` of every deal that would be approved, the nearest first; otherwise empty.',
    }),
    deals: Type.Array(Deal, {
      description: 'Sixty deals as in `GET /loans/{loan_id}/deals`; the first is the requested one.',
    }),
  }),
  {
    decision: 'APPROVED',
    reasons: [],
    decisionReason: 'Within the policy: grade B, default probability 3.2 %, …',
    hardStops: [],
    warnings: ['VIN is missing'],
    stipulations: ['Vehicle identification number, verified on the vehicle'],
    grade: 'B',
    riskRating: 'Low',
    standardDefaultProbability: '0.031245',
    reportFrom: 'request',
    note: null,
    modelVersion: 'auto-hazard-3',
    policyVersion: 'auto-3',
    asOf: '2026-01-15',
    counterOffers: [],
    deals: [dealExample],
  },
);

export const calculateOffer = operation({
  ...calculator,
  limits: RECORD_BODY,
  exactNumbers: false,
  largeBody: true,
  at: 'POST /calculate-offer',
  id: 'calculateOffer',
  cost: 10,
  summary: 'Calculate an offer: the decision on an application, and its deals',
  description:
    'The decision that `POST /loans` and `POST /start-underwriting` would make on the same application with the same credit report, without storing ' +
    'anything: for a dealer’s desk, and for what-ifs such as another score or another policy version. A credit bureau is never contacted.',
  body: OfferRequest,
  answer: OfferAnswer,
  problems: [],
  async handle(call) {
    const { bytes: source } = call.large as LargeBody;
    const outcome = await call.services.loans.origination.calculateOffer(await actorOf(call), { source });
    switch (outcome.kind) {
      case 'offered':
        return ok(shown(outcome.offer));
      case 'refused':
        throw refusedProblem(outcome.refusal);
      case 'mistaken':
        throw mistakesProblem(outcome.wrong);
      case 'bureau_failed':
        throw unavailable(outcome.detail, outcome.retryable ? 5 : 60);
    }
  },
});

const WITHOUT_REPORT =
  'No credit report was given, so there is no score and every deal is declined. Send `report`, such as { "score": 700 }; what it leaves ' +
  'out is unknown. Credit bureaus are not contacted for an offer.';

function shown({ deals, counterOffers, modelVersion, policyVersion, asOf, ...decided }: Offer) {
  const note = decided.reportFrom === 'none' ? WITHOUT_REPORT : null;
  return { ...decided, note, modelVersion, policyVersion, asOf, counterOffers, deals };
}
