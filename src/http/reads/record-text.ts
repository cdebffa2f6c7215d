/**
 * Both records of a loan as text: `loanDetails` with exactly the members of the interface in its order, computed for the day of the
 * view. What never changes (Request, Response, Underwriting, the public part) is stored as text and follows as it is.
 */
import { amountText, countText, groupedText } from '../../core/decimal.ts';
import { type Cents, least } from '../../core/money.ts';
import { type RecordFigures, recordFigures } from '../../loans/reads/record-figures.ts';
import type { FullView, PublicView } from '../../loans/reads/view.ts';

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
    indexRate: personal.indexRate,
    creditReportHash: personal.creditReportHash,
    retailInstallmentContractHash: personal.retailInstallmentContractHash,
  });
  return `{"message":"ok","data":{"loanDetails":{${details}},`;
}

/** `loanDetails` with nothing that is sealed: what is about the person is empty. */
export function summaryDetails(view: FullView['view'], { plain }: RecordOptions): string {
  const details = loanDetails(view, plain, {
    ...NOTHING_SEALED,
    borrowerId: view.file.borrowerId,
    paymentId: ({ refId }) => refId,
  });
  return `{${details}}`;
}

const NOTHING_SEALED = {
  lendingDecisionReason: '',
  applicantCreditVision: '',
  coApplicantCreditVision: '',
  pti: '',
  dti: '',
  indexRate: '',
  creditReportHash: '',
  retailInstallmentContractHash: '',
};

export const RECORD_END = '}}';

/** The whole answer in pieces. Members about the person are present and empty; ratios are of the coarse income and debts. */
export function publicRecord(
  { view, details: shown, publicPart }: PublicView,
  { plain }: RecordOptions,
): (string | Buffer)[] {
  return [
    `{"message":"ok","data":{"loanDetails":{${publicMembers(view, shown, plain)},`,
    plain ? publicPart.toString('utf8').replace(MILEAGE, withoutSeparators) : publicPart,
    '}}}',
  ];
}

/** `loanDetails` of the same record without its largest member, `Underwriting`. */
export function publicDetails({ view, details: shown, publicPart }: PublicView, { plain }: RecordOptions): string {
  // Within a text its quotes would be escaped.
  const end = publicPart.indexOf(',"Underwriting":');
  if (end < 0) throw new Error('The public part of a loan has no assessment.');
  const vehicle = publicPart.toString('utf8', 0, end);
  return `{${publicMembers(view, shown, plain)},${plain ? vehicle.replace(MILEAGE, withoutSeparators) : vehicle}}`;
}

function publicMembers(view: ViewedLoan, shown: PublicView['details'], plain: boolean): string {
  return loanDetails(view, plain, {
    borrowerId: '',
    lendingDecisionReason: '',
    applicantCreditVision: '',
    coApplicantCreditVision: '',
    paymentId: (_, n) => countText(n, plain),
    ...shown,
  });
}

/** The first such member of the public part is the vehicle's: within a make or a model its quotes would be escaped. */
const MILEAGE = /"mileage":"[\d,]*"/;

function withoutSeparators(text: string): string {
  return text.replaceAll(',', '');
}

/** The members that differ between the two records: personal data, and texts of the lender that are erased with the person's key. */
type Person = {
  readonly borrowerId: string;
  readonly lendingDecisionReason: string;
  readonly applicantCreditVision: string;
  readonly coApplicantCreditVision: string;
  readonly paymentId: (payment: { refId: string }, n: number) => string;
  readonly pti: string;
  readonly dti: string;
  readonly indexRate: string;
  readonly creditReportHash: string;
  readonly retailInstallmentContractHash: string;
};

type ViewedLoan = PublicView['view'];

/**
 * The members, without the braces around them. The caller's texts are escaped as JSON requires; dates, amounts, counts and our own
 * words need no escapes. A loan with three years of payments takes some tens of microseconds.
 */
function loanDetails(view: ViewedLoan, plain: boolean, person: Person): string {
  const { file, loan } = view;
  const { contract } = loan;
  const q = JSON.stringify as (text: string) => string;
  const amount = (of: Cents) => amountText(of, plain);
  const count = (of: number) => countText(of, plain);
  const forecast = (text: string) => q(groupedText(text, plain));
  const figures = recordFigures(view);
  const { dates, collateral, rate, term } = figures;
  return (
    `"applicationId":${q(file.applicationId)},"borrowerId":${q(person.borrowerId)},"borrower":${q(file.borrower)},` +
    `"lenderId":${q(file.lenderId)},"initialLender":${q(file.initialLender)},` +
    `"primaryServicerId":${q(file.primaryServicerId)},"secondaryServicerId":${q(file.secondaryServicerId)},` +
    `"loanServicer":${q(file.loanServicer)},"loanType":${q(file.loanType)},` +
    `"principalAmount":"${amount(least(file.principalAmount, contract.amount))}","loanAmount":"${amount(contract.amount)}",` +
    `"collateralType":${q(file.collateralType)},"collateralAmount":"${collateral === null ? '' : amount(collateral)}",` +
    `"interestRate":${q(rate)},"spread":${q(file.spread)},"interestRateType":${q(file.interestRateType)},` +
    `"indexRate":${q(person.indexRate)},"originationDate":"${dates.origination}","maturityDate":"${dates.maturity}",` +
    `"amortizationType":"${contract.amortization}","loanStatus":"${view.status}",` +
    `"encumberedStatus":${q(file.encumberedStatus)},"term":"${count(term)}",` +
    `"repaidAmount":"${amount(figures.repaid)}",` +
    `"remainingBalance":"${amount(figures.remaining)}",` +
    `"startBlock":"${count(view.startBlock)}","delinquentAmount":"${amount(figures.pastDue)}",` +
    `"delinquentDays":"${count(figures.daysPastDue)}","paymentFrequency":"${contract.frequency}",` +
    `"installment":"${count(contract.count)}","riskRating":${q(file.riskRating)},` +
    `"firstPaymentDate":"${dates.first}","lastPaymentDate":"${dates.last}","nextPaymentDate":"${dates.next}",` +
    `"prepaymentPenalty":"${amount(file.prepaymentPenalty)}","lateFee":"${amount(file.lateFee)}",` +
    `"createdAt":"${count(view.createdAt)}","defaultProbability":${q(file.defaultProbability)},"grade":${q(file.grade)},` +
    `"predictedPrincipalPaid":${forecast(file.predictedPrincipalPaid)},` +
    `"predictedInterestPaid":${forecast(file.predictedInterestPaid)},` +
    `"predictedChargeoffAmount":${forecast(file.predictedChargeoffAmount)},` +
    `"predictedRecoveredAmount":${forecast(file.predictedRecoveredAmount)},` +
    `"predictedGrossCashflow":${forecast(file.predictedGrossCashflow)},` +
    `"predictedNetCashflow":${forecast(file.predictedNetCashflow)},"predictedYield":${q(file.predictedYield)},` +
    `"apr":${q(figures.apr)},"fairValuePrice":${forecast(file.fairValuePrice)},` +
    `"lendingDecisionReason":${q(person.lendingDecisionReason)},"creditReportHash":${q(person.creditReportHash)},` +
    `"retailInstallmentContractHash":${q(person.retailInstallmentContractHash)},` +
    `"applicantCreditVision":${q(person.applicantCreditVision)},` +
    `"coApplicantCreditVision":${q(person.coApplicantCreditVision)},` +
    `"macroEconomicFeatures":${figures.macro},` +
    `"loanPayments":[${payments(figures, view, plain, person)}],` +
    `"metadata":{${q(file.loanType)}:{${metadata(file, figures, plain, person)}}}`
  );
}

function payments(
  { payments: shown }: RecordFigures,
  { loan }: ViewedLoan,
  plain: boolean,
  { paymentId }: Person,
): string {
  const principal = amountText(loan.contract.amount, plain);
  let text = '';
  let n = 0;
  for (const payment of shown) {
    n += 1;
    text +=
      `${n > 1 ? ',' : ''}{"paymentId":${JSON.stringify(paymentId(payment, n))},` +
      `"paymentAmount":"${amountText(payment.amount, plain)}","paymentDate":"${payment.date}",` +
      `"remainingBalance":"${amountText(payment.balance, plain)}","principalAmount":"${principal}",` +
      `"principalPaid":"${amountText(payment.principal, plain)}",` +
      `"interestPaid":"${amountText(payment.interest, plain)}","feesPaid":"${amountText(payment.fees, plain)}",` +
      `"status":"${payment.status}","transactionHash":"${payment.transactionHash}"}`;
  }
  return text;
}

function metadata(
  { ltv }: ViewedLoan['file'],
  { metadata: of }: RecordFigures,
  plain: boolean,
  person: Person,
): string {
  const q = JSON.stringify as (text: string) => string;
  const amount = (one: Cents | null) => (one === null ? '' : amountText(one, plain));
  const count = (one: number | null) => (one === null ? '' : countText(one, plain));
  return (
    `"fundedDate":"${of.fundedDate ?? ''}","currentDpd":"${count(of.currentDpd)}",` +
    `"originalBalance":"${amount(of.originalBalance)}","currentBalance":"${amount(of.currentBalance)}",` +
    `"originalTerm":"${count(of.originalTerm)}","remainingTerm":"${count(of.remainingTerm)}",` +
    `"pti":${q(person.pti)},"dti":${q(person.dti)},"ltv":${q(ltv)},` +
    `"scheduledPayment":"${amount(of.scheduledPayment)}","currentPaymentDue":"${amount(of.currentPaymentDue)}",` +
    `"pastDueAmount":"${amount(of.pastDueAmount)}",` +
    `"totalPrincipalPaid":"${amount(of.totalPrincipalPaid)}",` +
    `"totalInterestPaid":"${amount(of.totalInterestPaid)}","totalFeesPaid":"${amount(of.totalFeesPaid)}",` +
    `"chargeoffAmount":"${amount(of.chargeoffAmount)}","recoveredAmount":"${amount(of.recoveredAmount)}",` +
    `"paymentStatus":${q(of.paymentStatus)},"scheduledMaturityDate":"${of.scheduledMaturityDate ?? ''}"`
  );
}
