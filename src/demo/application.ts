/**
 * Invented applications for car loans: bodies of POST /loans with `Request` and the terms, the same for the same number on
 * every machine. People, cars and dealers are invented; amounts and payments are the engine's and agree with each other. Nothing here
 * is an assessment: the product makes it when underwriting starts.
 */
import { createHash } from 'node:crypto';
import { seededRandom } from '../bureau/simulator/random.ts';
import { date, type PlainDate, yearFraction } from '../core/calendar.ts';
import type { Contract } from '../core/loan.ts';
import { cents, formatCents } from '../core/money.ts';
import { interestOver } from '../core/rate.ts';
import type { Schedule, ScheduleRow } from '../core/schedule.ts';
import { householdOf } from './household.ts';
import {
  type ContractOptions,
  contractFor,
  inventIncome,
  inventPurchase,
  monthlyPaymentOf,
  scheduleOf,
} from './purchase.ts';
import { requestOf } from './request.ts';
import { inventVehicle } from './vehicle.ts';

export type ApplicationOptions = ContractOptions & {
  readonly applicationId?: string;
  /** The day of the application. */
  readonly on?: PlainDate;
  readonly lender?: Lender;
  readonly score?: number;
  readonly months?: number;
  /** Percent of the price that is paid down; as usual for the score when absent. */
  readonly downPercent?: number;
  /** Percent of the income that the payment takes; what the household can afford when absent. */
  readonly paymentPercent?: number;
  readonly variable?: boolean;
  /** Serviced elsewhere until `asOf`, with `paid` installments paid and nothing since. */
  readonly boarded?: { readonly asOf: PlainDate; readonly paid: number };
  readonly published?: boolean;
};

export type Lender = {
  readonly lenderId: string;
  readonly primaryServicerId: string;
  readonly secondaryServicerId: string;
  /** Members of POST /loans. */
  readonly lateFee: { readonly lateFee: string } | { readonly lateFeePolicy: object };
};

export const LENDERS: readonly Lender[] = [
  { lenderId: 'LND-HARBOR', primaryServicerId: 'SRV-NORTH', secondaryServicerId: '', lateFee: { lateFee: '25.00' } },
  {
    lenderId: 'LND-MESA',
    primaryServicerId: 'SRV-LAKE',
    secondaryServicerId: 'SRV-NORTH',
    lateFee: { lateFeePolicy: { percent: '5', floor: '15.00', cap: '50.00', graceDays: '10' } },
  },
  { lenderId: 'LND-CEDAR', primaryServicerId: 'SRV-NORTH', secondaryServicerId: '', lateFee: { lateFee: '30.00' } },
  { lenderId: 'LND-ATLAS', primaryServicerId: 'SRV-PRAIRIE', secondaryServicerId: '', lateFee: { lateFee: '15.00' } },
];

/** A body of POST /loans; it takes some milliseconds, most of them to find people with the score among those of the simulator. */
export function applicationBody(n: number, options: ApplicationOptions = {}): object {
  const of = seededRandom(`application ${n}`);
  const on = options.on ?? date('2026-01-15');
  const household = householdOf(n, on, options.score);
  const months = options.months ?? of.pick([48, 60, 60, 72, 72]);
  const vehicle = inventVehicle(of, n, { on, months });
  const { downPercent, paymentPercent } = options;
  const purchase = inventPurchase(of, vehicle, {
    ...{ months, downPercent },
    // The lower of two scores is the one that a loan is priced by.
    score: Math.min(household.credit.score, household.coApplicant?.score ?? household.credit.score),
  });
  const contract = contractFor(purchase, months, on, options);
  const start = contract.contractDate ?? on;
  const schedule = scheduleOf(contract, start);
  const monthlyPayment = monthlyPaymentOf(contract, schedule);
  const { payment } = schedule.rows[contract.interestOnlyCount] as ScheduleRow;
  const income = inventIncome(of, household, { payment: monthlyPayment, paymentPercent });
  const applicationId = options.applicationId ?? `APP-${String(n).padStart(6, '0')}`;
  const lender = options.lender ?? (LENDERS[n % LENDERS.length] as Lender);
  return {
    applicationId,
    borrowerId: `BRW-${String(100_000 + n * 37).slice(-6)}`,
    lenderId: lender.lenderId,
    primaryServicerId: lender.primaryServicerId,
    secondaryServicerId: lender.secondaryServicerId,
    loanType: 'AutoLoan',
    principalAmount: formatCents(cents(purchase.amount - purchase.products)),
    loanAmount: formatCents(purchase.amount),
    collateralType: 'Vehicles',
    encumberedStatus: 'Lien',
    interestRate: purchase.rate,
    interestRateType: options.variable ? 'Variable' : 'Fixed',
    ...(options.variable ? { indexRate: 'SOFR', spread: '2.50' } : {}),
    term: String(months),
    paymentFrequency: contract.frequency,
    installment: String(contract.count),
    amortizationType: contract.amortization,
    ...(contract.balloon > 0 ? { balloonAmount: formatCents(contract.balloon) } : {}),
    ...(contract.interestOnlyCount > 0 ? { interestOnlyCount: String(contract.interestOnlyCount) } : {}),
    dayCount: contract.dayCount,
    ...(contract.contractDate === null ? {} : signedMembers(applicationId, contract.contractDate, schedule)),
    ...(options.boarded === undefined ? {} : { opening: openingOf(options.boarded, contract, schedule, start) }),
    ...lender.lateFee,
    prepaymentPenalty: formatCents(contract.prepaymentPenalty),
    prepaidFinanceCharge: '0.00',
    loanInfo: {
      make: vehicle.make,
      model: vehicle.model,
      year: String(vehicle.year),
      age: String(vehicle.age),
      mileage: String(vehicle.mileage),
      vin: vehicle.vin,
    },
    published: options.published ?? false,
    Request: requestOf(of, { applicationId, household, vehicle, purchase, income, months, payment, monthlyPayment }),
  };
}

/** For a contract that is not signed yet, all dates and the payment are set when the loan is funded. */
function signedMembers(applicationId: string, contractDate: PlainDate, { rows, levelPayment }: Schedule): object {
  const lastDate = (rows.at(-1) as ScheduleRow).dueDate;
  const contractText = `Contract of ${applicationId}, signed ${contractDate}`;
  return {
    ...(levelPayment === null ? {} : { scheduledPayment: formatCents(levelPayment) }),
    originationDate: contractDate,
    firstPaymentDate: (rows[0] as ScheduleRow).dueDate,
    maturityDate: lastDate,
    lastPaymentDate: lastDate,
    retailInstallmentContractHash: `0x${createHash('sha256').update(contractText).digest('hex')}`,
  };
}

/** The figures of the earlier servicer: paid as scheduled up to an installment, and nothing since. */
function openingOf(
  { asOf, paid }: { asOf: PlainDate; paid: number },
  contract: Contract,
  { rows }: Schedule,
  start: PlainDate,
): object {
  const last = rows[paid - 1];
  const principal = last?.balance ?? contract.amount;
  const since = last?.dueDate ?? start;
  const interest = interestOver(
    principal,
    contract.rate,
    yearFraction(since, asOf, contract.dayCount),
    contract.rounding,
  );
  return {
    asOf,
    principal: formatCents(principal),
    unpaidInterest: formatCents(interest),
    unpaidFees: '0.00',
    paidThrough: since,
  };
}
