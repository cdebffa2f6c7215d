/**
 * Complete bodies of POST /loans as a lender boards them: an application of the demonstration, assessed by the service's own underwriting
 * with simulated reports (60 deals, over 1,136 bureau members, PDF, CSV; some 900 KB). The same for the same number.
 */
import type { Creation } from '../../src/boarding/creation.ts';
import type { BureauReport } from '../../src/bureau/bureau.ts';
import { simulateScore } from '../../src/bureau/simulator/simulator.ts';
import { date, type PlainDate } from '../../src/core/calendar.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import { type ApplicationOptions, applicationBody } from '../../src/demo/application.ts';
import type { Scored } from '../../src/demo/bureau.ts';
import { householdOf, peopleOf } from '../../src/demo/household.ts';
import { type Assessment, recordTexts, underwrite } from '../../src/underwriting/underwrite.ts';
import { creationOf } from './creation.ts';

const DAY = date('2026-01-15');

export function fullBody(n: number, options: ApplicationOptions = {}): object {
  const { body, assessment } = assessedApplication(n, options);
  const { Response, Underwriting } = recordTexts(assessment);
  const { pti: _, dti: __, ltv: ___, riskRating: ____, macroEconomicFeatures, ...figures } = assessment.details;
  return {
    ...body,
    ...figures,
    macroEconomicFeatures: JSON.parse(macroEconomicFeatures),
    Response: JSON.parse(Response),
    Underwriting: JSON.parse(Underwriting),
  };
}

/** An application as read, and as the service assesses it on a day (by default that of the application). */
export function assessedApplication(
  n: number,
  { on = DAY, ...options }: ApplicationOptions,
  today = on,
): { body: object; creation: Creation; assessment: Assessment } {
  const body = applicationBody(n, { ...options, on }) as { Request: object };
  const creation = creationOf(body, today);
  const { contract, file, personal } = creation;
  const household = householdOf(n, on, options.score);
  const [primary, coApplicant] = peopleOf(household).map((person, i) => reportOn(household, person, i, today));
  const assessment = underwrite({
    request: body.Request,
    contract,
    principalAmount: file.principalAmount,
    term: file.term,
    prepaidFinanceCharge: file.prepaidFinanceCharge,
    applicationId: file.applicationId,
    today,
    at: `${today}T10:30:00.000-06:00`,
    primary: primary as BureauReport,
    coApplicant: coApplicant ?? null,
    macro: null,
    vehicle: { ...file.vehicle, vin: personal.vin },
  });
  if (isRefusal(assessment)) throw new Error(`Application ${n} cannot be assessed: ${assessment.detail}`);
  return { body, creation, assessment };
}

/** Of the co-applicant the application has only the number. */
function reportOn(
  { applicant }: ReturnType<typeof householdOf>,
  { ssn, score }: Scored,
  i: number,
  today: PlainDate,
): BureauReport {
  const { firstName, lastName, middleInitial, born: dateOfBirth, street: address, city, state, zip } = applicant;
  const unknown = {
    firstName: '',
    lastName: '',
    middleInitial: '',
    dateOfBirth: '',
    address: '',
    city: '',
    state: '',
    zip: '',
  };
  const known = { firstName, lastName, middleInitial, dateOfBirth, address, city, state, zip };
  const subject = i === 0 ? { role: 'primary' as const, ...known } : { role: 'coApplicant' as const, ...unknown };
  return simulateScore({ ...subject, ssn }, { today, at: `${today}T10:30:00.000-06:00` }, score);
}
