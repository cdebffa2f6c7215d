/**
 * Published figures of securitized pools of auto loans, as data: the losses that agencies expected of named pools, or that they realized.
 * Figures are percent. What a score band is expected to show follows from them by rule, in `expected.ts`: a figure is in no range because
 * somebody chose it for that range. It is longer than other files because it is a table.
 *
 * Each figure was read in a stored copy of its source in November 2026, except those that `recalled` names: these are from knowledge of the
 * market, as wide ranges, and wait to be checked. A pool's expected loss is an agency's, made for a rating and rather high; the lender
 * counts as much as the score (at a score of 600, one lender's pool loses 9 % and another's 16 %). Pools that were rated between March 2020
 * and early 2021 are left out: their expectations have a surcharge for the pandemic, which did not come.
 */
import type { ScoreBand } from './bands.ts';

export type Range = { readonly low: number; readonly high: number };

export type Pool = {
  readonly name: string;
  readonly segment: 'prime' | 'near prime' | 'subprime';
  /** Year and, where known, month of the figures. */
  readonly dated: string;
  /** Weighted averages: credit score, months, percent of the value. Null: not found. */
  readonly score: Range | null;
  readonly term: number | null;
  readonly ltv: number | null;
  /** Cumulative net loss over the life, percent of the original balance. */
  readonly netLoss: Range;
  /** The kind of figure and its agency. */
  readonly by: string;
  readonly sources: readonly string[];
  readonly recalled: readonly ('score' | 'term' | 'ltv' | 'netLoss')[];
  /** The band of a pool that states no average score. */
  readonly countsFor?: ScoreBand;
};

export const exactly = (value: number): Range => ({ low: value, high: value });
export const between = (low: number, high: number): Range => ({ low, high });

export const POOLS: readonly Pool[] = [
  {
    ...{ name: 'Honda 2000–2012', segment: 'prime', dated: '2015', score: null, term: null, ltv: null },
    ...{ netLoss: between(0.24, 1.24), by: 'realized, by S&P', recalled: [], countsFor: '780+' },
    sources: ['https://asreport.americanbanker.com/news/honda-launches-4th-prime-auto-abs-of-the-year'],
  },
  {
    ...{ name: 'Honda 2016-3', segment: 'prime', dated: '2016', score: exactly(763), term: null, ltv: null },
    ...{ netLoss: between(0.5, 0.6), by: 'expected, S&P; Fitch 0.35–0.45 for its sisters', recalled: [] },
    sources: [
      'https://oreanda-news.com/en/finansy/article1049163',
      'https://oreanda-news.com/en/promyshlennost/article927405',
    ],
  },
  {
    ...{ name: 'Toyota 2019-B', segment: 'prime', dated: '2019-05', score: between(755, 775), term: null, ltv: null },
    ...{ netLoss: between(0.55, 0.65), by: 'expected, S&P', recalled: ['score'] },
    sources: ['https://www.ademcetinkaya.com/2019/05/toyota-auto-receivables-2019-b-owner.html'],
  },
  {
    ...{ name: 'Ford Credit 2024-D', segment: 'prime', dated: '2024', score: exactly(754), term: null, ltv: 100.3 },
    ...{ netLoss: exactly(0.9), by: 'expected, Moody’s', recalled: [] },
    sources: [
      'https://asreport.americanbanker.com/news/ford-credit-auto-owner-readies-a-1-3-billion-issuance-from-prime-auto-loans',
    ],
  },
  {
    ...{ name: 'Ford Credit 2022-D', segment: 'prime', dated: '2022', score: exactly(744), term: 64, ltv: 100.6 },
    ...{ netLoss: exactly(1.5), by: 'base case, Fitch', recalled: [] },
    sources: ['https://asreport.americanbanker.com/news/ford-credit-auto-set-to-issue-1-0-billion-in-auto-abs-notes'],
  },
  {
    ...{ name: 'Ally 2013–2017', segment: 'prime', dated: '2017', score: between(730, 755), term: null, ltv: null },
    ...{ netLoss: between(0.45, 0.85), by: 'projected, Moody’s', recalled: ['score'] },
    sources: ['https://asreport.americanbanker.com/news/ally-returns-with-another-1b-of-auto-loan-abs'],
  },
  {
    ...{ name: 'Porsche 2024-1', segment: 'prime', dated: '2024-12', score: exactly(785), term: 70, ltv: null },
    ...{ netLoss: exactly(0.7), by: 'expected, Moody’s', recalled: [] },
    sources: ['https://asreport.americanbanker.com/news/porsche-financial-raises-769-2-million-in-auto-abs'],
  },
  {
    ...{
      name: 'GM Financial Revolving 2023-2',
      segment: 'prime',
      dated: '2023',
      score: exactly(780),
      term: null,
      ltv: null,
    },
    ...{ netLoss: exactly(1.5), by: 'expected, Moody’s', recalled: [] },
    sources: ['https://asreport.americanbanker.com/news/gmf-prepares-to-issue-545-5-million-in-prime-auto-abs'],
  },
  {
    ...{ name: 'GM Financial 2021-2', segment: 'prime', dated: '2021-04', score: exactly(772), term: null, ltv: null },
    ...{ netLoss: between(1.15, 1.55), by: 'expected, Moody’s and Fitch', recalled: [] },
    sources: [
      'https://www.moodys.com/research/Moodys-assigns-definitive-ratings-to-GM-Financial-Consumer-Automobile-Receivables--PR_444199',
      'https://asreport.americanbanker.com/news/gm-financial-narrows-loss-expectations-for-second-prime-auto-loan-abs',
    ],
  },
  {
    ...{ name: 'Mercedes-Benz 2014-1', segment: 'prime', dated: '2014-06', score: exactly(767), term: null, ltv: null },
    ...{ netLoss: exactly(1), by: 'base case, Fitch', recalled: [] },
    sources: [
      'http://www.reuters.com/article/2014/06/30/fitch-to-rate-mercedes-benz-auto-receiva-idUSFit70569920140630?feedType=RSS',
    ],
  },
  {
    ...{ name: 'Honda 2015-3', segment: 'prime', dated: '2015', score: exactly(761), term: null, ltv: null },
    ...{ netLoss: between(0.35, 0.45), by: 'expected, Fitch', recalled: [] },
    sources: ['https://asreport.americanbanker.com/news/whats-the-difference-between-prime-near-prime-auto-abs'],
  },
  {
    ...{ name: 'USAA 2024-A', segment: 'prime', dated: '2024', score: exactly(747), term: null, ltv: null },
    ...{ netLoss: exactly(0.6), by: 'expected, Moody’s', recalled: [] },
    sources: ['https://asreport.americanbanker.com/news/usaa-prepares-to-float-about-1-billion-in-auto-abs-notes'],
  },
  {
    ...{ name: 'CarMax 2020-1', segment: 'near prime', dated: '2020-01', score: exactly(710), term: 66, ltv: 94.6 },
    ...{ netLoss: between(2.15, 2.45), by: 'expected, S&P and Fitch', recalled: [] },
    sources: ['https://asreport.americanbanker.com/news/carmax-cnl-projections-down-slightly-in-its-first-2020-abs'],
  },
  {
    ...{ name: 'Ally CARAT 2018-1, -2', segment: 'near prime', dated: '2018', score: between(644, 649) },
    ...{ term: null, ltv: null, netLoss: between(2.9, 5), by: 'expected, S&P and Moody’s; seasoned', recalled: [] },
    sources: ['https://asreport.americanbanker.com/news/allys-next-nonprime-auto-abs-benefits-from-more-seasoning'],
  },
  {
    ...{
      name: 'Carvana 2019',
      segment: 'near prime',
      dated: '2020',
      score: between(634, 636),
      term: null,
      ltv: null,
    },
    ...{ netLoss: between(9.25, 11.25), by: 'base case, KBRA', recalled: [] },
    sources: ['https://asreport.americanbanker.com/news/carvana-branches-out-into-subprime-auto-abs'],
  },
  {
    ...{ name: 'CarMax 2015-1', segment: 'near prime', dated: '2015', score: exactly(703), term: null, ltv: null },
    ...{ netLoss: exactly(2.3), by: 'base case, Fitch', recalled: [] },
    sources: ['http://markets.financialcontent.com/stocks/news/read?GUID=29264329'],
  },
  {
    ...{
      name: 'California Republic 2016-1',
      segment: 'near prime',
      dated: '2016',
      score: exactly(699),
      term: null,
      ltv: 112.3,
    },
    ...{ netLoss: between(2.4, 2.6), by: 'expected, S&P', recalled: [] },
    sources: ['https://asreport.americanbanker.com/news/california-republic-ups-credit-quality-of-latest-auto-abs'],
  },
  {
    ...{
      name: 'California Republic 2015-4',
      segment: 'near prime',
      dated: '2015',
      score: exactly(696),
      term: null,
      ltv: 115.2,
    },
    ...{ netLoss: exactly(2.5), by: 'base case, DBRS', recalled: [] },
    sources: ['https://asreport.americanbanker.com/news/california-republic-up-credit-enhancement-on-latest-auto-abs'],
  },
  {
    ...{ name: 'Foursight 2018-2', segment: 'near prime', dated: '2018', score: exactly(659), term: null, ltv: null },
    ...{ netLoss: between(6.14, 9), by: 'expected, DBRS and Moody’s; partly seasoned', recalled: [] },
    sources: [
      'https://asreport.americanbanker.com/news/subprime-borrower-pool-expands-in-latest-foursight-auto-loan-abs',
    ],
  },
  {
    ...{ name: 'Foursight 2019-1', segment: 'near prime', dated: '2019', score: exactly(655), term: 71, ltv: null },
    ...{ netLoss: between(8, 9.5), by: 'expected, DBRS and Moody’s', recalled: [] },
    sources: [
      'https://asreport.americanbanker.com/news/subprime-borrower-pool-expands-in-latest-foursight-auto-loan-abs',
    ],
  },
  {
    ...{ name: 'Ally CARAT 2015-3', segment: 'near prime', dated: '2015', score: exactly(633), term: null, ltv: null },
    ...{ netLoss: exactly(5.5), by: 'base case, Fitch', recalled: [] },
    sources: ['https://asreport.americanbanker.com/news/whats-the-difference-between-prime-near-prime-auto-abs'],
  },
  {
    ...{ name: 'Santander Drive 2015-5', segment: 'subprime', dated: '2015', score: exactly(600), term: null },
    ...{ ltv: 107.5, netLoss: between(15.5, 16.25), by: 'expected, S&P', recalled: [] },
    sources: ['https://asreport.americanbanker.com/news/santander-marketing-another-794m-of-subprime-auto-abs'],
  },
  {
    ...{
      name: 'Santander Drive 2023-2',
      segment: 'subprime',
      dated: '2023-03',
      score: exactly(603),
      term: null,
      ltv: 106,
    },
    ...{ netLoss: exactly(15.5), by: 'expected, S&P', recalled: [] },
    sources: [
      'https://www.spglobal.com/ratings/en/research/pdf-articles/230308-presale-santander-drive-auto-receivables-trust-2023-2-12661867',
      'https://asreport.americanbanker.com/news/santander-drive-auto-receivables-trust-readies-1-5-billion-in-non-prime-auto-abs',
    ],
  },
  {
    ...{ name: 'AmeriCredit 2012-4', segment: 'subprime', dated: '2012-09', score: exactly(564), term: null, ltv: 110 },
    ...{ netLoss: between(11.75, 12.25), by: 'expected, S&P', recalled: [] },
    sources: [
      'http://www.reuters.com/article/idUSWNA451820120904',
      'https://business-finance.news-articles.net/content/2012/09/04/fitch-expects-to-rate-americredit-automobile-receivables-trust-series-2012-4-59-presale-issued.html',
    ],
  },
  {
    ...{
      name: 'AmeriCredit 2019-1',
      segment: 'subprime',
      dated: '2019-03',
      score: between(570, 590),
      term: null,
      ltv: null,
    },
    ...{ netLoss: between(9.75, 10.25), by: 'expected, S&P', recalled: ['score'] },
    sources: ['https://www.ademcetinkaya.com/2019/03/americredit-automobile-receivables.html'],
  },
  {
    ...{
      name: 'Westlake 2024-2',
      segment: 'subprime',
      dated: '2024',
      score: between(580, 620),
      term: null,
      ltv: null,
    },
    ...{ netLoss: exactly(14), by: 'assumed, DBRS', recalled: ['score'] },
    sources: [
      'https://dbrs.morningstar.com/research/433403/morningstar-dbrs-assigns-provisional-ratings-to-westlake-automobile-receivables-trust-2024-2',
    ],
  },
  {
    ...{
      name: 'Exeter 2019-1',
      segment: 'subprime',
      dated: '2019-01',
      score: between(565, 580),
      term: null,
      ltv: null,
    },
    ...{ netLoss: between(20.5, 21.5), by: 'expected, S&P', recalled: ['score'] },
    sources: ['https://www.ademcetinkaya.com/2019/01/exeter-automobile-receivables-trust_31.html'],
  },
  {
    ...{ name: 'Drive 2019-1', segment: 'subprime', dated: '2019-01', score: exactly(585), term: null, ltv: null },
    ...{ netLoss: between(24, 25), by: 'expected, S&P and Moody’s', recalled: [] },
    sources: ['https://asreport.americanbanker.com/news/santander-warms-up-2019-subprime-auto-pipeline-with-1b-deal'],
  },
  {
    ...{ name: 'Carvana 2020-N1', segment: 'subprime', dated: '2020', score: exactly(554), term: 71, ltv: 101.9 },
    ...{ netLoss: between(16, 18.75), by: 'expected, KBRA and Moody’s', recalled: [] },
    sources: ['https://asreport.americanbanker.com/news/carvana-branches-out-into-subprime-auto-abs'],
  },
  {
    ...{ name: 'American Credit Acceptance 2016-3', segment: 'subprime', dated: '2016-07', score: between(530, 560) },
    ...{ term: null, ltv: null, netLoss: between(25.75, 26.75), by: 'expected, S&P', recalled: ['score'] },
    sources: ['https://oreanda-news.com/en/finansy/article1033984'],
  },
  {
    ...{
      name: 'CarMax Select 2024-A',
      segment: 'subprime',
      dated: '2024-06',
      score: exactly(603),
      term: null,
      ltv: 97,
    },
    ...{ netLoss: exactly(9), by: 'rating case, Fitch', recalled: [] },
    sources: ['https://asreport.americanbanker.com/news/carmax-select-receivables-trust-to-raise-625-million'],
  },
  {
    ...{ name: 'Drive 2018-3', segment: 'subprime', dated: '2018', score: exactly(582), term: null, ltv: null },
    ...{ netLoss: between(26, 27.5), by: 'expected, S&P and Moody’s', recalled: [] },
    sources: ['https://asreport.americanbanker.com/news/santander-adding-1b-13b-to-subprime-us-auto-abs-pipeline'],
  },
  {
    ...{ name: 'Drive 2024-1', segment: 'subprime', dated: '2024', score: exactly(586), term: null, ltv: null },
    ...{ netLoss: exactly(22), by: 'expected, Moody’s', recalled: [] },
    sources: ['https://asreport.americanbanker.com/news/drive-2024-1-comes-to-market-to-sell-1-6-billion-in-auto-abs'],
  },
  {
    ...{ name: 'CPS 2020-A', segment: 'subprime', dated: '2020-01', score: exactly(561), term: null, ltv: 116 },
    ...{ netLoss: between(15.65, 19), by: 'expected, DBRS and Moody’s; partly seasoned', recalled: [] },
    sources: [
      'https://asreport.americanbanker.com/news/cps-supplements-first-2020-subprime-auto-abs-deal-with-called-collateral',
    ],
  },
  {
    ...{
      name: 'American Credit Acceptance 2019-3',
      segment: 'subprime',
      dated: '2019',
      score: exactly(542),
      term: 70,
      ltv: null,
    },
    ...{ netLoss: between(27.4, 29.4), by: 'expected, KBRA and S&P', recalled: [] },
    sources: ['https://asreport.americanbanker.com/news/higher-credit-losses-expected-for-302m-aca-subprime-auto-abs'],
  },
  {
    ...{
      name: 'American Credit Acceptance 2023-4',
      segment: 'subprime',
      dated: '2023',
      score: exactly(551),
      term: null,
      ltv: 112,
    },
    ...{ netLoss: exactly(30), by: 'expected, Moody’s', recalled: [] },
    sources: [
      'https://asreport.americanbanker.com/news/american-credit-acceptance-prepares-to-435-8-million-in-auto-abs',
    ],
  },
];
