/**
 * Work that waits for loans, shared fairly: organizations take turns (`turns.ts`), and inside one its loans do. For each loan one
 * item is out at a time; the next one waits until the loan is freed. Each organization has a line of its own for a loan, in the order it
 * came, and these lines take turns too: a caller that sends to the loans of others, with or without a grant, does not delay their requests.
 *
 * A loan that is not out has exactly the first of its lines among the turns. So nothing is ever searched: adding, taking and
 * freeing each cost the same small time, whatever waits.
 */
import { type Excess, type Line, openLine, openTurns, type Shares } from '../../workers/turns.ts';

export type LoanLines<T> = {
  /** Null: it is queued. Otherwise the limit that was reached; it was not added. */
  add(organizationId: string, loanId: string, item: T): 'loan' | Excess | null;
  /** Up to `most` items, each of another loan. Their loans are out until they are freed. */
  take(most: number): T[];
  free(loanId: string): void;
  /** Whether an item of this loan waits or is out. */
  has(loanId: string): boolean;
  /** Items that wait. */
  size(): number;
};

export function openLoanLines<T>(options: {
  readonly shares: Shares;
  /** Items of one organization that may wait for one loan. */
  readonly perLoan: number;
}): LoanLines<T> {
  const { shares, perLoan } = options;
  type Loan = { isOut: boolean; readonly byOrganization: Map<string, LoanLine>; readonly lines: Line<LoanLine> };
  type LoanLine = { readonly organizationId: string; readonly loan: Loan; readonly items: Line<T>; length: number };
  const loans = new Map<string, Loan>();
  const turns = openTurns<LoanLine>();
  let waiting = 0;

  return {
    add(organizationId, loanId, item) {
      const found = loans.get(loanId);
      const own = found?.byOrganization.get(organizationId);
      if (own !== undefined && own.length >= perLoan) return 'loan';
      const excess = shares.take(organizationId);
      if (excess !== null) return excess;
      const loan: Loan = found ?? { isOut: false, byOrganization: new Map(), lines: openLine() };
      if (found === undefined) loans.set(loanId, loan);
      const line = own ?? newLine(loan, organizationId);
      line.items.push(item);
      line.length += 1;
      waiting += 1;
      return null;
    },
    take(most) {
      const taken: T[] = [];
      while (taken.length < most) {
        const line = turns.next();
        if (line === undefined) break;
        taken.push(first(line));
      }
      return taken;
    },
    free(loanId) {
      const loan = loans.get(loanId);
      if (loan?.isOut !== true) throw new Error('A loan was freed that is not out.');
      loan.isOut = false;
      const next = loan.lines.first();
      if (next === undefined) loans.delete(loanId);
      else turns.add(next.organizationId, next);
    },
    has: (loanId) => loans.has(loanId),
    size: () => waiting,
  };

  function newLine(loan: Loan, organizationId: string): LoanLine {
    const line: LoanLine = { organizationId, loan, items: openLine(), length: 0 };
    const isFirst = loan.lines.first() === undefined;
    loan.byOrganization.set(organizationId, line);
    loan.lines.push(line);
    if (isFirst && !loan.isOut) turns.add(organizationId, line);
    return line;
  }

  /** The first item of a line that was given its turn; the loan's other lines come before its next one. */
  function first(line: LoanLine): T {
    const { loan, organizationId } = line;
    loan.isOut = true;
    loan.lines.shift();
    const item = line.items.shift() as T;
    line.length -= 1;
    waiting -= 1;
    if (line.length > 0) loan.lines.push(line);
    else loan.byOrganization.delete(organizationId);
    shares.give(organizationId);
    return item;
  }
}
