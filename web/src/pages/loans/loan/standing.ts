/** State of a loan in words: amounts past due, payments that were taken back, effects of a hold. */
import { cents, money, words } from '../../../format.ts';

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

/** Unpaid fees are owed beside what is past due: "2 payments + fees 25.00". It fits one line of its figure. */
export function pastDueNote(count: number, fees: string | undefined): string {
  const late = count === 1 ? '1 payment' : `${count} payments`;
  if ((cents(fees) ?? 0n) <= 0n) return count === 0 ? 'nothing' : late;
  return `${count === 0 ? '' : late} + fees ${money(fees)}`.trim();
}
