/** Compares docs/underwriting.md with the model, the policy and the cash flows. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { livePortfolio, plot, randomPortfolio } from '../../test/support/underwriting/portfolio.ts';
import { GRADES } from '../core/grade.ts';
import { CASHFLOW_COLUMNS } from './cashflows.ts';
import { MODELS } from './model-data.ts';
import type { LendingPolicy, Rule } from './policy.ts';
import { POLICIES } from './policy-data.ts';
import type { FeatureWeight, Model } from './score.ts';

const text = readFileSync(join(import.meta.dirname, '../../docs/underwriting.md'), 'utf8');
const model = MODELS[0] as Model;
const policy = POLICIES[0] as LendingPolicy;

function missing(rows: readonly string[]): string[] {
  return rows.filter((row) => !text.includes(`${row}\n`));
}

test('every weight of the model, with its bounds and its reason', () => {
  const row = ({ name, low, high, reference, unit, weight, whenUnknown, because }: FeatureWeight) =>
    `| \`${name}\` | ${low} to ${high} | ${reference} | ${unit} | ${weight} | ${whenUnknown} | ${because} |`;
  expect(missing([...model.default.features, ...model.prepay.features].map(row))).toEqual([]);
});

test('the baselines', () => {
  const row = (which: 'default' | 'prepay') =>
    `| ${which}, ${model[which].intercept} | ${model[which].baseline.map(({ month, logOdds }) => `${month}: ${logOdds}`).join(', ')} |`;
  expect(missing([row('default'), row('prepay')])).toEqual([]);
});

test('every grade with its bound and its prices', () => {
  const rows = GRADES.map((grade) => {
    const { servicingPercent, capitalPercent, dealerFlat } = policy.pricing[grade];
    return `| ${grade} | ${model.grades[grade]} | ${servicingPercent} | ${capitalPercent} | ${dealerFlat / 100} |`;
  });
  expect(missing(rows)).toEqual([]);
});

test('every rule with its limit and outcome', () => {
  expect(missing(policy.rules.map(ruleRow))).toEqual([]);
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
      : 'stipulation' in outcome
        ? `requires: ${outcome.stipulation}`
        : `warns: ${outcome.warning}`;
  return `| \`${id}\` | \`${measure}\` ${breaks} ${bound} | ${result} |`;
}

test('every column of the cash flows', () => {
  const named = [...text.matchAll(/^\| `([A-Za-z_]+)` \| [^|]+ \|$/gm)].map(([, name]) => name);
  expect(CASHFLOW_COLUMNS.filter((column) => !named.includes(column))).toEqual([]);
});

test('the plot of predicted and simulated defaults', { timeout: 120_000 }, () => {
  expect(text).toContain(`\n${plot(livePortfolio(randomPortfolio(300), model, { lives: 40, seed: 5 }))}\n`);
});
