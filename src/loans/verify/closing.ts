/** The postings of loans and books, entered into the closed months of those in whose books they are. */
import type { ClosedMonths } from './closed-months.ts';
import { type CheckedLoan, type Owned, type Owner, ownerOf, type Posting } from './loan.ts';

/** Adds what a loan has posted, and what has accrued or fallen due and is not posted yet, which is the present owner's. */
export function addClosed(closed: ClosedMonths, { posted, unwrittenOn, owners }: CheckedLoan, sound: boolean): void {
  const present = owners.at(-1) as Owned;
  if (owners.length === 1 || !sound) for (const owner of owners) closeLines(closed, owner, sound ? posted : null);
  else {
    for (const { sequence, lines } of posted ?? []) {
      for (const line of lines) closed.add(ownerOf(owners, sequence, line), [line]);
    }
  }
  const through = closed.through(present.organizationId);
  if (through !== null) closed.add(present, unwrittenOn?.(through) ?? []);
}

/** Adds what a loan or a book of one owner has posted; null: it is damaged. */
export function closeLines(closed: ClosedMonths, owner: Owner, posted: readonly Posting[] | null): void {
  if (closed.through(owner.organizationId) === null) return;
  if (posted === null) closed.damaged(owner.organizationId);
  for (const { lines } of posted ?? []) closed.add(owner, lines);
}
