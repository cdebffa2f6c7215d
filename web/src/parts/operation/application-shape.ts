/**
 * The application in fields. The interface takes any object; these are the members that the assessment reads, and those that a lender asks
 * everybody for. An application with others is given as JSON.
 */
import type { Field, Shape } from './shape.ts';

const text: Shape = { kind: 'text', max: 200 };
const amount: Shape = { kind: 'decimal', positive: true };
const months: Shape = { kind: 'whole', min: 0, max: 1_200, asText: true };
const field = (name: string, label: string, shape: Shape = text): Field => ({ name, label, shape, required: false });
const part = (name: string, label: string, fields: readonly Field[]): Field =>
  field(name, label, { kind: 'object', fields });

/** A test compares them with the list of the service. */
export const STATES =
  'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY AS GU MP PR VI'.split(
    ' ',
  );
const state: Shape = { kind: 'choice', of: STATES };
const ssn: Shape = {
  kind: 'text',
  pattern: String.raw`^\d{3}-?\d{2}-?\d{4}$`,
  like: 'nine digits, such as 666-12-3456',
};

const FIELDS: readonly Field[] = [
  part('ApplicantInfo', 'Applicant', [
    field('ApplicantFirstName', 'First name'),
    field('MiddleInitial', 'Middle initial'),
    field('ApplicantLastName', 'Last name'),
    field('ApplicantDOB', 'Date of birth', { kind: 'text', format: 'date', digits: true }),
    field('ApplicantSSN', 'Social security number', ssn),
    field('ApplicantEmail', 'Email', { kind: 'text', format: 'email', max: 200 }),
    field('HomePhone', 'Phone'),
    field('ApplicantAddress', 'Street address'),
    field('ApplicantCity', 'City'),
    field('ApplicantState', 'State', state),
    field('ApplicantZip', 'ZIP code', {
      kind: 'text',
      pattern: String.raw`^\d{5}(?:-?\d{4})?$`,
      like: 'five or nine digits',
    }),
    field('AddressTotalMonths', 'Months at the address', months),
    field('HousingMonthlyPayment', 'Rent or mortgage, per month', amount),
    field('MonthlyGross', 'Income before tax, per month', { kind: 'decimal', number: true, positive: true }),
    field('OtherIncomeAmount', 'Other income, per month', amount),
    field('EmploymentCompany', 'Employer'),
    field('EmploymentTotalMonths', 'Months employed', months),
  ]),
  part('CoApplicantInfo', 'Co-applicant', [
    field('CoApplicantSSN', 'Social security number', ssn),
    field('MonthlyGross', 'Income before tax, per month', { kind: 'decimal', number: true, positive: true }),
  ]),
  part('VehicleInfo', 'Vehicle', [
    field('VehicleVIN', 'VIN', {
      kind: 'text',
      pattern: '^[A-HJ-NPR-Za-hj-npr-z0-9]{17}$',
      like: '17 letters and digits, without I, O and Q',
    }),
    field('VehicleYear', 'Model year', { kind: 'whole', min: 1900, max: 2100, asText: true }),
    field('VehicleMake', 'Make'),
    field('VehicleModel', 'Model'),
    field('VehicleMileage', 'Mileage', { kind: 'whole', min: 0, max: 2_000_000, asText: true }),
    field('VehicleWholesaleValue', 'Wholesale value', amount),
    field('VehicleRetailValue', 'Retail value', amount),
  ]),
  part('RequestedTermsInfo', 'Requested terms', [
    field('RequestedLoanDownPayment', 'Down payment', amount),
    field('RequestedLoanBackendProductsAmount', 'Products financed', {
      kind: 'decimal',
      positive: true,
      note: 'Service contract, gap cover and the like.',
    }),
  ]),
  part('DealerInfo', 'Dealer', [
    field('DealerID', 'Dealer number'),
    field('DealerName', 'Name'),
    field('DealerState', 'State', state),
  ]),
];

export const APPLICATION: Shape = {
  kind: 'either',
  options: [
    { kind: 'object', title: 'In fields', fields: FIELDS },
    { kind: 'json', title: 'As JSON', note: 'An object with these and any additional fields.' },
  ],
};
