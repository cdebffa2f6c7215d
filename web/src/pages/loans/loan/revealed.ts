/** Personal data to reveal: taken from the full record, which is then dropped. */
import { day } from '../../../format.ts';

export type Revealed = {
  readonly title: string;
  readonly facts: readonly { readonly label: string; readonly value: string }[];
};

const PARTIES = [
  { title: 'Borrower', member: 'ApplicantInfo', prefix: 'Applicant' },
  { title: 'Co-borrower', member: 'CoApplicantInfo', prefix: 'CoApplicant' },
] as const;

/** People without any value are left out, and so are facts that the record does not have. */
export function revealedIn(record: { readonly Request?: unknown }): Revealed[] {
  const request = membersOf(record.Request);
  const people = PARTIES.map(({ title, member, prefix }) => personIn(title, membersOf(request[member]), prefix));
  const vehicle = membersOf(request.VehicleInfo);
  const car = {
    title: 'Vehicle',
    facts: listed([
      ['Vehicle', join(' ', vehicle.VehicleYear, vehicle.VehicleMake, vehicle.VehicleModel)],
      ['VIN', text(vehicle.VehicleVIN)],
    ]),
  };
  return [...people, car].filter(({ facts }) => facts.length > 0);
}

/** The members that the owner keeps with the loan, if there are any. */
export function customIn({ customData }: { readonly customData: Readonly<Record<string, string>> }): Revealed[] {
  const facts = Object.entries(customData).map(([label, value]) => ({ label, value }));
  return facts.length === 0 ? [] : [{ title: 'Custom data', facts }];
}

function personIn(title: string, info: Record<string, unknown>, prefix: string): Revealed {
  const own = (name: string) => text(info[`${prefix}${name}`]);
  return {
    title,
    facts: listed([
      ['Name', join(' ', own('FirstName'), info.MiddleInitial, own('LastName'))],
      ['Address', own('FullAddress') || text(info.AddressFull) || addressOf(own)],
      ['Home phone', text(info.HomePhone)],
      ['Mobile phone', text(info.CellPhone) || text(info.MobilePhone)],
      ['Work phone', text(info.EmploymentWorkPhone)],
      ['E-mail', own('Email') || text(info.Email)],
      ['Date of birth', birthday(own('DOB'))],
      ['SSN', own('SSN')],
      ['Employer', text(info.EmploymentCompany)],
    ]),
  };
}

const addressOf = (own: (name: string) => string): string =>
  join(', ', own('Address'), own('City'), join(' ', own('State'), own('Zip')));

/** "19960502" or "1996-05-02" as "May 2, 1996"; anything else as it stands. */
function birthday(given: string): string {
  const parts = /^(\d{4})-?(\d\d)-?(\d\d)$/.exec(given);
  return parts === null ? given : day(`${parts[1]}-${parts[2]}-${parts[3]}`);
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
const text = (value: unknown): string =>
  typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
const join = (between: string, ...parts: unknown[]): string => parts.map(text).filter(Boolean).join(between);
const listed = (facts: [label: string, value: string][]) =>
  facts.filter(([, value]) => value !== '').map(([label, value]) => ({ label, value }));

export const PURPOSES = [
  'Call from the borrower',
  'Call to the borrower',
  'Payment or payoff question',
  'Letter or notice to the borrower',
  'Dispute or complaint',
  'Identity check',
  'Review or audit',
];
