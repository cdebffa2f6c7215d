/**
 * `Request`, `Response` and `Underwriting` of a creation: the application, and what came of it elsewhere. They are open and come back as
 * given, so they are read off their text and never built anew; what the service itself needs of them is looked up, and where such a
 * member holds something unexpected it is simply not used. Only what would contradict the loan is refused.
 */
import type { PlainDate } from '../core/calendar.ts';
import { LONGEST_FIGURE, parseExactDecimal, ratioText, roundedText, withoutPercentSign } from '../core/decimal.ts';
import type { Deal } from '../core/loan.ts';
import { type Cents, parseCents } from '../core/money.ts';
import { parsePercent } from '../core/rate.ts';
import { Reader } from '../core/reader.ts';
import { checkApplication } from './application-names.ts';
import type { SearchTerms } from './file.ts';
import { entrySpans, isListAt, isObjectAt, memberSpans, type Span, scalarText } from './json-source.ts';
import { assessmentShown, type Rough, roughOf } from './public-part.ts';
import { completeObject, emptyObject, REQUEST, RESPONSE, type Shape, UNDERWRITING } from './record-members.ts';
import { checkTextLengths } from './text-lengths.ts';

export type RecordParts = {
  /** `"Request":{…},"Response":{…},"Underwriting":{…}`, complete. */
  readonly record: string;
  /** `{"CashflowsCsv":…,"DealTermsInfo":[…],"UnderwritingInfo":[…]}`: what everybody may see of it. */
  readonly publicUnderwriting: () => string;
  /** Of the applicants, for the ratios that everybody may see. */
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
/** A full record has 60 of them. */
const MAX_DEALS = 1_000;
/** Underwriting reads them, though the interface does not list them. */
const CO_APPLICANT_FIGURES = ['MonthlyGross', 'CoApplicantIncome'];

type Members = ReadonlyMap<string, Span>;

/**
 * `given` holds where the three objects stand in the text; those that are absent or null are made of empty members. `today`: an application
 * that is to be assessed is checked for what would not be read.
 */
export function readRecordParts(
  read: Reader,
  source: string,
  given: Members,
  today: PlainDate | null = null,
): RecordParts {
  const request = membersAt(source, given.get('Request'));
  const response = membersAt(source, given.get('Response'));
  const underwriting = membersAt(source, given.get('Underwriting'));
  const dealSpans = readEntries('DealTermsInfo');
  const infoSpans = readEntries('UnderwritingInfo');
  if (dealSpans.length !== infoSpans.length) {
    const detail = `Must have one entry for each entry of DealTermsInfo, which has ${dealSpans.length}; this has ${infoSpans.length}.`;
    read.note('/Underwriting/UnderwritingInfo', { code: 'contradiction', detail });
  }
  for (const name of ['Comments', 'LoanTerms', 'Stipulations']) {
    const span = response.get(name);
    if (span === undefined || isNullAt(source, span)) continue;
    if (!isListAt(source, span.start)) read.note(`/Response/${name}`, { code: 'type', detail: 'Must be a list.' });
    else if (entrySpans(source, span.start).length > MAX_DEALS) tooMany(`/Response/${name}`);
  }
  for (const [name, shape] of REQUEST) {
    const names = [...(shape as Shape).keys(), ...(name === 'CoApplicantInfo' ? CO_APPLICANT_FIGURES : [])];
    checkTextLengths(read, source, `/Request/${name}`, membersAt(source, request.get(name)), names);
  }
  const assessed = response.size > 0 || underwriting.size > 0;
  if (!assessed && today !== null) {
    const more = { CoApplicantInfo: CO_APPLICANT_FIGURES };
    checkApplication(read, source, request, { membersOf: (span) => membersAt(source, span), more, today });
  }
  const deals = dealSpans.map((span) => scalars(source, span));
  const infos = infoSpans.map((span) => membersAt(source, span));
  infos.forEach((info, i) => {
    readDecision(info.get('DecisionStatus'), `/Underwriting/UnderwritingInfo/${i}/DecisionStatus`);
  });
  const asked = scalars(source, request.get('RequestedTermsInfo'));
  const vehicle = scalars(source, request.get('VehicleInfo'));
  const people = {
    ApplicantInfo: scalars(source, request.get('ApplicantInfo')),
    CoApplicantInfo: scalars(source, request.get('CoApplicantInfo')),
  };
  const rough = roughOf(people, asked, deals[0]);
  const ratio = (requested: string, offered: string) =>
    ratioText(asked.get(requested) ?? '') || ratioText(deals[0]?.get(offered) ?? '');
  return {
    record: [
      `"Request":${complete('Request', REQUEST)}`,
      `"Response":${complete('Response', RESPONSE)}`,
      `"Underwriting":${complete('Underwriting', UNDERWRITING)}`,
    ].join(','),
    publicUnderwriting: () =>
      assessmentShown({
        cashflows: cashflowsText(),
        deals,
        infos: infoSpans.map((span) => scalars(source, span)),
        rough,
      }),
    rough,
    assessed,
    decision: readDecision(response.get('Decision'), '/Response/Decision'),
    deals: deals.map(dealOf),
    vehicle,
    collateralValue: worth(vehicle.get('VehicleRetailValue')) ?? worth(vehicle.get('VehicleWholesaleValue')),
    pti: ratio('RequestedLoanPTI', 'TermsPTI'),
    dti: ratio('RequestedLoanDTI', 'TermsDTI'),
    ltv: ratioText(deals[0]?.get('TermsLTV') ?? ''),
    search: searchTerms(people.ApplicantInfo),
    state: stateOf(people.ApplicantInfo),
  };

  function cashflowsText(): string {
    const span = underwriting.get('CashflowsCsv');
    return span !== undefined && source.charAt(span.start) === '"' ? (scalarText(source, span) ?? '') : '';
  }

  /** Nothing when the loan is refused anyway: completing a list of a million empty entries would take a gigabyte. */
  function complete(name: string, shape: Shape): string {
    if (!read.isClean) return '{}';
    const span = given.get(name);
    return span !== undefined && isObjectAt(source, span.start)
      ? completeObject(source, span, shape)
      : emptyObject(shape);
  }

  function tooMany(at: string): void {
    read.note(at, { code: 'too_many', detail: `Must have at most ${MAX_DEALS} entries.` });
  }

  function readEntries(name: string): Span[] {
    const span = underwriting.get(name);
    if (span === undefined || isNullAt(source, span)) return [];
    const at = `/Underwriting/${name}`;
    if (!isListAt(source, span.start)) {
      read.note(at, { code: 'type', detail: 'Must be a list.' });
      return [];
    }
    const entries = entrySpans(source, span.start);
    if (entries.length > MAX_DEALS) {
      tooMany(at);
      return [];
    }
    entries.forEach((entry, i) => {
      if (!isObjectAt(source, entry.start)) read.note(`${at}/${i}`, { code: 'type', detail: 'Must be an object.' });
    });
    return entries;
  }

  function readDecision(span: Span | undefined, at: string): 'APPROVED' | 'DECLINED' | null {
    if (span === undefined || isNullAt(source, span)) return null;
    const text = scalarText(source, span);
    if (text === '') return null;
    if (text === 'APPROVED' || text === 'DECLINED') return text;
    read.note(at, { code: 'enum', detail: `Must be one of: ${DECISIONS.join(', ')}.` });
    return null;
  }
}

/** Of a name that is repeated the last member counts, as for every reader of JSON. */
export function membersAt(source: string, span: Span | undefined): Members {
  if (span === undefined || !isObjectAt(source, span.start)) return NO_MEMBERS;
  return new Map(memberSpans(source, span.start).map((member) => [member.name, member]));
}

const NO_MEMBERS: Members = new Map();

/** Strings and numbers of an object, as text. */
function scalars(source: string, span: Span | undefined): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [name, member] of membersAt(source, span)) {
    const text = scalarText(source, member);
    if (text !== null) texts.set(name, text);
  }
  return texts;
}

function isNullAt(source: string, { start }: Span): boolean {
  return source.startsWith('null', start);
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

function searchTerms(applicant: ReadonlyMap<string, string>): SearchTerms {
  const term = (name: string) => {
    const text = (applicant.get(name) ?? '').trim();
    return text.length <= MAX_TERM ? text : '';
  };
  const ssn = term('ApplicantSSN');
  const email = term('ApplicantEmail') || term('Email');
  const phone = [term('HomePhone'), term('EmploymentWorkPhone')].filter((number) => /\d/.test(number));
  const lastName = term('ApplicantLastName');
  const dateOfBirth = term('ApplicantDOB');
  return {
    ...(ssn === '' ? {} : { ssn }),
    ...(email === '' ? {} : { email }),
    ...(phone.length === 0 ? {} : { phone }),
    ...(lastName === '' || !/^\d{4}-?\d{2}-?\d{2}$/.test(dateOfBirth) ? {} : { lastName, dateOfBirth }),
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
