/** The economy beside a loan: what the record shows of it. A model takes only the lending policy's own figures. */
import type { PlainDate } from '../core/calendar.ts';
import { macroText } from './decision.ts';
import { type LendingPolicy, type Macro, macroOn } from './policy.ts';
import { POLICIES } from './policy-data.ts';
import { inForce } from './score.ts';

/**
 * The same policy in another economy, for studies: these figures on every day, and money as much dearer or cheaper as the central bank's
 * rate differs from the one that the policy has for the day.
 */
export function inEconomy(policy: LendingPolicy, day: PlainDate, macro: Macro): LendingPolicy {
  const moved = macro.fedRate - macroOn(policy, day).fedRate;
  return {
    ...policy,
    funds: policy.funds.map((curve) => ({
      ...curve,
      points: curve.points.map(({ months, percent }) => ({ months, percent: percent + moved })),
    })),
    macro: policy.macro.map((row) => ({ ...row, ...macro })),
  };
}

/** By the table of the lending policy in force, as JSON text; a day before its first row takes that row. */
export function macroOfDay(day: PlainDate): string {
  return macroText(macroOn(inForce(POLICIES, day), day));
}

/** Texts of a loan's file that hold the figures as JSON; empty where there are none. */
type MacroTexts = {
  readonly macroGiven: string;
  readonly macroEconomicFeatures: string;
  readonly macroAtCreation: string;
};

/** Each figure as it was given, else the assessment's, else that of the day of creation; as JSON text, numbers by their text. */
export function macroShown(file: MacroTexts): string {
  const sources = [file.macroGiven, file.macroEconomicFeatures, file.macroAtCreation];
  const figure = ([name, number]: (typeof FIGURES)[number]) => {
    for (const text of sources) {
      const found = number.exec(text)?.[1];
      if (found !== undefined) return `"${name}":${found}`;
    }
    throw new Error('A loan has no figures of the day of its creation.');
  };
  return `{${FIGURES.map(figure).join(',')}}`;
}

const FIGURES = [
  ['unemployment', /"unemployment":([^,}]+)/],
  ['cpi', /"cpi":([^,}]+)/],
  ['fedRate', /"fedRate":([^,}]+)/],
] as const;
