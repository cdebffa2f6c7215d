/** Erasing a borrower: what is destroyed is the key, and with it everything personal; the money history stays whole. */
import { fold } from '../../core/fold.ts';
import type { HoldKind } from '../../core/hold-effects.ts';
import { holdsInForce } from '../../core/holds.ts';
import { outstandingOf } from '../../core/rescission.ts';
import { versionOn } from '../../policy/versions.ts';
import type { Db } from '../../store/db/db.ts';
import { loadLoans } from '../../store/door/loans.ts';
import { erasePerson, holdLoan } from '../../store/people/erasure.ts';
import { clockIn, todayBy } from '../door/clocks.ts';
import { eventsIn } from '../door/loan-cache.ts';
import { timelinesIn } from '../door/policy-timelines.ts';

/** A loan in one of these has ended. A charged-off one has not: the borrower still owes the balance; nor has a rescinded one whose principal is out. */
const OVER = ['Closed', 'ClosedEarly', 'Rejected', 'Cancelled'];
const DAY_MS = 86_400_000;
/** Under these holds what is known of the borrower is evidence. */
const PRESERVED: ReadonlySet<HoldKind> = new Set<HoldKind>(['litigation', 'fraud', 'dispute', 'bankruptcy']);

export type Erasure = { loanId: string; erasedAt: string };
export type Refused = { readonly refused: string };

/**
 * Destroys a loan's data key with all that it sealed, and what the loan could be found by. Events and journal stay whole. The audit
 * trail says when; `now` is epoch milliseconds of real time. `account` is the operator's. `retentionDays` is for lenders whose policy sets none. Whether the retention is over goes by the clock of the loan's owner, as what
 * was recorded of the loan does.
 */
export function eraseBorrower(
  db: Db,
  {
    loanId,
    retentionDays,
    now,
    account = null,
  }: { loanId: string; retentionDays: number; now: number; account?: string | null },
): Promise<Erasure | Refused> {
  const id = Buffer.from(loanId.slice(2), 'hex');
  return db.transaction(async (tx): Promise<Erasure | Refused> => {
    const loan = await holdLoan(tx, id);
    if (loan === null) return { refused: 'No such loan.' };
    if (!loan.has_person) return { refused: 'The borrower of this loan was already erased.' };
    if (!OVER.includes(loan.status)) {
      return {
        refused: `The loan is ${loan.status}; a borrower can be erased only when the loan is ${OVER.join(', ')}.`,
      };
    }
    const ownersClock = await clockIn(tx, loan.organization_id);
    const today = todayBy(ownersClock, now);
    const [stored] = await loadLoans(tx, [loanId]);
    const events = eventsIn(stored?.bodies ?? '');
    const isFolded = events.some(({ type }) => type === 'holdPlaced' || type === 'rescinded');
    const known = isFolded ? fold(events, today) : null;
    if (known !== null && known.rescission !== null && outstandingOf(known.rescission) > 0) {
      return { refused: 'The loan was rescinded, and its principal has not all come back: it has not ended.' };
    }
    const holds = known === null ? [] : holdsInForce(known);
    const held = holds.find(({ kind }) => PRESERVED.has(kind));
    if (held !== undefined) {
      const detail = `A hold (${held.kind}, ${held.holdId}) requires that the data of this loan is kept; release it first.`;
      return { refused: detail };
    }
    const { recordedAt } = (JSON.parse(loan.last_body) as { event: { recordedAt: string } }).event;
    const { versions } = await timelinesIn(tx, loan.organization_id);
    const policy = versionOn(versions, loan.lender_id, today)?.values.retentionDays ?? null;
    const until = new Date(Date.parse(recordedAt) + (policy ?? retentionDays) * DAY_MS);
    if (ownersClock.at(now) < until.getTime()) {
      const day = until.toISOString().slice(0, 10);
      const by = ownersClock.test === null ? '' : ' by the clock of its sandbox';
      const period = policy === null ? `RETENTION_DAYS=${retentionDays}` : `retentionDays of its policy: ${policy}`;
      return { refused: `The retention period of this loan (${period}) ends on ${day}${by}.` };
    }
    const at = new Date(now);
    await erasePerson(tx, id, { at, organizationId: loan.organization_id, account });
    return { loanId, erasedAt: at.toISOString() };
  });
}
