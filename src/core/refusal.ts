/**
 * The refusals of the engine. A refusal is a value: a code from this closed list, a sentence for a person, the facts, and whether the
 * same command could succeed later. The list is ordered: when several apply, the first is the answer, so that callers always see the
 * same one. A command's values are compared with the loan's facts (an amount with the payoff, for example) only once the status allows the
 * operation.
 */
export const REFUSALS = [
  // The command itself
  'not_supported',
  'required',
  'invalid_value',
  'contradiction',
  // The loan's state
  'boarded_history',
  'wrong_status',
  'on_hold',
  'accelerated',
  'documents_required',
  'hard_stop',
  'offer_expired',
  'report_expired',
  'collateral_required',
  'stipulations_open',
  'not_waivable',
  'decision_required',
  'reason_required',
  // References
  'unknown_reference',
  'unknown_deal',
  'reference_conflict',
  'depends',
  // Dates
  'date_in_future',
  'date_before_contract',
  'date_before_opening',
  'backdating_needs_reason',
  // Amounts
  'amount_zero',
  'amount_exceeds_payoff',
  'amount_exceeds_balance',
  'nothing_past_due',
  'not_past_due_enough',
  'not_paid_off',
  'payment_unconfirmed',
  'no_solution',
  // Limits of law and policy
  'not_eligible',
  'rate_rise',
  'scra_limit',
  'policy_limit',
  'approval_required',
  // The clock
  'live_clock',
  'clock_busy',
  // The books
  'wrong_period',
  'cycle_pending',
  'untied',
  'owned_by_loans',
] as const;

export type RefusalCode = (typeof REFUSALS)[number];

export type Refusal = {
  readonly refused: RefusalCode;
  readonly detail: string;
  /** The field of the command at fault, as a path of names, if there is one. */
  readonly member?: string;
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly retryable: boolean;
};

export function refuse(
  refused: RefusalCode,
  detail: string,
  more: { member?: string; facts?: Record<string, unknown>; retryable?: boolean } = {},
): Refusal {
  const { retryable = false, ...rest } = more;
  return { refused, detail, retryable, ...rest };
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'refused' in value;
}
