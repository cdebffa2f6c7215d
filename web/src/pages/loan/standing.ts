/** How a loan stands, in words: payments that were taken back. */
import { words } from '../../format.ts';

/** The payments of a statement that no longer count, by reference, with what became of them. */
export function takenBack(rows: readonly { kind: string; reference: string | null }[]): Map<string, string> {
  return new Map(
    rows.flatMap(({ kind, reference }) =>
      reference !== null && (kind === 'returned' || kind === 'reversed') ? [[reference, words(kind)] as const] : [],
    ),
  );
}
