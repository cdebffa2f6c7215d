/** Modifications: what changes the terms of a loan that is being repaid, and the settlement that ends it for less. */
import { daysBetween, type PlainDate } from '../calendar.ts';
import { daysPastDue, delinquency } from '../delinquency.ts';
import { type Cents, formatCents } from '../money.ts';
import { payoff } from '../payoff.ts';
import type { Percent } from '../rate.ts';
import { refuse } from '../refusal.ts';
import { decideService, isReported, lastReport, refuseReport, type ServicePeriod } from './military-service.ts';
import { type Family, FUNDED, LIVE } from './operation.ts';
import { amountZero, badValue, beyondAYear, nothingPastDue, quoteExists, refuseDate } from './refusals.ts';

export type ModificationCommand =
  /** `service` goes with `scra`, which takes effect on its first day and has no `date`. */
  | {
      do: 'change-rate';
      rate: Percent;
      date: PlainDate | null;
      why: 'contract' | 'modification' | 'scra';
      service?: ServicePeriod;
      reason: string;
    }
  | { do: 'extend'; periods: number; date: PlainDate | null }
  | { do: 'change-due-date'; to: PlainDate; date: PlainDate | null }
  | { do: 'reamortize'; date: PlainDate | null }
  | { do: 'reage'; date: PlainDate | null }
  | { do: 'settle'; quoteId: string; amount: Cents; goodThrough: PlainDate; reason: string };

export const modification: Family<ModificationCommand> = {
  'change-rate': {
    from: FUNDED,
    to: 'derived from the balance',
    by: 'servicer',
    refuse(command) {
      if (command.why === 'scra') return refuseReport(command);
      if (command.service === undefined) return null;
      const detail = 'serviceFrom and serviceTo are allowed only with scra.';
      return refuse('contradiction', detail, { member: 'service.from' });
    },
    notIn: (status, { why }) =>
      why !== 'scra' && !LIVE.includes(status)
        ? `The loan is ${status}; its rate can be changed only for military service (scra).`
        : null,
    repeat: {
      of: ({ loan }, command) => (command.why === 'scra' && isReported(loan, command) ? 'same' : null),
      original: lastReport,
    },
    decide(situation, command) {
      const { loan, when } = situation;
      const { rate, date, why, reason } = command;
      if (!reason) return refuse('reason_required', 'A change of the rate requires a reason.', { member: 'reason' });
      if (why === 'scra') return decideService(situation, command);
      const day = date ?? when.today;
      return refuseDate(loan, day, when) ?? [{ type: 'rateChanged', rate, why, date: day }];
    },
  },

  extend: {
    from: LIVE,
    to: 'derived from the balance',
    by: 'servicer',
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
    refuse: ({ to, date }, when) =>
      to <= (date ?? when.today) ? badValue('to', 'The new due date must be in the future.') : null,
    decide({ loan, when }, { to, date }) {
      const day = date ?? when.today;
      const next = delinquency(loan).nextDueDate;
      if (next !== null && Math.abs(daysBetween(next, to)) > 31) {
        return badValue('to', `The next due date (${next}) can move by at most 31 days; use an extension instead.`);
      }
      const previous = loan.installments.findLast(({ dueDate }) => next !== null && dueDate < next)?.dueDate;
      if (previous !== undefined && to <= previous) {
        return badValue('to', `The new due date must be after the previous one (${previous}).`);
      }
      const dated = refuseDate(loan, day, when);
      if (dated !== null) return dated;
      if (next === null) return refuse('amount_zero', 'Nothing is left to pay on this loan.');
      return [{ type: 'dueDateChanged', from: next, to, date: day }];
    },
  },

  reamortize: {
    from: LIVE,
    to: 'derived from the balance',
    by: 'servicer',
    decide({ loan, when }, { date }) {
      const day = date ?? when.today;
      return refuseDate(loan, day, when) ?? [{ type: 'reamortized', date: day }];
    },
  },

  reage: {
    from: LIVE,
    to: 'derived from the balance',
    by: 'servicer',
    decide({ loan, when }, { date }) {
      const day = date ?? when.today;
      const dated = refuseDate(loan, day, when);
      if (dated !== null) return dated;
      return daysPastDue(loan) === 0 ? nothingPastDue() : [{ type: 'reaged', date: day }];
    },
  },

  settle: {
    from: [...LIVE, 'ChargedOff'],
    to: 'unchanged',
    by: 'servicer',
    refuse: ({ goodThrough }, when) =>
      goodThrough < when.today
        ? badValue('goodThrough', 'goodThrough must be today or later.')
        : beyondAYear(goodThrough, when),
    decide({ history, loan, when }, { quoteId, amount, goodThrough, reason }) {
      const owed = payoff(loan).payoff;
      if (amount >= owed) {
        return refuse('contradiction', `A settlement must be less than the payoff (${formatCents(owed)}).`, {
          member: 'amount',
          facts: { payoff: owed },
        });
      }
      if (!reason) return refuse('reason_required', 'A settlement requires a reason.', { member: 'reason' });
      const exists = quoteExists(history.folding, quoteId);
      if (exists !== null) return exists;
      if (amount === 0) return amountZero();
      return [{ type: 'payoffQuoted', quoteId, kind: 'settlement', amount, goodThrough, date: when.today }];
    },
  },
};
