/** How a loan stands, in words: payments that were taken back, what a hold does. */
import { words } from '../../format.ts';

/** The payments of a statement that no longer count, by reference, with what became of them. */
export function takenBack(rows: readonly { kind: string; reference: string | null }[]): Map<string, string> {
  return new Map(
    rows.flatMap(({ kind, reference }) =>
      reference !== null && (kind === 'returned' || kind === 'reversed') ? [[reference, words(kind)] as const] : [],
    ),
  );
}

/** "late fees: forbidden", "charge off clock: within 60 days" */
export const inEffect = (area: string, effect: string): string =>
  `${words(area).toLowerCase()}: ${words(effect)
    .toLowerCase()
    .replace(/^within(\d)/, 'within $1')}`;
