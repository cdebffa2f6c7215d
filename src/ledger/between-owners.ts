/** Money that a former owner of a loan took, after the sale: in whose cash it is, and who owes it to whom. */
import type { PlainDate } from '../core/calendar.ts';
import { cents } from '../core/money.ts';
import type { Taker } from '../core/ownership.ts';
import type { Line } from './post.ts';

/** A line of the journal; `former`: in the books of this one of the former owners. */
type Dated = Line & { readonly dateEffective: PlainDate; readonly datePosted: PlainDate; readonly former?: number };

/**
 * Money of a payment that a former owner took is in that owner's books, and stands between the two: where it came in only after the sale the
 * former owner owes it, and where it went back the former owner is owed it, because the price rested on the lower balance.
 */
export function withTaker(lines: readonly Dated[], { former, isKnown }: Taker): Dated[] {
  const due = isKnown ? ({ of: 'dueTo', to: 'dueFrom' } as const) : ({ of: 'dueFrom', to: 'dueTo' } as const);
  const own = [...lines];
  const theirs: Dated[] = [];
  for (const account of ['cash', 'cashClearing'] as const) {
    const some = lines.filter((line) => line.account === account);
    const amount = cents(some.reduce((sum, line) => sum + line.amount, 0));
    const line = some.find((one) => one.amount === amount) ?? some[0];
    if (line === undefined || amount === 0) continue;
    const opposite = cents(-amount);
    own.push({ ...line, amount: opposite }, { ...line, account: due.of, amount });
    theirs.push({ ...line, amount, former }, { ...line, account: due.to, amount: opposite, former });
  }
  return [...netted(own), ...netted(theirs)];
}

/** Lines of one entry, account and day as one; without those that come to nothing. */
function netted(lines: readonly Dated[]): Dated[] {
  const sums = new Map<string, Dated>();
  for (const line of lines) {
    const key = [line.entry, line.account, line.dateEffective, line.datePosted].join(' ');
    const before = sums.get(key);
    sums.set(key, before === undefined ? line : { ...before, amount: cents(before.amount + line.amount) });
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0);
}
