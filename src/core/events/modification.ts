/** Modifications: changes to the terms of a loan in repayment. */
import { yieldAgain } from '../amortize.ts';
import { daysBetween, type PlainDate } from '../calendar.ts';
import { spareFees } from '../holds.ts';
import { beginService, overOn, serviceInForce } from '../military-service.ts';
import { moveInstallments, reamortize } from '../modify.ts';
import { cure } from '../pay.ts';
import { formatDecimal, type Percent } from '../rate.ts';
import { endStretch } from '../working-loan.ts';
import type { EventFamily, Run, Undoing } from './definition.ts';
import type { Withdrawn } from './hold.ts';

export type ModificationFact =
  /** `contract`: as the contract of a variable-rate loan allows. `modification`: a reduction that was agreed. */
  | { readonly type: 'rateChanged'; readonly rate: Percent; readonly why: 'contract' | 'modification' }
  /**
   * The borrower is in military service from `from` to `to` (null: the end is not known), and the rate is at most `rate` (50 USC 3937). It
   * takes effect on the first day, or with the opening when that is later. Of several with the same `from` the last one recorded counts.
   */
  | ({
      readonly type: 'militaryService';
      readonly from: PlainDate;
      readonly to: PlainDate | null;
      readonly rate: Percent;
      /** If an earlier report had a later end: the first day after `to` on which a late fee is charged again. */
      readonly feesFrom?: PlainDate;
    } & Withdrawn)
  /**
   * Unsatisfied installments move by the distance from `from`, the oldest due date when it was agreed, to `to`; earlier ones stay. A
   * payment that is found or returned later changes which is the oldest, not what was agreed. Null: the current oldest.
   */
  | { readonly type: 'dueDateChanged'; readonly from: PlainDate | null; readonly to: PlainDate }
  /** Unsatisfied installments move by this many periods. */
  | { readonly type: 'extended'; readonly periods: number }
  /** Past-due installments move to the next due date and beyond: the loan counts as current again. */
  | { readonly type: 'reaged' }
  /** The level payment of the installments not yet due is recomputed. */
  | { readonly type: 'reamortized' };

const FREE = { by: 'servicer', restedOnBy: {} } as const satisfies Undoing<never>;
/** A change of due date names the oldest due date as it was then, which every move before it had shaped. */
const MOVE = { by: 'servicer', restedOnBy: { dueDateChanged: 'any' } } as const satisfies Undoing<never>;

export const modificationEvents: EventFamily<ModificationFact> = {
  rateChanged: {
    phase: 'terms',
    feed: { type: 'loan.rate_changed', about: 'The interest rate changed.' },
    line: { says: 'Rate changed[ to {rowDetail}]', row: 'rate' },
    undo: FREE,
    apply({ working }, { date, rate }) {
      endStretch(working, date);
      working.agreedRate = rate;
      working.rates.push({ from: date, rate });
      working.rate = serviceInForce(working);
      yieldAgain(working, date);
    },
    show: ({ date, rate }, { row }) => row(date, 'rate', 0, { detail: `${formatDecimal(rate)} %` }),
  },

  militaryService: {
    phase: 'terms',
    feed: { type: 'loan.military_service', about: 'A period of military service was reported, or its end.' },
    line: { says: 'Military service recorded[: rate {rowDetail}]', row: 'rate' },
    undo: FREE,
    apply({ working, services }, event) {
      const { date: from, withdrawnOn, feesFrom = null } = event;
      if (withdrawnOn !== undefined) {
        const over = overOn(event);
        const until = over !== null && over < withdrawnOn ? over : withdrawnOn;
        spareFees(working, { hold: null, from, until });
        return;
      }
      const { to = event.to } = { to: services.get(event) };
      if (to === 'superseded') return;
      beginService(working, { ...event, to, feesFrom });
      const over = overOn({ to });
      if (over !== null && feesFrom !== null) spareFees(working, { hold: null, from: over, until: feesFrom });
    },
    // The statement shows the periods of the loan itself, which include their ends.
    show: null,
  },

  dueDateChanged: {
    phase: 'terms',
    feed: { type: 'loan.due_date_changed', about: 'The due date of the installments changed.' },
    line: { says: 'Due date changed', more: '[next due {rowDate}]', row: 'moved' },
    undo: MOVE,
    apply(run, { date, from, to }) {
      if (from !== null) run.working.shiftedDays += daysBetween(from, to);
      move(run, { from, to }, date);
    },
    show: ({ date, to }, { row }) => row(date, 'moved', 0, { detail: `next due ${to}` }),
  },

  extended: {
    phase: 'terms',
    feed: { type: 'loan.extended', about: 'Unpaid installments were moved to a later date.' },
    line: { says: 'Extended', more: '[next due {rowDate}]', row: 'moved' },
    undo: MOVE,
    apply(run, { date, periods }) {
      run.working.moves.push({ kind: 'extension', date, periods });
      move(run, { periods }, date);
    },
    show: ({ date, periods }, { row }) => row(date, 'moved', 0, { detail: `extended by ${periods}` }),
  },

  reaged: {
    phase: 'terms',
    feed: { type: 'loan.reaged', about: 'A loan was re-aged: past due installments were moved.' },
    line: { says: 'Re-aged', more: '[next due {rowDate}]', row: 'moved' },
    undo: MOVE,
    apply(run, { date }) {
      run.working.moves.push({ kind: 'reage', date, periods: 1 });
      move(run, { notBefore: date }, date);
    },
    show: ({ date }, { row }) => row(date, 'moved', 0, { detail: 're-aged' }),
  },

  reamortized: {
    phase: 'afterPayments',
    feed: { type: 'loan.reamortized', about: 'The remaining installments were computed anew.' },
    line: { says: 'Payment recalculated from the balance' },
    undo: FREE,
    apply({ working }, { date }) {
      reamortize(working, date);
      yieldAgain(working, date);
    },
    show: ({ date }, { row }) => row(date, 'reamortized', 0),
  },
};

/** Installments move, those that moved are judged by their new dates, and a default ends when nothing is past due any more. */
function move(run: Run, how: Parameters<typeof moveInstallments>[1], date: PlainDate): void {
  moveInstallments(run.working, how, date);
  run.judged = 0;
  yieldAgain(run.working, date);
  cure(run.working, date);
}
