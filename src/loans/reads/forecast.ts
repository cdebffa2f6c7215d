/** The underwriting model on a loan that is being repaid: what is still to come of it, and what that is worth. */
import { parts } from '../../core/calendar.ts';
import { isGrade } from '../../core/grade.ts';
import type { Loan } from '../../core/loan.ts';
import type { Refusal } from '../../core/refusal.ts';
import { type Reforecast, reforecast } from '../../underwriting/reforecast.ts';
import type { LoanView, PublicView } from './view.ts';

/** From the loan's state on the day of the view and the figures it began with; nothing about the person is needed. */
export function forecastOf({ loan, file }: Pick<PublicView['view'], 'loan' | 'file'>): Reforecast | Refusal {
  return reforecast(loan, {
    defaultProbability: numberOf(file.defaultProbability),
    grade: isGrade(file.grade) ? file.grade : null,
    ltv: numberOf(file.ltv),
    vehicleAge: ageAtStart(loan, file.vehicle),
    mileage: numberOf(file.vehicle.mileage),
  });
}

/** As underwriting reads it: by the model year; by the given age where there is none. */
function ageAtStart({ terms }: Loan, { year, age }: LoanView['file']['vehicle']): number | null {
  const start = terms?.disbursements[0]?.date;
  const model = numberOf(year);
  return start === undefined || model === null ? numberOf(age) : Math.max(0, parts(start)[0] - model);
}

function numberOf(text: string): number | null {
  return /^\d{1,9}(\.\d+)?$/.test(text) ? Number(text) : null;
}
