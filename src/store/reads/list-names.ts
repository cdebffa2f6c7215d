/** Loans of a list that are found by their names: a borrower, an application, or the beginning of either. */

import { bytes } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';

export type Names = {
  borrowerId: string | null;
  applicationId: string | null;
  /** Matches ids exactly or by their beginning. */
  q: string | null;
};

/** `gathered`: found by the name; `in order`: so many match that each row is asked for its name. */
type Found = { organizationId: string; named: 'no' | 'gathered' | 'in order' };

export type Put = (value: unknown) => string;

export function parameterList(): { values: unknown[]; put: Put } {
  const values: unknown[] = [];
  return { values, put: (value) => `$${values.push(value)}` };
}

/** The most that are counted. */
export const COUNTED = 10_000;

export function hasName({ borrowerId, applicationId, q }: Names): boolean {
  return borrowerId !== null || applicationId !== null || q !== null;
}

/** The number of loans that have such a name, at most one more than `COUNTED`; null: no name is asked for. */
export async function nameMatches(
  db: Sql,
  query: Names & { readonly scopes: readonly { readonly organizationId: string }[] },
  counted: number,
): Promise<number | null> {
  if (!hasName(query)) return null;
  const { values, put } = parameterList();
  const each = query.scopes.map(({ organizationId }) => `SELECT loan_id FROM ${namesIn(query, organizationId, put)} n`);
  const [row] = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM (${each.join(' UNION ALL ')} LIMIT ${counted + 1}) found`,
    values,
  );
  return row?.count ?? 0;
}

/** The loans of an owner with the borrower, the application and the beginning of a name, some more than `COUNTED` at most. */
function namesIn({ borrowerId, applicationId, q }: Names, organizationId: string, put: Put): string {
  const organization = put(organizationId);
  const exact = [
    ...(borrowerId === null ? [] : [`borrower_id = ${put(borrowerId)}`]),
    ...(applicationId === null ? [] : [`application_id = ${put(applicationId)}`]),
  ];
  const from = (conditions: string[]) =>
    `SELECT volume, loan_id FROM applications WHERE ${[`organization_id = ${organization}`, ...exact, ...conditions].join(' AND ')}
     LIMIT ${COUNTED + 1}`;
  if (q === null) return `(${from([])})`;
  const like = put(beginning(q));
  const byId = isLoanId(q) ? [from([`loan_id = ${put(bytes(q.toLowerCase()))}`])] : [];
  const all = [from([`application_id LIKE ${like}`]), from([`borrower_id LIKE ${like}`]), ...byId];
  return `(${all.map((one) => `(${one})`).join(' UNION ')})`;
}

const beginning = (q: string) => `${q.replace(/[\\%_]/g, '\\$&')}%`;
const isLoanId = (q: string) => /^0x[0-9a-f]{64}$/i.test(q);

/** The loans that are found by name, read once for all branches of their owner; and the table that each branch reads. */
export function namedFirst(
  query: Names,
  branches: readonly Found[],
  put: Put,
): { first: string; from(of: Found): string } {
  const owners = [...new Set(branches.filter(({ named }) => named === 'gathered').map((one) => one.organizationId))];
  const tables = owners.map(
    (owner, i) =>
      `named_${i} AS MATERIALIZED (SELECT l.* FROM ${namesIn(query, owner, put)} n JOIN loans l USING (volume, loan_id))`,
  );
  return {
    first: tables.length === 0 ? '' : `WITH ${tables.join(',\n')}\n`,
    from: ({ named, organizationId }) =>
      named === 'gathered' ? `named_${owners.indexOf(organizationId)} l` : 'loans l',
  };
}

/** A subquery for one value: the planner may not make a join of it, which would read all applications first. */
export function isNamed({ borrowerId, applicationId, q }: Names, put: Put): string {
  const is = [
    ...(borrowerId === null ? [] : [`a.borrower_id = ${put(borrowerId)}`]),
    ...(applicationId === null ? [] : [`a.application_id = ${put(applicationId)}`]),
  ];
  if (q !== null) {
    const like = put(beginning(q));
    is.push(`(a.application_id LIKE ${like} OR a.borrower_id LIKE ${like})`);
  }
  return `(SELECT ${is.join(' AND ')} FROM applications a WHERE a.volume = l.volume AND a.loan_id = l.loan_id)`;
}
