/** Loans on the books of an organization, in the order of their ids: who owned them when, and what they have posted. */
import type { PlainDate } from '../../core/calendar.ts';
import { bytes, hexOf } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import { volumeOf } from '../db/volumes.ts';
import type { Whose } from './books.ts';

/** A stretch of days on which a loan was in the books of one lender; `until` is the first day after it, null: it still is. */
export type Held = {
  readonly organizationId: string;
  readonly lenderId: string;
  readonly from: PlainDate;
  readonly until: PlainDate | null;
};

export type LoanHeld = { readonly loanId: string; readonly recordedOn: PlainDate; readonly held: readonly Held[] };

/** The loans that were in the books of an organization, or of one of its lenders, by a day; those after one of them. */
export async function readLoansHeld(
  db: Sql,
  { organizationId, lenderId }: Whose,
  asked: { readonly day: PlainDate; readonly after: string | null; readonly limit: number },
): Promise<LoanHeld[]> {
  const { day, after, limit } = asked;
  const from = [after === null ? -1 : volumeOf(db, after), bytes(after ?? '0x')];
  const page = await db.query<{ volume: number; loan_id: Uint8Array }>(
    `SELECT volume, loan_id FROM (
       (SELECT volume, loan_id FROM loans
        WHERE organization_id = $1 AND ($2::text IS NULL OR lender_id = $2) AND first_recorded_on <= $3 AND (volume, loan_id) > ($4::int, $5)
        ORDER BY volume, loan_id LIMIT $6)
       UNION
       (SELECT volume, loan_id FROM former_owners
        WHERE organization_id = $1 AND ($2::text IS NULL OR lender_id = $2) AND owned_from <= $3 AND (volume, loan_id) > ($4::int, $5)
        ORDER BY volume, loan_id LIMIT $6)
     ) found ORDER BY volume, loan_id LIMIT $6`,
    [organizationId, lenderId, day, ...from, limit],
  );
  if (page.length === 0) return [];
  const ids = page.map(({ loan_id }) => loan_id);
  const volumes = [...new Set(page.map(({ volume }) => volume))];
  type Row = {
    loan_id: Uint8Array;
    organization_id: string;
    lender_id: string;
    from: PlainDate;
    until: PlainDate | null;
    recorded_on: PlainDate | null;
  };
  const held = await db.query<Row>(
    `SELECT loan_id, organization_id, lender_id, first_recorded_on AS from, NULL::date AS until, recorded_on FROM loans
     WHERE volume = ANY ($1::smallint[]) AND loan_id = ANY ($2::bytea[])
     UNION ALL
     SELECT loan_id, organization_id, lender_id, owned_from, owned_until, NULL::date FROM former_owners
     WHERE volume = ANY ($1::smallint[]) AND loan_id = ANY ($2::bytea[])`,
    [volumes, ids],
  );
  const byLoan = Map.groupBy(held, ({ loan_id }) => hexOf(loan_id));
  return page.map(({ loan_id }) => {
    const loanId = hexOf(loan_id);
    const rows = byLoan.get(loanId) ?? [];
    return {
      loanId,
      recordedOn: rows.find(({ recorded_on }) => recorded_on !== null)?.recorded_on as PlainDate,
      held: rows.map(({ organization_id, lender_id, from: first, until }) => ({
        ...{ organizationId: organization_id, lenderId: lender_id, from: first, until },
      })),
    };
  });
}

/** Sums of what loans have posted by a day in the books of an organization, by loan, lender and account. */
export async function readPostedByLoan(
  db: Sql,
  { organizationId, lenderId }: Whose,
  asked: { readonly day: PlainDate; readonly loanIds: readonly string[] },
): Promise<{ loanId: string; lenderId: string; account: string; amount: number }[]> {
  const rows = await db.query<{ loan_id: Uint8Array; lender_id: string; account: string; amount: bigint }>(
    `SELECT loan_id, lender_id, account, sum(amount)::bigint AS amount FROM journal
     WHERE volume = ANY ($1::smallint[]) AND loan_id = ANY ($2::bytea[]) AND organization_id = $3
       AND ($4::text IS NULL OR lender_id = $4) AND date_posted <= $5
     GROUP BY loan_id, lender_id, account`,
    [
      [...new Set(asked.loanIds.map((id) => volumeOf(db, id)))],
      asked.loanIds.map(bytes),
      organizationId,
      lenderId,
      asked.day,
    ],
  );
  return rows.map(({ loan_id, lender_id, account, amount }) => ({
    ...{ loanId: hexOf(loan_id), lenderId: lender_id, account, amount: Number(amount) },
  }));
}
