/** The end of a loan: an application or a boarding was cancelled, a credit was refunded. */

import { spareFees } from '../holds.ts';
import { NO_ALLOCATION } from '../loan.ts';
import { type Cents, cents } from '../money.ts';
import { voidOpenQuotes } from '../pay.ts';
import { rescind } from '../rescission.ts';
import { type SmallBalanceFact, writeOffSmall } from '../small-balance.ts';
import { endStretch } from '../working-loan.ts';
import type { EventFamily } from './definition.ts';
import type { Withdrawn } from './hold.ts';

export type ClosingFact =
  | { readonly type: 'cancelled' }
  /** The loan was boarded or funded by mistake: what that brought counts as never recorded (`eventsToFold`). */
  | ({ readonly type: 'boardingCancelled' } & Withdrawn)
  /** The contract is void from its beginning. */
  | ({ readonly type: 'rescinded' } & Withdrawn)
  | { readonly type: 'creditRefunded'; readonly refId: string; readonly amount: Cents }
  | SmallBalanceFact;

export const closingEvents: EventFamily<ClosingFact> = {
  cancelled: {
    phase: 'application',
    feed: { type: 'loan.cancelled', about: 'An application was cancelled before it was funded.' },
    line: { says: 'Cancelled', group: 'application', tone: 'bad' },
    undo: { by: 'owner', scope: 'loans:write', restedOnBy: {} },
    apply({ working }) {
      working.stage = 'Cancelled';
    },
    show: null,
  },

  boardingCancelled: {
    phase: 'application',
    feed: {
      type: 'loan.boarding_cancelled',
      about: 'A loan that was boarded or funded by mistake was cancelled: its books are zero again.',
    },
    line: { says: 'Boarding cancelled', tone: 'bad' },
    undo: { by: 'owner', restedOnBy: {} },
    apply({ working }, { date, withdrawnOn }) {
      if (withdrawnOn !== undefined) spareFees(working, { hold: null, from: date, until: withdrawnOn });
      else working.stage = 'Cancelled';
    },
    show: null,
  },

  creditRefunded: {
    phase: 'afterPayments',
    feed: { type: 'credit.refunded', about: 'Money owed to the borrower was refunded.' },
    line: { says: 'Credit of {amount} refunded', group: 'money', row: 'refunded' },
    undo: { refused: 'A refund is money and cannot be undone. If the money came back, record it with loan-repay.' },
    apply({ working }, { date, refId, amount, recordedAt }) {
      // A refund that a later fold no longer finds covered by a credit is owed by the borrower again, as principal.
      const covered = Math.min(amount, working.credit);
      working.credit = cents(working.credit - covered);
      if (covered < amount) endStretch(working, date);
      if (working.rescission === null) working.principal = cents(working.principal + amount - covered);
      else working.rescission.refunded = cents(working.rescission.refunded + amount - covered);
      working.refunds.push({ refId, amount });
      // A quote counts the credit at that time and money received after it: once some of that is refunded, the quote waives nothing.
      voidOpenQuotes(working, { date, recordedAt });
      working.totals.refunded = cents(working.totals.refunded + amount);
    },
    show({ date, refId, amount }, { now, row }) {
      const covered = Math.min(amount, now.credit);
      now.credit -= covered;
      now.principal += amount - covered;
      row(date, 'refunded', amount, { reference: refId });
    },
  },

  rescinded: {
    phase: 'default',
    feed: {
      type: 'loan.rescinded',
      about: 'A loan was rescinded: its contract is void, and the money of both sides goes back.',
    },
    line: { says: 'Rescinded[: {rowAmount} to come back]', group: 'money', tone: 'bad', row: 'rescinded' },
    undo: { by: 'servicer', restedOnBy: {} },
    apply({ working, lateFees }, { date, recordedAt, withdrawnOn }) {
      if (withdrawnOn !== undefined) {
        spareFees(working, { hold: null, from: date, until: withdrawnOn });
        return;
      }
      rescind(working, date);
      voidOpenQuotes(working, { date, recordedAt });
      lateFees.length = 0;
    },
    show({ date }, { loan: { rescission }, now, row }) {
      if (rescission === null) return;
      const { toReturn, before } = rescission;
      now.principal = toReturn;
      now.fees = 0;
      now.credit = Math.max(0, before.totals.received - before.totals.refunded);
      row(date, 'rescinded', toReturn);
    },
  },

  smallBalanceWrittenOff: {
    phase: 'afterPayments',
    feed: {
      type: 'loan.small_balance_written_off',
      about:
        'What was left of a loan that is paid off was written off, because it was at most the small balance of its policy.',
    },
    line: { says: 'Small balance of {amount} written off', group: 'money', row: 'smallBalance' },
    undo: {
      refused:
        'A small balance follows from the policy and cannot be undone. Where a payment or a fee changes what was left, it is written off only as far as it is still small.',
    },
    apply: ({ working }, event) => writeOffSmall(working, event),
    show({ date }, { loan, now, row }) {
      const one = loan.smallBalances.find((known) => known.date === date);
      // A later fold may find that more was left, or nothing.
      if (one === undefined) return;
      const { principal, interest, fees } = one;
      now.principal -= principal;
      now.fees -= fees;
      row(date, 'smallBalance', principal + interest + fees, {
        allocation: { ...NO_ALLOCATION, principal, interest, fees },
      });
    },
  },
};
