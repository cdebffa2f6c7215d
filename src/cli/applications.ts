/**
 * A file of applications, one a line, each in the form of the body of `POST /calculate-offer`, and read as that operation reads it. What is
 * wrong with a line is told by its number, and nothing of the line is quoted.
 */
import { createReadStream, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { PlainDate } from '../core/calendar.ts';
import { isMistakes, type Mistake } from '../core/reader.ts';
import { isRefusal, type Refusal } from '../core/refusal.ts';
import { check } from '../http/thread-work.ts';
import { openAsked, readAskedOffer } from '../loans/origination/offer-work.ts';
import { newLoanPolicies } from '../policy/versions.ts';
import type { UnderwritingInput } from '../underwriting/underwrite.ts';
import { UsageError } from './arguments.ts';

export type Line = { readonly line: number } & (
  | { readonly id: string; readonly input: UnderwritingInput }
  | { readonly wrong: string }
);

/** Empty lines are skipped. `on` is the day of an application that names none in `asOf`. */
export async function* readApplications(path: string, on: PlainDate): AsyncGenerator<Line, void> {
  let line = 0;
  for await (const text of linesOf(path)) {
    line += 1;
    if (text.trim() !== '') yield { line, ...readApplication(text, line, on) };
  }
}

/** Null: the file can be read only once, as a pipe can. */
export async function countLines(path: string): Promise<number | null> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) return null;
  let count = 0;
  for await (const _ of linesOf(path)) count += 1;
  return count;
}

async function* linesOf(path: string): AsyncGenerator<string, void> {
  try {
    yield* createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new UsageError(code === 'ENOENT' ? `File not found: ${path}.` : `${path} cannot be read (${code}).`);
  }
}

function readApplication(
  text: string,
  line: number,
  on: PlainDate,
): { id: string; input: UnderwritingInput } | { wrong: string } {
  const source = Buffer.from(text);
  const checked = check({ id: 'calculateOffer', bytes: source, isKeyed: false });
  if ('problem' in checked) {
    const { detail, facts } = checked.problem;
    return { wrong: facts.errors === undefined ? detail : mistakesText(facts.errors as readonly Mistake[]) };
  }
  const { asOf } = openAsked({ source });
  const today = asOf ?? on;
  const read = readAskedOffer({ source, policies: newLoanPolicies([], today), today, simulated: {} });
  if (isRefusal(read)) return { wrong: refusalText(read) };
  if (isMistakes(read)) return { wrong: mistakesText(read.mistakes) || 'the application is not valid' };
  if (read.reportFrom === 'none') return { wrong: '/report: is missing; no credit bureau is contacted' };
  return { id: idOf(read.input.request) ?? `line ${line}`, input: read.input };
}

/** The caller's own id of the application. */
function idOf(request: unknown): string | null {
  const info = (request as { ApplicationInfo?: { ApplicationID?: unknown } } | null)?.ApplicationInfo;
  const id = info?.ApplicationID;
  // A terminal would obey control characters.
  const shown = typeof id === 'string' ? id.replace(/\p{Cc}/gu, ' ').trim() : '';
  return shown === '' ? null : shown.slice(0, 100);
}

/** The sentence of a contradiction quotes the two amounts, so it is replaced. */
function mistakesText(mistakes: readonly Mistake[]): string {
  return mistakes
    .map(({ pointer, code, detail }) => {
      const what = code === 'contradiction' ? 'contradicts another field' : detail.replace(/\.$/, '');
      return pointer === '' ? what : `${pointer}: ${what}`;
    })
    .join('; ');
}

export function refusalText({ member, detail }: Refusal): string {
  return member === undefined ? detail : `${member}: ${detail}`;
}
