/**
 * File of an application for the underwriter, from its full record. Numbers and names that a decision does not need, such as
 * the social security number, are left in the record.
 */
import { day, money, percent, words } from '../../format.ts';

export type Fact = { label: string; value: string };
export type File = {
  applicant: readonly Fact[];
  credit: readonly Fact[];
  requested: readonly Fact[];
  vehicle: readonly Fact[];
  stipulations: readonly string[];
  comments: readonly string[];
};

type Members = Readonly<Record<string, unknown>>;
const part = (of: unknown, name: string): Members => {
  const found = (of as Members | null | undefined)?.[name];
  return typeof found === 'object' && found !== null ? (found as Members) : {};
};
/** A figure is text or a number; it may be empty. */
const text = (value: unknown): string =>
  typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(text).filter((one) => one !== '') : []);
const amount = (value: unknown): string => {
  const shown = money(typeof value === 'number' ? value.toFixed(2) : text(value));
  return shown === '—' ? '' : shown;
};
const date = (value: unknown): string => (text(value) === '' ? '' : day(text(value)));
const months = (value: unknown): string => (text(value) === '' ? '' : `${text(value)} months`);
const facts = (rows: readonly (readonly [label: string, value: string])[]): Fact[] =>
  rows.filter(([, value]) => value !== '').map(([label, value]) => ({ label, value }));

export function readFile(record: unknown): File {
  const [request, response, underwriting] = ['Request', 'Response', 'Underwriting'].map((name) => part(record, name));
  const person = part(request, 'ApplicantInfo');
  const other = part(request, 'CoApplicantInfo');
  const dealer = part(request, 'DealerInfo');
  const requested = part(request, 'RequestedTermsInfo');
  const vehicle = part(request, 'VehicleInfo');
  const credit = part(underwriting, 'PrimaryCreditInfo');
  const name = (of: Members, prefix: string) =>
    [of[`${prefix}FirstName`], of[`${prefix}LastName`]].map(text).join(' ').trim();
  const score = (value: unknown) => (['', '0'].includes(text(value)) ? '' : text(value));
  return {
    applicant: facts([
      ['Applicant', name(person, 'Applicant')],
      ['Co-applicant', name(other, 'CoApplicant')],
      ['Income per month', amount(person.MonthlyGross)],
      ['Other income', amount(person.OtherIncomeAmount)],
      ['Employment', [text(person.EmploymentType), text(person.EmploymentCompany)].filter(Boolean).join(', ')],
      ['Employed for', months(person.EmploymentTotalMonths)],
      [
        'Housing',
        [text(person.ApplicantResidencePays), amount(person.HousingMonthlyPayment)].filter(Boolean).join(', '),
      ],
      ['At the address for', months(person.AddressTotalMonths)],
      ['State', text(person.ApplicantState)],
      ['Dealer', [text(dealer.DealerName), text(dealer.DealerState)].filter(Boolean).join(', ')],
    ]),
    credit: facts([
      ['Score', score(response?.CreditScorePrimary) || score(credit.CreditScore)],
      ['Co-applicant’s score', score(response?.CreditScoreCoapplicant)],
      ['Report date', date(credit.ApplicantCreditReportDate)],
      ['In file since', date(credit.InFileSinceDate)],
      ['Number matches', words(text(credit.FileSummarySsnMatchIndicator))],
      ['Decision', words(text(response?.Decision).toLowerCase())],
      ['Principal reason', text(response?.DeclineReason)],
    ]),
    requested: facts([
      ['Amount', amount(requested.RequestedLoanAmount)],
      ['Down payment', amount(requested.RequestedLoanDownPayment)],
      ['Products', amount(requested.RequestedLoanBackendProductsAmount)],
      ['Term', months(requested.RequestedLoanTerm)],
      ['Rate', text(requested.RequestedLoanRate) === '' ? '' : percent(text(requested.RequestedLoanRate))],
    ]),
    vehicle: facts([
      [
        'Vehicle',
        ['VehicleYear', 'VehicleMake', 'VehicleModel']
          .map((key) => text(vehicle[key]))
          .join(' ')
          .trim(),
      ],
      ['VIN', text(vehicle.VehicleVIN)],
      ['Mileage', text(vehicle.VehicleMileage) && Number(text(vehicle.VehicleMileage)).toLocaleString('en-US')],
      ['Wholesale value', amount(vehicle.VehicleWholesaleValue)],
      ['Retail value', amount(vehicle.VehicleRetailValue)],
    ]),
    stipulations: texts(response?.Stipulations),
    comments: texts(response?.Comments),
  };
}

/** A reason of a deal in the words of the record. `deal`: it names another deal that would be approved. */
export type Reason = { text: string; deal: number | null };

const WOULD = /^Would be approved: Deal (\d{1,5}): (.+)$/;

export function readReason(reason: string): Reason {
  const found = WOULD.exec(reason);
  return found === null ? { text: reason, deal: null } : { text: found[2] ?? '', deal: Number(found[1]) };
}
