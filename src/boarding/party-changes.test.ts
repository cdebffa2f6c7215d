import { expect, test } from 'vitest';
import { hasParty, type PartyUpdate, searchTermsOf, withPartyChanges } from './party-changes.ts';

const RECORD =
  '"Request":{"ApplicantInfo": {"ApplicantDOB":"19800102", "ApplicantLastName" : "Smith","HomePhone":"5551234567","note":"a \\"quote\\" }"},' +
  '"CoApplicantInfo":{"CoApplicantSSN":"666-00-0001"}},"Response":{},"Underwriting":{}';

const shown = (updates: readonly PartyUpdate[], record = RECORD) =>
  JSON.parse(`{${withPartyChanges(record, updates)}}`).Request;

test('members are replaced where they stand, others are appended, and everything else stays to the letter', () => {
  const text = withPartyChanges(RECORD, [
    { party: 'applicant', changes: { lastName: 'O"Neil\\', phone: '614-555-0173' } },
    { party: 'applicant', changes: { email: 'a@example.com' } },
  ]);
  expect(text).toBe(
    '"Request":{"ApplicantInfo": {"ApplicantDOB":"19800102", "ApplicantLastName" : "O\\"Neil\\\\","HomePhone":"614-555-0173","note":"a \\"quote\\" }",' +
      '"ApplicantEmail":"a@example.com","Email":"a@example.com"},' +
      '"CoApplicantInfo":{"CoApplicantSSN":"666-00-0001"}},"Response":{},"Underwriting":{}',
  );
});

test('an address is shown in all its members, also the parts that the new one does not have', () => {
  const first = { street: '12 Oak St', unit: 'Apt 4', city: 'Dayton', state: 'oh', zip: '45402', county: 'Montgomery' };
  const second = { street: 'PO Box 7', city: 'Gary', state: 'IN', zip: '46402-1234' };
  expect(shown([{ party: 'applicant', changes: { address: first } }]).ApplicantInfo).toMatchObject({
    ...{ ApplicantAddress: '12 Oak St', ApplicantCity: 'Dayton', ApplicantState: 'OH', ApplicantZip: '45402' },
    ...{ AddressFull: '12 Oak St Apt 4, Dayton, OH 45402', ApplicantFullAddress: '12 Oak St Apt 4, Dayton, OH 45402' },
    ...{ County: 'Montgomery', StreetNumber: '12', UnitNumber: 'Apt 4' },
  });
  const both: PartyUpdate[] = [first, second].map((address) => ({ party: 'applicant', changes: { address } }));
  expect(shown(both).ApplicantInfo).toMatchObject({
    ...{ ApplicantAddress: 'PO Box 7', ApplicantCity: 'Gary', ApplicantState: 'IN', ApplicantZip: '46402-1234' },
    ...{ AddressFull: 'PO Box 7, Gary, IN 46402-1234', County: '', StreetNumber: '', UnitNumber: '' },
  });
});

test('a later update overrides an earlier one member by member, and null empties a member', () => {
  const updates: PartyUpdate[] = [
    { party: 'applicant', changes: { phone: '1111111', email: 'a@b' } },
    { party: 'coApplicant', changes: { phone: '2222222', lastName: 'Jones' } },
    { party: 'applicant', changes: { phone: null } },
  ];
  expect(shown(updates)).toMatchObject({
    ApplicantInfo: { HomePhone: '', ApplicantEmail: 'a@b' },
    CoApplicantInfo: { CoApplicantSSN: '666-00-0001', HomePhone: '2222222', CoApplicantLastName: 'Jones' },
  });
});

test('of a name that is repeated every member is replaced', () => {
  const record = RECORD.replace('"ApplicantDOB"', '"HomePhone":"1","ApplicantDOB"');
  expect(withPartyChanges(record, [{ party: 'applicant', changes: { phone: '3333333' } }])).not.toContain('5551234567');
});

test('what is written has the types of the interface: strings, also where a value is removed', () => {
  const address = { street: '12 Oak St', city: 'Dayton', state: 'OH', zip: '45402' };
  const changes = { address, phone: null, workPhone: null, email: null, employer: null, middleInitial: null };
  for (const party of ['applicant', 'coApplicant'] as const) {
    const { ApplicantInfo, CoApplicantInfo } = shown([
      { party, changes: { ...changes, firstName: 'A', lastName: 'B' } },
    ]);
    const read = party === 'applicant' ? ApplicantInfo : CoApplicantInfo;
    for (const [name, value] of Object.entries(read)) expect([name, typeof value]).toEqual([name, 'string']);
  }
});

test('a co-applicant is on the loan when any of its members has a value', () => {
  expect(hasParty(RECORD, 'coApplicant')).toBe(true);
  for (const value of ['{}', '{"CoApplicantSSN":""}', '{"CoApplicantSSN":" ","MonthlyGross":null}']) {
    const record = `"Request":{"ApplicantInfo":{},"CoApplicantInfo":${value}},"Response":{},"Underwriting":{}`;
    expect(hasParty(record, 'coApplicant')).toBe(false);
    expect(hasParty(record, 'applicant')).toBe(true);
  }
});

test('a loan can be found by the new values; a new name needs the date of birth', () => {
  const changes = { phone: '614-555-0173', workPhone: null, email: 'a@b', lastName: 'Jones' };
  expect(searchTermsOf(RECORD, { party: 'applicant', changes })).toEqual({
    phone: ['614-555-0173'],
    email: 'a@b',
    lastName: 'Jones',
    dateOfBirth: '19800102',
  });
  expect(searchTermsOf(RECORD, { party: 'coApplicant', changes: { lastName: 'Jones' } })).toEqual({});
});
