/** `Request` of an application: every member that the interface lists, in its order. */
import type { SeededRandom } from '../bureau/simulator/random.ts';
import { type Cents, cents, formatCents, ZERO } from '../core/money.ts';
import type { Household } from './household.ts';
import type { Income, Purchase } from './purchase.ts';
import type { Vehicle } from './vehicle.ts';

export type Applied = {
  readonly applicationId: string;
  readonly household: Household;
  readonly vehicle: Vehicle;
  readonly purchase: Purchase;
  readonly income: Income;
  readonly months: number;
  /** One installment, and the total of an average month. */
  readonly payment: Cents;
  readonly monthlyPayment: Cents;
};

export function requestOf(of: SeededRandom, applied: Applied): object {
  const { applicationId, household, vehicle, purchase, income, months, payment, monthlyPayment } = applied;
  const { applicant, coApplicant } = household;
  const { city, county, state, dealer } = applicant.place;
  const dollars = (amount: Cents | null) => (amount === null ? null : formatCents(amount));
  const yearly = formatCents(cents(income.gross * 12));
  const fullAddress = `${applicant.street}, ${city}, ${state} ${applicant.zip}`;
  const shareOfIncome = (amount: number) => (amount / (income.gross + (income.other ?? 0))).toFixed(4);
  return {
    ApplicantInfo: {
      AddressFull: fullAddress,
      AddressTotalMonths: String(applicant.monthsAtAddress),
      ApplicantAddress: applicant.street,
      ApplicantAge: String(applicant.age),
      ApplicantCity: city,
      ApplicantDOB: applicant.born.replaceAll('-', ''),
      ApplicantEmail: applicant.email,
      ApplicantEmploymentTime: String(applicant.monthsEmployed),
      ApplicantEmploymentTypes: income.employment,
      ApplicantFirstName: applicant.firstName,
      ApplicantFullAddress: fullAddress,
      ApplicantIncome: yearly,
      ApplicantIncomePrimary: yearly,
      ApplicantLastName: applicant.lastName,
      ApplicantResidencePays: applicant.housing ?? 'Family',
      ApplicantSSN: applicant.ssn,
      ApplicantState: state,
      ApplicantTimeAtResidence: String(applicant.monthsAtAddress),
      ApplicantZip: applicant.zip,
      County: county,
      Email: of.oneIn(3) ? null : applicant.email,
      EmploymentCompany: income.employment === 'Self Employed' ? 'Own business' : applicant.employer,
      EmploymentTotalMonths: String(applicant.monthsEmployed),
      EmploymentType: income.employment,
      EmploymentWorkPhone: applicant.workPhone,
      EstimatedIncome: yearly,
      HomePhone: applicant.phone,
      HousingMonthlyPayment: dollars(income.housing ?? ZERO),
      MiddleInitial: applicant.middleInitial,
      MonthlyGross: income.gross / 100,
      OtherIncomeAmount: dollars(income.other),
      OtherIncomeType: income.other === null ? '' : 'Second job',
      ReportedIncome: yearly,
      StreetNumber: applicant.streetNumber,
      UnitNumber: applicant.unit,
    },
    ApplicationInfo: {
      ApplicantNumber: '1',
      ApplicantsNumber: coApplicant === null ? '1' : '2',
      ApplicationID: applicationId,
      ApplicationType: 'Complete',
      RefiBool: 'False',
      RequestedLoanID: `${applicationId}-L1`,
    },
    CoApplicantInfo: { CoApplicantSSN: coApplicant?.ssn ?? '' },
    DealerInfo: { DealerID: dealer.id, DealerName: dealer.name, DealerState: state },
    PartnerInfo: { PartnerName: 'Daybook Demo', ProgramPartner: 'Direct' },
    RequestedTermsInfo: {
      RequestedLoanAmount: formatCents(purchase.amount),
      RequestedLoanBackendProductsAmount: formatCents(purchase.products),
      RequestedLoanDTI: shareOfIncome(monthlyPayment + income.obligations),
      RequestedLoanDownPayment: formatCents(purchase.downPayment),
      RequestedLoanGAP: formatCents(purchase.gap),
      RequestedLoanPTI: shareOfIncome(monthlyPayment),
      RequestedLoanPayment: formatCents(payment),
      RequestedLoanRate: purchase.rate,
      RequestedLoanTerm: String(months),
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
