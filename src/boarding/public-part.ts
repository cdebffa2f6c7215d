/**
 * The public part of a loan besides its figures: the vehicle, the assessment, and a few texts of the lender. Everything in it came
 * from a caller or is computed from what one gave, so it is stored sealed under the loan's key and gone with it.
 *
 * A lender's objects are open, and could hold anything in any member. The public part has only figures where figures belong, only the known
 * columns of the CSV, and short names as texts. Anything else is left out; the full record has it as it was given.
 */
import { countText, ratioText } from '../core/decimal.ts';
import { type Cents, cents, parseCents } from '../core/money.ts';
import { coarse, wholePercentOf } from '../underwriting/coarse.ts';
import { incomeIn } from '../underwriting/facts.ts';
import { publicCashflows } from './cashflow-columns.ts';
import { figure } from './figure.ts';
import type { PublicDetails, PublicPart } from './file.ts';
import { DEAL_TERMS, type Shape, UNDERWRITING_INFO } from './record-members.ts';
import { maskedVin, type Vehicle } from './vehicle.ts';

type Texts = ReadonlyMap<string, string>;

// ---- the part as it is stored ----

/** `members` is JSON text of two members: `"loanInfo":{…},"Underwriting":{…}`. */
export function publicPartOf(details: PublicDetails, members: string): PublicPart {
  return `${JSON.stringify(details)}\n${members}`;
}

/** JSON has no line feed outside of the white space that we do not write. */
export function readPublicPart(part: Buffer): { details: PublicDetails; members: Buffer } {
  const end = part.indexOf(10);
  return { details: JSON.parse(part.toString('utf8', 0, end)) as PublicDetails, members: part.subarray(end + 1) };
}

const NO_DETAILS: PublicDetails = {
  indexRate: '',
  pti: '',
  dti: '',
  creditReportHash: '',
  retailInstallmentContractHash: '',
};

const NO_VEHICLE: Vehicle = { make: '', model: '', year: '', age: '', mileage: '', vin: '' };

/** The public part after the borrower was erased. */
export function erasedPublicPart(loanType: string): { details: PublicDetails; members: Buffer } {
  const nothing = '{"CashflowsCsv":"","DealTermsInfo":[],"UnderwritingInfo":[]}';
  const members = `"loanInfo":${publicLoanInfo(loanType, NO_VEHICLE)},"Underwriting":${nothing}`;
  return { details: NO_DETAILS, members: Buffer.from(members) };
}

/** A vehicle's year has no thousands separator, its mileage has. Loans without a vehicle say nothing of one. */
export function publicLoanInfo(loanType: string, { make, model, year, age, mileage, vin }: Vehicle): string {
  if (loanType !== 'AutoLoan' && `${make}${model}${year}${age}${mileage}${vin}` === '') return '{}';
  const count = (text: string) => (text === '' ? '' : countText(Number(text), false));
  return JSON.stringify({
    Auto: { make, model, year, age: count(age), mileage: count(mileage), vin: maskedVin(vin) },
  });
}

/** A digest of fewer than 16 bytes is none: it could be looked up, or be something else altogether. */
export function publicDigest(digest: string): string {
  return digest.length >= 2 + 2 * 16 ? digest : '';
}

// ---- income and debts ----

/** One income and one sum of debts, each month, both coarse; null where the application does not tell. */
export type Rough = { readonly income: Cents | null; readonly debts: Cents | null };

/** The debts are what the lender's own ratio of debts to income leaves beside the payment it counted. */
export function roughOf(
  people: { readonly ApplicantInfo: Texts; readonly CoApplicantInfo: Texts },
  asked: Texts,
  deal: Texts | undefined,
): Rough {
  const income = incomeIn({
    ApplicantInfo: Object.fromEntries(people.ApplicantInfo),
    CoApplicantInfo: Object.fromEntries(people.CoApplicantInfo),
  });
  if (income === null) return { income: null, debts: null };
  for (const [ratio, payment] of [
    [asked.get('RequestedLoanDTI'), asked.get('RequestedLoanPayment')],
    [deal?.get('TermsDTI'), deal?.get('TermsMonthlyPayment')],
  ]) {
    const [dti, paid] = [ratioText(ratio ?? ''), parseCents(payment ?? '')];
    if (dti === '' || paid === null) continue;
    const debts = Math.min(Math.round(Number(dti) * income) - paid, MOST_DEBTS);
    return { income: coarse(income), debts: coarse(cents(Math.max(0, debts))) };
  }
  return { income: coarse(income), debts: null };
}

const MOST_DEBTS = 1e14;

/** Both ratios of a payment; '' where they cannot be told. */
export function publicRatios({ income, debts }: Rough, payment: Cents | null): { pti: string; dti: string } {
  if (income === null || payment === null) return { pti: '', dti: '' };
  return {
    pti: wholePercentOf(payment, income),
    dti: debts === null ? '' : wholePercentOf(debts + payment, income),
  };
}

// ---- an assessment that was handed over ----

export type HandedOverAssessment = {
  readonly cashflows: string;
  readonly deals: readonly Texts[];
  readonly infos: readonly Texts[];
  readonly rough: Rough;
};

/** `{"CashflowsCsv":…,"DealTermsInfo":[…],"UnderwritingInfo":[…]}`. */
export function publicAssessment({ cashflows, deals, infos, rough }: HandedOverAssessment): string {
  return JSON.stringify({
    CashflowsCsv: publicCashflows(cashflows),
    DealTermsInfo: deals.map((deal) => {
      const { pti, dti } = publicRatios(rough, parseCents(deal.get('TermsMonthlyPayment') ?? ''));
      return { ...figuresOf(deal, DEAL_TERMS), TermsDTI: dti, TermsPTI: pti };
    }),
    UnderwritingInfo: infos.map((info) => {
      const status = info.get('DecisionStatus') ?? '';
      return {
        ...figuresOf(info, UNDERWRITING_INFO),
        DecisionStatus: status === 'APPROVED' || status === 'DECLINED' ? status : '',
      };
    }),
  });
}

/** Only members that the interface lists: others could hold anything. Those that are no figures are about the person, and empty. */
function figuresOf(texts: Texts, shape: Shape): Record<string, string> {
  return Object.fromEntries([...shape.keys()].map((name) => [name, figure(texts.get(name) ?? '')]));
}
