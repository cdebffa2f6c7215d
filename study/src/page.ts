/** The study as files: `calibration.md` with its tables, and the charts beside it. */
import type { FigureName, Performance } from './calibration.ts';
import { EXPECTED, expectedOf, FIGURES } from './expected.ts';
import { lineChart, rangeChart, writtenBy } from './plot.ts';
import { POOLS, type Range } from './pools.ts';
import type { Study } from './study.ts';

/** By file name. */
export function filesOf(study: Study): ReadonlyMap<string, string> {
  const drawn = charts(study).map(([name, chart]): [string, string] => [name, writtenBy('npm run study', chart)]);
  return new Map([...drawn, ['calibration.md', page(study)]]);
}

// ---- charts ----

function charts(study: Study): [string, string][] {
  return [
    ['net-loss.svg', bandChart(study, 'netLoss', 'Cumulative net loss by score band', [0.03, 0.1, 0.3, 1, 3, 10, 30])],
    ['timing.svg', bandChart(study, 'lossBy24', 'Share of the net loss by month 24', [0, 20, 40, 60, 80, 100])],
    ['speed.svg', bandChart(study, 'speed', 'Speed by score band', [0, 0.5, 1, 1.5, 2, 2.5])],
    ['severity.svg', bandChart(study, 'severity', 'Severity by score band', [20, 30, 40, 50, 60, 70, 80])],
    ['timing-by-month.svg', timingChart(study)],
    ['speed-by-age.svg', speedChart(study)],
    ['tenths.svg', tenthsChart(study)],
    ['scores.svg', scoresChart(study)],
  ];
}

function bandChart(study: Study, figure: FigureName, title: string, ticks: readonly number[]): string {
  return rangeChart({
    ...{ title, ticks, unit: UNITS[figure], scale: figure === 'netLoss' ? 'logarithmic' : 'even' },
    rows: study.compared
      .filter((one) => one.figure === figure)
      .map(({ band, low, high, value }) => ({ label: band, low, high, value })),
    ...{ rangeSays: 'published range', valueSays: 'the model (red where outside)' },
  });
}

/** Five lines can be told apart; the bands between them lie between them. */
const DRAWN = ['780+', '720–779', '680–719', '600–639', 'below 560'];

function timingChart({ bands }: Study): string {
  const drawn = bands.filter(({ band }) => DRAWN.includes(band));
  const months = { 12: 'lossBy12', 24: 'lossBy24', 36: 'lossBy36' } as const;
  const [best, worst] = [expectedOf('780+'), expectedOf('below 560')];
  return lineChart({
    title: 'Cumulative share of the net loss by month of the loan',
    ...{ xSays: 'month; bars: published ranges, from prime to subprime', ySays: '% of the lifetime net loss' },
    lines: drawn.map(({ band, lossCurve }) => ({
      name: band,
      points: [[0, 0], ...lossCurve.slice(0, 72).map((share, i): [number, number] => [i + 1, share])],
    })),
    ...{ xTicks: [0, 12, 24, 36, 48, 60, 72], yTicks: [0, 20, 40, 60, 80, 100] },
    ranges: Object.entries(months).map(([month, name]) => {
      const { low, high } = { low: best[name].low, high: worst[name].high };
      return { x: Number(month), low, high, says: `By month ${month}: ${low} to ${high} %` };
    }),
  });
}

function speedChart({ bands }: Study): string {
  const drawn = bands.filter(({ band }) => DRAWN.includes(band));
  const low = Math.min(...EXPECTED.map(({ speed }) => speed.low));
  const high = Math.max(...EXPECTED.map(({ speed }) => speed.high));
  return lineChart({
    title: 'Speed by age: prepayments and defaults, absolute prepayment model',
    ...{ xSays: 'month; bars: published range of the mean of months 6 to 36, all bands', ySays: '% ABS' },
    lines: drawn.map(({ band, speedCurve }) => ({
      name: band,
      points: speedCurve.map((speed, i): [number, number] => [i + 1, speed]),
    })),
    ...{ xTicks: [0, 12, 24, 36, 48, 60], yTicks: [0, 0.5, 1, 1.5, 2, 2.5, 3] },
    ranges: [6, 12, 18, 24, 30, 36].map((x) => ({ x, low, high, says: `${low} to ${high} % ABS` })),
  });
}

function tenthsChart({ performance }: Study): string {
  const outOfTime = performance[1] as Performance;
  return rangeChart({
    title: 'Calibration by tenth of predicted risk, out of time',
    ...{ unit: '% that default', ticks: [0, 20, 40, 60, 80, 100], scale: 'even' },
    rows: outOfTime.tenths.map(({ predicted, observed, error }, n) => ({
      label: n === 0 ? 'lowest tenth' : n === 9 ? 'highest tenth' : `tenth ${n + 1}`,
      low: 100 * Math.max(0, predicted - 2 * error),
      high: 100 * Math.min(1, predicted + 2 * error),
      value: 100 * observed,
    })),
    ...{ rangeSays: 'predicted ± two standard errors', valueSays: 'simulated (red where outside)' },
  });
}

function scoresChart({ scores }: Study): string {
  const line = (shares: readonly number[]) =>
    shares.map((share, i): [number, number] => [scores.from[i] as number, share]);
  return lineChart({
    title: 'Scores of the two populations',
    ...{ xSays: 'score, in steps of 40 points', ySays: '% of the applicants' },
    lines: [
      { name: 'development', points: line(scores.before) },
      { name: 'out of time', points: line(scores.now) },
    ],
    ...{ xTicks: [480, 560, 640, 720, 800], yTicks: [0, 4, 8, 12, 16, 20], ranges: [] },
  });
}

// ---- the page ----

const UNITS: Readonly<Record<FigureName, string>> = {
  netLoss: '% of the amount lent',
  speed: '% ABS',
  severity: '% of what defaults',
  lossBy12: '% of the lifetime net loss',
  lossBy24: '% of the lifetime net loss',
  lossBy36: '% of the lifetime net loss',
};

const HEADINGS: Readonly<Record<FigureName, string>> = {
  netLoss: 'Net loss %',
  speed: 'Speed % ABS',
  severity: 'Severity %',
  lossBy12: 'Loss by month 12 %',
  lossBy24: 'by 24 %',
  lossBy36: 'by 36 %',
};
const SPOKEN: Readonly<Record<FigureName, string>> = {
  netLoss: 'net loss',
  speed: 'speed',
  severity: 'severity',
  lossBy12: 'loss by month 12',
  lossBy24: 'loss by month 24',
  lossBy36: 'loss by month 36',
};
const NAMES = Object.keys(HEADINGS) as FigureName[];

function page(study: Study): string {
  return `${[
    '# Calibration',
    `Written by \`npm run study -- --size ${study.size} --seed ${study.seed}\`; do not edit. Model ${study.modelVersion}, policy ${study.policyVersion}, ${study.size.toLocaleString('en-US')} simulated applications as of ${study.on}, none of them real. What it means and what it does not: the [model card](../model-card.md).`,
    '## By score band',
    'Each figure stands beside its range from published figures of securitized pools; one outside its range is bold. The figures are of the expected cash flows of the requested deals, whether or not they would be approved, each at the buy rate and half of what a dealer may add to it. Net loss is charge-offs less recoveries. Speed is the mean of months 6 to 36.',
    bandTable(study),
    verdict(study),
    '### Net loss beside its pools',
    'The range of a band is that of the pools whose average score lies in it, and of no others. Usual is the geometric mean of their middles.',
    lossTable(study),
    'Speed, severity and timing have the range of their segment: prime from 680 on, near prime from 600 on, subprime below. Sources of speed and recovery know two segments only, and near prime counts as subprime there. Severity is what recovery leaves. The sources of each are [below](#published-figures).',
    '### How the level was set',
    'By rule: `npm run study -- --fit`, on four thousand applicants of which these are the first. Four figures of the model are searched in whole steps, the intercepts of default and prepayment and the two weights of the score, until the net losses of all bands are nearest to what is usual for their pools and their speeds to the middle of their ranges, with no figure outside its range. Everything else in the model stays as it is.',
    'What this is worth:',
    WORTH,
    '![Cumulative net loss by score band](net-loss.svg)',
    '![Share of the net loss by month 24, by score band](timing.svg)',
    '![Cumulative share of the net loss by month](timing-by-month.svg)',
    '![Speed by score band](speed.svg)',
    '![Speed by age](speed-by-age.svg)',
    '![Severity by score band](severity.svg)',
    'Speed is stated in the absolute prepayment model (ABS): with SMM the percentage of a month’s balance that prepays or stops paying, and the age in months, ABS = 100 · SMM ÷ (100 + SMM · (age − 1)).',
    '## Ranking and stability',
    'Each loan is simulated ten times, month by month, by the model’s own hazards. KS and Gini say how well the predicted default probability ranks the loans that default. Because the outcomes come from the model itself, both are an upper bound: a real portfolio will show less. PSI compares scores and default probabilities with the development population: below 0.1 it is stable, above 0.25 it is another population.',
    performanceTable(study),
    'The recession has the unemployment of late 2009, 9.9 %: the ranking holds, the level does not, which is what monitoring must see. The last row shows that PSI notices a lost channel.',
    '![Calibration by tenth](tenths.svg)',
    tenthsTable(study),
    tenthsVerdict(study),
    '![Scores of the two populations](scores.svg)',
    '## Published figures',
    'Percent. *Recalled*: not read at a source but known from the market; to be checked before anybody relies on it.',
    poolTable(),
    figureTable(),
    'A pool of an average score holds better and worse loans and loses more than a loan of its average, agencies’ expectations are rather high, and lenders differ as much as scores do. All ranges of timing, and that of subprime speed, are recalled: no source was found that states them for loans from their first day. Pools that were rated between March 2020 and early 2021 are left out, because their expectations have a surcharge for a pandemic whose losses did not come.',
  ].join('\n\n')}\n`;
}

/** Cautions for a reader who relies on the comparison. */
const WORTH = [
  'The level of the model was fitted to these ranges. Being within them shows that it is plausible, not that it predicts.',
  'The simulated population was adjusted, too, so that its terms and loan-to-value ratios resemble those of the pools: applicants with the best scores were given longer terms and higher ratios than at first.',
  'The result depends on the sample. Of auto-hazard-3, all figures were also inside in a sample of 600; with five other seeds of 1,000 and one of 4,000 every net loss, severity and timing was, and the speed of below 560, whose range is recalled, was 1.93 to 1.97.',
  'Several of the ranges are wide, because lenders differ as much as scores do: at 600–639 they reach from one lender whose pools often hold loans that were paid on before (Ally CARAT, 5.5 %) to another at 16.25 %. Without Ally’s pool that band would begin at 9 %, and the model is within that, too.',
  'Some figures that the ranges rest on are recalled: see [published figures](#published-figures).',
]
  .map((line) => `- ${line}`)
  .join('\n');

function bandTable({ bands, compared }: Study): string {
  const rows = bands.map(({ band, loans }) => [
    band,
    String(loans),
    ...NAMES.map((name) => {
      const one = compared.find((row) => row.band === band && row.figure === name);
      if (one === undefined) return '–';
      const value = fixed(name, one.value);
      return `${one.within ? value : `**${value}**`} (${one.low}–${one.high})`;
    }),
  ]);
  return table(['Score', 'Loans', ...NAMES.map((name) => HEADINGS[name])], rows);
}

function lossTable({ compared }: Study): string {
  return table(
    ['Score', 'Net loss %', 'Range %', 'Usual %', 'Inside', 'Rests on'],
    compared
      .filter(({ figure }) => figure === 'netLoss')
      .map(({ band, value, low, high, within }) => {
        const { usualLoss, pools } = expectedOf(band);
        const told = pools.map(({ name, netLoss }) => `${name} ${rangeText(netLoss)}`).join('; ');
        return [band, value.toFixed(2), `${low}–${high}`, String(usualLoss), within ? 'yes' : '**no**', told];
      }),
  );
}

function verdict({ compared }: Study): string {
  const outside = compared.filter(({ within }) => !within);
  if (outside.length === 0) return `All ${compared.length} figures are within their ranges.`;
  const list = outside.map(({ band, figure }) => `${SPOKEN[figure]} of ${band}`);
  return `${compared.length - outside.length} of ${compared.length} figures are within their ranges; outside: ${list.join(', ')}.`;
}

function tenthsVerdict({ performance }: Study): string {
  const { tenths } = performance[1] as Performance;
  const inside = tenths.filter(({ predicted, observed, error }) => Math.abs(observed - predicted) <= 2 * error);
  return `${inside.length} of ${tenths.length} tenths are within two standard errors of the prediction; chance alone leaves one in twenty outside.`;
}

function performanceTable({ performance }: Study): string {
  return table(
    [
      'Sample',
      'As of',
      'Simulated loans',
      'Predicted %',
      'Defaulted %',
      'KS',
      'Gini',
      'PSI of the score',
      'PSI of the risk',
    ],
    performance.map(({ name, on, loans, predicted, observed, ks, gini, scoreStability, riskStability }) => [
      ...[name, on, loans.toLocaleString('en-US'), (100 * predicted).toFixed(1), (100 * observed).toFixed(1)],
      ...[ks.toFixed(2), gini.toFixed(2), scoreStability.toFixed(2), riskStability.toFixed(2)],
    ]),
  );
}

function tenthsTable({ performance }: Study): string {
  const { tenths } = performance[1] as Performance;
  return table(
    ['Tenth of risk', 'Simulated loans', 'Predicted %', 'Defaulted %', 'Standard error'],
    tenths.map(({ loans, predicted, observed, error }, n) => [
      ...[String(n + 1), loans.toLocaleString('en-US'), (100 * predicted).toFixed(1)],
      ...[(100 * observed).toFixed(1), (100 * error).toFixed(1)],
    ]),
  );
}

function poolTable(): string {
  return table(
    ['Pool', 'Segment', 'Dated', 'Score', 'Months', 'LTV', 'Net loss', 'By', 'Sources', 'Recalled'],
    POOLS.map(({ name, segment, dated, score, term, ltv, netLoss, by, sources, recalled }) => [
      ...[name, segment, dated, score === null ? '–' : rangeText(score), String(term ?? '–'), String(ltv ?? '–')],
      ...[rangeText(netLoss), by, linksTo(sources), recalled.map((what) => WORDS[what]).join(', ')],
    ]),
  );
}

const WORDS = { score: 'score', term: 'months', ltv: 'LTV', netLoss: 'net loss' } as const;

function figureTable(): string {
  return table(
    ['Figure', 'About', 'Segment', 'Dated', 'Percent', 'Sources', 'Recalled'],
    FIGURES.map(({ name, about, segment, dated, range, sources, recalled }) => [
      ...[name, about, segment, dated, rangeText(range), linksTo(sources), recalled ? 'yes' : ''],
    ]),
  );
}

function linksTo(sources: readonly string[]): string {
  return sources.map((source, n) => `[${n + 1}](${source})`).join(' ');
}

function rangeText({ low, high }: Range): string {
  return low === high ? String(low) : `${low}–${high}`;
}

/** Net losses and speeds to hundredths, shares to whole percent. */
function fixed(name: FigureName, value: number): string {
  return value.toFixed(name === 'netLoss' || name === 'speed' ? 2 : 0);
}

function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(heading), `|${heading.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}
