/** Default: notes on a loan that is past due, and its charge-off. */
import { broughtOf } from '../brought.ts';
import { soundOf } from '../charged-off.ts';
import { chargeOffDue } from '../delinquency.ts';
import { type DefaultGround, NO_ALLOCATION } from '../loan.ts';
import { type Cents, cents, ZERO } from '../money.ts';
import { cure } from '../pay.ts';
import { endStretch, feesOwed, memoOf, shown } from '../working-loan.ts';
import type { EventFamily, Undoing } from './definition.ts';

export type DefaultFact =
  | { readonly type: 'delinquencyNoted' }
  | { readonly type: 'reminderDue' }
  | { readonly type: 'defaulted'; readonly ground: DefaultGround }
  /** Everything that is owed becomes due. */
  | { readonly type: 'accelerated' }
  /** `automatic`: recorded by the nightly cycle because of its days past due, and not by a person. */
  | { readonly type: 'chargedOff'; readonly collateral: Cents; readonly automatic?: true }
  /** A reduction of what a charge-off kept, because it is worth less. */
  | { readonly type: 'writtenDown'; readonly amount: Cents };

const FREE = { by: 'servicer', restedOnBy: {} } as const satisfies Undoing<never>;
const SHOWN_GROUNDS: Readonly<Record<DefaultGround, string>> = {
  pastDue: '',
  insurance: 'insurance',
  fraud: 'fraud',
  title: 'title',
  bankruptcy: 'bankruptcy',
  other: 'other ground',
};

export const defaultEvents: EventFamily<DefaultFact> = {
  delinquencyNoted: {
    phase: 'notes',
    feed: { type: 'loan.delinquency_noted', about: 'A loan was noted as delinquent.' },
    line: { says: 'Delinquency noted', tone: 'late' },
    undo: FREE,
    inert: true,
    show: null,
  },
  reminderDue: {
    phase: 'notes',
    feed: { type: 'loan.reminder_due', about: 'A reminder to the borrower is due.' },
    line: { says: 'Payment reminder recorded' },
    undo: FREE,
    inert: true,
    show: null,
  },

  defaulted: {
    phase: 'default',
    feed: { type: 'loan.defaulted', about: 'A loan went into default.' },
    line: { says: 'Default declared[: {ground}]', tone: 'bad' },
    undo: { by: 'servicer', restedOnBy: { accelerated: 'any' } },
    apply({ working }, { date, ground }) {
      // A payment or an extension that became known later may leave nothing past due on that day.
      working.defaultedOn = date;
      working.defaultGround = ground;
      cure(working, date);
    },
    show: ({ date, ground }, { row }) => row(date, 'defaulted', 0, { detail: SHOWN_GROUNDS[ground] }),
  },

  accelerated: {
    phase: 'default',
    feed: { type: 'loan.accelerated', about: 'Everything that is owed became due.' },
    line: { says: 'Accelerated: everything is due', tone: 'bad' },
    undo: FREE,
    apply({ working }, { date }) {
      working.acceleratedOn = date;
      // They stay apart, so that money still pays the oldest first. Those paid ahead are due too: an installment never comes after the last.
      working.installments = working.installments.map((one) => (one.dueDate > date ? { ...one, dueDate: date } : one));
    },
    show: ({ date }, { row }) => row(date, 'accelerated', 0),
  },

  chargedOff: {
    phase: 'default',
    feed: { type: 'loan.charged_off', about: 'A loan was charged off.' },
    line: {
      says: 'Charged off[ with {rowAmount} owed]',
      more: '{split}',
      group: 'money',
      tone: 'bad',
      row: 'chargedOff',
    },
    undo: { by: 'servicer', restedOnBy: { writtenDown: 'any' } },
    apply({ working }, { date, collateral, automatic = false }) {
      endStretch(working, date);
      const { principal, interestEnded: interest } = working;
      const fees = feesOwed(working);
      // A later fold may find the loan paid off by then: there is nothing to charge off.
      if (principal === 0 && interest === 0 && fees === 0) return;
      const totals = { ...working.totals };
      const due = automatic ? chargeOffDue(shown(working, date)) : null;
      const isDue = due !== null && due <= date;
      working.chargeOff = {
        date,
        principal,
        interest,
        fees,
        brought: broughtOf(working),
        memo: memoOf(working),
        collateral,
        writtenDown: ZERO,
        givenUp: ZERO,
        recovered: ZERO,
        totals,
        ground: automatic ? (isDue ? 'pastDue' : 'gone') : null,
        elsewhere: false,
      };
      working.accruing = working.policy.accrueAfterChargeOff;
    },
    show({ date }, { loan, row }) {
      const { principal = ZERO, interest = ZERO, fees = ZERO } = loan.chargeOff ?? {};
      row(date, 'chargedOff', principal + interest + fees, {
        allocation: { ...NO_ALLOCATION, fees, interest, principal },
      });
    },
  },

  writtenDown: {
    phase: 'default',
    feed: {
      type: 'collateral.written_down',
      about: 'The value kept for the collateral of a charged-off loan was written down.',
    },
    line: { says: 'Written down by {amount}', group: 'money', tone: 'bad', row: 'writtenDown' },
    undo: FREE,
    apply({ working: { chargeOff } }, { amount }) {
      // A later fold may find the loan paid off before its charge-off, or less of it kept: no more is written down than was kept.
      if (chargeOff === null) return;
      // Earlier money that became known since does not reduce it: what was posted as a loss stays one, and that money is a
      // recovery.
      chargeOff.writtenDown = cents(chargeOff.writtenDown + Math.min(amount, soundOf(chargeOff)));
    },
    show: ({ date, amount }, { row }) => row(date, 'writtenDown', amount),
  },
};
