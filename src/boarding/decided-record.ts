/**
 * The decision on an application in the full record. The record is kept as the assessment, here or elsewhere, has left it; what was decided
 * is put into its text when it is shown. So a decision that is undone is not claimed any more, and a read of an earlier day has what was
 * decided by then.
 */
import type { CreditDecision } from '../core/credit-decision.ts';
import { OVERRIDE_REASONS } from '../core/overrides.ts';
import {
  entrySpans,
  isListAt,
  isObjectAt,
  type MemberSpan,
  memberSpans,
  membersAndEnd,
  type Span,
} from './json-source.ts';

export type ExplainedDecision = {
  readonly decision: CreditDecision;
  /** Whether the deal was assessed, here or elsewhere. */
  readonly assessed: boolean;
  /** The reason of the loan officer; empty: none was given. */
  readonly reason: string;
  /** The rules that an approval overrode. */
  readonly overrode: readonly string[];
  /** As the assessment left it. */
  readonly lendingDecisionReason: string;
};

/** A replacement of text in a record; positions are in bytes. */
type Edit = Span & { readonly text: string };
export type DecisionTexts = { readonly edits: readonly Edit[]; readonly lendingDecisionReason: string };

/**
 * `record` is `"Request":{…},"Response":{…},"Underwriting":{…}` in UTF-8. Of the list of deals only the entry of the chosen one is
 * changed; what the assessment said of it stays in its reasons. The bytes are gone through once, one character each, which is twice as fast as
 * decoding them, and all that is looked for is ASCII.
 */
export function decisionTexts(record: Buffer, shown: ExplainedDecision): DecisionTexts {
  const source = record.toString('latin1');
  const { end: requested } = membersAndEnd(source, startOf('"Request":', 0));
  const { members: response, end: answered } = membersAndEnd(source, startOf(',"Response":', requested));
  const underwriting = memberSpans(source, startOf(',"Underwriting":', answered));
  const infos = named(underwriting, 'UnderwritingInfo').at(-1);
  const { decision } = shown;
  const deals =
    infos !== undefined && isListAt(source, infos.start) ? entrySpans(source, infos.start, decision.dealIndex + 1) : [];
  const deal = deals[decision.dealIndex];
  const row = deal !== undefined && isObjectAt(source, deal.start) ? memberSpans(source, deal.start) : [];
  const { lendingDecisionReason, DeclineReason } = wordsOf(shown, {
    reasons: textOf('DecisionReason', row) || shown.lendingDecisionReason,
    principal: textOf('DecisionReasonSimple', row) || textOf('DeclineReason', response),
  });
  const status = decision.approved ? 'APPROVED' : 'DECLINED';
  const edits = [
    ...edited(response, {
      Decision: status,
      DecisionDate: `${decision.at.slice(0, 10)} ${decision.at.slice(11, 19)}`,
      DeclineReason,
    }),
    ...edited(row, { DecisionStatus: status }),
  ];
  return { edits, lendingDecisionReason };

  /** The parts are written without a space between them. */
  function startOf(name: string, at: number): number {
    if (!source.startsWith(`${name}{`, at)) throw new Error(`A stored record has no ${name.replaceAll(/\W/g, '')}.`);
    return at + name.length;
  }

  /** The text of the last member with this name, which is the one that counts; empty where it is no text. */
  function textOf(name: string, members: readonly MemberSpan[]): string {
    const span = named(members, name).at(-1);
    if (span === undefined || source.charAt(span.start) !== '"') return '';
    return JSON.parse(record.toString('utf8', span.start, span.end)) as string;
  }
}

function named(members: readonly MemberSpan[], name: string): MemberSpan[] {
  return members.filter((member) => member.name === name);
}

function edited(members: readonly MemberSpan[], texts: Readonly<Record<string, string>>): Edit[] {
  return members.flatMap((member) => {
    const text = Object.hasOwn(texts, member.name) ? texts[member.name] : undefined;
    return text === undefined ? [] : [{ start: member.start, end: member.end, text: JSON.stringify(text) }];
  });
}

/** The decision in words, with its maker and its reason. `assessment` has all reasons of the assessment, and the principal ones. */
function wordsOf(
  { decision: { approved, by, overridden, reasonCode }, assessed, reason, overrode }: ExplainedDecision,
  assessment: { readonly reasons: string; readonly principal: string },
): { lendingDecisionReason: string; DeclineReason: string } {
  const verb = approved ? 'Approved' : 'Declined';
  const agrees = by === 'officer' && assessed && !overridden ? ', as assessed' : '';
  const against = overridden ? ' against the assessment' : reasonCode === null ? '' : ' without an assessment';
  const because =
    reasonCode === null
      ? ''
      : ` (${[OVERRIDE_REASONS[reasonCode], ...overrode.map((rule) => `rule ${rule}`)].join('; ')})`;
  const decided =
    by === 'assessment' ? `${verb} as assessed` : `${verb} by a loan officer${against}${because}${agrees}`;
  const isOfAssessment = assessed && !overridden;
  const why = reason || (isOfAssessment ? assessment.reasons : '');
  const principal = reason || (isOfAssessment ? assessment.principal : '') || decided;
  return {
    lendingDecisionReason: why === '' ? decided : `${decided}: ${why}`,
    DeclineReason: approved ? '' : principal,
  };
}

/** The record with the texts in their places, in pieces: nothing of it is copied. */
export function withDecision(record: Buffer, { edits }: DecisionTexts): Buffer[] {
  const pieces: Buffer[] = [];
  let copied = 0;
  for (const { start, end, text } of [...edits].sort((a, b) => a.start - b.start)) {
    pieces.push(record.subarray(copied, start), Buffer.from(text));
    copied = end;
  }
  return [...pieces, record.subarray(copied)];
}
