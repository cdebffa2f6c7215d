/**
 * Both records of a loan as text: `loanDetails` with exactly the members of the interface in its order, computed for the day of the
 * view. What never changes (Request, Response, Underwriting, the public part) is stored as text and follows as it is.
 */
import { LRUCache } from 'lru-cache';
import { PER_YEAR, type PlainDate, stepDate } from '../../core/calendar.ts';
import { amountText, countText, groupedText, parseExactDecimal, roundedText } from '../../core/decimal.ts';
import { type Delinquency, delinquency } from '../../core/delinquency.ts';
import type { Contract, Loan } from '../../core/loan.ts';
import { AmountOutOfRange, type Cents, cents, least, ZERO } from '../../core/money.ts';
import { formatDecimal, parsePercent } from '../../core/rate.ts';
import { isRefusal } from '../../core/refusal.ts';
import { dueDatesFrom } from '../../core/schedule.ts';
import { paymentStatus } from '../../core/status.ts';
import { termsOf } from '../../core/terms.ts';
import { truthInLending } from '../../core/truth-in-lending.ts';
import type { FullView, PublicView } from '../../loans/loans.ts';

/** `plain`: without thousands separators (`Prefer: numbers=plain`). */
type RecordOptions = { readonly plain: boolean };

/** `{"message":"ok","data":{"loanDetails":{…},`: the record's bytes and `RECORD_END` follow. */
export function fullRecordHead(
  view: FullView['view'],
  personal: FullView['personal'],
  { plain }: RecordOptions,
): string {
  const details = loanDetails(view, plain, {
    borrowerId: view.file.borrowerId,
    lendingDecisionReason: personal.lendingDecisionReason,
    applicantCreditVision: personal.applicantCreditVision,
    coApplicantCreditVision: personal.coApplicantCreditVision,
    paymentId: ({ refId }) => refId,
    pti: personal.pti,
    dti: personal.dti,
  });
  return `{"message":"ok","data":{"loanDetails":{${details}},`;
}

export const RECORD_END = '}}';

/** The whole answer in pieces. What is about the person is present and empty; exact ratios are rounded to whole percent. */
export function publicRecord({ view, publicPart }: PublicView, { plain }: RecordOptions): (string | Buffer)[] {
  const details = loanDetails(view, plain, {
    borrowerId: '',
    lendingDecisionReason: '',
    applicantCreditVision: '',
    coApplicantCreditVision: '',
    paymentId: (_, n) => countText(n, plain),
    pti: view.file.pti,
    dti: view.file.dti,
  });
  return [
    `{"message":"ok","data":{"loanDetails":{${details},`,
    plain ? publicPart.toString('utf8').replace(MILEAGE, withoutSeparators) : publicPart,
    '}}}',
  ];
}

/** The first such member of the public part is the vehicle's: within a make or a model its quotes would be escaped. */
const MILEAGE = /"mileage":"[\d,]*"/;

function withoutSeparators(text: string): string {
  return text.replaceAll(',', '');
}

/** What differs between the two records: everything that is about the person. */
type Person = {
  readonly borrowerId: string;
  readonly lendingDecisionReason: string;
  readonly applicantCreditVision: string;
  readonly coApplicantCreditVision: string;
  readonly paymentId: (payment: { refId: string }, n: number) => string;
  readonly pti: string;
  readonly dti: string;
};

type Shown = PublicView['view'];

/**
 * The members, without the braces around them. Texts of the caller are quoted as JSON wants it; dates, amounts, counts and words of our
 * own need no escapes. A loan with three years of payments takes some tens of microseconds.
 */
function loanDetails(view: Shown, plain: boolean, person: Person): string {
  const { file, loan } = view;
  const { contract } = loan;
  const q = JSON.stringify as (text: string) => string;
  const amount = (of: Cents) => amountText(of, plain);
  const count = (of: number) => countText(of, plain);
  const forecast = (text: string) => q(groupedText(text, plain));
  const late = delinquency(loan);
  const funded = loan.stage === 'Funded';
  const dates = datesOf(view, late);
  const collateral = loan.collateralValue ?? file.collateralValue;
  const { term, rate, asAgreed } = termsShown(view);
  return (
    `"applicationId":${q(file.applicationId)},"borrowerId":${q(person.borrowerId)},"borrower":${q(file.borrower)},` +
    `"lenderId":${q(file.lenderId)},"initialLender":${q(file.initialLender)},` +
    `"primaryServicerId":${q(file.primaryServicerId)},"secondaryServicerId":${q(file.secondaryServicerId)},` +
    `"loanServicer":${q(file.loanServicer)},"loanType":${q(file.loanType)},` +
    `"principalAmount":"${amount(least(file.principalAmount, contract.amount))}","loanAmount":"${amount(contract.amount)}",` +
    `"collateralType":${q(file.collateralType)},"collateralAmount":"${collateral === null ? '' : amount(collateral)}",` +
    `"interestRate":${q(rate)},"spread":${q(file.spread)},"interestRateType":${q(file.interestRateType)},` +
    `"indexRate":${q(file.indexRate)},"originationDate":"${dates.origination}","maturityDate":"${dates.maturity}",` +
    `"amortizationType":"${contract.amortization}","loanStatus":"${view.status}",` +
    `"encumberedStatus":${q(file.encumberedStatus)},"term":"${count(term)}",` +
    `"repaidAmount":"${amount(loan.totals.received)}",` +
    `"remainingBalance":"${amount(funded ? loan.principal : contract.amount)}",` +
    `"startBlock":"${count(view.startBlock)}","delinquentAmount":"${amount(late.pastDueAmount)}",` +
    `"delinquentDays":"${count(late.daysPastDue)}","paymentFrequency":"${contract.frequency}",` +
    `"installment":"${count(contract.count)}","riskRating":${q(file.riskRating)},` +
    `"firstPaymentDate":"${dates.first}","lastPaymentDate":"${dates.maturity}","nextPaymentDate":"${dates.next}",` +
    `"prepaymentPenalty":"${amount(file.prepaymentPenalty)}","lateFee":"${amount(file.lateFee)}",` +
    `"createdAt":"${count(view.createdAt)}","defaultProbability":${q(file.defaultProbability)},"grade":${q(file.grade)},` +
    `"predictedPrincipalPaid":${forecast(file.predictedPrincipalPaid)},` +
    `"predictedInterestPaid":${forecast(file.predictedInterestPaid)},` +
    `"predictedChargeoffAmount":${forecast(file.predictedChargeoffAmount)},` +
    `"predictedRecoveredAmount":${forecast(file.predictedRecoveredAmount)},` +
    `"predictedGrossCashflow":${forecast(file.predictedGrossCashflow)},` +
    `"predictedNetCashflow":${forecast(file.predictedNetCashflow)},"predictedYield":${q(file.predictedYield)},` +
    `"apr":${q(asAgreed && file.apr !== '' ? file.apr : planOf(view).apr)},"fairValuePrice":${forecast(file.fairValuePrice)},` +
    `"lendingDecisionReason":${q(person.lendingDecisionReason)},"creditReportHash":${q(file.creditReportHash)},` +
    `"retailInstallmentContractHash":${q(file.retailInstallmentContractHash)},` +
    `"applicantCreditVision":${q(person.applicantCreditVision)},` +
    `"coApplicantCreditVision":${q(person.coApplicantCreditVision)},` +
    `"macroEconomicFeatures":${file.macroEconomicFeatures},` +
    `"loanPayments":[${payments(view, plain, person)}],` +
    `"metadata":${funded ? `{${q(file.loanType)}:{${metadata(view, late, plain, person)}}}` : '{}'}`
  );
}

function payments({ loan, paymentHashes }: Shown, plain: boolean, { paymentId }: Person): string {
  const principal = amountText(loan.contract.amount, plain);
  let text = '';
  let n = 0;
  for (const payment of loan.payments) {
    n += 1;
    const { allocation } = payment;
    text +=
      `${n > 1 ? ',' : ''}{"paymentId":${JSON.stringify(paymentId(payment, n))},` +
      `"paymentAmount":"${amountText(payment.amount, plain)}","paymentDate":"${payment.date}",` +
      `"remainingBalance":"${amountText(payment.balance, plain)}","principalAmount":"${principal}",` +
      `"principalPaid":"${amountText(allocation.principal, plain)}",` +
      `"interestPaid":"${amountText(allocation.interest, plain)}","feesPaid":"${amountText(allocation.fees, plain)}",` +
      `"status":"${payment.status}","transactionHash":"${paymentHashes.get(payment.refId) ?? ''}"}`;
  }
  return text;
}

function metadata({ file, loan }: Shown, late: Delinquency, plain: boolean, person: Person): string {
  const { contract, totals, chargeOff } = loan;
  const amount = (of: Cents) => amountText(of, plain);
  const count = (of: number) => countText(of, plain);
  // Of a loan that was taken over, the principal before that was paid to somebody else.
  const paidElsewhere = loan.openedOn === null ? 0 : contract.amount - totals.disbursed;
  return (
    `"fundedDate":"${loan.fundedOn ?? ''}","currentDpd":"${count(late.daysPastDue)}",` +
    `"originalBalance":"${amount(contract.amount)}","currentBalance":"${amount(chargeOff === null ? loan.principal : ZERO)}",` +
    `"originalTerm":"${count(contract.count)}","remainingTerm":"${count(late.remaining)}",` +
    `"pti":${JSON.stringify(person.pti)},"dti":${JSON.stringify(person.dti)},"ltv":${JSON.stringify(file.ltv)},` +
    `"scheduledPayment":"${amount(scheduledPayment(loan, late))}","currentPaymentDue":"${amount(late.nextDueAmount)}",` +
    `"pastDueAmount":"${amount(late.pastDueAmount)}",` +
    `"totalPrincipalPaid":"${amount(cents(totals.principalPaid + paidElsewhere))}",` +
    `"totalInterestPaid":"${amount(totals.interestPaid)}","totalFeesPaid":"${amount(totals.feesPaid)}",` +
    `"chargeoffAmount":"${amount(chargeOff?.principal ?? ZERO)}","recoveredAmount":"${amount(chargeOff?.recovered ?? ZERO)}",` +
    `"paymentStatus":"${paymentStatus(loan, late)}","scheduledMaturityDate":"${loan.installments.at(-1)?.dueDate ?? ''}"`
  );
}

/** What the next installment asks for by the schedule. The last one only takes what is left: there it is what the one before asked for. */
function scheduledPayment({ installments }: Loan, { nextDueDate }: Delinquency): Cents {
  const last = installments.length - 1;
  const next = nextDueDate === null ? last : installments.findIndex(({ dueDate }) => dueDate === nextDueDate);
  return installments[next === last && last > 0 ? last - 1 : next]?.amount ?? ZERO;
}

type Dates = { readonly [K in 'origination' | 'first' | 'next' | 'maturity']: PlainDate | '' };

/** Before funding, those that the contract already fixes. */
function datesOf(view: Shown, late: Delinquency): Dates {
  const { file, loan } = view;
  const { contract, terms, installments } = loan;
  if (terms !== null) {
    return {
      origination: terms.interestStart,
      first: installments[0]?.dueDate ?? '',
      next: late.nextDueDate ?? '',
      maturity: installments.at(-1)?.dueDate ?? '',
    };
  }
  const { contractDate, frequency, count } = contract;
  const first = contract.firstPaymentDate ?? (contractDate === null ? null : stepDate(contractDate, frequency, 1));
  if (first === null) return { origination: '', first: '', next: '', maturity: '' };
  const paidThrough = file.opening?.paidThrough ?? null;
  const next =
    paidThrough === null ? first : (dueDatesFrom(first, frequency, count).find((date) => date > paidThrough) ?? '');
  const ended = loan.stage === 'Rejected' || loan.stage === 'Cancelled';
  return { origination: contractDate ?? '', first, next: ended ? '' : next, maturity: planOf(view).maturity };
}

/** The percentage and the term as they were given, unless another deal was agreed on, or the rate has changed since. */
function termsShown({ file, loan }: Shown): { rate: string; term: number; asAgreed: boolean } {
  const { contract } = loan;
  const given = parsePercent(file.interestRate);
  const is = (rate: Loan['rate']) => given !== null && given.digits === rate.digits && given.scale === rate.scale;
  const perYear = PER_YEAR[contract.frequency];
  const sameTerm = Math.abs(contract.count * 12 - file.term * perYear) < 12;
  return {
    rate: is(loan.rate) ? file.interestRate : formatDecimal(loan.rate),
    term: sameTerm ? file.term : Math.round((contract.count * 12) / perYear),
    asAgreed: is(contract.rate) && sameTerm,
  };
}

// ---- what the contract gives when it begins on its date ----

type Plan = { readonly apr: string; readonly maturity: PlainDate | '' };

/** Solving for the annual percentage rate takes about a millisecond, so that it is done once for a contract. */
const plans = new LRUCache<string, Plan>({ max: 10_000 });

function planOf({ file, loan }: Shown): Plan {
  const { contract } = loan;
  const start = loan.terms?.interestStart ?? contract.contractDate ?? loan.on;
  const { rate } = contract;
  const key = [
    contract.amount,
    rate.digits,
    rate.scale,
    contract.dayCount,
    contract.rounding,
    contract.frequency,
    contract.count,
    start,
    contract.firstPaymentDate,
    contract.amortization,
    contract.balloon,
    contract.interestOnlyCount,
    contract.payment,
    file.prepaidFinanceCharge,
  ].join(' ');
  const known = plans.get(key);
  if (known !== undefined) return known;
  const plan = newPlan(contract, start, file.prepaidFinanceCharge);
  plans.set(key, plan);
  return plan;
}

function newPlan(contract: Contract, start: PlainDate, prepaid: Cents): Plan {
  const terms = termsOf(contract, start);
  // A first payment that was agreed on may have passed before the loan was funded: then nothing can be said yet.
  if (isRefusal(terms)) return { apr: '', maturity: '' };
  try {
    const disclosed = truthInLending(terms, { prepaid, financed: ZERO });
    if (isRefusal(disclosed)) return { apr: '', maturity: terms.dueDates.at(-1) ?? '' };
    const rate = parseExactDecimal(disclosed.aprPercent ?? '');
    return {
      apr: rate === null ? '' : roundedText({ ...rate, scale: rate.scale + 2 }, 6),
      maturity: disclosed.schedule.rows.at(-1)?.dueDate ?? '',
    };
  } catch (error) {
    if (!(error instanceof AmountOutOfRange)) throw error;
    return { apr: '', maturity: terms.dueDates.at(-1) ?? '' };
  }
}
