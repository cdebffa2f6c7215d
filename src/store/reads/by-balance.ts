/**
 * Loans by their balance. An index with the principal in it would get an entry with every payment, and so would every other index of the
 * row. `loans.principal_step` is in the indexes instead: the principal in steps that a payment seldom leaves (140 dollars wide at 30,000,
 * 80 at 10,000, 25 at 1,000). Rows are found by their steps, in the index alone; the principal is read where it decides: of the rows in the step of
 * a limit, and of as many as a page has with those that share a step with its last.
 */
import { bytes } from '../db/bytes.ts';
import type { Put } from './list-names.ts';

/** As the column is computed. The root of a number is the same on every machine, to the last bit. */
const stepOf = (cents: number): number => Math.ceil(Math.sqrt(Math.max(cents, 0)) / 4);

/** With `l` for the loan: at least, or at most, so many cents. */
export function balanceIs(than: '>=' | '<=', cents: number, put: Put): string {
  const step = stepOf(cents);
  return inStep(than, step, cents === 0 ? null : `p.principal ${than} ${put(cents)}::bigint`, put);
}

/** `exactly` is asked of the row itself where its step is the same; null: the step says it all. */
function inStep(than: '>=' | '<=', step: number, exactly: string | null, put: Put): string {
  const same = `l.principal_step ${than} ${put(step)}`;
  if (exactly === null) return same;
  return `${same} AND (l.principal_step <> ${put(step)}
    OR (SELECT ${exactly} FROM loans p WHERE p.volume = l.volume AND p.loan_id = l.loan_id))`;
}

export type PageByBalance = {
  /** The table, with `l` for the loan, and what is required of it. */
  readonly from: string;
  where(): readonly string[];
  /**
   * `gathered`: all that match are found first, by another index. Otherwise they are found in the order of steps: with a look at each row, or,
   * where many of those on the way do not match, in an index alone, and then the rows of those that do.
   */
  readonly found: 'gathered' | 'by row' | 'by index';
  /** Whether any of them may owe principal. */
  readonly owing: boolean;
  readonly descending: boolean;
  readonly after: { readonly key: string; readonly loanId: string } | null;
  /** A parameter. */
  readonly limit: string;
};

/**
 * Statements whose rows (`volume`, `loan_id`, `key`) together have the page. Loans that owe nothing, which may be all that ever ended, are in
 * the order of their ids; of the others, the first steps are read to the end of the last one, and sorted.
 */
export function selectByBalance(page: PageByBalance, put: Put): string[] {
  const { descending, after, owing, found } = page;
  const step = after === null ? null : stepOf(Number(after.key));
  const withNone = descending || step === null || step === 0;
  const withSome = owing && !(descending && step === 0);
  // Few were gathered: that some of them owe nothing is not worth gathering them again.
  const apart = withNone && !(withSome && found === 'gathered');
  return [...(apart ? [selectNone(page, step, put)] : []), ...(withSome ? [selectSome(page, step, apart, put)] : [])];
}

function selectNone(page: PageByBalance, step: number | null, put: Put): string {
  const { from, where, found, descending, after, limit } = page;
  const next = after !== null && step === 0 ? [`l.loan_id ${descending ? '<' : '>'} ${put(bytes(after.loanId))}`] : [];
  const rows = `SELECT l.volume, l.loan_id, 0::bigint AS key FROM ${from}
    WHERE ${[...where(), 'l.principal_step = 0', ...next].join(' AND ')}`;
  return `(${found === 'gathered' ? gathered(rows) : rows} ORDER BY loan_id ${descending ? 'DESC' : 'ASC'} LIMIT ${limit})`;
}

/** OFFSET 0 keeps the planner from walking the order of the page through loans that hardly ever match. */
const gathered = (rows: string) => `SELECT * FROM (${rows} OFFSET 0) all_of_it`;

function selectSome(page: PageByBalance, step: number | null, apart: boolean, put: Put): string {
  const { from, where, found, descending, after, limit } = page;
  const direction = descending ? 'DESC' : 'ASC';
  const [than, orSame] = descending ? (['<', '<='] as const) : (['>', '>='] as const);
  const all = [...where(), ...(apart ? ['l.principal_step > 0'] : [])];
  if (after !== null && step !== null) {
    const last = `(${put(after.key)}::bigint, ${put(bytes(after.loanId))}::bytea)`;
    all.push(inStep(orSame, step, `(p.principal, p.loan_id) ${than} ${last}`, put));
  }
  const rows = (columns: string) => `SELECT l.volume, l.loan_id, ${columns} FROM ${from} WHERE ${all.join(' AND ')}`;
  const first = `ORDER BY step ${direction} FETCH FIRST ${limit} ROWS WITH TIES`;
  const sorted = `ORDER BY key ${direction}, loan_id ${direction} LIMIT ${limit}`;
  const steps = 'l.principal_step AS step';
  if (found === 'by row')
    return `(SELECT volume, loan_id, key FROM (${rows(`${steps}, l.principal AS key`)} ${first}) found ${sorted})`;
  const narrow = found === 'gathered' ? gathered(rows(steps)) : rows(steps);
  return `(SELECT volume, loan_id, p.principal AS key FROM (${narrow} ${first}) found JOIN loans p USING (volume, loan_id) ${sorted})`;
}
