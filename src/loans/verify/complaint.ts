/** The complaints of a check of the book. A complaint never holds a personal value: of what could be one it only says that it does not match. */
/** A fault and its place: a table, and in it a loan, one of its transactions (from 1), or a block. */
export type BookComplaint = {
  readonly table: string;
  readonly loanId: string | null;
  readonly transaction: number | null;
  readonly block: number | null;
  readonly what: string;
  readonly expected: string | null;
  readonly found: string | null;
};

/** A complaint of a loan; `at` is the number of a transaction. */
export type Tell = (
  table: string,
  at: number | null,
  what: string,
  compared?: { readonly expected: unknown; readonly found: unknown },
) => void;

export const rows = (n: number): string => (n === 1 ? '1 row is' : `${n} rows are`);

/** A complaint as one line. */
export function complaintLine({ table, loanId, transaction, block, what, expected, found }: BookComplaint): string {
  const place = [
    table,
    ...(loanId === null ? [] : [`loan ${loanId}`]),
    ...(transaction === null ? [] : [`transaction ${transaction}`]),
    ...(block === null ? [] : [`block ${block}`]),
  ].join(', ');
  return `${place}: ${what}${expected === null && found === null ? '' : ` (expected ${expected}, found ${found})`}`;
}

export function complaintOf(
  table: string,
  where: { loanId?: string; transaction?: number | null; block?: number | null },
  what: string,
  compared?: { readonly expected: unknown; readonly found: unknown },
): BookComplaint {
  const { loanId = null, transaction = null, block = null } = where;
  const text = (value: unknown) => String(value ?? 'none');
  const [expected, found] = compared === undefined ? [null, null] : [text(compared.expected), text(compared.found)];
  return { table, loanId, transaction, block, what, expected, found };
}
