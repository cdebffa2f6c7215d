/** Shared by the reads of loans: the loan and the date of a request, and the ETag of its answer. */
import type { Static } from 'typebox';
import type { Caller } from '../../access/access.ts';
import { parseDate } from '../../core/calendar.ts';
import type { Loan } from '../../core/loan.ts';
import type { LoanView, ViewOptions } from '../../loans/reads/view.ts';
import { actorOf, header } from './actor.ts';
import { etagOf, loanTag, matchesNone } from './etag.ts';
import { idIn, noSuchLoan } from './ids.ts';
import { numbersOf } from './numbers.ts';
import type { Answer, Call } from './operation.ts';
import { Problem } from './problems.ts';
import { RequestReader } from './request-reader.ts';
import { LoanParams, readHeaders, type ViewQuery } from './shapes.ts';

type IdentifiedCall = Call & { caller: Caller };
type Viewing = Static<typeof ViewQuery>;

export const reading = { tag: 'Reading', key: 'checked', ...readHeaders, params: LoanParams } as const;

/** An operation that discloses personal data and names the loan in its body. */
export const personalPost = { tag: 'Reading', scopes: ['loans:read_pii'], key: 'required' } as const;

/** One that names the loan in its path. */
export const personal = { ...personalPost, params: LoanParams } as const;

export function loanIdOf({ params }: Pick<Call, 'params'>): string {
  return idIn(params.loan_id) ?? noSuchLoan();
}

export async function viewed(
  call: IdentifiedCall & { query: Viewing },
  query: Viewing = call.query,
): Promise<{ view: Omit<LoanView, 'events'>; options: ViewOptions }> {
  const loanId = loanIdOf(call);
  const options = viewOptions(query);
  return { view: seen(await call.services.loans.reads.readState(await actorOf(call), loanId, options)), options };
}

/** Not found: a loan that does not exist, is not visible to the caller, or was not yet recorded at the requested time. */
export function seen<V extends object>(found: V | 'before' | null): V {
  if (found === null) return noSuchLoan();
  if (found === 'before') throw new Problem('not_found', 'This loan was not recorded yet at that time.');
  return found;
}

export function viewOptions(query: Viewing): ViewOptions {
  const read = new RequestReader();
  const asOf = query.asOf === undefined ? null : read.date(query, 'asOf', '');
  const knownAt = query.knownAt === undefined ? null : moment(query.knownAt);
  if (query.knownAt !== undefined && knownAt === null) {
    const detail = 'Must be a time with a time zone, such as 2026-02-15T12:00:00Z.';
    read.note('/knownAt', { code: 'format', detail });
  }
  read.done();
  return { asOf, knownAt };
}

/** A plus sign that was not encoded arrives as a space. */
export function moment(text: string): string | null {
  const match = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+ -]\d{2}:\d{2})$/i.exec(text);
  if (match === null || parseDate(match[1] as string) === null) return null;
  const at = new Date(text.replace(' ', '+').toUpperCase());
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

/** An answer about one loan, built only when `If-None-Match` does not name it. */
export function shown(
  { headers, params, caller }: Pick<IdentifiedCall, 'headers' | 'params' | 'caller'>,
  view: { readonly version: number; readonly loan: Pick<Loan, 'on'> },
  [name, { asOf, knownAt }, ...more]: readonly [string, ViewOptions, ...(string | number)[]],
  make: (plain: boolean) => Answer,
): Answer {
  const { plain, headers: applied } = numbersOf({ headers, caller });
  const representation = [params.loan_id ?? '', name, String(plain), asOf ?? '', knownAt ?? '', ...more];
  const etag = loanTag(view.version, view.loan.on, ...representation);
  const about = {
    ETag: etag,
    'X-Loan-Id': loanIdOf({ params }),
    'X-Loan-Version': String(view.version),
    Vary: 'Authorization, Prefer',
    'Cache-Control': name === 'record' || name.startsWith('personal ') ? 'no-store' : REVALIDATED,
    ...applied,
  };
  if (matchesNone(header(headers, 'if-none-match'), etag)) return { unchanged: true, headers: about };
  return { ...make(plain), headers: about };
}

/** An answer that depends on more than one loan's version (on sealing, for example): its ETag is a digest of its bytes. */
export function tagged({ headers }: Pick<Call, 'headers'>, answer: Answer, more: Record<string, string> = {}): Answer {
  const text = 'text' in answer ? answer.text : 'body' in answer ? JSON.stringify(answer.body) : '';
  const etag = etagOf(text);
  const about = { ETag: etag, Vary: 'Authorization, Prefer', 'Cache-Control': REVALIDATED, ...more };
  if (matchesNone(header(headers, 'if-none-match'), etag)) return { unchanged: true, headers: about };
  return { text, headers: about };
}

/** The caller may store the answer, and must revalidate it before each use. */
export const REVALIDATED = 'private, no-cache';

export const okText = (data: object): Answer => ({ text: JSON.stringify({ message: 'ok', data }) });

export function missing(what: string): never {
  throw new Problem('not_found', `No such ${what}.`);
}
