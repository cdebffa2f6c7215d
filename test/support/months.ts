/** Whether the accounts of a month agree: what is exported, what the roll-forward shows, and the trial balances before it and at its end. */
import { expect } from 'vitest';
import { addDays, lastOfMonth, type PlainDate } from '../../src/core/calendar.ts';
import { isRefusal, type Refusal } from '../../src/core/refusal.ts';
import { ACCOUNTS } from '../../src/ledger/chart.ts';
import type { Books } from '../../src/loans/books/books.ts';
import type { Asker } from '../../src/loans/door/actor.ts';

export const OWN_CODES = Object.fromEntries(ACCOUNTS.map((account, i) => [account, String(1_000 + i)]));

export function answered<T extends object>(answer: T | Refusal): T {
  if (isRefusal(answer)) throw new Error(answer.detail);
  return answer;
}

/** By lender and account, debits positive, without zeros. */
type Movements = Record<string, number>;

const withoutZeros = (sums: Map<string, number>): Movements =>
  Object.fromEntries([...sums].filter(([, amount]) => amount !== 0).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Checks the months in order; returns how many lines were exported. */
export async function expectMonthsToAgree(
  books: Books,
  asker: Asker,
  months: readonly string[],
  lenders: readonly string[],
): Promise<number> {
  const balancesOn = async (asOf: PlainDate) => {
    const held = new Map<string, number>();
    for (const lenderId of lenders) {
      const { accounts } = answered(await books.trialBalance(asker, { asOf, lenderId }));
      for (const { account, debit, credit } of accounts) held.set(`${lenderId} ${account}`, debit - credit);
    }
    return held;
  };
  let opening = await balancesOn(addDays(`${months[0]}-01` as PlainDate, -1));
  let lines = 0;
  for (const period of months) {
    const closing = await balancesOn(lastOfMonth(`${period}-01` as PlainDate));
    const balanced = withoutZeros(new Map([...closing].map(([name, to]) => [name, to - (opening.get(name) ?? 0)])));
    const rolled = new Map<string, number>();
    for (const { lenderId, accounts } of answered(await books.rollForward(asker, { period, lenderId: null })).lenders) {
      for (const { account, activity } of accounts) {
        const amount = activity.reduce((sum, one) => sum + one.amount, 0);
        rolled.set(`${lenderId} ${account}`, amount);
      }
    }
    const exported = new Map<string, number>();
    for await (const some of answered(await books.exported(asker, { period, lenderId: null })).lines) {
      for (const { lenderId, account, debit, credit } of some) {
        const name = `${lenderId} ${account}`;
        exported.set(name, (exported.get(name) ?? 0) + debit - credit);
        lines += 1;
      }
    }
    expect({ period, ...withoutZeros(rolled) }).toEqual({ period, ...balanced });
    expect({ period, ...withoutZeros(exported) }).toEqual({ period, ...balanced });
    opening = closing;
  }
  return lines;
}
