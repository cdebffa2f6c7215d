/** Funding: the loan is disbursed, or boarded with the figures of an earlier servicer, and repayment begins. */
import type { PlainDate } from '../calendar.ts';
import type { Folding } from '../fold.ts';
import { LIVE, type Opening, stayed } from '../loan.ts';
import { formatCents } from '../money.ts';
import { paymentIn } from '../references.ts';
import { isRefusal, type Refusal, refuse } from '../refusal.ts';
import { buildSchedule } from '../schedule.ts';
import { termsOf } from '../terms.ts';
import type { Dated, Family, Situation } from './operation.ts';
import { futureDate } from './refusals.ts';

export type FundingCommand =
  /** `onFile`: with an earlier servicer's figures from the loan's file, if there are any. */
  | { do: 'fund-loan'; date: PlainDate | null; opening: Opening | null | 'onFile' }
  /** `date` and `opening` are for a loan that is not funded yet: it is funded first, as `fund-loan` would. */
  | { do: 'initiate-repayment'; date: PlainDate | null; opening: Opening | null | 'onFile' };

export const funding: Family<FundingCommand> = {
  'fund-loan': {
    from: ['Approved', 'CollateralApproved'],
    to: 'Funded',
    by: 'owner',
    scopes: ['loans:fund'],
    records: ['funded', 'opened', 'disbursed'],
    area: 'funding',
    needsFile: true,
    blocked: withoutCollateral,
    decide: fundLoan,
  },

  'initiate-repayment': {
    from: ['Approved', 'CollateralApproved', ...LIVE],
    to: 'Current',
    by: 'servicer',
    scopes: ['servicing:write', 'loans:fund'],
    records: ['repaymentInitiated'],
    area: 'funding',
    needsFile: true,
    blocked: withoutCollateral,
    scope: ({ events }) => (events.some(({ type }) => type === 'funded') ? 'loans:fund' : 'servicing:write'),
    repeat: {
      of: ({ loan }) => (loan.stage === 'Funded' && loan.repaymentInitiated ? 'same' : null),
      original(events, _, folding) {
        const initiated = events.findIndex(({ type }) => type === 'repaymentInitiated');
        if (initiated >= 0) return initiated;
        // Repayment may also have begun with the first payment.
        return events.findIndex((event) => event.type === 'paymentSubmitted' && isCounted(folding, event.refId));
      },
    },
    decide(situation, { date, opening }) {
      const funded = situation.loan.stage === 'Funded' ? [] : fundLoan(situation, { date, opening });
      if (isRefusal(funded)) return funded;
      return [...funded, { type: 'repaymentInitiated', date: situation.when.today }];
    },
  },
};

function isCounted(folding: Folding, refId: string): boolean {
  const payment = paymentIn(folding, refId);
  return payment !== null && stayed(payment);
}

/** A loan that is not funded yet needs the collateral that the policy requires. */
function withoutCollateral({ loan }: Situation): Refusal | null {
  return loan.policy.collateralRequired && loan.stage === 'Approved'
    ? refuse('collateral_required', 'The lender requires approved collateral first: call approve-collateral.')
    : null;
}

function fundLoan(
  { loan, when, onFile }: Situation,
  { date, opening: given }: { date: PlainDate | null; opening: Opening | null | 'onFile' },
): Dated[] | Refusal {
  const opening = given === 'onFile' ? onFile.opening : given;
  const day = date ?? when.today;
  const terms = termsOf(loan.contract, day);
  if (isRefusal(terms)) return terms;
  const schedule = buildSchedule(terms);
  if (isRefusal(schedule)) return schedule;
  if (opening !== null && opening.principal > loan.contract.amount) {
    return refuse(
      'contradiction',
      `The opening principal (${formatCents(opening.principal)}) is more than the loan amount (${formatCents(loan.contract.amount)}).`,
      { member: 'opening' },
    );
  }
  if (day > when.today) return futureDate('date');
  if (opening !== null && opening.date > when.today) return futureDate('opening');
  if (opening !== null && (opening.ownedFrom ?? opening.date) > when.today) return futureDate('opening');
  if (opening !== null && opening.date < terms.interestStart) {
    return refuse('date_before_contract', `The opening cannot be before the contract date (${terms.interestStart}).`, {
      member: 'opening',
    });
  }
  // ---- past this line nothing is refused ----
  // Interest runs from the contract date, so the loan is in effect from that date even when it is recorded later.
  const funded: Dated = { type: 'funded', terms, date: terms.interestStart < day ? terms.interestStart : day };
  if (opening === null) return [funded];
  const { date: openedOn, ...figures } = opening;
  return [funded, { type: 'opened', ...figures, date: openedOn }];
}
