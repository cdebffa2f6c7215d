/**
 * The heavy part of an offer, as work for a thread: reading the application and the reports, assessing sixty deals. It is the same
 * reading and the same assessment as for a loan that is created and underwritten. Nothing of it is kept, and errors quote nothing.
 */
import {
  applicationIn,
  dayOfOffer,
  hasPart,
  type OfferBody,
  openOffer,
  partOf,
  readOffer,
  refuseTerms,
} from '../../boarding/offer.ts';
import { isAnswerMistake, readGivenReport } from '../../bureau/answer.ts';
import type { BureauReport, BureauSubject } from '../../bureau/bureau.ts';
import { namesCoApplicant, screenedIn, subjectsOf } from '../../bureau/subjects.ts';
import type { PlainDate } from '../../core/calendar.ts';
import type { LenderPolicies } from '../../core/policy.ts';
import { isMistakes, type Mistakes, Reader } from '../../core/reader.ts';
import { isRefusal, type Refusal } from '../../core/refusal.ts';
import { MODELS } from '../../underwriting/model-data.ts';
import { POLICIES } from '../../underwriting/policy-data.ts';
import { pricingText } from '../../underwriting/pricing.ts';
import { principalStatements } from '../../underwriting/reasons.ts';
import { inForce } from '../../underwriting/score.ts';
import type { ScreenedPeople } from '../../underwriting/screened.ts';
import { figureSigns } from '../../underwriting/signs.ts';
import { decimalText } from '../../underwriting/texts.ts';
import {
  type Assessment,
  modelOf,
  policyOf,
  type UnderwritingInput,
  underwrite,
} from '../../underwriting/underwrite.ts';
import { dealRows } from './deal-rows.ts';
import type { Offer } from './offer.ts';

/** JSON (UTF-8) that was checked against the schema of POST /calculate-offer. */
type Source = { readonly source: Uint8Array };

/** Its day, and the people whose reports it does not bring along. Null: not given, or nobody. Mistakes are for `makeOffer` to name. */
export function openAsked({ source }: Source): {
  asOf: PlainDate | null;
  subjects: readonly BureauSubject[] | null;
  /** The same people, as a screening is asked about them. */
  screened: readonly BureauSubject[] | null;
} {
  const body = bodyOf(source);
  if (isMistakes(body)) return { asOf: null, subjects: null, screened: null };
  const read = new Reader();
  const asOf = dayOfOffer(read, body);
  const application = hasPart(body, 'report') ? null : applicationIn(body);
  const subjects = subjectsOf(application);
  return { asOf: read.isClean ? asOf : null, subjects, screened: subjects && screenedIn(application) };
}

/** Reports of the simulator, by role. */
export type SimulatedReports = Readonly<Partial<Record<BureauSubject['role'], BureauReport>>>;

type OfferInput = Source & {
  policies: LenderPolicies;
  today: PlainDate;
  simulated: SimulatedReports;
  screening?: ScreenedPeople | null;
};

/** `today` is the day of the offer. */
export function makeOffer(asked: OfferInput): Offer | Mistakes | Refusal {
  const read = readAskedOffer(asked);
  if (isRefusal(read) || isMistakes(read)) return read;
  const { input } = read;
  const { collateral } = input.model ?? inForce(MODELS, input.today);
  // Other applications are compared with it when it is one.
  const assessment = underwrite({ ...input, signs: figureSigns({ ...input, collateral }) });
  if (isRefusal(assessment)) return assessment;
  return { ...offerOf(assessment), reportFrom: read.reportFrom, asOf: asked.today };
}

/** The input to be assessed, and the source of its report. */
export function readAskedOffer({
  source,
  policies,
  today,
  simulated,
  screening = null,
}: OfferInput): { input: UnderwritingInput; reportFrom: Offer['reportFrom'] } | Mistakes | Refusal {
  const body = bodyOf(source);
  if (isMistakes(body)) return body;
  const read = new Reader();
  dayOfOffer(read, body);
  const asked = readOffer(read, body, { policies, today });
  const versions = readVersions(read, body);
  const primary = readReport(read, body, 'report', today);
  const coApplicant = readReport(read, body, 'coApplicantReport', today);
  if (!read.isClean) return { mistakes: read.mistakes };
  const refused = refuseTerms(asked, today);
  if (refused !== null) return refused;
  const { request, contract, principalAmount, term, prepaidFinanceCharge, vehicle } = asked;
  const input = {
    request,
    contract,
    principalAmount,
    term,
    prepaidFinanceCharge,
    applicationId: '',
    today,
    at: `${today}T00:00:00.000Z`,
    primary: primary ?? simulated.primary ?? nothingKnown(today),
    coApplicant: coApplicant ?? simulated.coApplicant ?? (namesCoApplicant(request) ? nothingKnown(today) : null),
    markupCap: asked.markupCap,
    vehicle: { year: vehicle.year, age: vehicle.age, mileage: vehicle.mileage, vin: vehicle.vin },
    ...(screening === null ? {} : { screening }),
    ...versions,
  };
  const reportFrom = primary !== null ? 'request' : simulated.primary !== undefined ? 'simulator' : 'none';
  return { input, reportFrom };
}

function offerOf(assessment: Assessment): Omit<Offer, 'reportFrom' | 'asOf'> {
  const { decision, reasons, warnings, stipulations, details, deals, assessed, modelVersion, policyVersion } =
    assessment;
  const approved = deals.flatMap((deal, dealIndex) => (deal.decision === 'APPROVED' ? [dealIndex] : []));
  return {
    decision,
    reasons: principalStatements(reasons),
    decisionReason: details.lendingDecisionReason,
    hardStops: [...assessment.hardStops, ...(assessed[0]?.hardStops ?? [])],
    warnings,
    stipulations,
    grade: details.grade,
    riskRating: details.riskRating,
    standardDefaultProbability: decimalText(assessed[0]?.standardDefaultProbability ?? 0, 6),
    modelVersion,
    policyVersion,
    // The grid begins with the deals nearest to the one that was asked for.
    counterOffers: decision === 'APPROVED' ? [] : approved,
    deals: dealRows(assessment.underwriting, { withReasons: true, pricing: pricingText(assessed) }),
  };
}

// ---- reading ----

function bodyOf(source: Uint8Array): OfferBody | Mistakes {
  return openOffer(Buffer.from(source.buffer, source.byteOffset, source.length).toString('utf8'));
}

/** Null: not given. */
function readReport(
  read: Reader,
  body: OfferBody,
  name: 'report' | 'coApplicantReport',
  today: PlainDate,
): BureauReport | null {
  const given = partOf(body, name);
  if (given === null) return null;
  const report = readGivenReport(given, today);
  if (!isAnswerMistake(report)) return report;
  read.note(`/${name}/${report.member}`, { code: 'format', detail: `${report.detail}.` });
  return null;
}

/** A report that says nothing. */
function nothingKnown(today: PlainDate): BureauReport {
  const report = readGivenReport({}, today);
  if (isAnswerMistake(report)) throw new Error('An empty report could not be read.');
  return report;
}

/** Those in force on the day, unless the caller names others. */
function readVersions(read: Reader, { own }: OfferBody): Pick<UnderwritingInput, 'model' | 'policy'> {
  const { modelVersion, policyVersion } = own;
  const model = modelVersion === undefined ? null : modelOf(modelVersion);
  const policy = policyVersion === undefined ? null : policyOf(policyVersion);
  const unknown = (name: string, versions: readonly { version: string }[]) =>
    read.note(`/${name}`, {
      code: 'enum',
      detail: `Must be one of: ${versions.map(({ version }) => version).join(', ')}.`,
    });
  if (modelVersion !== undefined && model === null) unknown('modelVersion', MODELS);
  if (policyVersion !== undefined && policy === null) unknown('policyVersion', POLICIES);
  return { ...(model === null ? {} : { model }), ...(policy === null ? {} : { policy }) };
}
