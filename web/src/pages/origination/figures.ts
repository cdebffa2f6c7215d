/** The figures of a deal by which deals are compared, as numbers for colours and as text for people. */
import type { Schemas } from 'daybook-sdk';
import { money, percent, share } from '../../format.ts';

export type Deal = Schemas['Deal'];

export type Figure = {
  label: string;
  /** One sentence for the reader. */
  means: string;
  /** Null where the deal has none: it was assessed elsewhere. */
  value: (deal: Deal) => number | null;
  show: (value: number) => string;
  /** In a cell of the map: as short as it can be. */
  short: (value: number) => string;
};

const number = (text: string | null | undefined): number | null => {
  if (text === null || text === undefined || text.trim() === '') return null;
  const value = Number(text.replaceAll(',', ''));
  return Number.isFinite(value) ? value : null;
};
const percentOf = (value: number) => percent(value);
const short = (value: number) => value.toFixed(2).replace('-', '−');
const amount = (value: number) => money(value.toFixed(2));

export const FIGURES = {
  yield: {
    label: 'Yield',
    means: 'Expected yield per year after losses and servicing',
    value: ({ forecast }) => times100(number(forecast.yield)),
    show: percentOf,
    short,
  },
  price: {
    label: 'Price',
    means: 'Fair value in percent of the loan',
    value: ({ pricing, forecast, loanAmount }) =>
      number(pricing?.price) ?? ratio(number(forecast.fairValuePrice), number(loanAmount)),
    show: percentOf,
    short,
  },
  defaultProbability: {
    label: 'Default risk',
    means: 'Probability that the loan defaults before it is paid off',
    value: ({ defaultProbability }) => times100(number(defaultProbability)),
    show: percentOf,
    short,
  },
  payment: {
    label: 'Payment',
    means: 'Monthly payment',
    value: ({ monthlyPayment }) => number(monthlyPayment),
    show: amount,
    short: amount,
  },
  rate: {
    label: 'Rate',
    means: 'Contract rate',
    value: ({ apr }) => number(apr),
    show: percentOf,
    short,
  },
} as const satisfies Record<string, Figure>;

export type FigureId = keyof typeof FIGURES;
export const FIGURE_IDS = Object.keys(FIGURES) as FigureId[];

function times100(value: number | null): number | null {
  return value === null ? null : value * 100;
}

function ratio(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole === 0 ? null : (part / whole) * 100;
}

/** Decision of the assessment on a deal. An approved deal beside a declined request is a counteroffer. */
export type Verdict = 'approved' | 'counteroffer' | 'declined' | 'none';

export const VERDICTS: Readonly<Record<Verdict, { sign: string; label: string }>> = {
  approved: { sign: '✓', label: 'Approved' },
  counteroffer: { sign: '⇄', label: 'Counteroffer' },
  declined: { sign: '✕', label: 'Declined' },
  none: { sign: '–', label: 'No decision' },
};

export function verdictOf(deal: Deal, requested: Deal | undefined): Verdict {
  const decision = deal.decision.toUpperCase();
  if (decision === 'DECLINED' || decision === 'REJECTED') return 'declined';
  if (decision !== 'APPROVED') return 'none';
  return requested !== undefined && verdictOf(requested, undefined) === 'declined' ? 'counteroffer' : 'approved';
}

/** A line of a comparison of deals. */
export type CompareLine = { label: string; show: (deal: Deal) => string };

export const COMPARED: readonly CompareLine[] = [
  { label: 'Loan amount', show: ({ loanAmount }) => money(loanAmount) },
  { label: 'Down payment', show: ({ downPayment }) => money(downPayment) },
  { label: 'Term', show: ({ term }) => `${term} months` },
  { label: 'Rate', show: ({ apr }) => percent(apr) },
  { label: 'Payment', show: ({ monthlyPayment }) => money(monthlyPayment) },
  { label: 'Payment to income', show: ({ pti }) => share(pti) },
  { label: 'Debt to income', show: ({ dti }) => share(dti) },
  { label: 'Loan to value', show: ({ ltv }) => share(ltv) },
  { label: 'Default probability', show: ({ defaultProbability }) => share(defaultProbability) },
  { label: 'Expected loss', show: ({ forecast }) => money(forecast.netLossAmount) },
  { label: 'Expected yield', show: ({ forecast }) => share(forecast.yield) },
  { label: 'Fair value', show: ({ forecast }) => money(forecast.fairValuePrice) },
  { label: 'Price', show: ({ pricing }) => percent(pricing?.price) },
  { label: 'Net yield', show: ({ pricing }) => percent(pricing?.netYield) },
  { label: 'Hurdle', show: ({ pricing }) => percent(pricing?.hurdle) },
];

/** "60 months at 7.96 %, 4,456.00 down". */
export function dealWords({ term, apr, downPayment }: Deal): string {
  return `${term} months at ${percent(apr)}, ${money(downPayment)} down`;
}

/** The deal whose terms are those of the contract; undefined before one is chosen or where none matches. */
export function contractDeal(
  deals: readonly Deal[],
  contract: { term?: string; interestRate?: string; loanAmount?: string },
): Deal | undefined {
  const same = (a: string | undefined, b: string) => number(a) !== null && number(a) === number(b);
  return deals.find(
    ({ term, apr, loanAmount }) =>
      same(contract.term, term) && same(contract.interestRate, apr) && same(contract.loanAmount, loanAmount),
  );
}
