import { describe, expect, test } from 'vitest';
import { date } from '../core/calendar.ts';
import { vinCheckDigit } from '../core/vin.ts';
import { demandsOfSigns, duplicateSigns, figureSigns, type Match } from './signs.ts';

const own = { createdOn: date('2026-03-20'), applied: true };
const match = (loanId: string, day: string, more: Partial<Match> = {}): Match => ({
  ...{ kind: 'ssn', of: 'applicant', loanId, createdOn: date(day), applied: true },
  ...more,
});
const names = (matches: readonly Match[], of = own) =>
  duplicateSigns(matches, of).map(({ sign, loans }) => [sign, loans]);

describe('velocity', () => {
  test('is three applications within thirty days, this one among them', () => {
    expect(names([match('a', '2026-02-19'), match('b', '2026-03-10')])).toEqual([
      ['samePerson', ['b', 'a']],
      ['velocity', ['b', 'a']],
    ]);
    expect(names([match('a', '2026-02-18'), match('b', '2026-03-10')])).toEqual([['samePerson', ['b', 'a']]]);
    const [, velocity] = duplicateSigns([match('a', '2026-03-25'), match('b', '2026-04-02')], own);
    expect(velocity).toMatchObject({ sign: 'velocity', since: '2026-04-02' });
  });

  test('is not of loans that were boarded, nor of one person here and one telephone there', () => {
    const boarded = { applied: false };
    expect(names([match('a', '2026-03-18', boarded), match('b', '2026-03-19')])).toEqual([['samePerson', ['b', 'a']]]);
    expect(names([match('a', '2026-03-18'), match('b', '2026-03-19')], { ...own, applied: false })).toHaveLength(1);
    expect(names([match('a', '2026-03-18'), match('b', '2026-03-19', { kind: 'phone' })])).toEqual([
      ['samePerson', ['a']],
      ['samePhone', ['b']],
    ]);
  });
});

const vinOf = (start: string) => {
  const vin = start.padEnd(17, '0');
  return vin.slice(0, 8) + vinCheckDigit(vin) + vin.slice(9);
};
const CAR = vinOf('1HGCV1F30JA000001');
const collateral = { depreciation: [{ age: 0, perYear: 0.15 }] };

function figures({ applicant = {}, co = {}, vehicle = {}, value = '12,000', vin = CAR } = {}) {
  const request = {
    ApplicantInfo: { ApplicantSSN: '666-00-0001', MonthlyGross: 6_500, ...applicant },
    CoApplicantInfo: { CoApplicantSSN: '', ...co },
    VehicleInfo: { VehicleWholesaleValue: value },
  };
  const of = { year: '2018', age: '', mileage: '80000', vin, ...vehicle };
  const asked = { request, vehicle: of, today: date('2026-03-20'), collateral };
  return figureSigns(asked).map(({ sign }) => sign);
}

test.each<[string, Parameters<typeof figures>[0], string[]]>([
  ['nothing', {}, []],
  ['one number for two', { co: { CoApplicantSSN: '666000001' } }, ['oneNumber']],
  ['a cook with 90,000 a year', { applicant: { MonthlyGross: 7_500, EmploymentOccupation: 'Line cook' } }, ['income']],
  ['a cook with 70,000 a year', { applicant: { MonthlyGross: 5_800, EmploymentOccupation: 'Cooks' } }, []],
  ['an engineer with 90,000', { applicant: { MonthlyGross: 7_500, EmploymentOccupation: 'Engineer' } }, []],
  ['500,000 of an unknown occupation', { applicant: { MonthlyGross: 42_000 } }, ['income']],
  ['another income of any size', { applicant: { OtherIncomeAmount: '42,000' } }, []],
  ['another model year', { vehicle: { year: '2020' } }, ['vehicleYear']],
  ['an odometer that stood still', { vehicle: { mileage: '9000' } }, ['mileage']],
  ['many miles', { vehicle: { mileage: '310000' } }, ['mileage']],
  ['a high value', { value: '45,000' }, ['vehicleValue']],
  [
    'a maker that is not in the table',
    { vin: vinOf('1HD1GP4508K319097'), vehicle: { year: '2008', mileage: '1' } },
    [],
  ],
])('%s', (_, asked, expected) => {
  expect(figures(asked)).toEqual(expected);
});

test('of each kind there is one demand for each person', () => {
  const found = duplicateSigns(
    [
      match('a', '2026-03-01'),
      match('b', '2026-01-01', { kind: 'phone' }),
      match('c', '2026-01-01', { kind: 'address', of: 'coApplicant' }),
      match('d', '2026-01-01', { kind: 'vin', of: 'vehicle' }),
    ],
    own,
  );
  expect(demandsOfSigns(found).map(({ kind, person }) => [kind, person])).toEqual([
    ['resolveSign', 'applicant'],
    ['title', undefined],
    ['resolveSign', 'coApplicant'],
  ]);
});
