/** One transaction, for the tests of what is made of its text. */
import type { LoanEvent } from '../../src/core/event.ts';
import { money } from './life.ts';

export const NONCE = '5f0c1b7e-3a52-4d7e-9c11-0e6a2b8d4f90';

export const payment: LoanEvent = {
  type: 'paymentSubmitted',
  refId: 'p-1',
  amount: money('888.49'),
  purpose: 'installment',
  date: '2026-02-01' as LoanEvent['date'],
  recordedOn: '2026-02-01' as LoanEvent['date'],
  recordedAt: '2026-02-01T12:00:00.000Z',
};
