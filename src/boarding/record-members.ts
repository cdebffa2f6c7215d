/**
 * The members of `Request`, `Response` and `Underwriting`, in the interface's order, each with the text it has when it is empty; and
 * how a submitted object is completed: every given member stays as it was given, and missing ones are appended.
 */
import { entrySpans, isListAt, isObjectAt, memberSpans, type Span } from './json-source.ts';

/** What an absent member becomes: its empty text, a whole object, or a list whose entries are such objects. */
export type Absent = '""' | 'null' | '0' | '[]' | '{}' | Shape | { readonly each: Shape };
export type Shape = ReadonlyMap<string, Absent>;

const strings = (names: string): [string, '""'][] => names.split(' ').map((name) => [name, '""']);
const numbers = (names: string): [string, '0'][] => names.split(' ').map((name) => [name, '0']);

const ApplicantInfo: Shape = new Map<string, Absent>([
  ...strings('AddressFull'),
  ['AddressTotalMonths', 'null'],
  ...strings(
    'ApplicantAddress ApplicantAge ApplicantCity ApplicantDOB ApplicantEmail ApplicantEmploymentTime ApplicantEmploymentTypes ' +
      'ApplicantFirstName ApplicantFullAddress ApplicantIncome ApplicantIncomePrimary ApplicantLastName ApplicantResidencePays ' +
      'ApplicantSSN ApplicantState ApplicantTimeAtResidence ApplicantZip County',
  ),
  ['Email', 'null'],
  ...strings('EmploymentCompany'),
  ['EmploymentTotalMonths', 'null'],
  ...strings('EmploymentType EmploymentWorkPhone EstimatedIncome HomePhone'),
  ['HousingMonthlyPayment', 'null'],
  ...strings('MiddleInitial'),
  ['MonthlyGross', 'null'],
  ['OtherIncomeAmount', 'null'],
  ...strings('OtherIncomeType ReportedIncome StreetNumber UnitNumber'),
]);

export const REQUEST: Shape = new Map<string, Absent>([
  ['ApplicantInfo', ApplicantInfo],
  [
    'ApplicationInfo',
    new Map(strings('ApplicantNumber ApplicantsNumber ApplicationID ApplicationType RefiBool RequestedLoanID')),
  ],
  ['CoApplicantInfo', new Map(strings('CoApplicantSSN'))],
  ['DealerInfo', new Map(strings('DealerID DealerName DealerState'))],
  ['PartnerInfo', new Map(strings('PartnerName ProgramPartner'))],
  [
    'RequestedTermsInfo',
    new Map(
      strings(
        'RequestedLoanAmount RequestedLoanBackendProductsAmount RequestedLoanDTI RequestedLoanDownPayment RequestedLoanGAP ' +
          'RequestedLoanPTI RequestedLoanPayment RequestedLoanRate RequestedLoanTerm',
      ),
    ),
  ],
  [
    'VehicleInfo',
    new Map(
      strings(
        'VehicleAge VehicleMake VehicleMileage VehicleModel VehicleRetailValue VehicleVIN VehicleWholesaleValue VehicleYear',
      ),
    ),
  ],
]);

const LoanTerms: Shape = new Map<string, Absent>([
  ...numbers('AcquisitionFee AssetPrice'),
  ...strings('DEALER_FLAT'),
  ...numbers('DefaultProb'),
  ...strings('Description'),
  ...numbers('Discount FundedAmount GrossYield IRR LTV'),
  ['Participation', 'null'],
  ...numbers('Payment Rate TermMonths TotalLoanAmount VehicleWholesaleValue'),
]);

export const RESPONSE: Shape = new Map<string, Absent>([
  ...strings('ApplicationID ApplicationType'),
  ['Comments', '[]'],
  ...numbers('CreditScoreCoapplicant CreditScorePrimary'),
  ...strings('Date DealerID Decision DecisionDate DeclineReason'),
  ['LoanTerms', { each: LoanTerms }],
  ['Stipulations', '[]'],
]);

export const DEAL_TERMS: Shape = new Map(
  strings(
    'ApprovedDownPayment TermsAPR TermsDTI TermsFrontEndLTV TermsLTV TermsLoanAmount TermsMonthlyPayment TermsPTI TermsTerm',
  ),
);

export const UNDERWRITING_INFO: Shape = new Map(
  strings(
    'AllWarnings CollateralDefaultProb DecisionReason DecisionReasonSimple DecisionStatus DefaultProb FairValuePrice ' +
      'ForecastChargeoffAmount ForecastCompoundingIRR ForecastCompoundingNetIRR ForecastFairValuePrice ForecastInterestPaid ' +
      'ForecastNetLossAmount ForecastPresentValue ForecastPrincipalPaid ForecastRecoveredAmount ForecastSimpleIRR ' +
      'ForecastSimpleNetIRR ForecastTotalPaid ForecastTotalPaidLessFees SolventProb TermsApprovedBackEndProducts ' +
      'TermsApprovedFrontEndAmt TermsApprovedFrontEndLTV TermsDealerDiscount TermsDealerFlat TermsDiscountFee ' +
      'TermsFundedAmount TermsLoanDiscount TermsTotalDiscount WarningsNumber',
  ),
);

export const UNDERWRITING: Shape = new Map<string, Absent>([
  ...strings('CashflowsCsv CoApplicantCreditBureauPDF CoApplicantCreditBureauTradeLines'),
  ['DealTermsInfo', { each: DEAL_TERMS }],
  ...strings('PrimaryCreditBureauPDF PrimaryCreditBureauTradeLines'),
  // Bureau data passes through: nothing is ever added inside it.
  ['PrimaryCreditInfo', '{}'],
  ['UnderwritingInfo', { each: UNDERWRITING_INFO }],
]);

/** An object with nothing but empty members. */
export function emptyObject(shape: Shape): string {
  return `{${[...shape].map(([name, absent]) => `"${name}":${emptyText(absent)}`).join(',')}}`;
}

/** A record of which nothing is left: every member, empty. */
export const EMPTY_RECORD = [
  `"Request":${emptyObject(REQUEST)}`,
  `"Response":${emptyObject(RESPONSE)}`,
  `"Underwriting":${emptyObject(UNDERWRITING)}`,
].join(',');

function emptyText(absent: Absent): string {
  if (typeof absent === 'string') return absent;
  return 'each' in absent ? '[]' : emptyObject(absent);
}

/**
 * The text of a given object with the members it lacks appended. Given objects that the shape knows, and entries of lists it knows, are
 * completed too; whatever else was given, null and values of an unexpected type included, stays to the letter.
 */
export function completeObject(source: string, { start, end }: Span, shape: Shape): string {
  const missing = new Map(shape);
  let text = '';
  let copied = start;
  const members = memberSpans(source, start);
  const last = new Map(members.map((member) => [member.name, member]));
  for (const member of members) {
    const known = shape.get(member.name);
    missing.delete(member.name);
    // Of a name that is repeated the last counts. Completing all of them would make forty bytes of every one.
    if (known === undefined || typeof known === 'string' || last.get(member.name) !== member) continue;
    const completed =
      'each' in known ? completeList(source, member, known.each) : completeMember(source, member, known);
    text += source.slice(copied, member.start) + completed;
    copied = member.end;
  }
  const added = emptyObject(missing).slice(1);
  return `${text}${source.slice(copied, end - 1)}${members.length > 0 && missing.size > 0 ? ',' : ''}${added}`;
}

function completeMember(source: string, span: Span, shape: Shape): string {
  return isObjectAt(source, span.start) ? completeObject(source, span, shape) : source.slice(span.start, span.end);
}

function completeList(source: string, span: Span, shape: Shape): string {
  if (!isListAt(source, span.start)) return source.slice(span.start, span.end);
  let text = '';
  let copied = span.start;
  for (const entry of entrySpans(source, span.start)) {
    text += source.slice(copied, entry.start) + completeMember(source, entry, shape);
    copied = entry.end;
  }
  return text + source.slice(copied, span.end);
}
