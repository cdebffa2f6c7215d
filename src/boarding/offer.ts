/**
 * The request for an offer: the application and the terms, read as for a loan that is created, with nothing of it kept. Credit reports and
 * versions are handed on as they were given.
 */
import type { PlainDate } from '../core/calendar.ts';
import type { LenderPolicies } from '../core/policy.ts';
import type { Percent } from '../core/rate.ts';
import { isMistakes, type Mistakes, Reader } from '../core/reader.ts';
import { isRefusal, type Refusal } from '../core/refusal.ts';
import { planContract } from './contract.ts';
import { isObjectAt, type Span } from './json-source.ts';
import { contradiction, dateOf, type Own, required, textsOf } from './own-members.ts';
import { readRecordParts, requestOf } from './record-parts.ts';
import { membersOfBody, type RequestedTerms, readRequestedTerms } from './requested-terms.ts';

/** The body of POST /calculate-offer, of which nothing has been read but where its members are. */
export type OfferBody = { readonly source: string; readonly given: ReadonlyMap<string, Span>; readonly own: Own };

export type OfferTerms = RequestedTerms & {
  /** `Request`, complete. */
  readonly request: unknown;
  /** The markup cap of the lender's policy. */
  readonly markupCap: Percent | null;
};

/** `source` is valid JSON that was checked against the schema of POST /calculate-offer. */
export function openOffer(source: string): OfferBody | Mistakes {
  const given = membersOfBody(source);
  return isMistakes(given) ? given : { source, given, own: textsOf(source, given) };
}

/** The day of the offer; null: not given. */
export function dayOfOffer(read: Reader, { own }: OfferBody): PlainDate | null {
  return dateOf(read, own, 'asOf');
}

/** `Request`, complete; null: it has mistakes, which `readOffer` names. */
export function applicationIn({ source, given }: OfferBody): unknown {
  const read = new Reader();
  const { record } = readRecordParts(read, source, given);
  return read.isClean ? JSON.parse(requestOf(record)) : null;
}

type Part = 'Request' | 'report' | 'coApplicantReport';

/** Null counts as absent. */
export function hasPart({ source, given }: OfferBody, name: Part): boolean {
  const span = given.get(name);
  return span !== undefined && isObjectAt(source, span.start);
}

/** An object of the body, parsed; null: absent. */
export function partOf(body: OfferBody, name: Part): Readonly<Record<string, unknown>> | null {
  if (!hasPart(body, name)) return null;
  const { start, end } = body.given.get(name) as Span;
  return JSON.parse(body.source.slice(start, end)) as Record<string, unknown>;
}

/** Notes every mistake in `read`, which must be clean before the terms are used. */
export function readOffer(
  read: Reader,
  body: OfferBody,
  { policies, today }: { policies: LenderPolicies; today: PlainDate },
): OfferTerms {
  const { source, given, own } = body;
  const handedOver = readRecordParts(read, source, given, today);
  const { rounding, markupCap } = policies.lenders.get(own.lenderId ?? '') ?? policies.others;
  read.reference(own, 'lenderId', '');
  const requested = readRequestedTerms(read, body, { today, rounding, application: handedOver.vehicle });
  for (const name of ['loanAmount', 'interestRate', 'term']) {
    if (own[name] === undefined) required(read, `/${name}`);
  }
  if (!hasPart(body, 'Request')) required(read, '/Request');
  if (hasPart(body, 'coApplicantReport') && !hasPart(body, 'report')) {
    contradiction(read, '/coApplicantReport', 'Give the report of the applicant too: report.');
  }
  return { ...requested, markupCap, request: read.isClean ? JSON.parse(requestOf(handedOver.record)) : null };
}

/** The reason that these terms have no schedule; null: they have one. */
export function refuseTerms({ contract }: RequestedTerms, today: PlainDate): Mistakes | Refusal | null {
  const planned = planContract(contract, today);
  return isRefusal(planned) || isMistakes(planned) ? planned : null;
}
