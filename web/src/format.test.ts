import { describe, expect, it } from 'vitest';
import {
  cents,
  day,
  forecastMoney,
  fromCents,
  money,
  month,
  percent,
  plainAmount,
  share,
  typedAmount,
  words,
} from './format.ts';

describe('figures and dates as people read them', () => {
  it('shows amounts with two decimals, grouped, and a real minus', () => {
    expect(['13,921.15', '25', '0', '-3.5', '1234567.8', '', null, 'x'].map(money)).toEqual([
      '13,921.15',
      '25.00',
      '0.00',
      '−3.50',
      '1,234,567.80',
      '—',
      '—',
      '—',
    ]);
  });
  it('shows a forecast with two decimals, whatever it has: half away from zero', () => {
    expect(
      ['1,234.5678', '-0.005', '0.994999', '9.995', '25', '-3.5', '1.1234567', '', null].map(forecastMoney),
    ).toEqual([...['1,234.57', '−0.01', '0.99', '10.00', '25.00', '−3.50', '—', '—', '—']]);
  });
  it('adds cents exactly, beyond what a floating-point number holds', () => {
    const sum = (cents('90,071,992,547,409.93') ?? 0n) + (cents('0.01') ?? 0n);
    expect(fromCents(sum)).toBe('90,071,992,547,409.94');
    expect(plainAmount(sum)).toBe('90071992547409.94');
  });
  it('takes what a person types as an amount', () => {
    expect(['506.2', '$ 1,000', '12.345', 'ten', ''].map(typedAmount)).toEqual(['506.20', '1000.00', null, null, null]);
  });
  it('writes dates, months, percents and names', () => {
    expect([day('2026-11-05'), month('2026-11'), day(null)]).toEqual(['Nov 5, 2026', 'Nov 2026', '—']);
    expect([percent('7.25'), percent('-0.5'), share('0.105128'), percent('')]).toEqual([
      '7.25 %',
      '−0.50 %',
      '10.51 %',
      '—',
    ]);
    expect(['daysPastDue', 'loan-repay', 'payment.returned'].map(words)).toEqual([
      'Days past due',
      'Loan repay',
      'Payment returned',
    ]);
  });
});
