import { describe, expect, test } from 'vitest';
import { Reader } from '../core/reader.ts';
import { maskedVin, readVehicle } from './vehicle.ts';

const VIN = '1HGCM82633A004352';

function vehicle(given: Record<string, string>, application: Record<string, string> = {}) {
  const read = new Reader();
  const found = readVehicle(read, given, new Map(Object.entries(application)), '/loanInfo');
  return read.isClean ? found : read.mistakes.map(({ pointer, code }) => `${pointer} ${code}`);
}

describe('a VIN of loanInfo', () => {
  test.each([VIN, '1M8GDM9AXKP042788', '11111111111111111', VIN.toLowerCase()])('%s has its check digit', (vin) => {
    expect(vehicle({ vin })).toMatchObject({ vin: vin.toUpperCase() });
  });

  test.each([
    ['1HGCM82634A004352', 'check_digit'],
    ['1M8GDM9A1KP042788', 'check_digit'],
    ['1HGCM82633A00435', 'format'],
    ['1HGCM82633A00435O', 'format'],
    ['1HGCM82633A 04352', 'format'],
  ])('%s is refused: %s', (vin, code) => {
    expect(vehicle({ vin })).toEqual([`/loanInfo/vin ${code}`]);
  });

  test('needs no check digit before the model year 1981', () => {
    expect(vehicle({ vin: '1HGCM82634A004352', year: '1980' })).toMatchObject({ vin: '1HGCM82634A004352' });
    expect(vehicle({ vin: '1HGCM82634A004352', year: '1981' })).toEqual(['/loanInfo/vin check_digit']);
  });

  test('must name the vehicle that the application names', () => {
    expect(vehicle({ vin: VIN }, { VehicleVIN: '1M8GDM9AXKP042788' })).toEqual(['/loanInfo/vin contradiction']);
    expect(vehicle({ vin: VIN }, { VehicleVIN: VIN.toLowerCase() })).toMatchObject({ vin: VIN });
    expect(vehicle({ vin: VIN }, { VehicleVIN: 'on order' })).toMatchObject({ vin: VIN });
  });
});

describe('what loanInfo leaves out', () => {
  const application = {
    VehicleMake: 'Honda',
    VehicleModel: 'Accord EX',
    VehicleYear: '2003',
    VehicleAge: '23',
    VehicleMileage: '88,400',
    VehicleVIN: 'bad vin',
  };

  test('is taken from the application, where nothing is refused', () => {
    expect(vehicle({}, application)).toEqual({
      ...{ make: 'Honda', model: 'Accord EX', year: '2003', age: '23', mileage: '88400', vin: 'BAD VIN' },
    });
    expect(vehicle({ make: 'Acura', year: '2004' }, application)).toMatchObject({
      make: 'Acura',
      year: '2004',
      age: '23',
    });
  });

  test('is empty when the application holds something else there', () => {
    const odd = { VehicleMake: 'x'.repeat(101), VehicleModel: 'a\nb', VehicleYear: '03', VehicleMileage: 'many' };
    expect(vehicle({}, odd)).toEqual({ make: '', model: '', year: '', age: '', mileage: '', vin: '' });
  });

  test('is refused when loanInfo itself is wrong', () => {
    expect(vehicle({ year: '03', age: '-1', mileage: '12.5' })).toEqual([
      ...['/loanInfo/year format', '/loanInfo/age format', '/loanInfo/mileage format'],
    ]);
  });
});

test('the public record shows the first eleven characters of a VIN, and nothing of other text', () => {
  expect(maskedVin(VIN)).toBe('1HGCM82633A******');
  expect(maskedVin('BAD VIN')).toBe('*'.repeat(17));
  expect(maskedVin('')).toBe('');
});
