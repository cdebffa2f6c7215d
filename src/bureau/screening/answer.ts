/** A screening's answer on the wire, one small JSON object, which `docs/bureau.md` describes. */
import type { ScreeningAnswer } from './screening.ts';

const MAX_LENGTH = 100;

export function writeScreening(screened: Omit<ScreeningAnswer, 'raw'>): ScreeningAnswer {
  const { result, list, entry } = screened;
  const said = result === 'clear' ? { result } : { result, list, entry };
  return { ...screened, raw: JSON.stringify(said) };
}

/** The answer, or what is wrong with it, without quoting it. */
export function readScreening(bytes: Uint8Array): ScreeningAnswer | string {
  const text = textOf(bytes);
  if (text === null) return 'it is not UTF-8';
  const answer = parse(text);
  if (answer === null) return 'it is not a JSON object';
  const { result, list = '', entry = '' } = answer;
  if (result !== 'clear' && result !== 'match') return 'result is neither clear nor match';
  const isMatch = result === 'match';
  if (!isName(list, isMatch)) return nameFault('list', isMatch);
  if (!isName(entry, isMatch)) return nameFault('entry', isMatch);
  return { result, list, entry, raw: text };
}

/** A match names its list and its entry; where there is none, neither is given: an answer that says both cannot be trusted. */
function isName(value: unknown, isMatch: boolean): value is string {
  if (typeof value !== 'string' || !isMatch) return value === '';
  // Warnings are separated by semicolons.
  return value.trim() !== '' && value.length <= MAX_LENGTH && !/[;\p{Cc}]/u.test(value);
}

function nameFault(member: string, isMatch: boolean): string {
  return isMatch
    ? `${member} is not a text of up to ${MAX_LENGTH} characters without semicolons`
    : `${member} is given although nothing matches`;
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
