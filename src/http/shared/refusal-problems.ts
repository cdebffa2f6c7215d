/** The engine's refusals as problems: one table for every code. */
import { amountText } from '../../core/decimal.ts';
import type { Cents } from '../../core/money.ts';
import type { Refusal, RefusalCode } from '../../core/refusal.ts';
import { type FieldError, Problem, type ProblemCode, type ProblemFacts } from './problems.ts';

const PROBLEM_OF: Readonly<Record<RefusalCode, ProblemCode>> = {
  not_supported: 'invalid_request',
  required: 'invalid_request',
  invalid_value: 'invalid_request',
  contradiction: 'invalid_request',
  wrong_status: 'conflict',
  boarded_history: 'boarded_history',
  on_hold: 'on_hold',
  accelerated: 'conflict',
  documents_required: 'conflict',
  hard_stop: 'hard_stop',
  offer_expired: 'offer_expired',
  report_expired: 'report_expired',
  stipulations_open: 'stipulations_open',
  not_waivable: 'not_waivable',
  collateral_required: 'conflict',
  decision_required: 'conflict',
  reason_required: 'invalid_request',
  unknown_reference: 'not_found',
  unknown_deal: 'invalid_request',
  reference_conflict: 'conflict',
  depends: 'depends',
  date_in_future: 'invalid_request',
  date_before_contract: 'invalid_request',
  date_before_opening: 'invalid_request',
  backdating_needs_reason: 'invalid_request',
  amount_zero: 'invalid_request',
  amount_exceeds_payoff: 'invalid_request',
  amount_exceeds_balance: 'invalid_request',
  nothing_past_due: 'conflict',
  not_past_due_enough: 'conflict',
  not_paid_off: 'conflict',
  payment_unconfirmed: 'conflict',
  no_solution: 'no_solution',
  not_eligible: 'not_eligible',
  rate_rise: 'rate_rise',
  scra_limit: 'conflict',
  policy_limit: 'policy_limit',
  approval_required: 'conflict',
  live_clock: 'live_clock',
  clock_busy: 'conflict',
  wrong_period: 'conflict',
  cycle_pending: 'cycle_pending',
  untied: 'conflict',
  owned_by_loans: 'owned_by_loans',
};

/** The facts of a refusal that a problem includes; `ProblemSchema` describes each of them. Other facts are only in its detail. */
const AMOUNTS = new Set(['payoff', 'kept', 'credit', 'room']);
const OTHER_FACTS = new Set([
  ...['loanStatus', 'allowed', 'date', 'accounts', 'daysPastDue', 'defaultDays'],
  ...['limit', 'limitValue', 'figure', 'transactions', 'holds', 'checks', 'hardStops', 'stipulations'],
]);

/** `names` maps a member of the engine to the caller's name for it, where they differ. */
export function refusedProblem(refusal: Refusal, names: Readonly<Record<string, string>> = {}): Problem {
  const { refused, detail, facts = {}, retryable } = refusal;
  const member = refusal.member === undefined ? undefined : (names[refusal.member] ?? refusal.member);
  const errors: FieldError[] =
    member === undefined ? [] : [{ pointer: `/${member.replaceAll('.', '/')}`, code: refused, detail }];
  const told: ProblemFacts = {
    refusal: refused,
    ...(errors.length > 0 ? { errors } : {}),
    ...(retryable ? { retryable } : {}),
  };
  for (const [name, value] of Object.entries(facts)) {
    if (AMOUNTS.has(name)) told[name] = amountText(value as Cents);
    else if (OTHER_FACTS.has(name)) told[name] = value;
  }
  return new Problem(PROBLEM_OF[refused], detail, told);
}

/** For an `AmountOutOfRange` thrown anywhere in the engine. */
export function outOfRange(): Problem {
  return new Problem(
    'invalid_request',
    'The amounts are too large to be computed exactly; check the rate and the dates.',
  );
}
