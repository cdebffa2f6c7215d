/**
 * The range in which each figure of a score band is expected, by rule and never by choice: its net loss between the lowest and the highest
 * figure of the pools whose average score lies in the band; its severity, speed and timing between the lowest and the highest figure of
 * its segment. A band is prime from 680 on, near prime from 600 on; where sources know two segments only, near prime counts as subprime, as
 * the agencies' indices do.
 */
import { BANDS, bandOf, type ScoreBand } from './bands.ts';
import { between, exactly, POOLS, type Pool, type Range } from './pools.ts';

export type Segment = 'prime' | 'near prime' | 'subprime';

export type Figure = {
  readonly name: string;
  readonly about:
    | 'annual net loss'
    | 'recovery'
    | 'speed'
    | 'loss by month 12'
    | 'loss by month 24'
    | 'loss by month 36';
  readonly segment: Segment;
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
const SP_2023 =
  'https://spglobal.com/ratings/en/research/articles/230518-u-s-auto-loan-abs-tracker-march-2023-performance-12734763';
const SP_FEBRUARY_2023 =
  'https://spglobal.com/ratings/en/research/articles/230411-u-s-auto-loan-abs-tracker-february-2023-performance-12697197';
const ASR = 'https://asreport.americanbanker.com/news';
const SP_2022 =
  'https://spglobal.com/ratings/en/research/articles/220513-u-s-auto-loan-abs-tracker-march-2022-performance-12375933';
const FITCH = [
  'http://businesswire.com/news/home/20160930005396/en/Fitch-U.S.-Subprime-Auto-ABS-Losses-Jump',
  'https://asreport.americanbanker.com/news/fitch-us-prime-auto-abs-more-fit-than-subprime',
  'http://markets.financialcontent.com/stocks/news/read/27858402/fitch',
];

/** Shares of the lifetime net loss by month of the loans. No source was found that states them for loans from their first day. */
function timing(segment: Segment, ranges: readonly [Range, Range, Range]): Figure[] {
  const about = ['loss by month 12', 'loss by month 24', 'loss by month 36'] as const;
  return about.map((name, i) => ({
    ...{ name: `Share of net ${name}`, about: name, segment, dated: '2012–2024', range: ranges[i] as Range },
    ...{ sources: [], recalled: true },
  }));
}

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
    ...{ name: 'S&P composite, August 2017 (hurricanes)', about: 'recovery', segment: 'prime', dated: '2017-08' },
    ...{ range: exactly(50.4), sources: [`${ASR}/auto-loan-lease-abs-pipeline-grows-by-38b`], recalled: false },
  },
  {
    ...{ name: 'S&P composite, September 2019', about: 'recovery', segment: 'prime', dated: '2019-09' },
    ...{ range: exactly(53.11), sources: [`${ASR}/s-p-auto-abs-performance-improving-in-prime-subprime-sectors`] },
    recalled: false,
  },
  {
    ...{ name: 'S&P composite, February and March 2023', about: 'recovery', segment: 'prime', dated: '2023-03' },
    ...{ range: between(55.06, 69.34), sources: [SP_2023], recalled: false },
  },
  {
    ...{ name: 'S&P composite, August 2018 to August 2019', about: 'recovery', segment: 'subprime', dated: '2019-08' },
    ...{ range: between(41.05, 42.78), recalled: false },
    sources: ['https://www.autoremarketing.com/subprime/august-recoveries-improve-based-sp-auto-abs-data'],
  },
  {
    ...{ name: 'Fitch index, June 2016 and June 2017', about: 'recovery', segment: 'subprime', dated: '2017-07' },
    ...{ range: between(42.5, 45.2), recalled: false },
    sources: [
      'https://fdocuments.in/document/auto-abs-index-in-the-auto-abs-driver-s-seat-fitch-home-abs-index-in-the-auto.html',
    ],
  },
  {
    ...{ name: 'S&P composite, January and February 2023', about: 'recovery', segment: 'subprime', dated: '2023-02' },
    ...{ range: between(37, 45), sources: [SP_FEBRUARY_2023], recalled: false },
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
    ...{ name: 'Honda 2009-2, pricing speed', about: 'speed', segment: 'prime', dated: '2009-01', range: exactly(1.3) },
    ...{ recalled: false },
    sources: ['https://www.sec.gov/Archives/edgar/data/1454628/000116231809000003/harotcapstructureperformance.htm'],
  },
  ...timing('prime', [between(8, 30), between(38, 64), between(64, 86)]),
  ...timing('near prime', [between(10, 32), between(42, 68), between(66, 88)]),
  ...timing('subprime', [between(14, 38), between(46, 72), between(70, 91)]),
];

/** Expected figures of a band, each in percent. */
export type Expected = {
  readonly band: ScoreBand;
  /** Over the life, of the original balance. */
  readonly netLoss: Range;
  /** The middle of the pools: the geometric mean of their middles, so that each counts alike. */
  readonly usualLoss: number;
  /** Loans that prepay or default in a month, of the original ones (the absolute prepayment model), over months 6 to 36. */
  readonly speed: Range;
  /** The lost part of what defaults. */
  readonly severity: Range;
  /** The part of the lifetime net loss by this month of the loans. */
  readonly lossBy12: Range;
  readonly lossBy24: Range;
  readonly lossBy36: Range;
  /** The pools that the net loss rests on. */
  readonly pools: readonly Pool[];
};

/** By the middle of a pool's average score; null: it states none and counts for no band. */
export function bandOfPool({ score, countsFor }: Pool): ScoreBand | null {
  if (score === null) return countsFor ?? null;
  const band = bandOf((score.low + score.high) / 2);
  return band === 'no score' ? null : band;
}

function segmentOf(from: number): Segment {
  return from >= 680 ? 'prime' : from >= 600 ? 'near prime' : 'subprime';
}

function rangeOf(ranges: readonly Range[]): Range {
  return { low: Math.min(...ranges.map(({ low }) => low)), high: Math.max(...ranges.map(({ high }) => high)) };
}

function figuresOf(about: Figure['about'], segment: Segment): Range {
  const own = FIGURES.filter((figure) => figure.about === about && figure.segment === segment);
  if (own.length === 0) return figuresOf(about, 'subprime');
  return rangeOf(own.map(({ range }) => range));
}

export const EXPECTED: readonly Expected[] = BANDS.map(({ name, from }) => {
  const segment = segmentOf(from);
  const pools = POOLS.filter((pool) => bandOfPool(pool) === name);
  const recovery = figuresOf('recovery', segment);
  return {
    band: name,
    netLoss: rangeOf(pools.map(({ netLoss }) => netLoss)),
    usualLoss: rounded(Math.exp(pools.reduce((sum, { netLoss }) => sum + middle(netLoss), 0) / pools.length)),
    speed: figuresOf('speed', segment),
    severity: { low: rounded(100 - recovery.high), high: rounded(100 - recovery.low) },
    lossBy12: figuresOf('loss by month 12', segment),
    lossBy24: figuresOf('loss by month 24', segment),
    lossBy36: figuresOf('loss by month 36', segment),
    pools,
  };
});

/** On a logarithmic scale. */
function middle({ low, high }: Range): number {
  return (Math.log(low) + Math.log(high)) / 2;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

export function expectedOf(band: ScoreBand): Expected {
  return EXPECTED.find((row) => row.band === band) as Expected;
}
