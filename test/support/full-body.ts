/**
 * Complete bodies of POST /loans as a lender boards them: an application of the demonstration with the assessment that the product makes of
 * it and of simulated reports (60 deals with the cash flows of each, over 1,136 bureau members, PDF; some 900 KB). The same for the same
 * number.
 */
import type { Creation } from '../../src/boarding/creation.ts';
import { type BureauReport, type BureauSubject, isBureauFailure } from '../../src/bureau/bureau.ts';
import { simulate } from '../../src/bureau/simulator/simulator.ts';
import { date, type PlainDate } from '../../src/core/calendar.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import { type ApplicationOptions, applicationBody } from '../../src/demo/application.ts';
import { householdOf } from '../../src/demo/household.ts';
import { type Assessment, recordTexts, underwrite } from '../../src/underwriting/underwrite.ts';
import { creationOf } from './creation.ts';
import { everyDeal } from './underwriting/cashflows.ts';

const DAY = date('2026-01-15');

export function fullBody(n: number, options: ApplicationOptions = {}): object {
  const { body, assessment } = assessedApplication(n, options);
  const { Response, Underwriting } = recordTexts(assessment);
  // It is ours, beside the members of the interface.
  const { hardStops: _____, ...response } = JSON.parse(Response);
  const { pti: _, dti: __, ltv: ___, riskRating: ____, macroEconomicFeatures, ...figures } = assessment.details;
  return {
    ...body,
    ...figures,
    macroEconomicFeatures: JSON.parse(macroEconomicFeatures),
    Response: response,
    Underwriting: { ...JSON.parse(Underwriting), CashflowsCsv: everyDeal(assessment) },
  };
}

/** An application as read, and as the product assesses it on a day (by default that of the application); `created`: the day the loan is created. */
export function assessedApplication(
  n: number,
  { on = DAY, ...options }: ApplicationOptions,
  today = on,
  created = today,
): { body: object; creation: Creation; assessment: Assessment } {
  const body = applicationBody(n, { ...options, on }) as { Request: object };
  const creation = creationOf(body, created);
  const { contract, file, personal } = creation;
  const { applicant, coApplicant } = householdOf(n, on, options.score);
  const { firstName, lastName, middleInitial, born: dateOfBirth, street: address, place, zip } = applicant;
  const { city, state } = place;
  const known = { firstName, lastName, middleInitial, dateOfBirth, address, city, state, zip };
  const assessment = underwrite({
    request: body.Request,
    contract,
    principalAmount: file.principalAmount,
    term: file.term,
    prepaidFinanceCharge: file.prepaidFinanceCharge,
    applicationId: file.applicationId,
    today,
    at: `${today}T10:30:00.000-06:00`,
    primary: reportOn({ role: 'primary', ...known, ssn: applicant.ssn }, today),
    coApplicant: coApplicant && reportOn({ role: 'coApplicant', ...UNKNOWN, ssn: coApplicant.ssn }, today),
    vehicle: { ...file.vehicle, vin: personal.vin },
  });
  if (isRefusal(assessment)) throw new Error(`Application ${n} cannot be assessed: ${assessment.detail}`);
  return { body, creation, assessment };
}

/** Values of the co-applicant, of whom the application has only the number. */
const UNKNOWN = {
  ...{ firstName: '', lastName: '', middleInitial: '', dateOfBirth: '' },
  ...{ address: '', city: '', state: '', zip: '' },
};

function reportOn(subject: BureauSubject, today: PlainDate): BureauReport {
  const report = simulate(subject, { today, at: `${today}T10:30:00.000-06:00` });
  if (isBureauFailure(report)) throw new Error(report.detail);
  return report;
}
