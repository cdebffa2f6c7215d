/** Reads positions for exports: those of month ends, as they were known on a day. */

import { bytes, hexOf } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import type { Tables } from '../db/tables.ts';

export type PositionsQuery = {
  readonly volume: number;
  readonly loanIds: readonly string[];
  /** Month ends. */
  readonly from: string | null;
  readonly to: string | null;
  readonly lenderId: string | null;
  /** By owner, the last day that counts. */
  readonly knownOn: Readonly<Record<string, string>>;
};

/** Amounts are numbers of cents, rates are text. */
export type ExportedPosition = {
  readonly loanId: string;
  readonly organizationId: string;
  readonly primaryServicerId: string;
  readonly secondaryServicerId: string;
  readonly date: string;
  /** As the columns of the table, in the order of `POSITION`. */
  readonly values: readonly (string | number | null)[];
};

const WHOSE = [
  ...['loan_id', 'organization_id', 'lender_id', 'primary_servicer_id', 'secondary_servicer_id', 'date', 'known_on'],
] as const;
const POSITION = [
  ...[
    'status',
    'days_past_due',
    'non_accrual_since',
    'grade',
    'vintage',
    'funded_on',
    'rate',
    'remaining',
    'original',
    'principal',
    'interest',
    'fees',
  ],
  ...[
    'credits',
    'credit_since',
    'kept',
    'opening_principal',
    'disbursed',
    'principal_received',
    'interest_received',
    'fees_received',
  ],
  ...[
    'unscheduled_principal',
    'charged_off',
    'recovered',
    'forgiven',
    'returned',
    'received_late',
    'scheduled',
    'predicted_yield',
    'predicted_loss',
  ],
] as const;

/** The last row of each loan, month end and owner that was known then, unless it takes an earlier one back. */
export async function readExportedPositions(db: Sql, asked: PositionsQuery): Promise<ExportedPosition[]> {
  const { volume, loanIds, from, to, lenderId, knownOn } = asked;
  const rows = await db.query<Pick<Tables['positions'], (typeof WHOSE)[number] | (typeof POSITION)[number]>>(
    `SELECT ${[...WHOSE, ...POSITION].join(', ')}
     FROM (
       SELECT DISTINCT ON (p.loan_id, p.date, p.organization_id) p.*
       FROM positions p JOIN unnest($3::text[], $4::date[]) AS known (organization_id, known_on) ON known.organization_id = p.organization_id
       WHERE p.volume = $1 AND p.loan_id = ANY ($2::bytea[]) AND p.known_on <= known.known_on
         AND p.date + 1 = date_trunc('month', p.date + 1)::date
         AND ($5::date IS NULL OR p.date >= $5) AND ($6::date IS NULL OR p.date <= $6)
       ORDER BY p.loan_id, p.date, p.organization_id, p.known_on DESC
     ) last
     WHERE NOT withdrawn AND ($7::text IS NULL OR lender_id = $7)
     ORDER BY loan_id, date, organization_id COLLATE "C"`,
    [volume, loanIds.map(bytes), Object.keys(knownOn), Object.values(knownOn), from, to, lenderId],
    'export_positions',
  );
  return rows.map((row) => ({
    loanId: hexOf(row.loan_id),
    organizationId: row.organization_id,
    primaryServicerId: row.primary_servicer_id ?? '',
    secondaryServicerId: row.secondary_servicer_id ?? '',
    date: row.date,
    values: [
      ...[row.date, row.known_on, row.lender_id, row.primary_servicer_id || null, row.secondary_servicer_id || null],
      ...POSITION.map((name) => {
        const value = row[name];
        return typeof value === 'bigint' ? Number(value) : value;
      }),
    ],
  }));
}
