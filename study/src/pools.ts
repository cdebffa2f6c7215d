/**
 * Published figures of securitized pools of auto loans: expected losses of named pools, the agencies' monthly indices, speeds. Figures
 * are percent. The level of the model was set against the ranges by band below, so lying within them shows that it is plausible, not that
 * it predicts; no single weight was estimated from them.
 *
 * Each figure was read in a stored copy of its source in November 2026, except those that `recalled` names: these are from knowledge of the
 * market, as wide ranges, and wait to be checked. A pool's expected loss is an agency's, made for a rating and rather high; the lender
 * counts as much as the score (at a score of 600, one lender's pool loses 10 % and another's 16 %).
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
};

const exactly = (value: number): Range => ({ low: value, high: value });
const between = (low: number, high: number): Range => ({ low, high });

export const POOLS: readonly Pool[] = [
  {
    ...{ name: 'Honda 2000–2012', segment: 'prime', dated: '2015', score: null, term: null, ltv: null },
    ...{ netLoss: between(0.24, 1.24), by: 'realized, by S&P', recalled: [] },
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
];

export type Figure = {
  readonly name: string;
  readonly about: 'annual net loss' | 'recovery' | 'speed' | 'timing';
  readonly segment: 'prime' | 'subprime';
  readonly dated: string;
  readonly range: Range;
  readonly sources: readonly string[];
  readonly recalled: boolean;
};

const SP_2025 =
  'https://spglobal.com/ratings/en/research/articles/250506-u-s-auto-loan-abs-tracker-march-2025-performance-13485818';
const SP_2024 =
  'https://sandpglobal-spglobal-live.cphostaccess.com/ratings/en/research/articles/240809-u-s-auto-loan-abs-tracker-june-2024-performance-13207717';
const SP_2019 =
  'https://www.spglobal.com/ratings/en/research/articles/200220-u-s-auto-loan-abs-tracker-full-year-and-december-2019-performance-11356600';
const SP_2022 =
  'https://spglobal.com/ratings/en/research/articles/220513-u-s-auto-loan-abs-tracker-march-2022-performance-12375933';
const FITCH = [
  'http://businesswire.com/news/home/20160930005396/en/Fitch-U.S.-Subprime-Auto-ABS-Losses-Jump',
  'https://asreport.americanbanker.com/news/fitch-us-prime-auto-abs-more-fit-than-subprime',
  'http://markets.financialcontent.com/stocks/news/read/27858402/fitch',
];

/** Figures of whole segments: annual losses and recoveries by the agencies’ indices, speeds and loss timing of pools. */
export const FIGURES: readonly Figure[] = [
  {
    ...{ name: 'S&P composite, June 2019 to June 2024', about: 'annual net loss', segment: 'prime', dated: '2024-06' },
    ...{ range: between(0.48, 0.63), sources: [SP_2024], recalled: false },
  },
  {
    ...{
      name: 'S&P composite, June 2019 to June 2024',
      about: 'annual net loss',
      segment: 'subprime',
      dated: '2024-06',
    },
    ...{ range: between(6.87, 7.95), sources: [SP_2024], recalled: false },
  },
  {
    ...{ name: 'Fitch index, May 2013 to August 2016', about: 'annual net loss', segment: 'prime', dated: '2016-08' },
    ...{ range: between(0.17, 0.6), sources: FITCH },
    recalled: false,
  },
  {
    ...{
      name: 'Fitch index, June 2014 to August 2016',
      about: 'annual net loss',
      segment: 'subprime',
      dated: '2016-08',
    },
    ...{ range: between(3.71, 8.89), sources: FITCH },
    recalled: false,
  },
  {
    ...{ name: 'S&P composite, early 2025', about: 'recovery', segment: 'prime', dated: '2025-03' },
    ...{ range: between(55.83, 61.32), sources: [SP_2025], recalled: false },
  },
  {
    ...{ name: 'S&P composite, averages of 2018 and 2019', about: 'recovery', segment: 'prime', dated: '2019-12' },
    ...{ range: between(57.88, 58.27), sources: [SP_2019], recalled: false },
  },
  {
    ...{ name: 'S&P composite, March 2022 (a peak)', about: 'recovery', segment: 'subprime', dated: '2022-03' },
    ...{ range: exactly(63.59), sources: [SP_2022], recalled: false },
  },
  {
    ...{ name: 'S&P composite, ordinary years', about: 'recovery', segment: 'subprime', dated: '2012–2024' },
    ...{ range: between(35, 52), sources: [], recalled: true },
  },
  {
    ...{
      name: 'A prime lender’s loans of 2008–2010, from month 4 on',
      about: 'speed',
      segment: 'prime',
      dated: '2013',
    },
    ...{ range: between(0.9, 1.6), recalled: false },
    sources: ['https://www.sec.gov/Archives/edgar/data/1581652/000119312513440190/d607812dex991.htm'],
  },
  {
    ...{ name: 'CarMax 2024, pricing speed', about: 'speed', segment: 'prime', dated: '2024-11', range: exactly(1.3) },
    ...{ sources: ['https://finsight.com/issuer-8647-carmax-auto-owner-trust'], recalled: false },
  },
  {
    ...{
      name: 'GMAC 2002-2, below-market rates only',
      about: 'speed',
      segment: 'prime',
      dated: '2002',
      range: exactly(1),
    },
    ...{ sources: ['https://asreport.americanbanker.com/news/autos-speeds-slowing-in-abs'], recalled: false },
  },
  {
    ...{ name: 'Pricing speeds with defaults', about: 'speed', segment: 'subprime', dated: '2012–2024' },
    ...{ range: between(1.2, 1.9), sources: [], recalled: true },
  },
  {
    ...{ name: 'Share of net loss by month 24 of the loans', about: 'timing', segment: 'prime', dated: '2012–2024' },
    ...{ range: between(38, 64), sources: [], recalled: true },
  },
  {
    ...{ name: 'Share of net loss by month 24 of the loans', about: 'timing', segment: 'subprime', dated: '2012–2024' },
    ...{ range: between(46, 72), sources: [], recalled: true },
  },
];

/** Expected figures of a band of new loans: 60 to 72 months, about the value of the car. */
export type Expected = {
  readonly band: ScoreBand;
  /** Over the life, percent of the original balance. */
  readonly netLoss: Range;
  /** Percent of the original loans that prepay or default in a month (the absolute prepayment model), over months 6 to 36. */
  readonly speed: Range;
  /** Percent of what defaults that is lost in the end. */
  readonly severity: Range;
  /** Percent of the lifetime net loss by this month of the loans. */
  readonly lossBy12: Range;
  readonly lossBy24: Range;
  readonly lossBy36: Range;
  /** Names of the pools that the losses rest on. */
  readonly pools: readonly string[];
};

const PRIME_TIMING = { lossBy12: between(8, 30), lossBy24: between(38, 64), lossBy36: between(64, 86) };
const NEAR_PRIME_TIMING = { lossBy12: between(10, 32), lossBy24: between(42, 68), lossBy36: between(66, 88) };
const SUBPRIME_TIMING = { lossBy12: between(14, 38), lossBy24: between(46, 72), lossBy36: between(70, 91) };

/**
 * By judgement, between the pools on either side: a pool of an average score holds better and worse loans, and loses more than a loan of
 * its average. Timing is from memory throughout, and so is the severity of subprime.
 */
export const EXPECTED: readonly Expected[] = [
  {
    ...{ band: '780+', netLoss: between(0.1, 0.5), speed: between(1, 1.6), severity: between(36, 56) },
    ...{ ...PRIME_TIMING, pools: ['Honda 2000–2012', 'Honda 2016-3', 'Toyota 2019-B'] },
  },
  {
    ...{ band: '720–779', netLoss: between(0.4, 1.4), speed: between(1, 1.7), severity: between(36, 56) },
    ...{ ...PRIME_TIMING, pools: ['Honda 2016-3', 'Ford Credit 2024-D', 'Ford Credit 2022-D', 'Ally 2013–2017'] },
  },
  {
    ...{ band: '680–719', netLoss: between(1, 3), speed: between(1.1, 1.7), severity: between(38, 58) },
    ...{ ...PRIME_TIMING, pools: ['CarMax 2020-1'] },
  },
  {
    ...{ band: '640–679', netLoss: between(2.5, 6.5), speed: between(1.1, 1.8), severity: between(40, 60) },
    ...{ ...NEAR_PRIME_TIMING, pools: ['CarMax 2020-1', 'Ally CARAT 2018-1, -2'] },
  },
  {
    ...{ band: '600–639', netLoss: between(5, 12), speed: between(1.1, 1.8), severity: between(42, 62) },
    ...{ ...NEAR_PRIME_TIMING, pools: ['Carvana 2019', 'Santander Drive 2015-5', 'Santander Drive 2023-2'] },
  },
  {
    ...{ band: '560–599', netLoss: between(9, 18), speed: between(1.1, 1.9), severity: between(45, 65) },
    ...SUBPRIME_TIMING,
    pools: ['AmeriCredit 2012-4', 'AmeriCredit 2019-1', 'Westlake 2024-2', 'Exeter 2019-1', 'Drive 2019-1'],
  },
  {
    ...{ band: 'below 560', netLoss: between(14, 28), speed: between(1.1, 2), severity: between(45, 65) },
    ...{ ...SUBPRIME_TIMING, pools: ['Carvana 2020-N1', 'American Credit Acceptance 2016-3', 'Drive 2019-1'] },
  },
];

export function expectedOf(band: ScoreBand): Expected {
  return EXPECTED.find((row) => row.band === band) as Expected;
}
