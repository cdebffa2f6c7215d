/**
 * Compares docs/underwriting.md with the model, the policy and the cash flows. Each table is found in the page by its heading. When the
 * data changed, the failure prints the table as it should be, and WRITE_DOCS=1 writes all of them:
 *
 *     WRITE_DOCS=1 npx vitest run src/underwriting/documents.test.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ORDINARY } from '../../test/support/underwriting/applicants.ts';
import { requested } from '../../test/support/underwriting/deals.ts';
import { livePortfolio, plot, randomPortfolio } from '../../test/support/underwriting/portfolio.ts';
import { GRADES } from '../core/grade.ts';
import { CASHFLOW_COLUMNS } from './cashflows.ts';
import { MODELS } from './model-data.ts';
import type { LendingPolicy, Rule } from './policy.ts';
import { POLICIES } from './policy-data.ts';
import { type FeatureWeight, hazardsOf, lifetimeDefault, type Model } from './score.ts';
import { STATE_CAPS } from './state-caps.ts';

const PAGE = join(import.meta.dirname, '../../docs/underwriting.md');
const text = () => readFileSync(PAGE, 'utf8');
const model = MODELS[0] as Model;
const policy = POLICIES[0] as LendingPolicy;

/** The page has these lines, one after the other, and after them one that is not of the same kind. */
function contains(lines: readonly string[], sameKind: (line: string) => boolean): void {
  const page = text().split('\n');
  const from = page.indexOf(lines[0] as string);
  const to = page.findIndex((line, i) => i > from && !sameKind(line));
  const found = from < 0 ? [] : page.slice(from, to);
  if (process.env.WRITE_DOCS && from >= 0) {
    writeFileSync(PAGE, [...page.slice(0, from), ...lines, ...page.slice(to)].join('\n'));
    return;
  }
  expect(found, `docs/underwriting.md must contain:\n\n${lines.join('\n')}\n`).toEqual(lines);
}

function table(heading: string, rows: readonly string[]): void {
  const cells = heading.split('|').length - 2;
  contains([heading, `|${'---|'.repeat(cells)}`, ...rows], (line) => line.startsWith('|'));
}

const FEATURES = 'Bounds | Reference | Unit | Weight | Unknown | Because |';

function featureRow({ name, low, high, reference, unit, weight, whenUnknown, because }: FeatureWeight): string {
  return `| \`${name}\` | ${low} to ${high} | ${reference} | ${unit} | ${weight} | ${whenUnknown} | ${because} |`;
}

test('every weight of the model, with its bounds and its reason', () => {
  table(`| Feature of default | ${FEATURES}`, model.default.features.map(featureRow));
  table(`| Feature of prepayment | ${FEATURES}`, model.prepay.features.map(featureRow));
});

test('the baselines, the bounds of the deal and the incentive', () => {
  const row = (which: 'default' | 'prepay') =>
    `| ${which}, ${model[which].intercept} | ${model[which].baseline.map(({ month, logOdds }) => `${month}: ${logOdds}`).join(', ')} |`;
  table('| Hazard, intercept | Month: log-odds |', [row('default'), row('prepay')]);
  const { dealShift } = model.default;
  const { incentive } = model.prepay;
  table('| Bounded sum | Log-odds | Bounds | Because |', [
    `| deal and vehicle together | their sum | ${dealShift.low} to ${dealShift.high} | The credit file decides; no choice of terms outweighs it. |`,
    `| incentive to prepay | a point above the market rate: ${GRADES.map((grade) => `${grade} ${incentive.perPoint[grade]}`).join(', ')}; below it ${incentive.perPointBelow} | ${incentive.low} to ${incentive.high} points | ${incentive.because} |`,
  ]);
});

test('the default probabilities of the reference loan', () => {
  const [score, early] = [model.default.features, model.prepay.features].map((features) =>
    features.find(({ name }) => name === 'score'),
  );
  const at = (points: number) => {
    const moved = (of: FeatureWeight | undefined) =>
      of === undefined ? 0 : (of.weight * (points - of.reference)) / of.unit;
    const logOdds = { default: moved(score), prepay: moved(early) };
    return `| ${points} | ${(lifetimeDefault(hazardsOf(model, logOdds, model.standardMonths)) * 100).toFixed(1)} |`;
  };
  table('| Score | Default % |', [780, 740, 700, 660, 620, 580, 540].map(at));
});

test('what a vehicle brings', () => {
  const { collateral } = model;
  const percent = (share: number) => `${Number((share * 100).toFixed(2))} %`;
  table('| Recovery | Figure |', [
    `| loss of value a year, by age | ${collateral.depreciation.map(({ age, perYear }) => `${age} years ${percent(perYear)}`).join(', ')} |`,
    `| more for each 10,000 miles | ${percent(collateral.perTenThousandMiles)}, up to ${collateral.mostMiles} miles, in all at most ${percent(collateral.most)} |`,
    `| unknown age, mileage | ${collateral.unknownAge} years, ${collateral.unknownMileage} miles |`,
    `| sold below the book value, at a cost of | ${percent(collateral.discount)}, ${collateral.cost / 100} |`,
    `| vehicles that are found | ${percent(collateral.foundShare)} |`,
    `| collected of the rest | ${percent(collateral.collectedShare)} |`,
    `| months to the charge-off, then to the sale, to the collection | ${model.chargeOffLagMonths}, ${collateral.saleLagMonths}, ${collateral.collectionLagMonths} |`,
    `| because | ${collateral.because} |`,
  ]);
});

test('every grade with its bound and its costs', () => {
  table(
    '| Grade | Default probability up to | Servicing % | Capital % | Least yield, points | Priced as, months | Dealer flat |',
    GRADES.map((grade) => {
      const { servicingPercent, capitalPercent, hurdlePoints, shortestMonths, dealerFlat } = policy.pricing[grade];
      return `| ${grade} | ${model.grades[grade]} | ${servicingPercent} | ${capitalPercent} | ${hurdlePoints} | ${shortestMonths} | ${dealerFlat / 100} |`;
    }),
  );
});

test('the curves of the cost of funds', () => {
  const months = policy.funds[0]?.points.map((point) => point.months) ?? [];
  table(
    `| From | ${months.map((count) => `${count} months %`).join(' | ')} |`,
    policy.funds.map(({ from, points }) => `| ${from} | ${points.map(({ percent }) => percent).join(' | ')} |`),
  );
});

test('the caps of the states', () => {
  table(
    '| State | From | Until | Rate with charges, at most | Source | Written down | |',
    STATE_CAPS.map(
      ({ state, from, until, limit, source, asOf, status }) =>
        `| ${state} | ${from} | ${until ?? ''} | ${limit === null ? 'as agreed' : `${limit} %`} | ${source} | ${asOf} | ${status} |`,
    ),
  );
});

test('the other costs, and what a dealer may add', () => {
  const { acquisition, dealer } = policy;
  table('| Cost | Figure |', [
    `| average life, as a share of the term | ${policy.averageLifeShare} |`,
    `| capital earns above the cost of funds | ${policy.targetReturnPoints} points |`,
    `| origination | ${acquisition.originationCost / 100} a loan |`,
    `| acquisition, in the rate | ${acquisition.ratePercent} points |`,
    `| acquisition fee, at most | ${acquisition.maximumFee / 100} |`,
    `| loan discount, at most | ${acquisition.maximumDiscountPercent} % |`,
    `| dealer's discount on an advance beyond the value | ${policy.excessAdvancePercent} % |`,
    `| dealer's markup, at most | ${dealer.markup.map(({ upToMonths, points }) => `to ${upToMonths} months ${points}`).join(', ')} points |`,
    `| dealer's share of it | ${dealer.sharePercent} % |`,
    `| highest rate | ${policy.highestRate} % |`,
  ]);
});

test('the worked example', () => {
  const { sheet, grade, rate, ...deal } = requested(ORDINARY);
  const { parts } = sheet;
  const money = (amount: number) => (amount / 100).toFixed(2);
  table('| Example | |', [
    `| grade | ${grade}, ${deal.standardDefaultProbability} under the standard deal |`,
    `| cost of funds | ${parts.funds.toFixed(2)} |`,
    `| expected loss | ${parts.loss.toFixed(2)} |`,
    `| short term | ${parts.shortTerm.toFixed(2)} |`,
    `| servicing | ${parts.servicing.toFixed(2)} |`,
    `| capital and target return | ${parts.capital.toFixed(2)} |`,
    `| acquisition | ${parts.acquisition.toFixed(2)} |`,
    `| buy rate | ${sheet.buyRate.toFixed(2)} |`,
    `| highest offer | ${sheet.highestOffer.toFixed(2)} |`,
    `| requested rate | ${rate.toFixed(2)} |`,
    `| fair value | ${money(deal.price.fairValue)} |`,
    `| paid out: funded, participation, origination | ${money(deal.paidOut)}: ${money(deal.dealer.funded)}, ${money(deal.dealer.reserve)}, ${money(deal.originationCost)} |`,
    `| net yield, and the least | ${deal.netYieldPercent.toFixed(2)}, ${deal.hurdlePercent.toFixed(2)} |`,
    `| decision | ${deal.decision} |`,
  ]);
});

test('every rule with its limit and outcome', () => {
  table('| Rule | Breaks | Then |', policy.rules.map(ruleRow));
});

function ruleRow({ id, measure, breaks, limit, outcome }: Rule): string {
  const bound =
    typeof limit === 'number'
      ? String(limit)
      : 'byGrade' in limit
        ? GRADES.map((grade) => `${grade} ${limit.byGrade[grade]}`).join(', ')
        : 'byVehicleAge' in limit
          ? limit.byVehicleAge.map(({ upTo, limit: most }) => `to ${upTo} years ${most}`).join(', ')
          : 'ofDeal' in limit
            ? `\`${limit.ofDeal}\``
            : 'by state and date';
  const result =
    'decline' in outcome
      ? `declines: ${outcome.decline}`
      : 'demand' in outcome
        ? `requires: ${outcome.demand.text}`
        : `warns: ${outcome.warning}`;
  return `| \`${id}\` | \`${measure}\` ${breaks} ${bound} | ${result} |`;
}

test('every column of the cash flows', () => {
  const named = [...text().matchAll(/^\| `([A-Za-z_]+)` \| [^|]+ \|$/gm)].map(([, name]) => name);
  expect(CASHFLOW_COLUMNS.filter((column) => !named.includes(column))).toEqual([]);
});

test('the plot of predicted and simulated defaults', { timeout: 120_000 }, () => {
  const lines = plot(livePortfolio(randomPortfolio(500), model, { lives: 40, seed: 5 })).split('\n');
  contains(['```text simulated', ...lines], (line) => line !== '```');
});
