/** The fair lending report as files: `fair-lending.md`, and its charts beside it. Every figure is explained in plain words. */

import type { Effect, FairLending, GroupEffect } from './fairness.ts';
import type { Alternative } from './fairness-alternatives.ts';
import { FACTORS } from './fairness-decisions.ts';
import { lineChart, rangeChart, writtenBy } from './plot.ts';
import { NORMAL_95 } from './statistics.ts';

/** The inputs of the report, so that it can be made again. */
export type Made = { readonly size: number; readonly seed: string; readonly on: string };

/** By file name. */
export function fairLendingFiles(found: FairLending, made: Made): ReadonlyMap<string, string> {
  return new Map([
    ['fair-lending-effects.svg', writtenBy('npm run fairness', effectsChart(found))],
    ['fair-lending-approval.svg', writtenBy('npm run fairness', approvalChart(found))],
    ['fair-lending.md', page(found, made)],
  ]);
}

// ---- charts ----

function effectsChart({ effects }: FairLending): string {
  const approval = effects.find(({ on, by }) => on === 'approval' && by === 'least squares');
  const row = (label: string, effect: GroupEffect | null | undefined) => {
    const value = (effect?.effect ?? 0) * 100;
    const within = NORMAL_95 * (effect?.error ?? 0) * 100;
    return { label, value, low: value - within, high: value + within };
  };
  return rangeChart({
    title: 'The effect of being in group B on approval',
    unit: 'percentage points',
    rows: [row('alone', approval?.before), row('comparable', approval?.after)],
    ticks: [-40, -30, -20, -10, 0, 10],
    scale: 'even',
    rangeSays: 'interval of 95 %',
    valueSays: 'effect: alone, and among comparable applicants',
  });
}

function approvalChart({ byBand }: FairLending): string {
  // The middle of a band is its place; the ends of the scale are those of the scores.
  const places = [540, 580, 620, 660, 700, 750, 800];
  const line = (group: 'A' | 'B') => ({
    name: `group ${group}`,
    points: byBand.flatMap((band, i): [number, number][] => {
      const share = band[group];
      return share === null ? [] : [[places[i] as number, share * 100]];
    }),
  });
  return lineChart({
    title: 'Approval by credit score and group',
    xSays: 'credit score',
    ySays: '% approved',
    lines: [line('A'), line('B')],
    xTicks: [520, 560, 600, 640, 680, 720, 780, 820],
    yTicks: [0, 20, 40, 60, 80, 100],
    ranges: [],
  });
}

// ---- the page ----

function page(found: FairLending, { size, seed, on }: Made): string {
  return `${[
    '# Fair lending',
    '',
    `Written by \`npm run fairness -- --size ${size} --seed ${seed} --date ${on}\`; do not edit. Model ${found.model}, policy ${found.policy}, ${number(size)} applicants. What the model is for and where it ends: the [model card](../model-card.md).`,
    '',
    '**The population is simulated.** Nobody in it exists, and it is evidence about the method and the engine, not about a lender’s borrowers. Each applicant belongs to one of two proxy groups, A and B, as an analyst would infer them from names and addresses. The groups differ in what comes before an application: people of group B more often have a thin file or none, lower scores, and lower incomes. Nothing that underwriting reads tells the group. A lender repeats this on its own applications before it relies on it.',
    '',
    'That the groups come out differently is therefore expected; the question is what is left of it between comparable applicants, and what could be done about the rest. An application counts as approved when the requested deal is approved, or the same deal at the buy rate of the rate sheet.',
    '',
    ...approvalPart(found),
    ...differencesPart(found),
    ...effectsPart(found),
    ...reasonsPart(found),
    ...alternativesPart(found),
    ...redecidedPart(found),
  ].join('\n')}\n`;
}

function approvalPart({ groups, adverseImpact, price }: FairLending): string[] {
  const { A, B } = groups;
  const share = ({ approved, applicants }: typeof A) => percent(applicants === 0 ? null : approved / applicants);
  return [
    '## Approval and price',
    '',
    ...table(
      ['', 'Group A', 'Group B', 'Difference (95 % interval)'],
      [
        ['Applicants', number(A.applicants), number(B.applicants), ''],
        ['Approved', number(A.approved), number(B.approved), ''],
        ['Approval rate %', share(A), share(B), ''],
        ['Mean buy rate %', rate(A.buyRate), rate(B.buyRate), interval(price.buyRate)],
        ['Mean requested rate %', rate(A.askedRate), rate(B.askedRate), interval(price.askedRate)],
      ],
    ),
    '',
    ...impactText(adverseImpact),
    '',
    'The buy rate is the lender’s own price for the risk, before a dealer adds to it; the requested rate is what the application names. In this population it follows a table by score and vehicle, whatever the group: the discretion of dealers, from which differences in markup come, is not simulated. Both are means over all applicants of the group, approved or not, so that the groups are compared as they applied. A positive difference means that group B pays more.',
    '',
  ];
}

function impactText(impact: FairLending['adverseImpact']): string[] {
  if (impact === null) return ['A group has no approvals, so there is no adverse impact ratio.'];
  const { ratio, low, high } = impact;
  const verdict =
    ratio >= 0.8
      ? 'It is above 0.8, the four-fifths rule of thumb.'
      : 'It is below 0.8, the four-fifths rule of thumb: a reason to look for the cause, which the next sections do.';
  return [
    `**Adverse impact ratio ${ratio.toFixed(2)}** (95 % interval ${low.toFixed(2)} to ${high.toFixed(2)}): the approval rate of group B divided by that of group A. ${verdict} The interval says how much of it may be chance.`,
  ];
}

function differencesPart({ differences }: FairLending): string[] {
  const rows = differences.map(({ factor, A, B, standardized }) => [
    FACTORS[factor],
    plain(A),
    plain(B),
    standardized === null ? '-' : standardized.toFixed(2),
  ]);
  return [
    '## How the groups differ before anything is decided',
    '',
    ...table(['Mean of', 'Group A', 'Group B', 'Standardized difference'], rows),
    '',
    'The standardized difference is that of the means in standard deviations: 0.1 is small, 0.3 can be seen in a table, 0.5 is large. These are differences of the simulated applicants, not of decisions.',
    '',
  ];
}

const ON: Readonly<Record<Effect['on'], string>> = {
  approval: 'Approval, points',
  buyRate: 'Buy rate, points',
  askedRate: 'Requested rate, points',
};

function effectsPart({ effects }: FairLending): string[] {
  const shown = (effect: GroupEffect | null, factor: number) => {
    if (effect === null) return '-';
    const within = effect.error === null ? '' : ` ± ${(effect.error * NORMAL_95 * factor).toFixed(2)}`;
    return `${signed(effect.effect * factor)}${within}`;
  };
  const rows = effects.map(({ on, by, before, after }) => {
    const factor = on === 'approval' ? 100 : 1;
    return [ON[on], by, shown(before, factor), shown(after, factor)];
  });
  return [
    '## Marginal effects of the group',
    '',
    ...table(['Effect of being in group B on', 'Method', 'Alone', 'Among comparable applicants'], rows),
    '',
    'The third column is the plain difference between the groups. The last one is what remains between applicants who are alike in credit score (by band and within it), loan to value, income, debt to income, term and vehicle age: the part that these factors do not explain. ± is half of the 95 % interval; where it is larger than the effect, the effect cannot be told from chance. Logistic regression gives the average change of the probability of approval and has no interval here; bands in which everybody has the same outcome count as no effect.',
    '',
    'A rule is a step and a regression draws lines, so a small remainder is expected even of an engine that cannot see the group; the last section shows that this one cannot.',
    '',
    '![The effect of the group on approval](fair-lending-effects.svg)',
    '',
    '![Approval by credit score and group](fair-lending-approval.svg)',
    '',
  ];
}

function reasonsPart({ reasons, groups }: FairLending): string[] {
  const share = (count: number, group: 'A' | 'B') =>
    percent(groups[group].applicants === 0 ? null : count / groups[group].applicants);
  return [
    '## Reasons',
    '',
    ...table(
      ['Reason given', 'Group A, % of applicants', 'Group B'],
      reasons.map(({ statement, A, B }) => [statement, share(A, 'A'), share(B, 'B')]),
    ),
    '',
    'The principal reasons of a decline, at most four each, as the notice words them. A reason that only one group is given would need an explanation.',
    '',
  ];
}

/** A tenth of a percentage point: less is not worth a row. */
const SEEN = 0.001;

function alternativesPart({ alternatives: [asIs, ...others] }: FairLending): string[] {
  const name = ({ without }: Alternative) =>
    without === null ? 'nothing: as it is' : `${without.kind} \`${without.name}\``;
  const row = (one: Alternative) => [
    name(one),
    percent(one.approved),
    (one.gap * 100).toFixed(1),
    one.expectedLossPercent === null ? '-' : one.expectedLossPercent.toFixed(2),
  ];
  const seen = others.filter((one) => asIs !== undefined && Math.abs(one.gap - asIs.gap) >= SEEN);
  return [
    '## What contributes most, and less discriminatory alternatives',
    '',
    ...table(
      ['Without', 'Approved %', 'Gap A − B, points', 'Expected loss of what is lent, %'],
      [...(asIs === undefined ? [] : [asIs]), ...seen].map(row),
    ),
    '',
    'Each declining rule of the policy and each feature of the model is left out in turn, everything else stays, and the gap in approval is measured again; rows that change it by less than a tenth of a point are left out. The first rows narrow the gap most. The loss is always that of the whole model, because leaving a feature out makes nobody safer. A row with a smaller gap and nearly the same loss is a hint at a less discriminatory alternative: a looser limit there is worth a run of `npm run compare` before anything is changed. It is a hint only, one change at a time, on simulated people.',
    '',
  ];
}

function redecidedPart({ redecided: { applications, changed } }: FairLending): string[] {
  return [
    '## The same application from somebody else',
    '',
    `Every application was decided again with another first and last name, age, address, ZIP code, county, sex, marital status, language, employment and source of income. **${number(changed)} of ${number(applications)} came out differently** in any figure of the deal. That no decision can depend on them is also a property that \`src/underwriting/properties.test.ts\` checks byte for byte.`,
  ];
}

// ---- text ----

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)];
}

function percent(share: number | null): string {
  return share === null ? '-' : (share * 100).toFixed(1);
}

function rate(value: number | null): string {
  return value === null ? '-' : value.toFixed(2);
}

/** With the decimals that a figure of its size needs. */
function plain(value: number | null): string {
  if (value === null) return '-';
  return value >= 1_000 ? number(Math.round(value)) : value.toFixed(value >= 100 ? 0 : 1);
}

function signed(value: number): string {
  const text = value.toFixed(2).replace(/^-(0\.00)$/, '$1');
  return value > 0 ? `+${text}` : text;
}

function interval(difference: FairLending['price']['buyRate']): string {
  if (difference === null) return '-';
  return `${signed(difference.difference)} (${difference.low.toFixed(2)} to ${difference.high.toFixed(2)})`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
