/** Closed months, and the account codes of an organization. */

import { changeRows } from '../audit/rows.ts';
import { bytes, hexOf } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import type { Tables } from '../db/tables.ts';

export type PeriodRow = {
  period: string;
  /** The first of the months that were closed in one go with it. */
  closedFrom: string;
  closedAt: string;
  clientId: string;
  /** Null: a program. */
  userId: string | null;
  hash: string;
  balances: string;
};

type RawPeriod = Omit<Tables['ledger_periods'], 'organization_id'>;

const toPeriod = ({ period, closed_from, closed_at, client_id, user_id, hash, balances }: RawPeriod): PeriodRow => ({
  period,
  closedFrom: closed_from,
  closedAt: closed_at.toISOString(),
  clientId: client_id,
  userId: user_id,
  hash: hexOf(hash),
  balances,
});

/** The newest first, from before a month on. */
export async function readPeriods(
  db: Sql,
  organizationId: string,
  { before, limit }: { before: string | null; limit: number },
): Promise<PeriodRow[]> {
  const rows = await db.query<RawPeriod>(
    `SELECT period, closed_from, closed_at, client_id, user_id, hash, balances FROM ledger_periods
     WHERE organization_id = $1 AND ($2::text IS NULL OR period < $2) ORDER BY period DESC LIMIT $3`,
    [organizationId, before, limit],
  );
  return rows.map(toPeriod);
}

/** Null: it is not closed. */
export async function readPeriod(db: Sql, organizationId: string, period: string): Promise<PeriodRow | null> {
  const [row] = await db.query<RawPeriod>(
    `SELECT period, closed_from, closed_at, client_id, user_id, hash, balances FROM ledger_periods
     WHERE organization_id = $1 AND period = $2`,
    [organizationId, period],
  );
  return row === undefined ? null : toPeriod(row);
}

/** Closed months of all organizations. */
export async function readClosedPeriods(
  db: Sql,
): Promise<{ organizationId: string; period: string; balances: string; hash: string }[]> {
  return db.query(
    `SELECT organization_id AS "organizationId", period, balances, '0x' || encode(hash, 'hex') AS hash FROM ledger_periods
     ORDER BY organization_id, period`,
  );
}

/** Locks the closing of the organization's months until the transaction ends. False: another process is closing one. */
export async function lockClosing(tx: Sql, organizationId: string): Promise<boolean> {
  const [row] = await tx.query<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock(814732991, hashtext($1)) AS mine', [
    organizationId,
  ]);
  return row?.mine === true;
}

/** Keeps a month as closed, if `previous` is still the newest that is (null: there is none). Otherwise nothing is saved, and the result is false. */
export async function savePeriod(
  tx: Sql,
  organizationId: string,
  { period, closedFrom, closedAt, clientId, userId, hash, balances }: PeriodRow,
  previous: string | null,
): Promise<boolean> {
  const saved = await changeRows(
    tx,
    'ledger_periods',
    `INSERT INTO ledger_periods (organization_id, period, closed_at, client_id, balances, hash, user_id, closed_from)
     SELECT $1, $2, $3, $4, $5, $6, $8, $9
     WHERE (SELECT max(period) FROM ledger_periods WHERE organization_id = $1) IS NOT DISTINCT FROM $7
     ON CONFLICT DO NOTHING`,
    [organizationId, period, closedAt, clientId, balances, bytes(hash), previous, userId, closedFrom],
  );
  return saved.length > 0;
}

/** The number of loans of an organization that a cycle charged off on a ground that is gone. */
export async function countGroundsGone(db: Sql, organizationId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM loans WHERE organization_id = $1 AND charge_off_ground_gone',
    [organizationId],
  );
  return row?.count ?? 0;
}

/** `lenderId` empty: of every lender that has none of its own for the account. */
export type CodeRow = { lenderId: string; account: string; code: string };

export async function readCodes(db: Sql, organizationId: string): Promise<CodeRow[]> {
  return db.query(
    `SELECT lender_id AS "lenderId", account, code FROM account_codes WHERE organization_id = $1
     ORDER BY lender_id COLLATE "C", account COLLATE "C"`,
    [organizationId],
  );
}

/** Those that are not given stay as they are. */
export async function saveCodes(
  tx: Sql,
  organizationId: string,
  lenderId: string,
  codes: readonly { account: string; code: string }[],
): Promise<void> {
  await changeRows(
    tx,
    'account_codes',
    `INSERT INTO account_codes (organization_id, lender_id, account, code)
     SELECT $1, $4, given.account, given.code FROM unnest($2::text[], $3::text[]) AS given (account, code)
     ON CONFLICT (organization_id, lender_id, account) DO UPDATE SET code = excluded.code`,
    [organizationId, codes.map(({ account }) => account), codes.map(({ code }) => code), lenderId],
  );
}
