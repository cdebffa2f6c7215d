/** Facts of the loan for a form: figures for one click, and options to choose from. */
import type { Schemas } from 'daybook-sdk';
import { cents, fromCents } from '../../format.ts';
import type { Stipulation } from '../stipulations.ts';

export type Need = 'payoff' | 'policy' | 'fees' | 'holds' | 'stipulations' | 'timeline';
type DataOf<Name extends keyof Schemas> = Schemas[Name] extends { data: infer D } ? D : never;

export type OpenFee = { feeId: string; name: string; date: string; amount: string };
export type Facts = {
  /** By the clock of the loan, or of the organization. */
  today: string;
  loanId: string | null;
  summary: DataOf<'ReadSummaryAnswer'> | null;
  payoff: DataOf<'ReadPayoffAnswer'> | null;
  /** Due date of the next installment that is not past due, once the loan is funded. */
  upcoming: string | null;
  /** The values of the loan's policy in force; null: they are not needed, or could not be read. */
  policy: DataOf<'ReadLoanPolicyAnswer'>['values'] | null;
  fees: readonly OpenFee[];
  holds: DataOf<'ListHoldsAnswer'>['items'];
  stipulations: readonly Stipulation[];
  timeline: DataOf<'ReadTimelineAnswer'>['items'];
};

/** From the day on, the first installment of which something is open; what is past due has figures of its own. */
export function nextDueIn(
  schedule: DataOf<'ReadScheduleAnswer'> | undefined,
  asOf: string,
): DataOf<'ReadScheduleAnswer'>['installments'][number] | undefined {
  return schedule?.installments.find(({ dueDate, open, pastDue }) => cents(open) !== 0n && !pastDue && dueDate >= asOf);
}

type Row = { kind: string; reference: string | null; date: string; detail: string; amount: string };

/** The fees of the statement of which something is still owed. What is paid of each stands in the explanation, by name and date. */
export function openFees(rows: readonly Row[], steps: readonly { what: string; amount: string }[]): OpenFee[] {
  const left = [...steps];
  return rows.flatMap(({ kind, reference, date, detail, amount }) => {
    if (kind !== 'fee' || reference === null) return [];
    // A late fee says its installment too: "Late fee, installment 3".
    const at = left.findIndex(
      ({ what }) => what === `${detail.split(', ')[0]} of ${date}` || what === `${detail} of ${date}`,
    );
    const [step] = at < 0 ? [] : left.splice(at, 1);
    const open = cents(step?.amount ?? amount) ?? 0n;
    return open > 0n ? [{ feeId: reference, name: detail, date, amount: fromCents(open) }] : [];
  });
}

/** The servicing figures of a funded loan. */
export function servicing({ summary }: Facts): { due: string | null; pastDue: string | null } {
  const [figures] = Object.values(summary?.loanDetails.metadata ?? {});
  const positive = (amount: string | undefined) => ((cents(amount) ?? 0n) > 0n ? (amount ?? null) : null);
  return { due: positive(figures?.currentPaymentDue), pastDue: positive(figures?.pastDueAmount) };
}
