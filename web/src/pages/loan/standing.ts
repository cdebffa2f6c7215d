/** How a loan stands, in words: what is past due, payments that were taken back, what a hold does. */
import { cents, money, words } from '../../format.ts';

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

/** What is past due are installments; unpaid fees are owed beside them: "2 installments, plus fees 25.00". */
export function pastDueNote(installments: number, fees: string | undefined): string {
  const late = installments === 1 ? '1 installment' : `${installments} installments`;
  const plus = (cents(fees) ?? 0n) > 0n ? `plus fees ${money(fees)}` : '';
  return [installments === 0 ? '' : late, plus].filter(Boolean).join(', ') || 'nothing';
}
