/**
 * Applications for car loans that nobody has made: whole bodies of POST /loans, the same for the same number on every machine. People,
 * cars, dealers and bureau data are invented; amounts, payments and rates are the engine's and agree with each other.
 */
import { createHash } from 'node:crypto';
import { type SeededRandom as Dice, seededRandom as dice } from '../bureau/simulator/random.ts';
import { date, type Frequency, PER_YEAR, type PlainDate, yearFraction } from '../core/calendar.ts';
import type { Contract } from '../core/loan.ts';
import { type Cents, cents, formatCents, ZERO } from '../core/money.ts';
import { formatDecimal, interestOver, percent } from '../core/rate.ts';
import { isRefusal } from '../core/refusal.ts';
import type { ScheduleRow } from '../core/schedule.ts';
import { termsOf } from '../core/terms.ts';
import { type TruthInLending, truthInLending } from '../core/truth-in-lending.ts';
import { type Applicant, inventApplicant } from './applicant.ts';
import { type Credit, creditOf } from './bureau.ts';
import { type Asked, cashflowsCsv, DEALER_FLAT, dealTerms, type Offer, offersFor, underwritingInfo } from './offers.ts';
import { inventVehicle, type Vehicle } from './vehicle.ts';

export type ApplicationOptions = {
  /** `full`: every month of each of the 60 deals, some 700 KB in all. `small`: of all deals but the first only two months. */
  readonly size?: 'small' | 'full';
  readonly applicationId?: string;
  /** The day of the application. */
  readonly on?: PlainDate;
  readonly lender?: Lender;
  readonly score?: number;
  readonly approved?: boolean;
  readonly months?: number;
  readonly frequency?: Frequency;
  /** The day it is signed; null: the day it will be funded, so that no date is given. The day of the application when absent. */
  readonly contractDate?: PlainDate | null;
  readonly firstPaymentDate?: PlainDate | null;
  /** Percent of the loan that is due with the last installment, beside it. */
  readonly balloonPercent?: number;
  readonly interestOnlyCount?: number;
  readonly prepaymentPenalty?: Cents;
  readonly variable?: boolean;
  /** Serviced elsewhere until `asOf`, with so many installments paid and nothing since. */
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

/** The whole body of POST /loans. */
export function applicationBody(n: number, options: ApplicationOptions = {}): object {
  const making = makeApplication(n, options);
  for (;;) {
    const made = making.next();
    if (made.done) return made.value;
  }
}

/** The same in steps of about a millisecond, for whoever has other things to do in between. */
export function* makeApplication(n: number, options: ApplicationOptions): Generator<void, object> {
  const of = dice(`application ${n}`);
  const on = options.on ?? date('2026-01-15');
  const score = options.score ?? of.whole(575, 815);
  const program = programFor(score);
  const person = inventApplicant(of, n, on);
  const vehicle = inventVehicle(of, n, on);
  const credit = creditOf(person, 'primary', score, on);
  yield;
  const together = of.oneIn(5) ? inventCoApplicant(of, n, on, person) : null;
  const deal = inventDeal(of, vehicle);
  const months = options.months ?? of.pick([48, 60, 60, 72, 72]);
  const start = options.contractDate ?? on;
  const contract = contractFor(deal, program, months, options, on);
  const terms = termsOf(contract, start);
  const disclosed = isRefusal(terms) ? terms : truthInLending(terms, { prepaid: ZERO, financed: ZERO });
  if (isRefusal(disclosed)) throw new Error(`An invented loan has no schedule: ${disclosed.detail}`);
  yield;
  const { rows } = disclosed.schedule;
  const payment = (rows[contract.interestOnlyCount] as ScheduleRow).payment;
  const monthlyPayment = (payment * PER_YEAR[contract.frequency]) / 12;
  const income = inventIncome(of, monthlyPayment, person, credit);
  const asked: Asked = {
    contract,
    start,
    months,
    downPayment: deal.downPayment,
    products: deal.products,
    wholesale: vehicle.wholesale,
    monthlyGross: income.monthlyGross,
    otherMonthly: cents((income.housing ?? 0) + credit.monthly),
    defaultProbability: program.defaultProbability,
    approved: options.approved ?? true,
  };
  const offers: Offer[] = [];
  for (const offered of offersFor(asked)) {
    offers.push(offered);
    if (offers.length % 5 === 0) yield;
  }
  const applicationId = options.applicationId ?? `APP-${String(n).padStart(6, '0')}`;
  const dealer = of.pick(DEALERS);
  const about: About = {
    ...{ applicationId, on, score, program, person, together, vehicle, credit, deal, income, offers, dealer, asked },
  };
  yield;
  const CashflowsCsv = cashflowsCsv(offers, options.size ?? 'full');
  yield;
  return {
    ...ownMembers(n, options, about, disclosed),
    creditReportHash: digest(credit.raw),
    retailInstallmentContractHash: digest(`Contract of ${applicationId}, signed ${start}`),
    Request: request(of, about, monthlyPayment),
    Response: response(about),
    Underwriting: {
      CashflowsCsv,
      CoApplicantCreditBureauPDF: together?.credit.pdf ?? '',
      CoApplicantCreditBureauTradeLines: together?.credit.csv ?? '',
      DealTermsInfo: offers.map(dealTerms),
      PrimaryCreditBureauPDF: credit.pdf,
      PrimaryCreditBureauTradeLines: credit.csv,
      PrimaryCreditInfo: credit.attributes,
      UnderwritingInfo: offers.map((offered) => underwritingInfo(offered, deal.products)),
    },
  };
}

type About = {
  readonly applicationId: string;
  readonly on: PlainDate;
  readonly score: number;
  readonly program: Program;
  readonly person: Applicant;
  readonly together: CoApplicant | null;
  readonly vehicle: Vehicle;
  readonly credit: Credit;
  readonly deal: Deal;
  readonly income: Income;
  readonly offers: readonly Offer[];
  readonly dealer: (typeof DEALERS)[number];
  readonly asked: Asked;
};

// ---- what it is about ----

type CoApplicant = {
  readonly ssn: string;
  readonly score: number;
  readonly credit: Credit;
};

/** Somebody of the same household. */
function inventCoApplicant(
  of: Dice,
  n: number,
  on: PlainDate,
  { street, city, county, state, zip }: Applicant,
): CoApplicant {
  const score = of.whole(600, 800);
  const person = { ...inventApplicant(of, n, on), street, city, county, state, zip };
  return { ssn: person.ssn, score, credit: creditOf(person, 'coApplicant', score, on) };
}

type Program = { readonly grade: string; readonly rate: string; readonly defaultProbability: number };

const PROGRAMS: readonly { least: number; program: Program }[] = [
  { least: 770, program: { grade: 'A', rate: '5.49', defaultProbability: 0.008 } },
  { least: 720, program: { grade: 'B', rate: '6.75', defaultProbability: 0.021 } },
  { least: 680, program: { grade: 'C', rate: '8.99', defaultProbability: 0.043 } },
  { least: 640, program: { grade: 'D', rate: '12.25', defaultProbability: 0.085 } },
  { least: 600, program: { grade: 'E', rate: '15.99', defaultProbability: 0.142 } },
  { least: 0, program: { grade: 'F', rate: '18.75', defaultProbability: 0.218 } },
];

function programFor(score: number): Program {
  return (PROGRAMS.find(({ least }) => score >= least) as { program: Program }).program;
}

const DEALERS = [
  { id: 'DLR-1001', name: 'Example Motors', state: 'OH' },
  { id: 'DLR-1002', name: 'Pretend Auto Mall', state: 'FL' },
  { id: 'DLR-1003', name: 'Sample Street Cars', state: 'TX' },
  { id: 'DLR-1004', name: 'Notional Trucks', state: 'CO' },
] as const;

type Deal = {
  readonly downPayment: Cents;
  readonly gap: Cents;
  /** Gap cover and service contract. */
  readonly products: Cents;
  /** Products included: what amortizes. */
  readonly amount: Cents;
};

function inventDeal(of: Dice, { retail }: Vehicle): Deal {
  const dollars = (amount: number) => cents(Math.round(amount / 100) * 100);
  const downPayment = dollars((retail * of.whole(4, 20)) / 100);
  const gap = of.oneIn(2) ? dollars(of.whole(395, 895) * 100) : ZERO;
  const service = of.oneIn(2) ? dollars(of.whole(1_195, 2_495) * 100) : ZERO;
  const taxAndTitle = dollars(retail * 0.07 + 285_00);
  const products = cents(gap + service);
  return { downPayment, gap, products, amount: cents(retail + taxAndTitle - downPayment + products) };
}

function contractFor(
  deal: Deal,
  program: Program,
  months: number,
  options: ApplicationOptions,
  on: PlainDate,
): Contract {
  const frequency = options.frequency ?? 'Monthly';
  const balloon = cents(Math.round((deal.amount * (options.balloonPercent ?? 0)) / 10_000) * 100);
  return {
    amount: deal.amount,
    rate: percent(program.rate),
    dayCount: 'actual/365',
    rounding: 'half-up',
    frequency,
    count: (months * PER_YEAR[frequency]) / 12,
    contractDate: options.contractDate === undefined ? on : options.contractDate,
    firstPaymentDate: options.firstPaymentDate ?? null,
    amortization: balloon > 0 ? 'Balloon' : options.interestOnlyCount ? 'InterestOnly' : 'FullAmortization',
    balloon,
    interestOnlyCount: options.interestOnlyCount ?? 0,
    payment: null,
    prepaymentPenalty: options.prepaymentPenalty ?? ZERO,
  };
}

type Income = { readonly monthlyGross: Cents; readonly housing: Cents | null; readonly other: Cents | null };

/** Enough to make the payment 6 to 15 percent of it, to the next fifty dollars. */
function inventIncome(of: Dice, monthlyPayment: number, person: Applicant, credit: Credit): Income {
  const wanted = Math.max((monthlyPayment * 100) / of.whole(6, 15), credit.monthly * 6);
  const monthlyGross = cents(Math.ceil(wanted / 50_00) * 50_00);
  const housing = person.housing === null ? null : cents(Math.round((monthlyGross * of.whole(14, 26)) / 50_000) * 500);
  return { monthlyGross, housing, other: of.oneIn(4) ? cents(of.whole(4, 24) * 50_00) : null };
}

// ---- the members ----

function ownMembers(n: number, options: ApplicationOptions, about: About, disclosed: TruthInLending): object {
  const { asked, deal, vehicle, program, score, credit } = about;
  const { contract } = asked;
  const lender = options.lender ?? (LENDERS[n % LENDERS.length] as Lender);
  const first = (about.offers[0] as Offer).forecast;
  const { rows, levelPayment } = disclosed.schedule;
  const lastDate = (rows.at(-1) as ScheduleRow).dueDate;
  const isSigned = contract.contractDate !== null;
  return {
    applicationId: about.applicationId,
    borrowerId: `BRW-${String(100_000 + n * 37).slice(-6)}`,
    lenderId: lender.lenderId,
    primaryServicerId: lender.primaryServicerId,
    secondaryServicerId: lender.secondaryServicerId,
    loanType: 'AutoLoan',
    principalAmount: formatCents(cents(deal.amount - deal.products)),
    loanAmount: formatCents(deal.amount),
    collateralType: 'Vehicles',
    encumberedStatus: 'Lien',
    interestRate: formatDecimal(contract.rate),
    interestRateType: options.variable ? 'Variable' : 'Fixed',
    ...(options.variable ? { indexRate: 'SOFR', spread: '2.50' } : {}),
    term: String(asked.months),
    paymentFrequency: contract.frequency,
    installment: String(contract.count),
    amortizationType: contract.amortization,
    ...(contract.balloon > 0 ? { balloonAmount: formatCents(contract.balloon) } : {}),
    ...(contract.interestOnlyCount > 0 ? { interestOnlyCount: String(contract.interestOnlyCount) } : {}),
    dayCount: contract.dayCount,
    // Without the day of signing all dates, the payment and the rate of Regulation Z are set when the loan is funded.
    ...(isSigned
      ? {
          ...(levelPayment === null ? {} : { scheduledPayment: formatCents(levelPayment) }),
          originationDate: contract.contractDate,
          firstPaymentDate: (rows[0] as ScheduleRow).dueDate,
          maturityDate: lastDate,
          lastPaymentDate: lastDate,
          ...(disclosed.aprPercent === null ? {} : { apr: (Number(disclosed.aprPercent) / 100).toFixed(6) }),
        }
      : {}),
    ...(options.boarded === undefined ? {} : { opening: openingOf(options.boarded, contract, rows, asked.start) }),
    ...lender.lateFee,
    prepaymentPenalty: formatCents(contract.prepaymentPenalty),
    prepaidFinanceCharge: '0.00',
    grade: program.grade,
    defaultProbability: first.defaultProbability.toFixed(6),
    predictedPrincipalPaid: formatCents(first.principal),
    predictedInterestPaid: formatCents(first.interest),
    predictedChargeoffAmount: formatCents(first.chargedOff),
    predictedRecoveredAmount: formatCents(first.recovered),
    predictedGrossCashflow: formatCents(cents(first.principal + first.interest + first.recovered)),
    predictedNetCashflow: formatCents(cents(first.principal + first.interest + first.recovered - first.servicing)),
    predictedYield: first.grossRate.toFixed(6),
    fairValuePrice: formatCents(first.presentValue),
    lendingDecisionReason: asked.approved
      ? `Score ${score} and a payment of ${percentOf((about.offers[0] as Offer).pti)} of income fit program ${program.grade}.`
      : `Score ${score} with ${credit.pastDue} accounts past due is outside of all programs.`,
    applicantCreditVision: `${credit.count} accounts, ${credit.open} of them open, ${credit.pastDue} past due; in file since ${credit.oldest}.`,
    coApplicantCreditVision:
      about.together === null
        ? ''
        : `Same household; score ${about.together.score}, ${about.together.credit.count} accounts.`,
    macroEconomicFeatures: { unemployment: 4.1, cpi: 2.9, fedRate: 4.33 },
    loanInfo: {
      make: vehicle.make,
      model: vehicle.model,
      year: String(vehicle.year),
      age: String(vehicle.age),
      mileage: String(vehicle.mileage),
      vin: vehicle.vin,
    },
    published: options.published ?? false,
  };
}

/** What the earlier servicer hands over: paid as scheduled up to an installment, and nothing since. */
function openingOf(
  { asOf, paid }: { asOf: PlainDate; paid: number },
  contract: Contract,
  rows: readonly ScheduleRow[],
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

function request(of: Dice, about: About, monthlyPayment: number): object {
  const { applicationId, person, vehicle, deal, income, dealer, asked, offers } = about;
  const dollars = (amount: Cents | null) => (amount === null ? null : formatCents(amount));
  const yearly = formatCents(cents(income.monthlyGross * 12));
  const fullAddress = `${person.street}, ${person.city}, ${person.state} ${person.zip}`;
  const first = offers[0] as Offer;
  return {
    ApplicantInfo: {
      AddressFull: fullAddress,
      AddressTotalMonths: String(person.monthsAtAddress),
      ApplicantAddress: person.street,
      ApplicantAge: String(person.age),
      ApplicantCity: person.city,
      ApplicantDOB: person.born.replaceAll('-', ''),
      ApplicantEmail: person.email,
      ApplicantEmploymentTime: String(person.monthsEmployed),
      ApplicantEmploymentTypes: person.employment,
      ApplicantFirstName: person.firstName,
      ApplicantFullAddress: fullAddress,
      ApplicantIncome: yearly,
      ApplicantIncomePrimary: yearly,
      ApplicantLastName: person.lastName,
      ApplicantResidencePays: person.housing ?? 'Family',
      ApplicantSSN: person.ssn,
      ApplicantState: person.state,
      ApplicantTimeAtResidence: String(person.monthsAtAddress),
      ApplicantZip: person.zip,
      County: person.county,
      Email: of.oneIn(3) ? null : person.email,
      EmploymentCompany: person.employer,
      EmploymentTotalMonths: String(person.monthsEmployed),
      EmploymentType: person.employment,
      EmploymentWorkPhone: person.workPhone,
      EstimatedIncome: yearly,
      HomePhone: person.phone,
      HousingMonthlyPayment: dollars(income.housing),
      MiddleInitial: person.middleInitial,
      MonthlyGross: income.monthlyGross / 100,
      OtherIncomeAmount: dollars(income.other),
      OtherIncomeType: income.other === null ? '' : 'Second job',
      ReportedIncome: yearly,
      StreetNumber: person.streetNumber,
      UnitNumber: person.unit,
    },
    ApplicationInfo: {
      ApplicantNumber: '1',
      ApplicantsNumber: about.together === null ? '1' : '2',
      ApplicationID: applicationId,
      ApplicationType: 'Complete',
      RefiBool: 'False',
      RequestedLoanID: `${applicationId}-L1`,
    },
    CoApplicantInfo: { CoApplicantSSN: about.together?.ssn ?? '' },
    DealerInfo: { DealerID: dealer.id, DealerName: dealer.name, DealerState: dealer.state },
    PartnerInfo: { PartnerName: 'Daybook Demo', ProgramPartner: 'Direct' },
    RequestedTermsInfo: {
      RequestedLoanAmount: formatCents(deal.amount),
      RequestedLoanBackendProductsAmount: formatCents(deal.products),
      RequestedLoanDTI: ((monthlyPayment + asked.otherMonthly) / income.monthlyGross).toFixed(4),
      RequestedLoanDownPayment: formatCents(deal.downPayment),
      RequestedLoanGAP: formatCents(deal.gap),
      RequestedLoanPTI: (monthlyPayment / income.monthlyGross).toFixed(4),
      RequestedLoanPayment: formatCents(first.payment),
      RequestedLoanRate: formatDecimal(asked.contract.rate),
      RequestedLoanTerm: String(asked.months),
    },
    VehicleInfo: {
      VehicleAge: String(vehicle.age),
      VehicleMake: vehicle.make,
      VehicleMileage: String(vehicle.mileage),
      VehicleModel: vehicle.model,
      VehicleRetailValue: formatCents(vehicle.retail),
      VehicleVIN: vehicle.vin,
      VehicleWholesaleValue: formatCents(vehicle.wholesale),
      VehicleYear: String(vehicle.year),
    },
  };
}

/** How many of the deals the decision itself lists. */
const LISTED = 3;

function response({ applicationId, on, score, dealer, together, offers, vehicle, asked, credit }: About): object {
  const money = (amount: number) => amount / 100;
  const places = (value: number, decimals: number) => Number(value.toFixed(decimals));
  return {
    ApplicationID: applicationId,
    ApplicationType: 'Complete',
    Comments: [],
    CreditScoreCoapplicant: together?.score ?? 0,
    CreditScorePrimary: score,
    Date: on,
    DealerID: dealer.id,
    Decision: asked.approved ? 'APPROVED' : 'DECLINED',
    DecisionDate: `${on} 10:30:00`,
    DeclineReason: asked.approved ? '' : credit.pastDue > 0 ? 'Accounts past due' : 'Insufficient credit history',
    LoanTerms: offers.slice(0, LISTED).map((offered) => ({
      AcquisitionFee: 0,
      AssetPrice: money(vehicle.retail),
      DEALER_FLAT: formatCents(DEALER_FLAT),
      DefaultProb: places(offered.forecast.defaultProbability, 6),
      Description: `${offered.months} months, ${formatCents(offered.downPayment)} down`,
      Discount: money(offered.discount),
      FundedAmount: money(offered.amount - offered.discount),
      GrossYield: places(offered.forecast.grossRate, 6),
      IRR: places(offered.forecast.netRate, 6),
      LTV: places(offered.ltv, 4),
      Participation: null,
      Payment: money(offered.payment),
      Rate: Number(formatDecimal(offered.rate)),
      TermMonths: offered.months,
      TotalLoanAmount: money(offered.amount),
      VehicleWholesaleValue: money(vehicle.wholesale),
    })),
    Stipulations: asked.approved ? ['Proof of income', 'Proof of insurance'] : [],
  };
}

const percentOf = (value: number): string => `${(value * 100).toFixed(1)} %`;

const digest = (of: Uint8Array | string): string => `0x${createHash('sha256').update(of).digest('hex')}`;
