/**
 * The two roles of the embedded PostgreSQL. The superuser belongs to the launcher: it creates the database and its owner, and proves which
 * cluster a server serves. The service and its commands connect as the owner of their database, which has no other rights: a statement that
 * is injected through the service can read no file, run no program, and see no other database's tables.
 */
import { createHmac } from 'node:crypto';
import type pg from 'pg';

export const SUPERUSER = 'postgres';
export const DATABASE = 'daybook';
export const OWNER = 'daybook';

/** Derived, so that one file holds both passwords: the superuser's cannot be computed from it. */
export function ownerPassword(superuserPassword: string): string {
  return createHmac('sha256', superuserPassword).update(`role ${OWNER}`).digest('base64url');
}

const NOTHING_ELSE = 'NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS';

/** The database and its owner: made by the first start and found by all others, by the superuser. */
export async function ensureDatabase(superuser: pg.Client, password: string): Promise<void> {
  const found = await superuser.query(
    `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1) AS owner, EXISTS (SELECT FROM pg_database WHERE datname = $2) AS made`,
    [OWNER, DATABASE],
  );
  const { owner, made } = found.rows[0];
  // Neither takes parameters. The password is of letters, digits, - and _, and no statement is ever logged.
  if (!owner) {
    const role = `CREATE ROLE ${OWNER} LOGIN ${NOTHING_ELSE} PASSWORD '${ownerPassword(password)}'`;
    await superuser.query(role).catch(unlessThere);
  }
  if (!made) await superuser.query(`CREATE DATABASE ${DATABASE} OWNER ${OWNER}`).catch(unlessThere);
}

/** A command beside a service that is just starting may do the same at the same moment. */
function unlessThere(error: unknown): void {
  if (!['42710', '42P04', '23505'].includes(String((error as { code?: unknown }).code))) throw error;
}
