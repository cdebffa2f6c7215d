/**
 * Whether a write needs an approval, and whether what an approval would do is what its request has shown. Pure.
 *
 * While the loan has the version of the request, nothing has happened to it but days: then only what the operation itself does counts (its
 * events, the lines it posts, the status it brings), without interest that accrued. After a change of the loan everything that the preview
 * shows must be the same. A date that is today by default moves with the day.
 */
import { hash } from 'node:crypto';
import { addDays, type PlainDate } from '../../core/calendar.ts';
import type { Brought, Rights } from '../../core/decide/brought.ts';
import type { Command, Decision, When } from '../../core/decide/decide.ts';
import type { Cents } from '../../core/money.ts';
import { beyondAuthority, OVERRIDE } from '../../core/overrides.ts';
import { refuse } from '../../core/refusal.ts';
import { statusOf } from '../../core/status.ts';
import { booksOf, type Entry, post } from '../../ledger/post.ts';
import type { Actor } from './actor.ts';
import type { Known } from './loan-cache.ts';
import type {
  AboveLimit,
  Approvable,
  Approving,
  Change,
  Outcome,
  PreviewedOutcome,
  Write,
  WriteOptions,
} from './write.ts';

/** A write past its last refusal. */
type Decided = {
  readonly actor: Actor;
  readonly write: Write;
  readonly options: WriteOptions;
  readonly known: Known;
  readonly command: Command;
  readonly decision: Decision;
  readonly change: Change;
  readonly when: When;
  readonly rights: Rights;
};

/**
 * Whether the policy of the loan, or a limit of the actor's roles, submits the write to an approval: for anything that it brings about.
 * Writes of the service itself never need one.
 */
export function needsApproval(actor: Actor, { command, decision, rights: { operations } }: NeedsRights): boolean {
  if ('carryOut' in command) return false;
  const { approvals } = decision.loan.policy;
  const isRuled = operations.some(({ operation, amount }) => {
    const rule = approvals[operation];
    return rule === true || (rule !== undefined && isAbove(amount, rule.above));
  });
  return isRuled || limitExceeded(actor, operations) !== null;
}

type NeedsRights = Pick<Decided, 'command' | 'decision' | 'rights'>;

/** An operation without an amount is above every limit. */
const isAbove = (amount: Cents | null, limit: Cents): boolean => amount === null || amount > limit;

/** The first that is above the actor's limit; of an override the respects in which it is. */
function limitExceeded({ limits = {} }: Actor, operations: readonly Brought[]): AboveLimit | null {
  for (const { operation, amount, overridden = null } of operations) {
    if (operation === OVERRIDE) {
      const { override } = limits;
      const beyond = override && amount !== null ? beyondAuthority(override, { amount, overridden }) : [];
      if (beyond.length > 0) return { operation, beyond };
      continue;
    }
    const limit = limits[operation];
    if (typeof limit === 'number' && isAbove(amount, limit)) return { operation, amount, limit };
  }
  return null;
}

/** The reason that it is not saved now: it waits for an approval, or its approval does not cover it. Null: it is saved. */
export function awaited(isNeeded: boolean, decided: Decided): Outcome | null {
  const { write, options, known, command, decision, when } = decided;
  if (options.approval !== undefined) return uncovered(decided, options.approval);
  if (!isNeeded) return null;
  if (write.approvable === undefined) {
    const detail = `This loan’s ${command.do} needs an approval; send it for this loan alone with POST /${command.do}.`;
    return { kind: 'refused', refusal: refuse('approval_required', detail) };
  }
  const shown = shownBy(decided, write.approvable);
  const { loanId, organizationId } = known;
  const lapsesOn = addDays(when.today, decision.loan.policy.approvalDays);
  const asked = { loanId, organizationId, operation: write.command.do, at: when.at, lapsesOn };
  return { kind: 'needs_approval', needed: { ...shown, ...asked } };
}

function uncovered(decided: Decided, { shown, previewHash, lapsesOn }: Approving): Outcome | null {
  const { actor, write, known, decision, rights, when } = decided;
  if (hasLapsed(known, { lapsesOn, version: shown.version }, when.today)) return { kind: 'not_pending' };
  if (decision.loan.policy.approvers === 'people' && (actor.userId ?? null) === null)
    return { kind: 'person_required' };
  const above = limitExceeded(actor, rights.operations);
  if (above !== null) return { kind: 'above_limit', ...above };
  if (write.approvable === undefined) throw new Error('An approved write has no preview.');
  const now = shownBy(decided, write.approvable);
  const isCovered =
    previewHash === null || previewHash === shown.previewHash ? isSame(shown, now) : previewHash === now.previewHash;
  return isCovered ? null : { kind: 'outcome_changed', preview: now.preview, previewHash: now.previewHash };
}

/** Its last day is over, or the loan has another owner than at the request. */
function hasLapsed(
  { parties }: Pick<Known, 'parties'>,
  { lapsesOn, version }: { readonly lapsesOn: PlainDate; readonly version: number },
  today: PlainDate,
): boolean {
  return today > lapsesOn || parties.formerOwners.some(({ events }) => events >= version);
}

function shownBy({ known, decision, change, when }: Decided, approvable: Approvable<Change>): PreviewedOutcome {
  const preview = approvable.preview({ ...change, approval: true });
  const facts = JSON.stringify(factsOf(decision));
  return { preview, previewHash: hashOfPreview(preview), facts, version: known.version, today: when.today };
}

function hashOfPreview(preview: string): string {
  return `0x${hash('sha256', preview)}`;
}

/** Interest is posted when a stretch ends, whatever ends it. */
const OF_DAYS: ReadonlySet<Entry> = new Set<Entry>(['accrual', 'nonAccrual']);

/** The effects of the operation itself. The commitment to sealed data is another one each time that the same data is sealed. */
function factsOf({ events, before, loan }: Decision): object {
  const status = statusOf(loan);
  return {
    status: status === statusOf(before) ? null : status,
    events: events.map((event) => {
      const { recordedOn: _, recordedAt: __, approvalId: ___, ...facts } = event;
      return { ...facts, commitment: null };
    }),
    lines: post(booksOf(before), booksOf(loan)).filter(({ entry }) => !OF_DAYS.has(entry)),
  };
}

function isSame(shown: PreviewedOutcome, now: PreviewedOutcome): boolean {
  const same = sameBut({ from: shown.today, to: now.today });
  if (shown.version === now.version) return same(JSON.parse(shown.facts), JSON.parse(now.facts));
  return same(JSON.parse(shown.preview), JSON.parse(now.preview));
}

/** Equal values, where one day may stand in the place of the other. */
function sameBut({ from, to }: { from: PlainDate; to: PlainDate }) {
  return function same(a: unknown, b: unknown): boolean {
    if (a === b || (a === from && b === to)) return true;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    const [before, after] = [Object.entries(a), Object.entries(b)];
    return (
      before.length === after.length &&
      before.every(([name, one]) => Object.hasOwn(b, name) && same(one, b[name as never]))
    );
  };
}
