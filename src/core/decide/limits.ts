/**
 * The policy's limits on extensions and re-ages. Extensions count in installments moved, re-ages in times. A limit counts as of the day
 * on which the change takes effect; one that is recorded late must not bring a later one over the limit either.
 */
import { addMonths, type PlainDate } from '../calendar.ts';
import { daysPastDue } from '../delinquency.ts';
import type { Loan, Move } from '../loan.ts';
import type { ReageLimits } from '../policy.ts';
import { type Refusal, refuse } from '../refusal.ts';
import { type Exceeded, loanOn, type Situation } from './operation.ts';

export function policyLimit({ limit, limitValue, figure, detail }: Exceeded): Refusal {
  const how = 'A client with the scope servicing:override can exceed the limit with override.';
  return refuse('policy_limit', `${detail} ${how}`, { facts: { limit, limitValue, figure } });
}

/** `change` null: an extension by one period today. */
export function extensionLimits(
  situation: Situation,
  change: { periods: number; date: PlainDate | null } | null,
): readonly Exceeded[] | 'needs_events' {
  const move: Move = { kind: 'extension', periods: change?.periods ?? 1, date: change?.date ?? situation.when.today };
  const then = loanThen(situation, move);
  if (then === null) return 'needs_events';
  const extension = stricter(then.policy.extension, situation.loan.policy.extension);
  const limitValue = extension.maximumDaysPastDue;
  // Today's days past due count too: otherwise a date in the past would make up for any delinquency.
  const figure = Math.max(daysPastDue(then), daysPastDue(situation.loan));
  const detail = `The policy allows an extension up to ${limitValue} days past due; this loan is ${figure} days past due.`;
  const late: Exceeded[] =
    figure > limitValue ? [{ limit: 'extension.maximumDaysPastDue', limitValue, figure, detail }] : [];
  return [...exceededBy(move, { loan: situation.loan, then, limits: extension }), ...late];
}

/** `change` null: a re-age today. */
export function reageLimits(
  situation: Situation,
  change: { date: PlainDate | null } | null,
): readonly Exceeded[] | 'needs_events' {
  const move: Move = { kind: 'reage', periods: 1, date: change?.date ?? situation.when.today };
  const then = loanThen(situation, move);
  if (then === null) return 'needs_events';
  const limits = stricter(then.policy.reage, situation.loan.policy.reage);
  return exceededBy(move, { loan: situation.loan, then, limits });
}

/** The stricter of the limits on the day of the move and today's: a date in the past does not get around either. */
function stricter<L extends ReageLimits>(then: L, now: L): L {
  const either = Object.keys(then).map((name) => {
    const [one, other] = [then[name as keyof L] as number, now[name as keyof L] as number];
    return [name, name === 'minimumPaid' ? Math.max(one, other) : Math.min(one, other)];
  });
  return Object.fromEntries(either) as L;
}

function loanThen({ history, loan, when }: Situation, { date }: Move): Loan | null {
  return date === when.today ? loan : loanOn(history, date);
}

/** `loan` is that of today, `then` that of the day of the move. */
function exceededBy(
  move: Move,
  { loan, then, limits }: { loan: Loan; then: Loan; limits: ReageLimits },
): readonly Exceeded[] {
  const { kind, date } = move;
  const found: Exceeded[] = [];
  const known = loan.moves.filter((one) => one.kind === kind);
  const all = [...known, move];
  const later = known.filter((one) => one.date > date);
  const noun = kind === 'extension' ? 'extension' : 're-age';

  const total = sum(all);
  if (total > limits.perLife) {
    const detail = `The policy allows ${counted(limits.perLife, kind)} over the life of a loan; with this one there would be ${total}.`;
    found.push({ limit: `${kind}.perLife`, limitValue: limits.perLife, figure: total, detail });
  }

  for (const { date: end } of [move, ...later]) {
    const inYear = all.filter(withinYear(end));
    const figure = sum(inYear);
    if (figure <= limits.perTwelveMonths || !inYear.includes(move)) continue;
    const limitValue = limits.perTwelveMonths;
    const detail = `The policy allows ${counted(limitValue, kind)} in twelve months; with this one there would be ${figure} in those up to ${end}.`;
    found.push({ limit: `${kind}.perTwelveMonths`, limitValue, figure, detail });
    break;
  }

  const limitValue = limits.minimumPaid;
  const last = known.findLast((one) => one.date <= date)?.date ?? null;
  const next = later[0]?.date ?? null;
  const paid = paidSince(then, last);
  const paidByNext = next === null ? limitValue : paidSince(loan, date, next);
  const [figure, since, before] =
    paid < limitValue || next === null ? [paid, last, `this ${noun}`] : [paidByNext, date, `the ${noun} of ${next}`];
  if (figure < limitValue) {
    const from = since === null ? 'since origination' : `since the ${noun} of ${since}`;
    const detail = `The policy requires ${limitValue} installments paid ${from} before ${before}; ${figure} ${figure === 1 ? 'is' : 'are'} paid.`;
    found.push({ limit: `${kind}.minimumPaid`, limitValue, figure, detail });
  }
  return found;
}

function sum(moves: readonly Move[]): number {
  return moves.reduce((total, { periods }) => total + periods, 0);
}

/** In the twelve months that end with a day. */
function withinYear(end: PlainDate): (move: Move) => boolean {
  const start = addMonths(end, -12);
  return ({ date }) => date > start && date <= end;
}

function counted(count: number, kind: Move['kind']): string {
  if (kind === 'reage') return count === 1 ? 'one re-age' : `${count} re-ages`;
  return count === 1 ? 'one installment to be moved by extensions' : `${count} installments to be moved by extensions`;
}

/**
 * Installments paid after a day, or at all, up to the loan's own day or an earlier one. One that is paid to the policy's percentage counts,
 * as it does for past-due status: not the last one, which includes whatever is left. What was paid to an earlier servicer counts; an
 * installment with nothing to pay does not.
 */
function paidSince({ installments, policy, on }: Loan, after: PlainDate | null, through: PlainDate = on): number {
  const last = installments.length - 1;
  return installments.filter(({ amount, paid, satisfiedOn }, i) => {
    if (paid === 0) return false;
    if (satisfiedOn === null) return i < last && through === on && paid * 100 >= amount * policy.satisfiedPercent;
    return satisfiedOn <= through && (after === null || satisfiedOn > after);
  }).length;
}
