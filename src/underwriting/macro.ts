/** The economy beside a loan: what a model may take of the figures that were given, and what the record shows. */
import type { PlainDate } from '../core/calendar.ts';
import { macroText } from './decision.ts';
import { isMacro, type Macro, macroOn } from './policy.ts';
import { POLICIES } from './policy-data.ts';
import { inForce } from './score.ts';

/** The given figures, which may be anything: null unless all three are numbers in their ranges. */
export function macroOf(text: string): Macro | null {
  const { unemployment, cpi, fedRate } = JSON.parse(text) as Partial<Macro>;
  if (typeof unemployment !== 'number' || typeof cpi !== 'number' || typeof fedRate !== 'number') return null;
  const macro = { unemployment, cpi, fedRate };
  return isMacro(macro) ? macro : null;
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
