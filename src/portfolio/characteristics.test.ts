import { expect, test } from 'vitest';
import { characteristicsOf, type Predicted } from './characteristics.ts';

const NOTHING: Predicted = {
  ...{ grade: '', state: '', predictedYield: '' },
  ...{ predictedPrincipalPaid: '', predictedChargeoffAmount: '', predictedRecoveredAmount: '' },
};
const loss = (paid: string, chargedOff: string, recovered: string) =>
  characteristicsOf({
    ...NOTHING,
    ...{ predictedPrincipalPaid: paid, predictedChargeoffAmount: chargedOff, predictedRecoveredAmount: recovered },
  }).predictedLoss;

test('the predicted loss is what is charged off and not recovered, percent of the principal', () => {
  expect(loss('9000', '1000', '250')).toBe('7.5');
  expect(loss('9000.00', '1000.00', '')).toBe('10');
  expect(loss('10000', '0', '0')).toBe('0');
  expect(loss('9000', '1000', '1200')).toBe('0');
});

test('of forecasts with up to six decimals too', () => {
  // 0.000001 of 1.5 is 0.0000667 %.
  expect(loss('1.499999', '0.000001', '')).toBe('0.000067');
  expect(loss('8999.987654', '1000.012346', '250.0030865')).toBeNull();
  expect(loss('8999.987654', '1000.012346', '250.003086')).toBe('7.500093');
});

test('is unknown without its figures', () => {
  expect(loss('', '1000', '')).toBeNull();
  expect(loss('9000', '', '')).toBeNull();
  expect(loss('0', '0', '')).toBeNull();
  expect(loss('9000', '-1', '')).toBeNull();
});
