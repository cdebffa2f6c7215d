import { expect, it } from 'vitest';
import { REFUSALS, refuse } from '../../core/refusal.ts';
import { refusedProblem } from './refusal-problems.ts';

it('every refusal is a 404, 409 or 422; values are 422', () => {
  const statuses = Map.groupBy(REFUSALS, (code) => refusedProblem(refuse(code, 'No.')).status);
  expect([...statuses.keys()].sort()).toEqual([404, 409, 422]);
  expect(statuses.get(404)).toEqual(['unknown_reference']);
  expect(statuses.get(409)).toEqual([
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
    'reference_conflict',
    'depends',
    'nothing_past_due',
    'not_past_due_enough',
    'not_paid_off',
    'payment_unconfirmed',
    'scra_limit',
    'policy_limit',
    'approval_required',
    'live_clock',
    'clock_busy',
    'wrong_period',
    'cycle_pending',
    'untied',
    'owned_by_loans',
  ]);
});

it('the member becomes a pointer, and only documented facts are returned', () => {
  const facts = { payoff: 123_450, loanStatus: 'Current', allowed: ['loan-repay'], secret: 'x' };
  const refusal = refuse('amount_exceeds_payoff', 'Too much.', { member: 'events.3.amount', facts, retryable: true });
  expect(refusedProblem(refusal).document('id')).toMatchObject({
    status: 422,
    code: 'invalid_request',
    refusal: 'amount_exceeds_payoff',
    detail: 'Too much.',
    errors: [{ pointer: '/events/3/amount', code: 'amount_exceeds_payoff', detail: 'Too much.' }],
    payoff: '1,234.50',
    loanStatus: 'Current',
    allowed: ['loan-repay'],
    retryable: true,
  });
  expect(JSON.stringify(refusedProblem(refusal).document('id'))).not.toContain('secret');
  expect(refusedProblem(refuse('no_solution', 'None.')).document('id')).toMatchObject({
    status: 422,
    code: 'no_solution',
  });
});

it('a member that the caller knows by another name is pointed at by that', () => {
  const refusal = refuse('date_in_future', 'Not yet.', { member: 'date' });
  expect(refusedProblem(refusal, { date: 'paymentDate' }).facts.errors).toEqual([
    { pointer: '/paymentDate', code: 'date_in_future', detail: 'Not yet.' },
  ]);
});
