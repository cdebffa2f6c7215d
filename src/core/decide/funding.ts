/** Funding: the loan is disbursed, or boarded with the figures of an earlier servicer, and repayment begins. */
import type { PlainDate } from '../calendar.ts';
import { refuseFunding } from '../expiry.ts';
import type { Folding } from '../fold.ts';
import { LIVE, type OnFile, type Opening, stayed } from '../loan.ts';
import { type Cents, cents, formatCents, ZERO } from '../money.ts';
import { type Disbursement, NO_CHARGES, type OriginationCharges } from '../origination.ts';
import { paymentIn } from '../references.ts';
import { isRefusal, type Refusal, refuse } from '../refusal.ts';
import { buildSchedule } from '../schedule.ts';
import { refuseOpen } from '../stipulations.ts';
import { termsOf } from '../terms.ts';
import type { Dated, Family, Situation } from './operation.ts';
import { futureDate } from './refusals.ts';

export type FundingCommand =
  | ({ do: 'fund-loan' } & Funding)
  /** `Funding` is for a loan that is not funded yet: it is funded first, as `fund-loan` would. */
  | ({ do: 'initiate-repayment' } & Funding);

type Funding = {
  date: PlainDate | null;
  /** `onFile`: with an earlier servicer's figures from the loan's file, if there are any. */
  opening: Opening | null | 'onFile';
  /** Absent: one payee. */
  disbursements?: readonly Disbursement[] | null;
};

export const funding: Family<FundingCommand> = {
  'fund-loan': {
    from: ['Approved', 'CollateralApproved'],
    to: 'Funded',
    by: 'owner',
    scopes: ['loans:fund'],
    records: ['funded', 'opened', 'disbursed'],
    area: 'funding',
    needsFile: true,
    blocked: notFundable,
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
    blocked: notFundable,
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
    decide(situation, command) {
      const isFunded = situation.loan.stage === 'Funded';
      if (isFunded && (command.disbursements ?? null) !== null) {
        return refuse('contradiction', 'The loan is funded already, so nothing is paid out; leave disbursements out.', {
          member: 'disbursements',
        });
      }
      const funded = isFunded ? [] : fundLoan(situation, command);
      if (isRefusal(funded)) return funded;
      return [...funded, { type: 'repaymentInitiated', date: situation.when.today }];
    },
  },
};

function isCounted(folding: Folding, refId: string): boolean {
  const payment = paymentIn(folding, refId);
  return payment !== null && stayed(payment);
}

/** A loan that is not funded yet needs an approval that still stands, the collateral that the policy requires, and no open stipulation that comes first. */
function notFundable({ loan, onFile, when }: Situation): Refusal | null {
  const expired = refuseFunding(loan, onFile, when.today);
  if (expired !== null) return expired;
  return loan.policy.collateralRequired && loan.stage === 'Approved'
    ? refuse('collateral_required', 'The lender requires approved collateral first: call approve-collateral.')
    : refuseOpen(loan, onFile);
}

function fundLoan(
  { loan, when, onFile }: Situation,
  { date, opening: given, disbursements = null }: Funding,
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
  const charges = opening === null ? chargesOf(onFile) : NO_CHARGES;
  const paidOut = refusePaidOut({ amount: loan.contract.amount, opening, charges, disbursements });
  if (paidOut !== null) return paidOut;
  // ---- past this line nothing is refused ----
  // Interest runs from the contract date, so the loan is in effect from that date even when it is recorded later.
  const funded: Dated = {
    type: 'funded',
    terms,
    ...(charges === NO_CHARGES ? {} : { charges }),
    ...(disbursements === null ? {} : { disbursements }),
    date: terms.interestStart < day ? terms.interestStart : day,
  };
  if (opening === null) return [funded];
  const { date: openedOn, ...figures } = opening;
  return [funded, { type: 'opened', ...figures, date: openedOn }];
}

function chargesOf({
  prepaidFinanceCharge: kept = ZERO,
  dealerReserve: reserve = ZERO,
  directCosts: costs = ZERO,
}: OnFile) {
  return kept === 0 && reserve === 0 && costs === 0 ? NO_CHARGES : { kept, reserve, costs };
}

/** The money that a funding pays out: the loan amount less what the lender keeps of it, and what it pays beside it. */
function paidAtFunding(amount: number, { kept, reserve, costs }: OriginationCharges): Cents {
  return cents(amount - kept + reserve + costs);
}

function refusePaidOut({
  amount,
  opening,
  charges,
  disbursements,
}: {
  amount: Cents;
  opening: Opening | null;
  charges: OriginationCharges;
  disbursements: readonly Disbursement[] | null;
}): Refusal | null {
  const { kept, reserve, costs } = charges;
  // A counter-offer may have been for less.
  if (kept > 0 && kept >= amount) {
    const detail = `The prepaid finance charge (${formatCents(kept)}) must be less than the loan amount (${formatCents(amount)}).`;
    return refuse('contradiction', detail);
  }
  if (disbursements === null) return null;
  const wrong = (detail: string) => refuse('contradiction', detail, { member: 'disbursements' });
  if (opening !== null) {
    return wrong('The loan was funded elsewhere, so nothing is paid out here; leave disbursements out.');
  }
  const sum = disbursements.reduce((total, one) => total + one.amount, 0);
  const paid = paidAtFunding(amount, charges);
  if (sum === paid) return null;
  const parts = [
    `the loan amount of ${formatCents(amount)}`,
    ...(kept > 0 ? [`less the prepaid finance charge of ${formatCents(kept)}`] : []),
    ...(reserve > 0 ? [`plus the dealer reserve of ${formatCents(reserve)}`] : []),
    ...(costs > 0 ? [`plus direct costs of ${formatCents(costs)}`] : []),
  ];
  return wrong(
    `The disbursements add up to ${formatCents(cents(sum))}; ${formatCents(paid)} is paid out: ${parts.join(', ')}.`,
  );
}
