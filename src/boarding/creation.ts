/**
 * Turns a caller's body into a loan: its contract, its file, its personal part, and its public part. Values are read
 * one by one first; then they are compared with each other and with the schedule they give. Every mistake is named with its pointer.
 */
import type { PlainDate } from '../core/calendar.ts';
import type { Dated } from '../core/decide/operation.ts';
import { isGrade, riskRatingOf } from '../core/grade.ts';
import { type Contract, type LoanStatus, UNDECIDED } from '../core/loan.ts';
import { ZERO } from '../core/money.ts';
import { isPublicName } from '../core/personal-text.ts';
import type { LenderPolicies, Policy } from '../core/policy.ts';
import { isMistakes, type Mistakes, Reader } from '../core/reader.ts';
import { isRefusal, type Refusal } from '../core/refusal.ts';
import { monthlyPayment } from '../core/schedule.ts';
import {
  type Boarded,
  boardStatus,
  checkOpening,
  goesOn,
  hadEnded,
  readRecord,
  withPayment,
} from './boarded-record.ts';
import { checkDates, planContract, readLateFee } from './contract.ts';
import { readCustomData } from './custom-data.ts';
import type { LoanFile, Personal, PublicPart } from './file.ts';
import { readForecast } from './forecast.ts';
import { boardLive } from './live-record.ts';
import { amountOr, dateOf, type Own, required, textsOf } from './own-members.ts';
import { publicDigest, publicLoanInfo, publicPartOf, publicRatios } from './public-part.ts';
import { type CreationBody, openBody } from './record-body.ts';
import { membersAt, readRecordParts } from './record-parts.ts';
import { readRequestedTerms } from './requested-terms.ts';
import { openingOf, purchaseOf, readFigures } from './seasoned.ts';

/** A loan that is ready to be stored. */
export type Creation = {
  readonly contract: Contract;
  /** As it is fixed for this loan. */
  readonly policy: Policy;
  readonly file: LoanFile;
  readonly personal: Personal;
  readonly publicPart: PublicPart;
  readonly published: boolean;
  /** It came with an application that nobody has decided yet. */
  readonly applies: boolean;
  /** In the status of a record that was handed over, and what follows its creation at once; null: a new application. */
  readonly boarded: { readonly status: LoanStatus; readonly facts: readonly Dated[] } | null;
};

/**
 * `source` is valid JSON that was checked against the schema of POST /loans. `policies` are those in force for lenders; what the contract
 * itself fixes (late fee, grace days) replaces the values of its lender's policy. `macro` is the economy of the day, as JSON text. Every bad
 * value is named.
 */
export function readCreation(
  source: string,
  { policies, today, macro }: { policies: LenderPolicies; today: PlainDate; macro: string },
): Creation | Mistakes | Refusal {
  const read = new Reader();
  const body = openBody(read, source);
  if (isMistakes(body)) return body;
  const creation = readMembers(read, source, body, { policies, today, macro });
  return isMistakes(creation) || isRefusal(creation) ? body.located(creation) : creation;
}

function readMembers(
  read: Reader,
  source: string,
  { given, isRecord }: Pick<CreationBody, 'given' | 'isRecord'>,
  { policies, today, macro }: { policies: LenderPolicies; today: PlainDate; macro: string },
): Creation | Mistakes | Refusal {
  const own = textsOf(source, given);
  const loanType = own.loanType ?? '';
  const figures = readFigures(read, own, source, { given, isRecord: own.loanStatus !== undefined });
  const record = readRecord(read, { source, given, own, isRecord }, { today, loanType, opening: figures.opening });
  if (record !== null && figures.opening !== null) checkOpening(read, record, figures.opening);
  const ended = record !== null && hadEnded(record.status);
  const live = record !== null && goesOn(record.status);
  // A loan that is decided already is not assessed here: then nothing of the application is read.
  const handedOver = readRecordParts(read, source, given, record === null || isOpen(record.status) ? today : null);
  readReferences(read, own);
  readLoanType(read, own);
  // The allowance is the lender's, and no loan's.
  const {
    rounding,
    lateFeeByState,
    allowance: ___,
    ...inForce
  } = policies.lenders.get(own.lenderId ?? '') ?? policies.others;
  const requested = readRequestedTerms(
    read,
    { source, given, own },
    { today, rounding, application: handedOver.vehicle, asGiven: ended },
  );
  const { principalAmount, term, prepaidFinanceCharge, originationFee, vehicle } = requested;
  const [dealerReserve, directCosts] = [
    amountOr(read, own, 'dealerReserve', ZERO),
    amountOr(read, own, 'directCosts', ZERO),
  ];
  const ofState = handedOver.state === null ? undefined : lateFeeByState[handedOver.state];
  const lateFee = readLateFee(read, own, textsOf(source, membersAt(source, given.get('lateFeePolicy'))), {
    ...inForce,
    lateFee: ofState ?? inForce.lateFee,
  });
  const policy: Policy = { ...inForce, lateFee: lateFee.policy, graceDays: lateFee.graceDays };
  const dates = {
    maturityDate: dateOf(read, own, 'maturityDate'),
    lastPaymentDate: dateOf(read, own, 'lastPaymentDate'),
  };
  const forecast = readForecast(read, own);
  const index = readIndex(read, own);
  const customData = readCustomData(read, source, given.get('customData')?.start);
  const collateralAmount = amountOr(read, own, 'collateralAmount', null);
  if (live && requested.contract.contractDate === null && record.metadata.fundedDate === null) {
    required(read, '/originationDate', `This field is required for a loan that is ${record.status}.`);
  }
  if (!read.isClean) return { mistakes: read.mistakes };

  const dated: Contract = live
    ? { ...requested.contract, contractDate: requested.contract.contractDate ?? record.metadata.fundedDate }
    : requested.contract;
  const contract = withPayment(dated, record?.metadata.scheduledPayment ?? null, { today, isLive: live });
  const planned = planContract(contract, today);
  const isPlanned = !isRefusal(planned) && !isMistakes(planned);
  if (!isPlanned && !ended) return planned;
  const planOf = { contract, policy, today };
  let opening: LoanFile['opening'] = null;
  let boarded: Boarded | null = null;
  if (live && isPlanned) {
    const { terms, schedule } = planned;
    const isAgreed = own.scheduledPayment !== undefined;
    const whole = { ...planOf, record, figures, maturity: dates.maturityDate, terms, rows: schedule.rows, isAgreed };
    boarded = boardLive(read, whole, today);
  } else if (isPlanned && !ended) {
    const { terms, schedule } = planned;
    checkDates(read, dates, contract, terms, schedule);
    // Nothing of an application is past due, whatever its dates.
    const said = record === null ? figures : { ...figures, delinquentDays: null, delinquentAmount: null };
    opening = openingOf(read, said, { ...planOf, terms, rows: schedule.rows });
  }
  if (ended) purchaseOf(read, figures.purchase, null);
  if (record !== null && !live) boarded = boardStatus(read, record, { own, contract, today });
  if (!read.isClean) return { mistakes: read.mistakes };

  const collateralType = collateralOf(own.collateralType, loanType);
  const grade = own.grade ?? '';
  const { vin, make: _, model: __, ...shownVehicle } = vehicle;
  const { creditReportHash = '', retailInstallmentContractHash = '' } = own;
  const file: LoanFile = {
    applicationId: own.applicationId ?? '',
    borrowerId: own.borrowerId ?? '',
    lenderId: own.lenderId ?? '',
    primaryServicerId: own.primaryServicerId ?? '',
    secondaryServicerId: own.secondaryServicerId ?? '',
    borrower: own.borrower ?? '',
    initialLender: own.initialLender ?? '',
    loanServicer: own.loanServicer ?? '',
    loanType,
    state: handedOver.state ?? '',
    principalAmount,
    collateralType,
    collateralValue: collateralAmount ?? handedOver.collateralValue,
    encumberedStatus: own.encumberedStatus ?? (collateralType === 'None' ? 'Unencumbered' : 'Lien'),
    interestRate: own.interestRate ?? '',
    spread: index.spread,
    interestRateType: own.interestRateType ?? 'Fixed',
    amortizationType: contract.amortization,
    term,
    paymentFrequency: contract.frequency,
    prepaymentPenalty: contract.prepaymentPenalty,
    lateFee: lateFee.shown,
    riskRating: own.riskRating ?? (isGrade(grade) ? riskRatingOf(grade) : ''),
    grade,
    ...forecast,
    prepaidFinanceCharge,
    ...{ originationFee, dealerReserve, directCosts },
    ltv: record?.metadata.ltv || handedOver.ltv,
    macroEconomicFeatures: requested.macro,
    // A record shows figures in every status: they are kept, and not taken for what the lender wants a model to use.
    macroGiven: record === null ? requested.macro : '{}',
    macroAtCreation: macro,
    vehicle: shownVehicle,
    assessed: handedOver.assessed ? 'elsewhere' : null,
    assessedWith: null,
    decision: handedOver.decision,
    deals: handedOver.deals,
    opening,
    ended: boarded?.ended ?? null,
  };
  return {
    contract,
    policy,
    file: detached(file),
    personal: {
      lendingDecisionReason: own.lendingDecisionReason ?? '',
      applicantCreditVision: own.applicantCreditVision ?? '',
      coApplicantCreditVision: own.coApplicantCreditVision ?? '',
      vin,
      pti: record?.metadata.pti || handedOver.pti,
      dti: record?.metadata.dti || handedOver.dti,
      indexRate: index.indexRate,
      creditReportHash,
      retailInstallmentContractHash,
      signs: '',
      record: handedOver.record,
      search: { ...handedOver.search, ...(vin === '' ? {} : { vin }) },
      customData,
    },
    publicPart: publicPartOf(
      {
        indexRate: index.indexRate,
        ...publicRatios(
          handedOver.rough,
          isPlanned ? monthlyPayment(contract, planned.schedule) : (record?.metadata.scheduledPayment ?? ZERO),
        ),
        creditReportHash: publicDigest(creditReportHash),
        retailInstallmentContractHash: publicDigest(retailInstallmentContractHash),
      },
      `"loanInfo":${publicLoanInfo(loanType, vehicle)},"Underwriting":${handedOver.publicUnderwriting()}`,
    ),
    published: given.has('published')
      ? source.startsWith('true', given.get('published')?.start ?? source.length)
      : inForce.publish,
    applies:
      membersAt(source, given.get('Request')).size > 0 &&
      !handedOver.assessed &&
      (record === null || isOpen(record.status)),
    boarded: record === null || boarded === null ? null : { status: record.status, facts: boarded.facts },
  };
}

/** Its underwriting is not completed. */
function isOpen(status: LoanStatus): boolean {
  return (UNDECIDED as readonly LoanStatus[]).includes(status);
}

/** Strings that were cut out of the body would keep all of it in memory for as long as they live. */
function detached<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function readReferences(read: Reader, own: Own): void {
  for (const name of ['applicationId', 'borrowerId', 'lenderId', 'primaryServicerId', 'secondaryServicerId']) {
    read.reference(own, name, '');
  }
  for (const name of ['applicationId', 'borrowerId', 'lenderId', 'interestRate', 'term']) {
    if (own[name] === undefined) required(read, `/${name}`);
  }
}

const WITHOUT_INSTALLMENTS = ['RevolvingCredit', 'LineOfCredit', 'MerchantCashAdvance'];

function readLoanType(read: Reader, { loanType }: Own): void {
  if (loanType === undefined) required(read, '/loanType');
  else if (WITHOUT_INSTALLMENTS.includes(loanType)) {
    const detail = `${loanType} is not supported, because it has no installments.`;
    read.note('/loanType', { code: 'not_supported', detail });
  }
}

function collateralOf(given: string | undefined, loanType: string): string {
  if (given === undefined) return loanType === 'AutoLoan' ? 'Vehicles' : 'None';
  return given === 'Vehicle' ? 'Vehicles' : given;
}

const LONGEST_INDEX = 40;

function readIndex(read: Reader, own: Own): { spread: string; indexRate: string } {
  if (own.spread !== undefined && !/^-?\d{1,3}(\.\d{1,8})?$/.test(own.spread)) {
    const detail = 'Must be percentage points such as 1.75 or -0.5, below 1,000, with at most eight decimals.';
    read.note('/spread', { code: 'format', detail });
  }
  // Shown to everybody: a figure or a name such as SOFR, no sentence.
  const { indexRate } = own;
  const isFigure = /^\d{1,4}(\.\d{1,8})?$/.test(indexRate ?? '');
  if (indexRate !== undefined && !isFigure && !(isPublicName(indexRate) && indexRate.length <= LONGEST_INDEX)) {
    const detail =
      'Must be a percentage such as 4.33, or the name of an index: letters, digits and common punctuation, no personal data.';
    read.note('/indexRate', { code: 'format', detail });
  }
  return { spread: own.spread ?? '', indexRate: own.indexRate ?? '' };
}
