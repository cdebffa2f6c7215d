/** The sums by day, which are of the sealed blocks, compared with the journal of all loans and books: as it was posted again from their histories. */
import type { Bounds, DaySum, StoredLine } from '../../store/verify/verify.ts';
import { type BookComplaint, complaintOf } from './complaint.ts';
import type { CheckedLoan, Owner } from './loan.ts';

/** By volume, then by organization, lender, day, entry, account and whether it is of an earlier month: the journal in sealed blocks. */
export type Sums = Map<number, DaySums>;
export type DaySums = Map<string, Sum>;
type Sum = { debit: number; credit: number };

export function addPosted(sums: DaySums, owner: Owner, { posted }: CheckedLoan, sealed: number): void {
  for (const { block, lines } of posted ?? []) {
    if (block <= sealed) for (const line of lines) add(sums, owner, line);
  }
}

export function addStored(sums: DaySums, lines: readonly StoredLine[], sealed: number): void {
  for (const line of lines) if (line.block <= sealed) add(sums, line, line);
}

type Summed = { entry: string; account: string; amount: number; dateEffective: string; datePosted: string };

function add(sums: DaySums, { organizationId, lenderId }: Owner, line: Summed): void {
  const { datePosted, dateEffective, entry, account, amount } = line;
  const priorPeriod = dateEffective.slice(0, 7) < datePosted.slice(0, 7);
  const name = nameOfSum({ organizationId, lenderId, date: datePosted, entry, account, priorPeriod });
  const sum = of(sums, name, () => ({ debit: 0, credit: 0 }));
  if (amount > 0) sum.debit += amount;
  else sum.credit -= amount;
}

function nameOfSum(of: Omit<DaySum, 'volume' | 'debit' | 'credit'>): string {
  const { organizationId, lenderId, date, entry, account, priorPeriod } = of;
  return `${organizationId} ${lenderId} ${date} ${entry} ${account}${priorPeriod ? ' of an earlier month' : ''}`;
}

/** The value under a name; created on first use. */
export function of<K, T>(map: Map<K, T>, name: K, make: () => T): T {
  const kept = map.get(name);
  if (kept !== undefined) return kept;
  const made = make();
  map.set(name, made);
  return made;
}

export function checkSums(
  sums: Sums,
  { days: stored }: Pick<Bounds, 'days'>,
  complain: (complaint: BookComplaint) => void,
): void {
  const tell = (name: string, what: string, expected: unknown, found: unknown) =>
    complain(complaintOf('account_days', {}, `${name}: ${what}`, { expected, found }));
  for (const { volume, debit, credit, ...day } of stored) {
    const key = nameOfSum(day);
    const name = `volume ${volume} ${key}`;
    const days = sums.get(volume);
    const sum = days?.get(key) ?? { debit: 0, credit: 0 };
    days?.delete(key);
    if (debit !== sum.debit) tell(name, 'debit does not match the sum of the journal', sum.debit, debit);
    if (credit !== sum.credit) tell(name, 'credit does not match the sum of the journal', sum.credit, credit);
  }
  for (const [volume, days] of sums) {
    for (const [key, { debit, credit }] of days) {
      tell(`volume ${volume} ${key}`, 'is missing', `${debit} and ${credit}`, 'none');
    }
  }
}
