/**
 * `Request`, `Response` and `Underwriting` of a creation: the application, and what came of it elsewhere. They are open, so they are
 * completed as text and never built anew: named members have the interface's types, and everything else comes back as it was given
 * (`record-members.ts`). What the service itself needs is looked up in the completed text. A string that is no figure where the service
 * reads one is not used; refused is what has no form of its type, and what would contradict the loan.
 */
import type { PlainDate } from '../core/calendar.ts';
import { LONGEST_FIGURE, parseExactDecimal, ratioText, roundedText, withoutPercentSign } from '../core/decimal.ts';
import type { Deal } from '../core/loan.ts';
import { type Cents, parseCents } from '../core/money.ts';
import { parsePercent } from '../core/rate.ts';
import { Reader } from '../core/reader.ts';
import { checkApplicant, checkNames } from './application-names.ts';
import type { SearchTerms } from './file.ts';
import { indexedValues } from './indexed-values.ts';
import {
  entrySpans,
  isEmptyAt,
  isListAt,
  isObjectAt,
  memberSpans,
  type Span,
  scalarText,
  valueKind,
} from './json-source.ts';
import { publicAssessment, type Rough, roughOf } from './public-part.ts';
import {
  completeObject,
  emptyObject,
  MAX_ENTRIES,
  namesRead,
  REQUEST,
  RESPONSE,
  type Shape,
  UNDERWRITING,
} from './record-members.ts';
import { writtenOut } from './record-values.ts';
import { checkTextLengths } from './text-lengths.ts';

export type RecordParts = {
  /** `"Request":{…},"Response":{…},"Underwriting":{…}`, complete. */
  readonly record: string;
  /** `{"CashflowsCsv":…,"DealTermsInfo":[…],"UnderwritingInfo":[…]}`: what everybody may see of it. */
  readonly publicUnderwriting: () => string;
  /** Income and debts of the applicants, for the public ratios. */
  readonly rough: Rough;
  /** Whether anything came of it elsewhere: a `Response` or an `Underwriting` with something in it. */
  readonly assessed: boolean;
  readonly decision: 'APPROVED' | 'DECLINED' | null;
  readonly deals: readonly (Deal | null)[];
  /** Members of `Request.VehicleInfo`. */
  readonly vehicle: ReadonlyMap<string, string>;
  readonly collateralValue: Cents | null;
  readonly pti: string;
  readonly dti: string;
  readonly ltv: string;
  readonly search: SearchTerms;
  /** The two letters of the applicant's state; null: not given. Personal: it is not kept. */
  readonly state: string | null;
};

const DECISIONS = ['APPROVED', 'DECLINED'];

type Members = ReadonlyMap<string, Span>;

/**
 * `given` holds where the three objects stand in the text; those that are absent or null are made of empty members. `today`: an application
 * that is to be assessed is checked for what would not be read.
 */
export function readRecordParts(
  read: Reader,
  body: string,
  given: Members,
  today: PlainDate | null = null,
): RecordParts {
  const { source, whole } = assembled([
    ['Request', complete('Request', REQUEST)],
    ['Response', complete('Response', RESPONSE)],
    ['Underwriting', complete('Underwriting', UNDERWRITING)],
  ]);
  const request = membersAt(source, whole.get('Request'));
  const response = membersAt(source, whole.get('Response'));
  const underwriting = membersAt(source, whole.get('Underwriting'));
  // A record that was read has every member of both, also where nothing was assessed: what is empty was not handed over.
  const assessed =
    isFilled(response.get('Decision')) ||
    isFilled(response.get('LoanTerms')) ||
    [...underwriting.values()].some((span) => isFilled(span));
  const [dealSpans, infoSpans] = readEntries();
  for (const [name, shape] of REQUEST) {
    checkTextLengths(read, source, `/Request/${name}`, membersAt(source, request.get(name)), namesRead(shape));
  }
  const people = {
    ApplicantInfo: scalars(source, request.get('ApplicantInfo')),
    CoApplicantInfo: scalars(source, request.get('CoApplicantInfo')),
  };
  if (!assessed && today !== null) {
    const applied = membersAt(body, given.get('Request'));
    checkNames(read, applied, (name) => membersAt(body, applied.get(name)));
    checkApplicant(read, people.ApplicantInfo, today);
  }
  const deals = dealSpans.map((span) => scalars(source, span));
  const infos = infoSpans.map((span) => scalars(source, span));
  infos.forEach((info, i) => {
    readDecision(info.get('DecisionStatus'), `/Underwriting/UnderwritingInfo/${i}/DecisionStatus`);
  });
  const asked = scalars(source, request.get('RequestedTermsInfo'));
  const vehicle = scalars(source, request.get('VehicleInfo'));
  const rough = roughOf(people, asked, deals[0]);
  const ratio = (requested: string, offered: string) =>
    ratioText(asked.get(requested) ?? '') || ratioText(deals[0]?.get(offered) ?? '');
  return {
    record: source.slice(1, -1),
    publicUnderwriting: () =>
      publicAssessment({ cashflows: textAt(underwriting.get('CashflowsCsv')) ?? '', deals, infos, rough }),
    rough,
    assessed,
    decision: readDecision(textAt(response.get('Decision')), '/Response/Decision'),
    deals: deals.map(dealOf),
    vehicle,
    collateralValue: worth(vehicle.get('VehicleRetailValue')) ?? worth(vehicle.get('VehicleWholesaleValue')),
    pti: ratio('RequestedLoanPTI', 'TermsPTI'),
    dti: ratio('RequestedLoanDTI', 'TermsDTI'),
    ltv: ratioText(deals[0]?.get('TermsLTV') ?? ''),
    search: searchTerms(people),
    state: stateOf(people.ApplicantInfo),
  };

  function complete(name: string, shape: Shape): string {
    const span = given.get(name);
    return span !== undefined && isObjectAt(body, span.start)
      ? completeObject({ read, source: body, at: `/${name}` }, span, shape)
      : emptyObject(shape);
  }

  function isFilled(span: Span | undefined): boolean {
    return span !== undefined && !isEmptyAt(source, span.start);
  }

  function textAt(span: Span | undefined): string | undefined {
    return span === undefined ? undefined : (scalarText(source, span) ?? undefined);
  }

  /** The entries of `DealTermsInfo` and of `UnderwritingInfo`; none where a list has a mistake, because it may have any length then. */
  function readEntries(): [deals: Span[], infos: Span[]] {
    const [deals, infos] = ['DealTermsInfo', 'UnderwritingInfo'].map((name) => {
      const span = underwriting.get(name);
      if (span === undefined || !isListAt(source, span.start)) return null;
      const entries = entrySpans(source, span.start);
      return entries.length > MAX_ENTRIES ? null : entries;
    });
    if (!deals || !infos) return [[], []];
    if (deals.length !== infos.length) {
      const detail = `Must have one entry for each entry of DealTermsInfo, which has ${deals.length}; this has ${infos.length}.`;
      read.note('/Underwriting/UnderwritingInfo', { code: 'contradiction', detail });
    }
    return [deals, infos];
  }

  function readDecision(text: string | undefined, at: string): 'APPROVED' | 'DECLINED' | null {
    if (text === undefined || text === '') return null;
    if (text === 'APPROVED' || text === 'DECLINED') return text;
    read.note(at, { code: 'enum', detail: `Must be one of: ${DECISIONS.join(', ')}.` });
    return null;
  }
}

/** An object of these members, and where each of them stands in it: going through the text once more would take as long as reading it. */
function assembled(members: readonly (readonly [name: string, text: string])[]): { source: string; whole: Members } {
  const whole = new Map<string, Span>();
  let source = '{';
  for (const [name, text] of members) {
    source += `${whole.size === 0 ? '' : ','}"${name}":`;
    whole.set(name, { start: source.length, end: source.length + text.length });
    source += text;
  }
  return { source: `${source}}`, whole };
}

/** The members of an object. If a name is repeated, its last member counts, as for every reader of JSON. */
export function membersAt(source: string, span: Span | undefined): Members {
  if (span === undefined || !isObjectAt(source, span.start)) return NO_MEMBERS;
  return new Map(memberSpans(source, span.start).map((member) => [member.name, member]));
}

const NO_MEMBERS: Members = new Map();

/** Strings and numbers of an object, as text; numbers without an exponent. */
function scalars(source: string, span: Span | undefined): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [name, member] of membersAt(source, span)) {
    const text = scalarText(source, member);
    if (text !== null)
      texts.set(name, valueKind(source, member.start) === 'number' ? (writtenOut(text) ?? text) : text);
  }
  return texts;
}

function worth(text: string | undefined): Cents | null {
  return parseCents(text ?? '') || null;
}

// ---- the deals it may be approved with ----

function dealOf(terms: ReadonlyMap<string, string>): Deal | null {
  const amount = parseCents(terms.get('TermsLoanAmount') ?? '');
  const months = terms.get('TermsTerm') ?? '';
  const payment = parseCents(terms.get('TermsMonthlyPayment') ?? '') || null;
  const term = /^\d{1,3}(\.0+)?$/.test(months) ? Number(months) : 0;
  if (amount === null || amount === 0 || term < 1 || term > 600) return null;
  const rate = rateOf(terms.get('TermsAPR') ?? '', { amount, term, payment });
  return rate === null ? null : { amount, rate, term, payment, decision: null };
}

/**
 * Percent a year. Some writers have fractions here: 0.0725 may be 7.25 % or, as 0.9 in an advertisement, what it says. The deal's own
 * payment shows which; without one such a rate cannot be read.
 */
function rateOf(text: string, { amount, term, payment }: Omit<Deal, 'rate' | 'decision'>): string | null {
  if (text.length > LONGEST_FIGURE) return null;
  const figure = withoutPercentSign(text);
  const rate = parsePercent(figure);
  if (rate === null) return null;
  const value = rate.digits / 10 ** rate.scale;
  if (value === 0 || value >= 1 || figure !== text) return figure;
  if (payment === null) return null;
  const distance = (percent: number) => {
    const monthly = percent / 1200;
    return Math.abs((amount * monthly) / (1 - (1 + monthly) ** -term) - payment);
  };
  if (distance(value) <= distance(value * 100)) return figure;
  const { digits, scale } = parseExactDecimal(figure) ?? { digits: 0n, scale: 0 };
  return roundedText({ digits: digits * 100n, scale }, 8);
}

// ---- what the loan can be found by ----

function stateOf(applicant: ReadonlyMap<string, string>): string | null {
  const text = (applicant.get('ApplicantState') ?? '').trim().toUpperCase();
  return /^[A-Z]{2}$/.test(text) ? text : null;
}

const MAX_TERM = 200;

function searchTerms({
  ApplicantInfo: applicant,
  CoApplicantInfo: coApplicant,
}: Readonly<Record<'ApplicantInfo' | 'CoApplicantInfo', ReadonlyMap<string, string>>>): SearchTerms {
  const term = (name: string) => {
    const text = (applicant.get(name) ?? '').trim();
    return text.length <= MAX_TERM ? text : '';
  };
  const ssn = term('ApplicantSSN');
  const email = term('ApplicantEmail') || term('Email');
  const phone = [term('HomePhone'), term('EmploymentWorkPhone')].filter((number) => /\d/.test(number));
  const lastName = term('ApplicantLastName');
  const dateOfBirth = term('ApplicantDOB');
  const indexed = indexedValues({ applicant, coApplicant }, '').filter(({ text }) => text.length <= MAX_TERM);
  // The applicant's own number and telephone are found already.
  const also = indexed.filter(({ kind, of }) => of === 'coApplicant' || (kind !== 'ssn' && kind !== 'phone'));
  return {
    ...(ssn === '' ? {} : { ssn }),
    ...(email === '' ? {} : { email }),
    ...(phone.length === 0 ? {} : { phone }),
    ...(lastName === '' || dateOfBirth === '' ? {} : { lastName, dateOfBirth }),
    ...(also.length === 0 ? {} : { also }),
  };
}

// ---- after an underwriting run ----

/** The source text of `Request` in a record (`"Request":{…},"Response":{…},"Underwriting":{…}`). */
export function requestOf(record: string): string {
  return memberText(record, 'Request');
}

/** A record with what an underwriting run made in the place of what was empty. */
export function withAssessment(
  record: string,
  { Response, Underwriting }: { readonly Response: string; readonly Underwriting: string },
): string {
  const source = `{"Request":${requestOf(record)},"Response":${Response},"Underwriting":${Underwriting}}`;
  const read = new Reader();
  const whole = readRecordParts(read, source, membersAt(source, { start: 0, end: source.length }));
  if (!read.isClean) throw new Error('An underwriting run produced parts that cannot be read.');
  return whole.record;
}

/** The text of one of several members that stand beside each other: `"Request":{…},"Response":{…}`. */
export function memberText(members: string, name: string): string {
  const source = `{${members}}`;
  const span = membersAt(source, { start: 0, end: source.length }).get(name);
  if (span === undefined) throw new Error(`A stored part has no ${name}.`);
  return source.slice(span.start, span.end);
}
