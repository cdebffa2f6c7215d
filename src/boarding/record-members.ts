/**
 * The members of `Request`, `Response` and `Underwriting`, in the interface's order, each with its type; and how a submitted object is
 * completed: a named member becomes a value of its type or a mistake, missing ones are appended empty, and everything else stays to the
 * letter.
 */
import { looksLikeSsn, type Reader } from '../core/reader.ts';
import {
  entrySpans,
  isListAt,
  isObjectAt,
  memberSpans,
  membersWithoutString,
  type Span,
  valueKind,
} from './json-source.ts';
import {
  ANY_OR_NULL,
  BIRTH_DATE,
  DATE_TEXT,
  FLAG,
  isWrong,
  NUMBER,
  NUMBER_OR_NULL,
  ONLY_TEXT,
  type ScalarType,
  SSN,
  TEXT,
  TEXT_OR_NULL,
  TIME_TEXT,
  typedText,
  ZIP,
} from './record-values.ts';

/** The type of a member: a scalar, an object, a list of objects, a list of strings, or an object of nothing but strings. */
export type MemberType = ScalarType | Shape | { readonly each: Shape } | 'strings' | 'bureau';
export type Shape = ReadonlyMap<string, MemberType>;

const all = (type: ScalarType, names: string): [string, ScalarType][] => names.split(' ').map((name) => [name, type]);
const strings = (names: string) => all(TEXT, names);
const numbers = (names: string) => all(NUMBER, names);

const ApplicantInfo: Shape = new Map<string, MemberType>([
  ...strings('AddressFull'),
  ['AddressTotalMonths', TEXT_OR_NULL],
  ...strings('ApplicantAddress ApplicantAge ApplicantCity'),
  ['ApplicantDOB', BIRTH_DATE],
  ...strings(
    'ApplicantEmail ApplicantEmploymentTime ApplicantEmploymentTypes ApplicantFirstName ApplicantFullAddress ApplicantIncome ' +
      'ApplicantIncomePrimary ApplicantLastName ApplicantResidencePays',
  ),
  ['ApplicantSSN', SSN],
  ...strings('ApplicantState ApplicantTimeAtResidence'),
  ['ApplicantZip', ZIP],
  ...strings('County'),
  ['Email', TEXT_OR_NULL],
  ...strings('EmploymentCompany'),
  ['EmploymentTotalMonths', TEXT_OR_NULL],
  ...strings('EmploymentType EmploymentWorkPhone EstimatedIncome HomePhone'),
  ['HousingMonthlyPayment', TEXT_OR_NULL],
  ...strings('MiddleInitial'),
  ['MonthlyGross', NUMBER_OR_NULL],
  ['OtherIncomeAmount', TEXT_OR_NULL],
  ...strings('OtherIncomeType ReportedIncome StreetNumber UnitNumber'),
]);

const CoApplicantInfo: Shape = new Map([['CoApplicantSSN', SSN]]);

/** Members that underwriting reads, though the interface does not list them: they have a type where they are given, and are never added. */
const COMPARED: readonly [string, MemberType][] = [
  'EmploymentOccupation',
  'BankRoutingNumber',
  'BankAccountNumber',
].map((name) => [name, TEXT_OR_NULL]);
const READ_BESIDE: ReadonlyMap<Shape, Shape> = new Map([
  [ApplicantInfo, new Map<string, MemberType>(COMPARED)],
  [
    CoApplicantInfo,
    new Map<string, MemberType>([['MonthlyGross', NUMBER_OR_NULL], ['CoApplicantIncome', TEXT_OR_NULL], ...COMPARED]),
  ],
]);

export const REQUEST: ReadonlyMap<string, Shape> = new Map([
  ['ApplicantInfo', ApplicantInfo],
  [
    'ApplicationInfo',
    new Map([
      ...strings('ApplicantNumber ApplicantsNumber ApplicationID ApplicationType'),
      ['RefiBool', FLAG],
      ...strings('RequestedLoanID'),
    ]),
  ],
  ['CoApplicantInfo', CoApplicantInfo],
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

const LoanTerms: Shape = new Map<string, MemberType>([
  ...numbers('AcquisitionFee AssetPrice'),
  ...strings('DEALER_FLAT'),
  ...numbers('DefaultProb'),
  ...strings('Description'),
  ...numbers('Discount FundedAmount GrossYield IRR LTV'),
  ['Participation', ANY_OR_NULL],
  ...numbers('Payment Rate TermMonths TotalLoanAmount VehicleWholesaleValue'),
]);

export const RESPONSE: Shape = new Map<string, MemberType>([
  ...strings('ApplicationID ApplicationType'),
  ['Comments', 'strings'],
  ...numbers('CreditScoreCoapplicant CreditScorePrimary'),
  ['Date', DATE_TEXT],
  ...strings('DealerID Decision'),
  ['DecisionDate', TIME_TEXT],
  ...strings('DeclineReason'),
  ['LoanTerms', { each: LoanTerms }],
  ['Stipulations', 'strings'],
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

export const UNDERWRITING: Shape = new Map<string, MemberType>([
  ...all(ONLY_TEXT, 'CashflowsCsv CoApplicantCreditBureauPDF CoApplicantCreditBureauTradeLines'),
  ['DealTermsInfo', { each: DEAL_TERMS }],
  ...all(ONLY_TEXT, 'PrimaryCreditBureauPDF PrimaryCreditBureauTradeLines'),
  ['PrimaryCreditInfo', 'bureau'],
  ['UnderwritingInfo', { each: UNDERWRITING_INFO }],
]);

/** The names that are read of an object of this shape: the interface's, and those beside them. */
export function namesRead(shape: Shape): string[] {
  return [...shape.keys(), ...(READ_BESIDE.get(shape)?.keys() ?? [])];
}

/** An object with nothing but empty members. */
export function emptyObject(shape: Shape): string {
  return `{${[...shape].map(([name, type]) => `"${name}":${emptyText(type)}`).join(',')}}`;
}

/** A record of which nothing is left: every member, empty. */
export const EMPTY_RECORD = [
  `"Request":${emptyObject(REQUEST)}`,
  `"Response":${emptyObject(RESPONSE)}`,
  `"Underwriting":${emptyObject(UNDERWRITING)}`,
].join(',');

function emptyText(type: MemberType): string {
  if (type === 'bureau') return '{}';
  if (type === 'strings' || 'each' in type) return '[]';
  return isScalar(type) ? type.empty : emptyObject(type);
}

// ---- completing ----

/** A full record has 60 deals. */
export const MAX_ENTRIES = 1_000;

/** The place of a value: its text, and its pointer in the body. Mistakes are noted in `read`. */
type Place = { readonly read: Reader; readonly source: string; readonly at: string };

/**
 * The text of a given object in which the members of the shape have their types, with those that it lacks appended. Members that the shape
 * does not know stay to the letter. After a mistake the text must not be used.
 */
export function completeObject(place: Place, { start, end }: Span, shape: Shape): string {
  const { source } = place;
  const missing = new Map(shape);
  let text = '';
  let copied = start;
  const members = memberSpans(source, start);
  const last = new Map(members.map((member) => [member.name, member]));
  for (const member of members) {
    const type = shape.get(member.name) ?? READ_BESIDE.get(shape)?.get(member.name);
    missing.delete(member.name);
    // If a name is repeated, its last member counts. Completing all of them would make forty bytes of every one.
    if (type === undefined || last.get(member.name) !== member) continue;
    const typed = typedMember(place, member.name, member, type);
    if (typed === null) continue;
    text += source.slice(copied, member.start) + typed;
    copied = member.end;
  }
  const added = emptyObject(missing).slice(1);
  return `${text}${source.slice(copied, end - 1)}${members.length > 0 && missing.size > 0 ? ',' : ''}${added}`;
}

/** A member of the object at `of`, or an entry of the list. Null: it stays to the letter. */
function typedMember(of: Place, name: string | number, span: Span, type: MemberType): string | null {
  const { read, source } = of;
  // A record may have tens of thousands of these: the pointer is made for mistakes only.
  if (isScalar(type)) {
    const text = typedText(type, source, span);
    if (!isWrong(text)) return text;
    read.note(`${of.at}/${name}`, text);
    return null;
  }
  const place = { ...of, at: `${of.at}/${name}` };
  if (valueKind(source, span.start) === 'null') return emptyText(type);
  if (type === 'strings') return typedEntries(place, span, TEXT);
  if (type === 'bureau') return checkedBureau(place, span);
  if ('each' in type) return typedEntries(place, span, type.each);
  return isObjectAt(source, span.start) ? completeObject(place, span, type) : wrongType(place, 'Must be an object.');
}

function isScalar(type: MemberType): type is ScalarType {
  return typeof type === 'object' && 'empty' in type;
}

function typedEntries(place: Place, span: Span, type: ScalarType | Shape): string | null {
  const { read, source, at } = place;
  if (!isListAt(source, span.start)) return wrongType(place, 'Must be a list.');
  const entries = entrySpans(source, span.start);
  if (entries.length > MAX_ENTRIES) {
    read.note(at, { code: 'too_many', detail: `Must have at most ${MAX_ENTRIES} entries.` });
    return null;
  }
  let text = '';
  let copied = span.start;
  for (const [i, entry] of entries.entries()) {
    // An entry that is null says nothing: it is neither an object nor a string.
    const isNull = valueKind(source, entry.start) === 'null';
    const made = isNull ? wrongEntry(place, i, type) : typedMember(place, i, entry, type);
    if (made === null) continue;
    text += source.slice(copied, entry.start) + made;
    copied = entry.end;
  }
  return text + source.slice(copied, span.end);
}

/** Mistakes are bounded, and so is what is looked for. */
const MOST_NAMED = 20;
/** A code of a bureau. Other names could hold anything, and an answer repeats nothing that may be personal. */
const CODE = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** Bureau data passes through unmodified: nothing is converted or added inside it, so every value must be a string already. */
function checkedBureau(place: Place, span: Span): null {
  const { read, source, at } = place;
  if (!isObjectAt(source, span.start)) return wrongType(place, 'Must be an object.');
  for (const name of membersWithoutString(source, span.start, MOST_NAMED)) {
    const isCode = CODE.test(name) && !looksLikeSsn(name);
    if (isCode) read.note(`${at}/${name}`, { code: 'type', detail: 'Must be a string.' });
    else read.note(at, { code: 'type', detail: 'Must be an object whose values are all strings.' });
  }
  return null;
}

function wrongEntry({ read, at }: Place, i: number, type: ScalarType | Shape): null {
  return wrongType({ read, at: `${at}/${i}` }, isScalar(type) ? 'Must be a string.' : 'Must be an object.');
}

function wrongType({ read, at }: Omit<Place, 'source'>, detail: string): null {
  read.note(at, { code: 'type', detail });
  return null;
}
