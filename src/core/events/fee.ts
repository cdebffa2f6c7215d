/** Fees that were charged or waived by a command. Late fees are not events: the fold derives them from the date. */
import type { FeeKind } from '../loan.ts';
import type { Cents } from '../money.ts';
import { addFee, settleFromCredit, waive } from '../pay.ts';
import type { EventFamily } from './definition.ts';

export type FeeFact =
  | {
      readonly type: 'feeAssessed';
      readonly feeId: string;
      readonly kind: FeeKind;
      readonly name: string;
      readonly amount: Cents;
    }
  | { readonly type: 'feeWaived'; readonly feeId: string; readonly amount: Cents };

export const feeEvents: EventFamily<FeeFact> = {
  feeAssessed: {
    phase: 'fees',
    feed: { type: 'fee.assessed', about: 'A fee was charged.' },
    line: { says: 'Fee {amount} charged[: {rowDetail}]', group: 'money', explains: 'fees', row: 'fee' },
    undo: { by: 'servicer', restedOnBy: { feeWaived: 'feeId' } },
    apply({ working }, event) {
      addFee(working, { ...event, installment: null });
      settleFromCredit(working, event.date);
    },
    // The statement shows the fees of the loan itself, which include late fees.
    show: null,
  },

  feeWaived: {
    phase: 'fees',
    feed: { type: 'fee.waived', about: 'A fee was waived, in full or in part.' },
    line: { says: 'Fee {amount} waived', more: '{reference}', group: 'money', explains: 'fees', row: 'waived' },
    undo: { by: 'servicer', restedOnBy: {} },
    apply: ({ working }, { feeId, amount }) => waive(working, feeId, amount),
    show({ date, feeId, amount }, { now, waivedLeft, row }) {
      // If a later fold finds a smaller open amount, less is waived.
      const left = waivedLeft.get(feeId) ?? 0;
      const waived = Math.min(left, amount);
      waivedLeft.set(feeId, left - waived);
      now.fees -= waived;
      row(date, 'waived', waived, { reference: feeId });
    },
  },
};
