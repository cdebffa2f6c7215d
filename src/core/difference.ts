/** What a fold again changes, as a value: two states of one loan on the same day, and what lies between them. */
import { feesOwed } from './books.ts';
import type { PlainDate } from './calendar.ts';
import type { Loan } from './loan.ts';
import { type Cents, cents, formatCents } from './money.ts';

/** What a backdated or returned event changes: two folds of one loan on the same day, and what lies between them. */
export type Difference = {
  /** From this day on interest ran differently; null when it did not. */
  readonly since: PlainDate | null;
  readonly parts: readonly {
    readonly part: string;
    readonly before: Cents;
    readonly after: Cents;
    readonly change: Cents;
  }[];
  /** Why, one sentence for each payment and fee that is not what it was. */
  readonly reasons: readonly string[];
};

/** Unchanged parts are left out; the changes of the parts are what correcting entries are made of. */
export function difference(before: Loan, after: Loan): Difference {
  const read: [string, (loan: Loan) => Cents][] = [
    ['principal', (loan) => loan.principal],
    ['interest', (loan) => loan.interest],
    ['fees', feesOwed],
    ['credit', (loan) => loan.credit],
    ...(Object.keys(before.totals) as (keyof Loan['totals'])[]).map((name): [string, (loan: Loan) => Cents] => [
      `totals.${name}`,
      (loan) => loan.totals[name],
    ]),
  ];
  const parts = read.flatMap(([part, of]) => {
    const [was, is] = [of(before), of(after)];
    return was === is ? [] : [{ part, before: was, after: is, change: cents(is - was) }];
  });
  const reasons = [
    ...changes(
      before.payments,
      after.payments,
      'refId',
      'payment',
      ({ status, allocation: { fees, interest, principal, credit } }) =>
        status === 'Returned'
          ? 'was returned'
          : `pays ${formatCents(interest)} interest, ${formatCents(principal)} principal, ${formatCents(fees)} fees, ${formatCents(credit)} credit`,
    ),
    ...changes(
      before.fees,
      after.fees,
      'feeId',
      'fee',
      ({ amount, date, paid, waived }) =>
        `is ${formatCents(amount)} of ${date}, ${formatCents(paid)} paid, ${formatCents(waived)} waived`,
    ),
  ];
  return { since: firstDifference(before, after), parts, reasons };
}

function changes<T extends object, K extends keyof T>(
  before: readonly T[],
  after: readonly T[],
  name: K,
  what: string,
  tell: (one: T) => string,
): string[] {
  const was = new Map(before.map((one) => [one[name], tell(one)]));
  const is = new Map(after.map((one) => [one[name], tell(one)]));
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((key) => {
    const [old, now] = [was.get(key), is.get(key)];
    if (old === now) return [];
    if (old === undefined) return [`${what} ${String(key)} ${now}`];
    return [
      now === undefined
        ? `${what} ${String(key)} is gone; it was: ${old}`
        : `${what} ${String(key)} ${now}; before, it was: ${old}`,
    ];
  });
}

function firstDifference(before: Loan, after: Loan): PlainDate | null {
  const count = Math.max(before.stretches.length, after.stretches.length);
  for (let i = 0; i < count; i++) {
    const [a, b] = [before.stretches[i], after.stretches[i]];
    if (a === undefined || b === undefined) return (a ?? b)?.from ?? null;
    if (a.interest !== b.interest || a.principal !== b.principal || a.from !== b.from)
      return a.from < b.from ? a.from : b.from;
    if (a.to !== b.to) return a.to < b.to ? a.to : b.to;
  }
  if (before.principal === after.principal && before.stretchSince === after.stretchSince) return null;
  return before.stretchSince < after.stretchSince ? before.stretchSince : after.stretchSince;
}
