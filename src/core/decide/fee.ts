/** Fees that are charged or waived by a command. Late fees follow from the date alone and have no operation. */
import type { PlainDate } from '../calendar.ts';
import type { Folding } from '../fold.ts';
import { type Fee, type FeeKind, LIVE, type Loan } from '../loan.ts';
import { type Cents, cents, formatCents } from '../money.ts';
import { feeIn, hasFee, hasOpenFee } from '../references.ts';
import { type Refusal, refuse } from '../refusal.ts';
import { feesOwed } from '../working-loan.ts';
import { refuseFeeInService } from './military-service.ts';
import { amountIn, type Family, FUNDED } from './operation.ts';
import { amountZero, badValue, onHold, refuseDate } from './refusals.ts';

export type FeeCommand =
  | { do: 'assess-fee'; feeId: string; kind: FeeKind; name: string; amount: Cents; date: PlainDate | null }
  | { do: 'waive-fee'; feeId: string; amount: Cents | null; reason: string };

/** Plain and short: it is stored in the ledger, which contains no personal data. */
const FEE_NAME = /^[A-Za-z0-9 ._:-]{1,64}$/;

export const fee: Family<FeeCommand> = {
  'assess-fee': {
    from: [...LIVE, 'ChargedOff'],
    to: 'unchanged',
    by: 'servicer',
    records: ['feeAssessed'],
    amount: amountIn('feeAssessed'),
    refuse: ({ name }) =>
      FEE_NAME.test(name)
        ? null
        : badValue('name', 'The name of a fee must be 1 to 64 letters, digits, spaces, and . _ : -'),
    decide(situation, { feeId, kind, name, amount, date }) {
      const { history, loan, when } = situation;
      const day = date ?? when.today;
      // A late fee charged by hand is one all the same, by the holds of its own day; other fees are not restricted.
      const held = kind === 'penalty' ? onHold({ ...loan, on: day }, 'lateFees') : null;
      if (held !== null) return held;
      if (feeOf(loan, history.folding, feeId) !== null) {
        return refuse('reference_conflict', 'A fee with this id already exists.', { member: 'feeId' });
      }
      const dated = refuseDate(loan, day, when);
      if (dated !== null) return dated;
      if (amount === 0) return amountZero();
      const limited = refuseFeeInService(situation, { amount, day });
      if (limited !== null) return limited;
      return [{ type: 'feeAssessed', feeId, kind, name, amount, date: day }];
    },
  },

  'waive-fee': {
    from: FUNDED,
    to: 'derived from the balance',
    by: 'servicer',
    records: ['feeWaived'],
    amount: amountIn('feeWaived'),
    needsReason: 'Waiving a fee requires a reason.',
    blocked: ({ history, loan }) =>
      feesOwed(loan) === 0 && !hasOpenFee(history.folding) ? noOpenFee(loan, history.folding) : null,
    decide({ history, loan, when }, { feeId, amount }) {
      const one = feeOf(loan, history.folding, feeId);
      if (one === null) return refuse('unknown_reference', 'This loan has no fee with this id.', { member: 'feeId' });
      const open = one.amount - one.paid - one.waived;
      if (amount === 0) return amountZero();
      if (open === 0) return refuse('amount_zero', 'This fee has no open amount.', { member: 'feeId' });
      if (amount !== null && amount > open) {
        return refuse('amount_exceeds_balance', `Only ${formatCents(cents(open))} of this fee is open.`, {
          member: 'amount',
        });
      }
      // A fee can only be waived once it is charged.
      const date = one.date > when.today ? one.date : when.today;
      return [{ type: 'feeWaived', feeId, amount: amount ?? cents(open), date }];
    },
  },
};

function noOpenFee({ fees }: Loan, folding: Folding): Refusal {
  return fees.length === 0 && !hasFee(folding)
    ? refuse('unknown_reference', 'This loan has no fee.', { member: 'feeId' })
    : refuse('amount_zero', 'No fee of this loan has an open amount.', { member: 'feeId' });
}

/** The fee on the loan's day, where late fees are included; a fee that takes effect later is read from the folding. */
function feeOf(loan: Loan, folding: Folding, feeId: string): Fee | null {
  return loan.fees.find((one) => one.feeId === feeId) ?? feeIn(folding, feeId);
}
