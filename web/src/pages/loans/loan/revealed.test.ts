import { describe, expect, it } from 'vitest';
import { revealedIn } from './revealed.ts';

describe('what is revealed', () => {
  it('has each person with what the record has of them', () => {
    const shown = revealedIn({
      Request: {
        ApplicantInfo: {
          ApplicantFirstName: 'Robin',
          MiddleInitial: 'Q',
          ApplicantLastName: 'Example',
          ApplicantAddress: '1 Main Street',
          ApplicantCity: 'Anytown',
          ApplicantState: 'DE',
          ApplicantZip: '19801',
          HomePhone: '302-555-0100',
          ApplicantDOB: '19960502',
          ApplicantSSN: '666-00-0001',
          Email: null,
        },
        CoApplicantInfo: { CoApplicantSSN: '' },
        VehicleInfo: { VehicleYear: '2025', VehicleMake: 'Honda', VehicleModel: 'Accord', VehicleVIN: '1Z9' },
      },
    });
    expect(shown.map(({ title }) => title)).toEqual(['Borrower', 'Vehicle']);
    expect(shown[0]?.facts).toEqual([
      { label: 'Name', value: 'Robin Q Example' },
      { label: 'Address', value: '1 Main Street, Anytown, DE 19801' },
      { label: 'Home phone', value: '302-555-0100' },
      { label: 'Date of birth', value: 'May 2, 1996' },
      { label: 'SSN', value: '666-00-0001' },
    ]);
  });

  it('is nothing after an erasure', () => {
    expect(revealedIn({ Request: {} })).toEqual([]);
    expect(revealedIn({})).toEqual([]);
  });
});
