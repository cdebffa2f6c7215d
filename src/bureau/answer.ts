/**
 * A bureau's answer on the wire, one JSON object: read by the HTTP adapter, and written by the simulator as its raw answer, so
 * that reports of both have the same form. `docs/bureau.md` describes it.
 */
import { type PlainDate, parseDate } from '../core/calendar.ts';
import type { BureauReport } from './bureau.ts';
import { readFlags } from './flags.ts';
import { readTradeLines, tradeLinesFrom, writeTradeLines } from './trade-lines.ts';

export type Answer = Omit<BureauReport, 'raw' | 'tradeLines'>;

/** The attributes are passed in as text, because they must be kept exactly as written. */
export function writeAnswer(answer: Answer): Uint8Array {
  const { hit, score, scoreFactors, reportDate, inFileSince, inquiries, flags, attributes, tradeLinesCsv, pdf } =
    answer;
  const head = JSON.stringify({ hit, score, scoreFactors, reportDate, inFileSince, inquiries, flags }).slice(0, -1);
  const base64 = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength).toString('base64');
  return Buffer.from(
    `${head},"attributes":${attributes},"tradeLines":${JSON.stringify(tradeLinesCsv)},"pdf":"${base64}"}`,
  );
}

/** A score is a whole number of at most three digits for every bureau. */
const HIGHEST_SCORE = 999;
const MAX_FACTORS = 20;
const MAX_FACTOR_LENGTH = 200;
/** Four times as many as the largest known set, each a figure or a short text. */
const MAX_ATTRIBUTES = 5_000;
const MAX_ATTRIBUTE_LENGTH = 200;

/** The report, or what is wrong with the answer, without quoting it. */
export function readAnswer(raw: Uint8Array): BureauReport | string {
  const text = textOf(raw);
  if (text === null) return 'it is not UTF-8';
  const answer = parse(text);
  if (answer === null) return 'it is not a JSON object';
  const report = readMembers(answer, (parsed) => attributesIn(text, parsed));
  return isAnswerMistake(report) ? report.detail : { ...report, raw };
}

/** The same form given by hand, as far as it is known: what is left out is unknown, and counts neither for nor against anybody. */
export function readGivenReport(
  given: Readonly<Record<string, unknown>>,
  today: PlainDate,
): BureauReport | AnswerMistake {
  const complete = { hit: true, reportDate: today, attributes: {}, tradeLines: [], ...given };
  const report = readMembers(complete, (parsed) => (isShortTexts(parsed) ? JSON.stringify(parsed) : null));
  if (isAnswerMistake(report)) return report;
  const unknown = (['tradeLines', 'inFileSince'] as const).filter((name) => given[name] === undefined);
  return { ...report, raw: new Uint8Array(), unknown };
}

/** A wrong member and its fault, without quoting it. */
type AnswerMistake = { readonly member: string; readonly detail: string };

export function isAnswerMistake(read: object): read is AnswerMistake {
  return 'detail' in read;
}

/** `attributesText` gives the text of the attributes that is kept; null when they are not what they must be. */
function readMembers(
  answer: Readonly<Record<string, unknown>>,
  attributesText: (parsed: unknown) => string | null,
): Omit<BureauReport, 'raw'> | AnswerMistake {
  const { hit, score = null, scoreFactors = [], inquiries = null, inFileSince = null } = answer;
  const wrong = (member: string, detail: string): AnswerMistake => ({ member, detail: `${member} ${detail}` });
  if (typeof hit !== 'boolean') return wrong('hit', 'is neither true nor false');
  if (score !== null && !isWhole(score, 1, HIGHEST_SCORE))
    return wrong('score', `is neither null nor a whole number up to ${HIGHEST_SCORE}`);
  if (!hit && score !== null) return wrong('score', 'must be null where there is no file');
  if (!isFactors(scoreFactors)) return wrong('scoreFactors', `is not a list of at most ${MAX_FACTORS} short texts`);
  if (inquiries !== null && !isWhole(inquiries, 0, 9_999)) return wrong('inquiries', 'is neither null nor a count');
  const reportDate = dateOf(answer.reportDate);
  if (reportDate === null) return wrong('reportDate', 'is not a date');
  if (inFileSince !== null && dateOf(inFileSince) === null) return wrong('inFileSince', 'is neither null nor a date');
  const flags = readFlags(answer.flags);
  if (typeof flags === 'string') return { member: 'flags', detail: flags };
  const attributes = attributesText(answer.attributes);
  if (attributes === null) {
    return wrong('attributes', `is not an object of at most ${MAX_ATTRIBUTES} short strings, given once`);
  }
  const lines = linesOf(answer.tradeLines, reportDate);
  if (typeof lines === 'string') return { member: 'tradeLines', detail: lines };
  const pdf = pdfOf(answer.pdf ?? '');
  if (pdf === null) return wrong('pdf', 'is not a PDF in base64');
  const since = inFileSince as PlainDate | null;
  return { hit, score, scoreFactors, reportDate, inFileSince: since, inquiries, flags, attributes, ...lines, pdf };
}

function textOf(raw: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(raw);
  } catch {
    return null;
  }
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isWhole(value: unknown, from: number, to: number): value is number {
  return Number.isInteger(value) && (value as number) >= from && (value as number) <= to;
}

function isFactors(value: unknown): value is string[] {
  const isText = (one: unknown) => typeof one === 'string' && one.length <= MAX_FACTOR_LENGTH;
  return Array.isArray(value) && value.length <= MAX_FACTORS && value.every(isText);
}

function dateOf(value: unknown): PlainDate | null {
  return typeof value === 'string' ? parseDate(value) : null;
}

type Lines = Pick<BureauReport, 'tradeLines' | 'tradeLinesCsv'>;

/** CSV is kept as received; a list is written as CSV. */
function linesOf(given: unknown, today: PlainDate): Lines | string {
  if (typeof given === 'string') {
    const tradeLines = readTradeLines(given);
    return typeof tradeLines === 'string' ? tradeLines : { tradeLines, tradeLinesCsv: given };
  }
  if (!Array.isArray(given)) return 'tradeLines is neither CSV text nor a list';
  const tradeLines = tradeLinesFrom(given);
  return typeof tradeLines === 'string'
    ? tradeLines
    : { tradeLines, tradeLinesCsv: writeTradeLines(tradeLines, today) };
}

function pdfOf(given: unknown): Uint8Array | null {
  if (typeof given !== 'string') return null;
  const bytes = Buffer.from(given, 'base64');
  // Node decodes base64 leniently: the text is valid only if encoding the bytes gives it again.
  if (bytes.toString('base64') !== given) return null;
  return bytes.length === 0 || bytes.subarray(0, 5).toString('latin1') === '%PDF-' ? bytes : null;
}

function isShortTexts(parsed: unknown): boolean {
  if (!isObject(parsed)) return false;
  const members = Object.entries(parsed);
  const isShort = (text: unknown) => typeof text === 'string' && text.length <= MAX_ATTRIBUTE_LENGTH;
  return members.length <= MAX_ATTRIBUTES && members.flat().every(isShort);
}

/**
 * The source text of the member `attributes` of the outermost object. Null when it occurs twice, because it is not known which one is meant,
 * and when a name in it occurs twice, once with another value than a string: the text is passed on with both.
 */
function attributesIn(text: string, parsed: unknown): string | null {
  if (!isShortTexts(parsed)) return null;
  let found: string | null = null;
  for (const { name, start, end } of membersOf(text)) {
    if (name !== 'attributes') continue;
    if (found !== null) return null;
    found = text.slice(start, end);
  }
  if (found === null) return null;
  for (const { start } of membersOf(found)) if (found[start] !== '"') return null;
  return found;
}

/**
 * The positions of the values of the outermost object in a text that `JSON.parse` has accepted. By hand, because the attributes must be
 * kept exactly as written, and no parser reports the position of a value.
 */
function* membersOf(text: string): Generator<{ name: string; start: number; end: number }> {
  let at = text.indexOf('{') + 1;
  for (;;) {
    at = afterSpace(text, at);
    if (text[at] === ',') at = afterSpace(text, at + 1);
    if (text[at] !== '"') return;
    const nameEnd = afterString(text, at);
    const name = JSON.parse(text.slice(at, nameEnd)) as string;
    const start = afterSpace(text, afterSpace(text, nameEnd) + 1);
    at = afterValue(text, start);
    yield { name, start, end: at };
  }
}

function afterSpace(text: string, from: number): number {
  let at = from;
  while (' \t\r\n'.includes(text[at] ?? '.')) at += 1;
  return at;
}

function afterString(text: string, from: number): number {
  let at = from + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    let slashes = 0;
    while (text[quote - 1 - slashes] === '\\') slashes += 1;
    at = quote + 1;
    if (slashes % 2 === 0) return at;
  }
}

function afterValue(text: string, from: number): number {
  let at = from;
  let depth = 0;
  do {
    const character = text[at] as string;
    if (character === '"') {
      at = afterString(text, at);
      continue;
    }
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    at += 1;
  } while (
    depth > 0 ||
    (text[from] !== '{' && text[from] !== '[' && text[from] !== '"' && !',} \t\r\n]'.includes(text[at] as string))
  );
  return at;
}
