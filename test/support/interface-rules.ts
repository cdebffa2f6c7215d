/**
 * Reads an answer as a client does that was built strictly from the interface's specification, and says everything that such a client
 * could not rely on. The tables are in `interface.ts`; like them, this imports nothing of `src`.
 *
 *     expect(violationsOfRecord(answer.body, { assessed: 'here' })).toEqual([]);
 */
import { parse } from 'csv-parse/sync';
import {
  APPROVED,
  BEFORE_FUNDING,
  BUREAU_MEMBERS,
  BUREAU_MEMBERS_MORE_THAN,
  CASHFLOW_COLUMNS,
  DEAL_TERMS,
  DEALS,
  DETAILS_THAT_ARE_NO_TEXTS,
  type Format,
  type Kind,
  LOAN_DETAILS,
  LOAN_TERMS,
  MACRO,
  METADATA,
  METADATA_BEFORE_FUNDING,
  NEVER_EMPTY,
  PAYMENT,
  PUBLIC_DEAL_EMPTY,
  PUBLIC_EMPTY,
  PUBLIC_UNDERWRITING,
  REQUEST,
  RESPONSE,
  type Table,
  TRADE_LINE_COLUMNS,
  UNDERWRITING_INFO,
  UNDERWRITING_TEXTS,
  VEHICLE,
} from './interface.ts';

/** Facts that the caller knows besides the answer. */
export type CallerFacts = {
  /** `Prefer: numbers=plain` was sent: there are no thousands separators. */
  readonly plain?: boolean;
  /**
   * `here`: there is a whole assessment, made by the service. `elsewhere`: what the lender sent, if anything; its texts are its own and
   * only their types are certain. By default it is the service's, whole or not there at all.
   */
  readonly assessed?: 'here' | 'elsewhere';
};

/** `<pointer>: <rule>`, and where it helps the value that was found. */
export type Violation = { readonly at: string; readonly rule: string; readonly found?: string };

export const violationText = ({ at, rule, found }: Violation): string =>
  `${at}: ${rule}${found === undefined ? '' : `, is ${found}`}`;

/** GET /loans/{loan_id}: the whole answer. */
export function violationsOfRecord(answer: unknown, known: CallerFacts = {}): Violation[] {
  const checks = new Checks(known);
  if (!checks.has('', answer, ['message', 'data'], 'exactly')) return checks.found;
  checks.text('/message', answer.message);
  const { data } = answer;
  if (!checks.has('/data', data, ['loanDetails', 'Request', 'Response', 'Underwriting'], 'exactly'))
    return checks.found;
  const { loanDetails, Request, Response, Underwriting } = data;
  detailsOf(checks, '/data/loanDetails', loanDetails, []);
  requestOf(checks, Request);
  responseOf(checks, Response);
  underwritingOf(checks, Underwriting);
  if (isObject(Response) && isObject(Underwriting) && isObject(loanDetails)) {
    assessmentOf(checks, { details: loanDetails, response: Response, underwriting: Underwriting });
  }
  return checks.found;
}

/** GET /loan-data/{loan_id}: the whole answer. */
export function violationsOfPublicRecord(answer: unknown, known: CallerFacts = {}): Violation[] {
  const checks = new Checks(known);
  if (!checks.has('', answer, ['message', 'data'], 'exactly')) return checks.found;
  checks.text('/message', answer.message);
  if (!checks.has('/data', answer.data, ['loanDetails'], 'exactly')) return checks.found;
  const at = '/data/loanDetails';
  const { loanDetails } = answer.data;
  publicDetailsOf(checks, at, loanDetails, ['loanInfo', 'Underwriting']);
  if (!isObject(loanDetails)) return checks.found;
  const { Underwriting } = loanDetails;
  if (!checks.has(`${at}/Underwriting`, Underwriting, PUBLIC_UNDERWRITING, 'exactly')) return checks.found;
  checks.text(`${at}/Underwriting/CashflowsCsv`, Underwriting.CashflowsCsv);
  dealsOf(checks, `${at}/Underwriting`, Underwriting);
  for (const [i, deal] of listIn(Underwriting.DealTermsInfo).entries()) {
    for (const name of ['TermsPTI', 'TermsDTI']) {
      checks.wholePercent(`${at}/Underwriting/DealTermsInfo/${i}/${name}`, deal[name]);
    }
  }
  for (const [i, info] of listIn(Underwriting.UnderwritingInfo).entries()) {
    for (const name of PUBLIC_DEAL_EMPTY) {
      const where = `${at}/Underwriting/UnderwritingInfo/${i}/${name}`;
      checks.rule(where, info[name] === '', 'is empty in the public record', info[name]);
    }
  }
  const isThere = !isEmpty(Underwriting);
  checks.rule(`${at}/Underwriting`, isThere || known.assessed !== 'here', 'holds the assessment');
  if (isThere && known.assessed !== 'elsewhere') {
    cashflowsOf(checks, `${at}/Underwriting/CashflowsCsv`, Underwriting.CashflowsCsv);
    sixtyOf(checks, `${at}/Underwriting`, Underwriting);
  }
  return checks.found;
}

/** `loanDetails` alone, as other answers hold it. `isPublic`: without what is about the person, and with the vehicle. */
export function violationsOfDetails(
  details: unknown,
  at: string,
  known: CallerFacts & { isPublic?: boolean } = {},
): Violation[] {
  const checks = new Checks(known);
  if (known.isPublic) publicDetailsOf(checks, at, details, ['loanInfo']);
  else detailsOf(checks, at, details, []);
  return checks.found;
}

// ---- loanDetails ----

function detailsOf(checks: Checks, at: string, details: unknown, more: readonly string[]): void {
  const names = [...Object.keys(LOAN_DETAILS), ...DETAILS_THAT_ARE_NO_TEXTS, ...more];
  if (!checks.has(at, details, names, 'exactly, in this order')) return;
  checks.members(at, details, LOAN_DETAILS, NEVER_EMPTY);
  const { macroEconomicFeatures: macro, loanPayments, metadata, loanType, loanStatus } = details;
  if (checks.has(`${at}/macroEconomicFeatures`, macro, MACRO, 'exactly')) {
    for (const name of MACRO) checks.kind(`${at}/macroEconomicFeatures/${name}`, macro[name], 'number');
  }
  if (checks.list(`${at}/loanPayments`, loanPayments)) {
    for (const [i, payment] of loanPayments.entries()) {
      const where = `${at}/loanPayments/${i}`;
      if (!checks.object(where, payment)) continue;
      for (const [name, value] of Object.entries(payment)) {
        checks.kind(`${where}/${name}`, value, PAYMENT[name] ?? 'text');
      }
    }
  }
  if (!checks.has(`${at}/metadata`, metadata, [String(loanType)], 'exactly')) return;
  const figures = metadata[String(loanType)];
  const where = `${at}/metadata/${loanType}`;
  if (!checks.has(where, figures, Object.keys(METADATA), 'exactly')) return;
  checks.members(where, figures, METADATA, NONE);
  if ((BEFORE_FUNDING as readonly unknown[]).includes(loanStatus)) {
    const { empty, planned, zero } = METADATA_BEFORE_FUNDING;
    for (const name of empty) {
      checks.rule(`${where}/${name}`, figures[name] === '', 'is empty before funding', figures[name]);
    }
    for (const name of planned) checks.rule(`${where}/${name}`, figures[name] !== '', 'is planned before funding');
    for (const name of zero)
      checks.rule(`${where}/${name}`, figures[name] === '0', 'is 0 before funding', figures[name]);
  } else {
    for (const [name, format] of Object.entries(METADATA)) {
      // Dates of a loan that was serviced elsewhere, and ratios, may be unknown.
      const isFigure = format !== 'date' && format !== 'fraction';
      checks.rule(`${where}/${name}`, !isFigure || figures[name] !== '', 'has a value once the loan is funded');
    }
  }
  if (loanStatus === 'Closed' || loanStatus === 'ClosedEarly') {
    const status = figures.paymentStatus;
    const isEnd = status === 'On Time' || status === 'Charged Off';
    checks.rule(`${where}/paymentStatus`, isEnd, 'of a closed loan is "On Time" or "Charged Off"', status);
  }
}

function publicDetailsOf(checks: Checks, at: string, details: unknown, more: readonly string[]): void {
  detailsOf(checks, at, details, more);
  if (!isObject(details)) return;
  for (const name of PUBLIC_EMPTY) {
    checks.rule(`${at}/${name}`, details[name] === '', 'is empty in the public record', details[name]);
  }
  for (const [i, payment] of listIn(details.loanPayments).entries()) {
    const number = String(i + 1).replace(/(?=(\d{3})+$)(?!^)/g, checks.known.plain ? '' : ',');
    checks.rule(`${at}/loanPayments/${i}/paymentId`, payment.paymentId === number, 'is its number', payment.paymentId);
  }
  for (const [type, figures] of Object.entries(isObject(details.metadata) ? details.metadata : {})) {
    if (!isObject(figures)) continue;
    for (const name of ['pti', 'dti']) checks.wholePercent(`${at}/metadata/${type}/${name}`, figures[name]);
  }
  const { loanInfo } = details;
  if (loanInfo === undefined) return;
  if (!checks.object(`${at}/loanInfo`, loanInfo) || Object.keys(loanInfo).length === 0) return;
  if (!checks.has(`${at}/loanInfo`, loanInfo, ['Auto'], 'exactly')) return;
  const vehicle = loanInfo.Auto;
  if (!checks.has(`${at}/loanInfo/Auto`, vehicle, VEHICLE, 'exactly')) return;
  for (const name of VEHICLE) checks.text(`${at}/loanInfo/Auto/${name}`, vehicle[name]);
  // A text that is not a vehicle identification number is not shown at all.
  const isMasked = /^(([^*]{11}|\*{11})\*{6})?$/.test(String(vehicle.vin));
  checks.rule(`${at}/loanInfo/Auto/vin`, isMasked, 'shows eleven characters and six asterisks', vehicle.vin);
}

// ---- Request, Response, Underwriting ----

/** Members that the specification does not name may stand beside those that it does. */
function requestOf(checks: Checks, request: unknown): void {
  if (!checks.has('/data/Request', request, Object.keys(REQUEST), 'at least')) return;
  for (const [name, table] of Object.entries(REQUEST)) {
    const at = `/data/Request/${name}`;
    if (checks.has(at, request[name], Object.keys(table), 'at least')) checks.members(at, request[name], table, NONE);
  }
}

function responseOf(checks: Checks, response: unknown): void {
  const at = '/data/Response';
  if (!checks.has(at, response, [...Object.keys(RESPONSE), 'LoanTerms'], 'at least')) return;
  checks.members(at, response, RESPONSE, NONE);
  rowsOf(checks, `${at}/LoanTerms`, response.LoanTerms, LOAN_TERMS);
}

function underwritingOf(checks: Checks, underwriting: unknown): void {
  const at = '/data/Underwriting';
  const names = [...UNDERWRITING_TEXTS, 'DealTermsInfo', 'PrimaryCreditInfo', 'UnderwritingInfo'];
  if (!checks.has(at, underwriting, names, 'at least')) return;
  for (const name of UNDERWRITING_TEXTS) checks.text(`${at}/${name}`, underwriting[name]);
  dealsOf(checks, at, underwriting);
  const { PrimaryCreditInfo: bureau } = underwriting;
  if (!checks.object(`${at}/PrimaryCreditInfo`, bureau)) return;
  for (const [name, value] of Object.entries(bureau)) checks.text(`${at}/PrimaryCreditInfo/${name}`, value);
}

function dealsOf(checks: Checks, at: string, { DealTermsInfo: terms, UnderwritingInfo: infos }: Members): void {
  rowsOf(checks, `${at}/DealTermsInfo`, terms, DEAL_TERMS);
  rowsOf(checks, `${at}/UnderwritingInfo`, infos, UNDERWRITING_INFO);
  if (!Array.isArray(terms) || !Array.isArray(infos)) return;
  const rule = 'has one entry for each of DealTermsInfo';
  checks.rule(`${at}/UnderwritingInfo`, terms.length === infos.length, rule, `${infos.length} for ${terms.length}`);
}

function rowsOf(checks: Checks, at: string, rows: unknown, table: Table): void {
  if (!checks.list(at, rows)) return;
  for (const [i, row] of rows.entries()) {
    const where = `${at}/${i}`;
    if (checks.has(where, row, Object.keys(table), 'at least')) checks.members(where, row, table, NONE);
  }
}

// ---- what an assessment by the service holds ----

type Assessed = { details: Members; response: Members; underwriting: Members };

function assessmentOf(checks: Checks, { details, response, underwriting }: Assessed): void {
  const { assessed } = checks.known;
  if (assessed === 'elsewhere') return;
  const at = '/data/Underwriting';
  if (isEmpty(underwriting)) {
    checks.rule(at, assessed !== 'here', 'holds the assessment');
    const terms = listIn(response.LoanTerms).length;
    checks.rule('/data/Response/LoanTerms', terms === 0, 'is empty without an assessment', `${terms} entries`);
    // A person may have decided without one, also before it was cancelled; once the borrower is erased, nothing is said.
    const said = response.Decision;
    const isCancelled = details.loanStatus === 'Cancelled';
    const isSo = said === '' || said === decidedAt(details.loanStatus) || (isCancelled && said === 'APPROVED');
    checks.rule('/data/Response/Decision', isSo, 'is empty until something is decided', said);
    return;
  }
  cashflowsOf(checks, `${at}/CashflowsCsv`, underwriting.CashflowsCsv);
  sixtyOf(checks, at, underwriting);
  for (const whose of ['Primary', 'CoApplicant']) {
    pdfOf(checks, `${at}/${whose}CreditBureauPDF`, underwriting[`${whose}CreditBureauPDF`]);
    tradeLinesOf(checks, `${at}/${whose}CreditBureauTradeLines`, underwriting[`${whose}CreditBureauTradeLines`]);
  }
  bureauOf(checks, `${at}/PrimaryCreditInfo`, underwriting.PrimaryCreditInfo);
  decisionOf(checks, { details, response, underwriting });
}

function sixtyOf(checks: Checks, at: string, { DealTermsInfo: terms, UnderwritingInfo: infos }: Members): void {
  for (const [name, list] of Object.entries({ DealTermsInfo: terms, UnderwritingInfo: infos })) {
    const count = Array.isArray(list) ? list.length : 0;
    checks.rule(`${at}/${name}`, count === DEALS, `has ${DEALS} entries`, count);
  }
}

/** A header row, then one row a month, of one deal. */
function cashflowsOf(checks: Checks, at: string, text: unknown): void {
  const monthly = 'has one row a month, each later than the one before';
  const lines = String(text).split('\n').length;
  // More than the longest contract has months; it is not worth parsing.
  if (lines > 1_000) {
    checks.rule(at, false, monthly, `${lines} lines`);
    return;
  }
  const rows = tableIn(checks, at, text, CASHFLOW_COLUMNS);
  if (rows === null) return;
  checks.rule(at, rows.length > 0, 'has a row for each month');
  const dates = rows.map(({ Date: date = '' }) => date);
  const isWrong = dates.find((date) => !isDate(date));
  checks.rule(`${at}#Date`, isWrong === undefined, 'is a date in every row', isWrong);
  const untyped = rows.findIndex(({ Type }) => !Type);
  checks.rule(`${at}#Type`, untyped < 0, 'has a value in every row', `empty in row ${untyped + 1}`);
  const months = dates.map((date) => date.slice(0, 7));
  const late = months.findIndex((month, i) => i > 0 && month <= (months[i - 1] as string));
  checks.rule(
    at,
    late < 0,
    monthly,
    `${rows.length} rows; row ${late + 1} is of ${dates[late]} after ${dates[late - 1]}`,
  );
  const deals = new Set(rows.map(({ row_no }) => row_no));
  checks.rule(at, deals.size <= 1, 'is of one deal', `of ${deals.size}`);
}

function tradeLinesOf(checks: Checks, at: string, text: unknown): void {
  if (text !== '') tableIn(checks, at, text, TRADE_LINE_COLUMNS);
}

function pdfOf(checks: Checks, at: string, text: unknown): void {
  if (typeof text !== 'string' || text === '') return;
  const isBase64 = text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  checks.rule(at, isBase64, 'is base64');
  checks.rule(at, !isBase64 || text.startsWith(PDF_IN_BASE64), 'is a PDF');
}

/** The characters that `%PDF-` alone decides: the seventh depends on what follows it. */
const PDF_IN_BASE64 = Buffer.from('%PDF-').toString('base64').slice(0, 6);

function bureauOf(checks: Checks, at: string, bureau: unknown): void {
  if (!isObject(bureau)) return;
  const count = Object.keys(bureau).length;
  checks.rule(at, count > BUREAU_MEMBERS_MORE_THAN, `has more than ${BUREAU_MEMBERS_MORE_THAN} members`, count);
  if (!checks.has(at, bureau, BUREAU_MEMBERS, 'at least')) return;
  const time = bureau.TrackingTransactionTimeStamp;
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d:\d\d$/.test(String(time));
  checks.rule(`${at}/TrackingTransactionTimeStamp`, isTime, 'is a time in ISO 8601 with a numeric offset', time);
}

/** Checks that the record states the decision on the loan. */
function decisionOf(checks: Checks, { details, response, underwriting }: Assessed): void {
  const { loanStatus } = details;
  const decided = decidedAt(loanStatus);
  if (decided === null) return;
  const isApproved = decided === 'APPROVED';
  const { Decision, DecisionDate, DeclineReason } = response;
  const at = '/data/Response';
  checks.rule(`${at}/Decision`, Decision === decided, `of a loan that is ${loanStatus} is ${decided}`, Decision);
  checks.rule(`${at}/DecisionDate`, DecisionDate !== '', 'has a value once it is decided');
  const said = isApproved ? 'is empty for an approval' : 'says why a loan was rejected';
  checks.rule(`${at}/DeclineReason`, (DeclineReason === '') === isApproved, said, DeclineReason);
  const reason = details.lendingDecisionReason;
  checks.rule('/data/loanDetails/lendingDecisionReason', reason !== '', 'has a value once it is decided');
  const row = listIn(underwriting.UnderwritingInfo).some(({ DecisionStatus }) => DecisionStatus === decided);
  checks.rule('/data/Underwriting/UnderwritingInfo', row, 'has an entry with the decision', `none ${decided}`);
}

/** The decision on a loan that is in this status; null: none yet, or the status does not show it. */
function decidedAt(loanStatus: unknown): 'APPROVED' | 'DECLINED' | null {
  if (loanStatus === 'Rejected') return 'DECLINED';
  return (APPROVED as readonly unknown[]).includes(loanStatus) ? 'APPROVED' : null;
}

// ---- checks ----

type Members = Record<string, unknown>;

const NONE: ReadonlySet<string> = new Set();

class Checks {
  readonly found: Violation[] = [];
  readonly known: CallerFacts;

  constructor(known: CallerFacts) {
    this.known = known;
  }

  rule(at: string, holds: boolean, rule: string, value?: unknown): void {
    if (!holds) this.found.push({ at, rule, ...(value === undefined ? {} : { found: shown(value) }) });
  }

  object(at: string, value: unknown): value is Members {
    this.rule(at, isObject(value), 'is an object', value);
    return isObject(value);
  }

  list(at: string, value: unknown): value is unknown[] {
    this.rule(at, Array.isArray(value), 'is a list', value);
    return Array.isArray(value);
  }

  text(at: string, value: unknown): value is string {
    this.rule(at, typeof value === 'string', 'is a string', value);
    return typeof value === 'string';
  }

  /** An object with these members. False: it has not even those, so that nothing more can be said of it. */
  has<N extends string>(
    at: string,
    value: unknown,
    names: readonly N[],
    how: 'at least' | 'exactly' | 'exactly, in this order',
  ): value is Record<N, unknown> & Members {
    if (!this.object(at, value)) return false;
    const missing = names.filter((name) => !Object.hasOwn(value, name));
    for (const name of missing) this.rule(`${at}/${name}`, false, 'is missing');
    if (how !== 'at least') {
      const expected: ReadonlySet<string> = new Set(names);
      const unknown = Object.keys(value).filter((name) => !expected.has(name));
      for (const name of unknown) this.rule(`${at}/${name}`, false, 'is not a member that the interface has');
      if (how !== 'exactly' && missing.length === 0 && unknown.length === 0) {
        const first = Object.keys(value).findIndex((name, i) => name !== names[i]);
        this.rule(at, first < 0, 'has its members in the order of the interface', Object.keys(value)[first]);
      }
    }
    return missing.length === 0;
  }

  members(at: string, value: Members, table: Table, neverEmpty: ReadonlySet<string>): void {
    for (const [name, kind] of Object.entries(table)) {
      this.kind(`${at}/${name}`, value[name], kind);
      if (neverEmpty.has(name)) this.rule(`${at}/${name}`, value[name] !== '', 'is never empty');
    }
  }

  kind(at: string, value: unknown, kind: Kind): void {
    if (kind === 'number') this.rule(at, typeof value === 'number', 'is a number', value);
    else if (kind === 'number or null')
      this.rule(at, value === null || typeof value === 'number', 'is a number or null', value);
    else if (kind === 'text or null')
      this.rule(at, value === null || typeof value === 'string', 'is a string or null', value);
    else if (kind === 'number, text or null')
      this.rule(at, value === null || ['string', 'number'].includes(typeof value), 'is a value or null', value);
    else if (kind === 'list of texts') {
      if (!this.list(at, value)) return;
      for (const [i, one] of value.entries()) this.text(`${at}/${i}`, one);
    } else if (this.text(at, value) && value !== '') {
      if (typeof kind !== 'string') this.rule(at, kind.includes(value), 'is a word of its list', value);
      else this.rule(at, isFormat(value, kind, this.known.plain ?? false), `has the format: ${kind}`, value);
    }
  }

  wholePercent(at: string, value: unknown): void {
    const isWhole = typeof value === 'string' && /^(\d+(\.\d{1,2}0*)?)?$/.test(value);
    this.rule(at, isWhole, 'is in whole percent in the public record', value);
  }
}

type Pattern = (plain: boolean) => RegExp;
const grouped =
  (decimals: string, sign = ''): Pattern =>
  (plain) =>
    new RegExp(`^${sign}(0|[1-9]${plain ? '\\d*' : '\\d{0,2}(,\\d{3})*'})${decimals}$`);
const always =
  (pattern: RegExp): Pattern =>
  () =>
    pattern;

const PATTERNS: Readonly<Record<Exclude<Format, readonly string[] | 'text' | 'date'>, Pattern>> = {
  reference: always(/^[A-Za-z0-9._:-]{1,64}$/),
  account: always(/^0x[0-9a-fA-F]{40}$/),
  amount: grouped('(\\.\\d{2})?'),
  forecast: grouped('(\\.\\d{1,6})?', '-?'),
  count: grouped(''),
  // Thirteen digits: between 2001 and 2286.
  epoch: (plain) => (plain ? /^\d{13}$/ : /^\d(,\d{3}){4}$/),
  time: always(/^\d{4}-\d\d-\d\d ([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/),
  percent: always(/^-?\d+(\.\d+)?$/),
  fraction: always(/^-?\d+(\.\d{1,6})?$/),
  hash: always(/^0x[0-9a-fA-F]+$/),
  'birth date': always(/^\d{8}$/),
};
const COMPILED = Object.fromEntries(
  Object.entries(PATTERNS).map(([name, pattern]) => [name, [pattern(false), pattern(true)] as const]),
);

function isFormat(value: string, format: Exclude<Format, readonly string[]>, plain: boolean): boolean {
  if (format === 'text') return true;
  if (format === 'date') return isDate(value);
  const pattern = COMPILED[format]?.[plain ? 1 : 0];
  if (pattern === undefined || !pattern.test(value)) return false;
  if (format === 'time') return isDate(value.slice(0, 10));
  if (format === 'birth date') return isDate(`${value.slice(0, 4)}-${value.slice(4, 6)}-${value.slice(6)}`);
  return true;
}

/** One that the calendar has. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** The rows of a CSV by their columns; null when it is none, or has not these. */
function tableIn(
  checks: Checks,
  at: string,
  text: unknown,
  columns: readonly string[],
): Record<string, string>[] | null {
  if (typeof text !== 'string') return null;
  let rows: Record<string, string>[];
  let header: string[] = [];
  try {
    rows = parse(text, {
      columns: (names: string[]) => {
        header = names;
        return names;
      },
    });
  } catch {
    checks.rule(at, false, 'is CSV with as many values in each row as in the header');
    return null;
  }
  const missing = columns.filter((column) => !header.includes(column));
  checks.rule(at, missing.length === 0, 'has the columns of the interface', `without ${missing.join(', ')}`);
  return missing.length === 0 ? rows : null;
}

/** No text, no list entry and no bureau data at all. */
function isEmpty(underwriting: Members): boolean {
  return Object.values(underwriting).every((value) =>
    typeof value === 'string' ? value === '' : Object.keys(value ?? {}).length === 0,
  );
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listIn(value: unknown): Members[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
