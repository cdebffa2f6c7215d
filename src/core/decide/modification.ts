/** Modifications: what changes the terms of a loan that is being repaid, and the settlement that ends it for less. */
import { daysBetween, type PlainDate } from '../calendar.ts';
import { openInstallments } from '../delinquency.ts';
import type { LoanEvent } from '../event.ts';
import { LIVE, type Loan, type LoanStatus } from '../loan.ts';
import { type Cents, cents, formatCents } from '../money.ts';
import { payoff } from '../payoff.ts';
import { comparePercent, formatDecimal, type Percent } from '../rate.ts';
import { type Refusal, refuse } from '../refusal.ts';
import { extensionLimits, reageLimits } from './limits.ts';
import { decideService, isReported, lastReport, refuseReport, type ServicePeriod } from './military-service.ts';
import { type Family, FUNDED, loanOn } from './operation.ts';
import { amountZero, badValue, beyondAYear, ifNothingPastDue, quoteExists, refuseDate } from './refusals.ts';

export type ModificationCommand =
  /**
   * `why` null: `contract` for a variable-rate loan, `modification` for a fixed-rate loan. `service` goes with `scra`, which takes effect on
   * its first day and has no `date`.
   */
  | {
      do: 'change-rate';
      rate: Percent;
      date: PlainDate | null;
      why: 'contract' | 'modification' | 'scra' | null;
      service?: ServicePeriod;
      /** With an earlier end of service than was known: late fees since then are charged on their own days. */
      chargeRetroactive?: boolean;
      reason: string;
    }
  | { do: 'extend'; periods: number; date: PlainDate | null; reason: string; override?: boolean }
  | { do: 'change-due-date'; to: PlainDate; date: PlainDate | null; reason: string }
  | { do: 'reamortize'; date: PlainDate | null; reason: string }
  | { do: 'reage'; date: PlainDate | null; reason: string; override?: boolean }
  | { do: 'settle'; quoteId: string; amount: Cents; goodThrough: PlainDate; reason: string };

export const modification: Family<ModificationCommand> = {
  'change-rate': {
    from: FUNDED,
    to: 'derived from the balance',
    by: 'servicer',
    records: ['rateChanged', 'militaryService'],
    needsReason: 'A rate change requires a reason.',
    refuse(command) {
      if (command.why === 'scra') return refuseReport(command);
      if (command.service === undefined) return null;
      const detail = 'serviceFrom and serviceTo are allowed only with scra.';
      return refuse('contradiction', detail, { member: 'service.from' });
    },
    notIn: (status, { why }) =>
      why !== 'scra' && !(LIVE as readonly LoanStatus[]).includes(status)
        ? `The loan is ${status}; its rate can be changed only for military service (scra).`
        : null,
    repeat: {
      of: ({ loan }, command) => (command.why === 'scra' && isReported(loan, command) ? 'same' : null),
      original: lastReport,
    },
    decide(situation, command) {
      const { history, loan, when } = situation;
      const { rate, date, why: given } = command;
      if (given === 'scra') return decideService(situation, command);
      const day = date ?? when.today;
      const { variable } = loan.contract;
      const why = given ?? (variable ? 'contract' : 'modification');
      const dated = refuseDate(loan, day, when);
      if (dated !== null) return dated;
      const then = day === when.today ? loan : loanOn(history, day);
      if (then === null) return 'needs_events';
      return refuseRate(then, { rate, why }) ?? [{ type: 'rateChanged', rate, why, date: day }];
    },
  },

  extend: {
    from: LIVE,
    to: 'derived from the balance',
    by: 'servicer',
    records: ['extended'],
    needsReason: 'An extension requires a reason.',
    blocked: ifAccelerated,
    limits: extensionLimits,
    refuse: ({ periods }) =>
      Number.isInteger(periods) && periods >= 1 && periods <= 12
        ? null
        : badValue('periods', 'An extension must be 1 to 12 periods.'),
    decide({ loan, when }, { periods, date }) {
      const day = date ?? when.today;
      return refuseDate(loan, day, when) ?? [{ type: 'extended', periods, date: day }];
    },
  },

  'change-due-date': {
    from: LIVE,
    to: 'derived from the balance',
    by: 'servicer',
    records: ['dueDateChanged'],
    needsReason: 'A new due date requires a reason.',
    blocked: ({ loan }) =>
      ifAccelerated({ loan }) ??
      (nextToCome(loan) === null ? refuse('amount_zero', 'No installment of this loan is still to come due.') : null),
    refuse: ({ to }, when) => (to <= when.today ? badValue('to', 'The new due date must be in the future.') : null),
    decide({ history, loan, when }, { to, date }) {
      // There is no next due date that the new one could be compared with.
      const accelerated = ifAccelerated({ loan });
      if (accelerated !== null) return accelerated;
      const day = date ?? when.today;
      // Installments past due stay past due: only an extension or a re-age moves them, within the policy's limits.
      const then = day === when.today ? loan : loanOn(history, day);
      if (then === null) return 'needs_events';
      const next = nextToCome(then);
      const shift = next === null ? 0 : loan.shiftedDays + daysBetween(next, to);
      if (next !== null && (Math.abs(daysBetween(next, to)) > 31 || Math.abs(shift) > 31)) {
        const so = loan.shiftedDays === 0 ? '' : ` They were moved by ${loan.shiftedDays} days before.`;
        const detail = `The next due date (${next}) can move by at most 31 days in all; use an extension instead.${so}`;
        return badValue('to', detail);
      }
      const previous = then.installments.findLast(({ dueDate }) => next !== null && dueDate < next)?.dueDate;
      if (previous !== undefined && to <= previous) {
        return badValue('to', `The new due date must be after the previous one (${previous}).`);
      }
      return refuseDate(loan, day, when) ?? [{ type: 'dueDateChanged', from: next, to, date: day }];
    },
  },

  reamortize: {
    from: LIVE,
    to: 'derived from the balance',
    by: 'servicer',
    records: ['reamortized'],
    needsReason: 'A re-amortization requires a reason.',
    blocked: ifAccelerated,
    decide({ loan, when }, { date }) {
      const day = date ?? when.today;
      return refuseDate(loan, day, when) ?? [{ type: 'reamortized', date: day }];
    },
  },

  reage: {
    from: LIVE,
    to: 'derived from the balance',
    by: 'servicer',
    records: ['reaged'],
    needsReason: 'A re-age requires a reason.',
    blocked: ({ loan }) => ifAccelerated({ loan }) ?? ifNothingPastDue({ loan }),
    limits: reageLimits,
    decide({ loan, when }, { date }) {
      const day = date ?? when.today;
      return refuseDate(loan, day, when) ?? [{ type: 'reaged', date: day }];
    },
  },

  settle: {
    from: [...LIVE, 'ChargedOff'],
    to: 'unchanged',
    by: 'servicer',
    records: ['payoffQuoted'],
    owns: (event) => event.type === 'payoffQuoted' && event.kind === 'settlement',
    // The amount given up, not the amount accepted: the lower the accepted amount, the more there is to approve.
    amount: ({ events, loan }) => settledFor(events, payoff(loan).payoff),
    needsReason: 'A settlement requires a reason.',
    blocked: ({ loan }) => (payoff(loan).payoff === 0 ? refuse('amount_zero', 'Nothing is owed on this loan.') : null),
    refuse: ({ goodThrough }, when) =>
      goodThrough < when.today
        ? badValue('goodThrough', 'goodThrough must be today or later.')
        : beyondAYear(goodThrough, when),
    decide({ history, loan, when }, { quoteId, amount, goodThrough }) {
      const owed = payoff(loan).payoff;
      if (owed > 0 && amount >= owed) {
        return refuse('contradiction', `A settlement must be less than the payoff (${formatCents(owed)}).`, {
          member: 'amount',
          facts: { payoff: owed },
        });
      }
      const exists = quoteExists(history.folding, quoteId);
      if (exists !== null) return exists;
      if (amount === 0) return amountZero();
      return [{ type: 'payoffQuoted', quoteId, kind: 'settlement', amount, goodThrough, date: when.today }];
    },
  },
};

/** The due date of the next installment that is not past due; null: there is none. */
function nextToCome(loan: Loan): PlainDate | null {
  const next = openInstallments(loan).find(({ installment, open }) => open > 0 && installment.dueDate >= loan.on);
  return next?.installment.dueDate ?? null;
}

/** An accelerated loan has no installments to come. */
function ifAccelerated({ loan: { acceleratedOn } }: { loan: Loan }): Refusal | null {
  if (acceleratedOn === null) return null;
  const detail = `The loan was accelerated on ${acceleratedOn}, so everything is due; undo the acceleration first.`;
  return refuse('accelerated', detail, { facts: { date: acceleratedOn } });
}

/** The rate in force on the day of the change is the measure: a later change keeps its own rate, so no later day has a higher one. */
function refuseRate(
  { contract, agreedRate, on }: Loan,
  { rate, why }: { rate: Percent; why: 'contract' | 'modification' },
): Refusal | null {
  if (why === 'contract') {
    if (contract.variable) return null;
    const detail = 'This loan has a fixed rate, which the contract cannot change; for a reduction use modification.';
    return refuse('not_eligible', detail, { member: 'why' });
  }
  if (comparePercent(rate, agreedRate) <= 0) return null;
  const detail = `A modification cannot raise the rate: ${formatDecimal(agreedRate)} % is agreed on ${on}.`;
  return refuse('rate_rise', detail, { member: 'rate' });
}

/** The amount that the lender would give up today by the settlements among these events. */
function settledFor(events: readonly LoanEvent[], owed: number): Cents {
  const accepted = events.flatMap((event) => (event.type === 'payoffQuoted' ? [event.amount] : []));
  return cents(Math.max(0, ...accepted.map((amount) => owed - amount)));
}
