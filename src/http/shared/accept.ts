/** Media types that a caller accepts (RFC 9110 section 12.5.1). */
import { Problem } from './problems.ts';

/** The types that an operation answers with unless it lists others; a failure is a problem document in either case. */
export const JSON_TYPES: readonly string[] = ['application/json', 'application/problem+json'];

/** The type with the highest weight, the first of several; null: the caller accepts none of them. */
export function negotiated(accept: string | undefined, types: readonly string[]): string | null {
  if (accept === undefined || accept === '' || accept === '*/*') return types[0] ?? null;
  if (types.includes(accept)) return accept;
  const ranges = accept.split(',').map(rangeOf);
  let best: { type: string; weight: number } | null = null;
  for (const type of types) {
    const weight = weightOf(type, ranges);
    if (weight > (best?.weight ?? 0)) best = { type, weight };
  }
  return best?.type ?? null;
}

export function notAcceptable(types: readonly string[]): Problem {
  const shown = types === JSON_TYPES ? types.slice(0, 1) : types;
  return new Problem(
    'not_acceptable',
    `The response type is ${shown.join(' or ')}, which the Accept header does not allow.`,
  );
}

type Range = { type: string; weight: number };

/** Parameters other than the weight do not matter: no type here has any that a caller could choose. */
function rangeOf(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const given = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = given === undefined ? 1 : Number(given.slice(2));
  return { type, weight: Number.isNaN(weight) ? 1 : weight };
}

/** The most exact range that the type is in decides. */
function weightOf(type: string, ranges: readonly Range[]): number {
  for (const name of [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*']) {
    const range = ranges.find((one) => one.type === name);
    if (range !== undefined) return range.weight;
  }
  return 0;
}
