/**
 * From an application and bureau reports to a decision: facts, sixty deals around the requested one, each scored, forecast, priced and
 * checked against the policy, and all of it in the form of the record. Pure: the same input, model and policy give the same bytes on every
 * machine. A bad application is refused with the field at fault; a doubtful one is decided with its warnings counted. It is longer than other
 * files because its input, its result and the steps between them are read together.
 */
import { createHash } from 'node:crypto';
import type { PlainDate } from '../core/calendar.ts';
import type { HardStop } from '../core/hard-stops.ts';
import { type Contract, MAX_TERM } from '../core/loan.ts';
import { AmountOutOfRange, type Cents, cents, ZERO } from '../core/money.ts';
import { formatDecimal, type Percent } from '../core/rate.ts';
import { isRefusal, type Refusal, refuse } from '../core/refusal.ts';
import { disclosedApr } from './apr.ts';
import { cashflowsCsv } from './cashflows.ts';
import { commentsOn } from './comments.ts';
import { counterOffers, offerText } from './counter-offers.ts';
import { type AssessedDeal, openDeals, type Setting, settingFor } from './deal.ts';
import {
  allWarnings,
  type DealDetails,
  dealDetails,
  dealTermsInfo,
  macroText,
  responseOf,
  underwritingInfo,
} from './decision.ts';
import { type Demand, demandsByLaw, demandsOf, joined, textsOf, withPolicy } from './demand.ts';
import { type Facts, readFacts } from './facts.ts';
import { stopsOfPeople } from './file-flags.ts';
import { DEALS, type DealTerms, dealsAround } from './grid.ts';
import { MODELS } from './model-data.ts';
import { type NoticeGrounds, noticeGrounds } from './notice.ts';
import { type LendingPolicy, lowestScore } from './policy.ts';
import { POLICIES } from './policy-data.ts';
import type { Reason } from './reasons.ts';
import type { BureauReport } from './report.ts';
import { inForce, type Model } from './score.ts';
import type { ScreenedPeople } from './screened.ts';
import { demandsOfSigns, type Sign } from './signs.ts';
import { shortDecimalText } from './texts.ts';
import { creditVision } from './vision.ts';

type Entry = Readonly<Record<string, string>>;

export type UnderwritingInput = {
  /** `Request` as it was given. */
  readonly request: unknown;
  /** As it would be signed: amount, rate, frequency, day count, dates. */
  readonly contract: Contract;
  /** The advance before financed products. */
  readonly principalAmount: Cents;
  /** Months. */
  readonly term: number;
  readonly prepaidFinanceCharge?: Cents;
  readonly applicationId: string;
  /** The business date, and the time of the decision (ISO). */
  readonly today: PlainDate;
  readonly at: string;
  readonly primary: BureauReport;
  readonly coApplicant: BureauReport | null;
  /** Against sanctions lists. Absent: nobody was to be screened, as for an offer on a given report. */
  readonly screening?: ScreenedPeople;
  readonly vehicle: { readonly year: string; readonly age: string; readonly mileage: string; readonly vin: string };
  /** Those in effect on the day, unless a run of an earlier day is repeated. */
  readonly model?: Model;
  readonly policy?: LendingPolicy;
  /**
   * The cap of the lender's own policy on the day: percentage points above the buy rate beyond which a requested rate is declined and none
   * is offered. Null or absent: a requested rate above the dealer's cap brings a warning.
   */
  readonly markupCap?: Percent | null;
  /** Found before the reports were asked for: some are stipulations, and nothing else here follows from them. */
  readonly signs?: readonly Sign[];
};

export type Assessment = {
  /** On the requested deal. */
  readonly decision: 'APPROVED' | 'DECLINED';
  /** Those of the people: of every deal. */
  readonly hardStops: readonly HardStop[];
  readonly reasons: readonly Reason[];
  readonly warnings: readonly string[];
  /** The texts of the record. */
  readonly stipulations: readonly string[];
  /** Those of the requested deal, also where it is declined, and of the first that can be offered. */
  readonly demands: readonly Demand[];
  readonly response: Readonly<Record<string, unknown>>;
  /** Without the cash flows, which are those of one deal: `dealCashflows`. */
  readonly underwriting: {
    readonly CoApplicantCreditBureauPDF: string;
    readonly CoApplicantCreditBureauTradeLines: string;
    readonly DealTermsInfo: readonly Readonly<Record<string, string>>[];
    readonly PrimaryCreditBureauPDF: string;
    readonly PrimaryCreditBureauTradeLines: string;
    readonly UnderwritingInfo: readonly Readonly<Record<string, string>>[];
  };
  /** JSON text of `PrimaryCreditInfo`, as the bureau gave it. */
  readonly creditInfo: string;
  /** The details of the requested deal; `dealDetails` gives those of another from the record. */
  readonly details: LoanDetails;
  /**
   * The contents of the notices of adverse action, one for each person; null when the application is approved as requested. Plain data, to be
   * stored with the run.
   */
  readonly notice: NoticeGrounds | null;
  /** The same whatever was decided here, for a loan officer who declines what is approved: without reasons and offers. */
  readonly requested: NoticeGrounds;
  /** By index: what a chosen deal would be signed with, and what the engine decided on it. */
  readonly deals: readonly OfferedDeal[];
  readonly modelVersion: string;
  readonly policyVersion: string;
  /** The facts behind the figures, for inquiries. */
  readonly facts: Facts;
  readonly assessed: readonly AssessedDeal[];
};

export type LoanDetails = DealDetails & {
  /** By Regulation Z, as a fraction; '' where none exists. */
  readonly apr: string;
  readonly applicantCreditVision: string;
  readonly coApplicantCreditVision: string;
  readonly creditReportHash: string;
  /** JSON text. */
  readonly macroEconomicFeatures: string;
};

export type OfferedDeal = {
  readonly amount: Cents;
  /** Percent a year, as text. */
  readonly rate: string;
  /** Months. */
  readonly term: number;
  readonly payment: Cents | null;
  readonly decision: 'APPROVED' | 'DECLINED';
  readonly isStopped?: boolean;
};

/** Smaller amounts are typing errors and too small for sixty different deals. */
const LEAST_AMOUNT = 100_00;

export function underwrite(input: UnderwritingInput): Assessment | Refusal {
  return guarded(input, () => assess(input));
}

/**
 * The reason that an application cannot be assessed, whatever a report says: no report is pulled for it. Only the requested deal is
 * checked; null does not guarantee that there are sixty.
 */
export function refuseApplication(
  application: Omit<UnderwritingInput, 'primary' | 'coApplicant'>,
  { joint }: { joint: boolean },
): Refusal | null {
  const input = { ...application, primary: NO_REPORT, coApplicant: joint ? NO_REPORT : null };
  const asked = assessRequested(input);
  return isRefusal(asked) ? asked : null;
}

/** The requested deal alone, without the fifty-nine around it: what studies of many applications need, in a sixtieth of the time. */
export function assessRequested(input: UnderwritingInput): AssessedDeal | Refusal {
  return guarded(input, () => {
    const setting = settingOf(input);
    return isRefusal(setting) ? setting : openDeals(setting).assess(askedDeal(input));
  });
}

/** Used in place of a report before there is one. */
const NO_REPORT: BureauReport = {
  score: null,
  scoreFactors: [],
  reportDate: '1970-01-01' as PlainDate,
  inFileSince: null,
  hit: false,
  inquiries: null,
  flags: {
    ...{ frozen: false, deceased: false, ssnMatch: null, addressDiscrepancy: false },
    ...{ fraudAlert: 'none', alertPhone: null },
  },
  attributes: '{}',
  tradeLines: [],
  tradeLinesCsv: '',
  pdf: new Uint8Array(),
  raw: new Uint8Array(),
};

function guarded<T>(input: UnderwritingInput, work: () => T | Refusal): T | Refusal {
  const mistake = checkInput(input);
  if (mistake !== null) return mistake;
  try {
    return work();
  } catch (error) {
    if (!(error instanceof AmountOutOfRange)) throw error;
    return refuse('invalid_value', 'The amounts are too large.', {
      member: 'loanAmount',
    });
  }
}

function settingOf(input: UnderwritingInput): Setting | Refusal {
  const { today, contract } = input;
  const policy = input.policy ?? inForce(POLICIES, today);
  const model = input.model ?? inForce(MODELS, today);
  const unknownAs = { unscoredAs: lowestScore(policy), leastHousing: cents(policy.leastHousing) };
  const facts = readFacts({ ...input, amount: contract.amount, ...unknownAs });
  if (isRefusal(facts)) return facts;
  const { term, markupCap = null, prepaidFinanceCharge = ZERO } = input;
  return settingFor({ facts, model, policy, today, prepaidFinanceCharge, term, markupCap });
}

function askedDeal({ contract, term }: UnderwritingInput): DealTerms {
  return { contract, term, moreDown: ZERO };
}

function assess(input: UnderwritingInput): Assessment | Refusal {
  const { today, contract, primary, coApplicant } = input;
  const setting = settingOf(input);
  if (isRefusal(setting)) return setting;
  const { facts, macro, prepaidFinanceCharge, lender } = setting;
  const { model, policy } = lender;
  const assessed = assessAll(input, setting);
  if (isRefusal(assessed)) return assessed;

  const asked = assessed[0] as AssessedDeal;
  // Those of an approval: of the requested deal, else of the first that can be offered instead. Where none can be, what the law asks for still
  // holds: the decision may be overridden.
  const offered = assessed.find(({ decision }) => decision === 'APPROVED');
  const basis = { request: input.request, facts, policy };
  const ofOffer = offered === undefined ? demandsByLaw(basis) : demandsOf(basis, offered);
  const ofSigns = withPolicy(basis, demandsOfSigns(input.signs ?? []));
  const stipulations = textsOf([...ofOffer, ...ofSigns]);
  const DealTermsInfo = assessed.map((deal) => dealTermsInfo(deal, facts));
  const instead = counterOffers(assessed);
  const UnderwritingInfo = assessed.map((deal, i) => underwritingInfo(deal, facts, i === 0 ? instead : []));
  const apr = disclosedApr(contract, contract.contractDate ?? today, prepaidFinanceCharge);
  const versions = `Model ${model.version}, policy ${policy.version}`;
  return {
    decision: asked.decision,
    hardStops: stopsOfPeople(facts),
    reasons: asked.findings.reasons,
    warnings: allWarnings(asked, facts),
    stipulations,
    demands: joined(ofOffer, demandsOf(basis, asked), ofSigns),
    response: responseOf({
      ...input,
      facts,
      deals: assessed,
      stipulations,
      hardStops: [...stopsOfPeople(facts), ...asked.hardStops],
      comments: [...commentsOn(assessed), ...instead.map(offerText), versions],
    }),
    underwriting: {
      CoApplicantCreditBureauPDF: coApplicant === null ? '' : base64(coApplicant.pdf),
      CoApplicantCreditBureauTradeLines: coApplicant?.tradeLinesCsv ?? '',
      DealTermsInfo,
      PrimaryCreditBureauPDF: base64(primary.pdf),
      PrimaryCreditBureauTradeLines: primary.tradeLinesCsv,
      UnderwritingInfo,
    },
    creditInfo: primary.attributes,
    details: {
      ...dealDetails(DealTermsInfo[0] as Entry, UnderwritingInfo[0] as Entry, asked.grade),
      apr: apr === null ? '' : shortDecimalText(Number(apr) / 100, 6),
      applicantCreditVision: creditVision(facts.primary),
      coApplicantCreditVision: facts.coApplicant === null ? '' : creditVision(facts.coApplicant),
      creditReportHash: reportHash(primary, coApplicant),
      macroEconomicFeatures: macroText(macro),
    },
    deals: assessed.map(({ contract: signed, term, payment, decision, hardStops }) => ({
      amount: signed.amount,
      rate: formatDecimal(signed.rate),
      term,
      payment,
      decision,
      ...(hardStops.length === 0 ? {} : { isStopped: true }),
    })),
    notice: asked.decision === 'APPROVED' ? null : noticeGrounds(asked, instead, facts),
    requested: noticeGrounds(asked, [], facts),
    modelVersion: model.version,
    policyVersion: policy.version,
    facts,
    assessed,
  };
}

/** The demands where one of the deals is chosen. */
export function demandsOfDeal(
  { request, today, policy: given }: UnderwritingInput,
  { facts, assessed }: Pick<Assessment, 'facts' | 'assessed'>,
  dealIndex: number,
): Demand[] {
  const policy = given ?? inForce(POLICIES, today);
  return demandsOf({ request, facts, policy }, assessed[dealIndex] as AssessedDeal);
}

/** The expected cash flows of one of the deals, as CSV. Nothing in it depends on more of the person than the public record tells. */
export function dealCashflows({ assessed }: Assessment, dealIndex: number): string {
  const { forecast, price, dealer } = assessed[dealIndex] as AssessedDeal;
  return cashflowsCsv({ rows: forecast.rows, price, funded: dealer.funded }, dealIndex);
}

/**
 * The two objects as JSON text, in the interface's order, with the bureau's own text of `PrimaryCreditInfo` inside. The cash flows are those
 * of the deal with this index.
 */
export function recordTexts(
  assessment: Assessment,
  dealIndex = 0,
): {
  Response: string;
  Underwriting: string;
} {
  const { response, underwriting, creditInfo } = assessment;
  const { UnderwritingInfo, ...before } = underwriting;
  const head = JSON.stringify({ CashflowsCsv: dealCashflows(assessment, dealIndex), ...before }).slice(0, -1);
  return {
    Response: JSON.stringify(response),
    Underwriting: `${head},"PrimaryCreditInfo":${creditInfo},"UnderwritingInfo":${JSON.stringify(UnderwritingInfo)}}`,
  };
}

/**
 * `CashflowsCsv`, `DealTermsInfo` and `UnderwritingInfo` as the public record shows them, as JSON text. What is about the person is empty, and
 * what depends on income or debts is computed from the coarse ones (`coarse.ts`): forecasts already are, because the model uses only those.
 */
export function publicText(assessment: Assessment, dealIndex = 0): string {
  const { underwriting, assessed } = assessment;
  const { DealTermsInfo, UnderwritingInfo } = underwriting;
  const shown = (i: number) => (assessed[i] as AssessedDeal).shown;
  return JSON.stringify({
    CashflowsCsv: dealCashflows(assessment, dealIndex),
    DealTermsInfo: DealTermsInfo.map((terms, i) => ({ ...terms, TermsDTI: shown(i).dti, TermsPTI: shown(i).pti })),
    UnderwritingInfo: UnderwritingInfo.map((info, i) => ({
      ...info,
      AllWarnings: '',
      DecisionReason: '',
      DecisionReasonSimple: '',
      DecisionStatus: shown(i).decision,
      WarningsNumber: String(shown(i).warnings),
    })),
  });
}

function checkInput({ contract, principalAmount, term }: UnderwritingInput): Refusal | null {
  const bad = (member: string, detail: string) => refuse('invalid_value', detail, { member });
  if (!Number.isInteger(term) || term < 1 || term > MAX_TERM) {
    return bad('term', `The term must be a whole number of months from 1 to ${MAX_TERM}.`);
  }
  if (contract.amount < LEAST_AMOUNT)
    return bad('loanAmount', 'The loan amount must be at least 100.00 for underwriting.');
  if (principalAmount <= 0 || principalAmount > contract.amount) {
    return bad('principalAmount', 'The advance must be more than zero and at most the loan amount.');
  }
  return null;
}

function assessAll(input: UnderwritingInput, setting: Setting): AssessedDeal[] | Refusal {
  const { contract, term } = input;
  const { facts, lender } = setting;
  const { sheetOf, assess: assessDeal } = openDeals(setting);
  const asked = assessDeal(askedDeal(input));
  if (isRefusal(asked)) return asked;
  const deals: AssessedDeal[] = [asked];
  const { products, vehicle } = facts;
  const around = dealsAround({ contract, term, products, vehicleAge: vehicle.age, sheetOf }, lender.policy);
  for (const terms of around) {
    if (deals.length === DEALS) break;
    const deal = assessDeal(terms);
    if (!isRefusal(deal)) deals.push(deal);
  }
  if (deals.length < DEALS) {
    const detail = 'Fewer than sixty deals are possible around the requested terms.';
    return refuse('not_supported', detail, { facts: { deals: deals.length } });
  }
  return deals;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** SHA-256 of what the bureau answered; of a joint application, of both answers one after the other. */
function reportHash(primary: BureauReport, coApplicant: BureauReport | null): string {
  const hash = createHash('sha256').update(primary.raw);
  if (coApplicant !== null) hash.update(coApplicant.raw);
  return `0x${hash.digest('hex')}`;
}

/** For repeating a run with its stored versions. */
export function modelOf(version: string): Model | null {
  return MODELS.find((model) => model.version === version) ?? null;
}

export function policyOf(version: string): LendingPolicy | null {
  return POLICIES.find((policy) => policy.version === version) ?? null;
}
