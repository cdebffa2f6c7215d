/**
 * Composition of a rate. The parts add up to the buy rate before any cap; a cap lowers it; the markup leads from there to the rate of the
 * contract. In ten-thousandths of a percent, so that the sum is exact.
 */
import type { Deal } from './figures.ts';

export type Part = {
  key: string;
  label: string;
  means: string /** Ten-thousandths of a percent a year. */;
  value: number;
};
export type BuildUp = { parts: readonly Part[]; buyRate: number; total: number };

const PARTS = [
  ['funds', 'Funds', 'Cost of the money lent'],
  ['expectedLoss', 'Expected loss', 'Expected cost of defaults, after recoveries'],
  ['shortTerm', 'Short term', 'What a loan that is short for its risk pays besides'],
  ['servicing', 'Servicing', 'Cost of servicing the loan'],
  ['capital', 'Capital', 'The return on the lender’s own capital'],
  ['acquisition', 'Acquisition', 'Cost of acquiring and originating the loan'],
] as const;

const RATE = /^(-?)(\d{1,6})(?:\.(\d{1,4})\d*)?$/;

/** "8.75" as 87500; null if it is no rate. */
export function rateUnits(text: string | null | undefined): number | null {
  const parts = RATE.exec((text ?? '').trim());
  if (parts === null) return null;
  const value = Number(parts[2]) * 10_000 + Number((parts[3] ?? '').padEnd(4, '0'));
  return parts[1] === '-' ? -value : value;
}

/** "8.75", or "8.1250" where two decimals do not say it all; with a real minus. */
export function rateText(units: number): string {
  const digits = units % 100 === 0 ? 2 : 4;
  return (units / 10_000).toFixed(digits).replace('-', '−');
}

/** Null where the deal was not priced here. */
export function buildUp({ apr, pricing }: Pick<Deal, 'apr' | 'pricing'>): BuildUp | null {
  const [total, buyRate] = [rateUnits(apr), rateUnits(pricing?.buyRate)];
  if (!pricing || total === null || buyRate === null) return null;
  const parts: Part[] = [];
  let sum = 0;
  for (const [key, label, means] of PARTS) {
    const value = rateUnits(pricing.rateParts[key]);
    if (value === null) return null;
    if (value !== 0 || key !== 'shortTerm') parts.push({ key, label, means, value });
    sum += value;
  }
  if (buyRate !== sum) {
    parts.push({
      key: 'cap',
      label: 'Rate cap',
      means: 'The highest rate that the state or the lender allows is below the cost of this risk',
      value: buyRate - sum,
    });
  }
  const above = total - buyRate;
  parts.push(
    above < 0
      ? { key: 'below', label: 'Below buy rate', means: 'The rate is below the lowest that is offered', value: above }
      : {
          key: 'markup',
          label: 'Markup',
          means: 'Added to the buy rate and shared with the dealer',
          value: above,
        },
  );
  return { parts, buyRate, total };
}
