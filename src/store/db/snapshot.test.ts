import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/support/database.ts';
import { schemaSnapshot, writeSnapshot } from './snapshot.ts';

const SCHEMA = `
  CREATE TYPE mood AS ENUM ('ok', 'it''s');
  CREATE TYPE pair AS (a int, b text COLLATE "C");
  CREATE DOMAIN cents AS bigint NOT NULL CONSTRAINT cents_positive CHECK (VALUE > 0);
  CREATE TABLE loans (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    gone int,
    amount cents,
    doubled bigint GENERATED ALWAYS AS (amount * 2) STORED,
    at timestamptz NOT NULL DEFAULT '2026-01-01T00:00+02',
    body bytea,
    "Odd name" text COLLATE "C",
    CONSTRAINT odd CHECK ("Odd name" <> '')
  ) WITH (fillfactor = 70);
  ALTER TABLE loans DROP gone, ALTER body SET STORAGE EXTERNAL, ENABLE ROW LEVEL SECURITY;
  CREATE TABLE payments (loan bigint REFERENCES loans ON DELETE CASCADE, no int, UNIQUE NULLS NOT DISTINCT (loan, no));
  CREATE TABLE audit (k int NOT NULL, PRIMARY KEY (k)) PARTITION BY RANGE (k);
  CREATE TABLE audit_1 PARTITION OF audit FOR VALUES FROM (1) TO (10);
  CREATE TABLE audit_20260115 PARTITION OF audit FOR VALUES FROM (10) TO (11);
  COMMENT ON TABLE audit_20260115 IS 'of a day';
  COMMENT ON COLUMN audit_20260115.k IS 'of a day';
  CREATE TABLE audit_notes (k int REFERENCES audit);
  CREATE INDEX loans_amount ON loans (amount DESC) INCLUDE (at) WHERE amount > 5;
  CREATE VIEW plain AS SELECT id, 'loans.id' AS text FROM loans WHERE EXISTS (SELECT FROM payments WHERE loan = id);
  CREATE MATERIALIZED VIEW joined AS SELECT l.id, p.no FROM loans l JOIN payments p ON p.loan = l.id;
  CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'append only'; END $$;
  CREATE FUNCTION next_one(x int) RETURNS int LANGUAGE sql IMMUTABLE BEGIN ATOMIC SELECT x + 1; END;
  CREATE AGGREGATE total(int) (SFUNC = int4pl, STYPE = int, INITCOND = '0');
  CREATE TRIGGER no_change BEFORE UPDATE ON payments FOR EACH ROW EXECUTE FUNCTION refuse();
  ALTER TABLE payments DISABLE TRIGGER no_change;
  CREATE RULE keep AS ON DELETE TO payments DO INSTEAD NOTHING;
  CREATE POLICY own ON loans FOR SELECT USING ("Odd name" = CURRENT_USER);
  CREATE STATISTICS twins (dependencies) ON loan, no FROM payments;
  COMMENT ON TABLE loans IS 'It''s one';
  COMMENT ON COLUMN loans.amount IS 'in cents';
  COMMENT ON CONSTRAINT odd ON loans IS 'why';`;

/** The same text on every server version: this test runs on the embedded one and on a server's. */
const TEXT = `
CREATE TYPE mood AS ENUM ('ok', 'it''s');

CREATE TYPE pair AS (
  a integer,
  b text COLLATE "C"
);

CREATE DOMAIN cents AS bigint NOT NULL
  CONSTRAINT cents_positive CHECK ((VALUE > 0));

CREATE SEQUENCE loans_id_seq AS bigint START 1 INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1 OWNED BY loans.id;

CREATE TABLE audit (
  k integer NOT NULL,
  CONSTRAINT audit_pkey PRIMARY KEY (k)
) PARTITION BY RANGE (k);

CREATE TABLE audit_1 (
  k integer NOT NULL
) INHERITS (audit) FOR VALUES FROM (1) TO (10);

CREATE TABLE audit_notes (
  k integer,
  CONSTRAINT audit_notes_k_fkey FOREIGN KEY (k) REFERENCES audit(k)
);

CREATE TABLE loans (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  amount cents,
  doubled bigint GENERATED ALWAYS AS (((amount)::bigint * 2)),
  at timestamp with time zone DEFAULT '2025-12-31 22:00:00+00'::timestamp with time zone NOT NULL,
  body bytea STORAGE external,
  "Odd name" text COLLATE "C",
  CONSTRAINT loans_pkey PRIMARY KEY (id),
  CONSTRAINT odd CHECK (("Odd name" <> ''::text))
) WITH (fillfactor=70);
ALTER TABLE loans ENABLE ROW LEVEL SECURITY;

CREATE TABLE payments (
  loan bigint,
  no integer,
  CONSTRAINT payments_loan_no_key UNIQUE NULLS NOT DISTINCT (loan, no),
  CONSTRAINT payments_loan_fkey FOREIGN KEY (loan) REFERENCES loans(id) ON DELETE CASCADE
);

CREATE MATERIALIZED VIEW joined AS
 SELECT id,
    no
   FROM (loans l
     JOIN payments p ON ((loan = id)));
-- reads loans.id, payments.loan, payments.no

CREATE VIEW plain AS
 SELECT id,
    'loans.id'::text AS text
   FROM loans
  WHERE (EXISTS ( SELECT
           FROM payments
          WHERE (loan = id)));
-- reads loans.id, payments.loan

CREATE INDEX loans_amount ON public.loans USING btree (amount DESC) INCLUDE (at) WHERE ((amount)::bigint > 5);

CREATE STATISTICS public.twins (dependencies) ON loan, no FROM payments;

CREATE AGGREGATE total(integer) (SFUNC = int4pl, STYPE = integer, INITCOND = '0');

CREATE OR REPLACE FUNCTION public.next_one(x integer)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
BEGIN ATOMIC
 SELECT (x + 1);
END;

CREATE OR REPLACE FUNCTION public.refuse()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ BEGIN RAISE 'append only'; END $function$;

CREATE TRIGGER no_change BEFORE UPDATE ON public.payments FOR EACH ROW EXECUTE FUNCTION refuse(); -- disabled

CREATE RULE keep AS
    ON DELETE TO public.payments DO INSTEAD NOTHING;

CREATE POLICY own ON loans FOR SELECT TO PUBLIC USING (("Odd name" = CURRENT_USER));

COMMENT ON TABLE public.loans IS 'It''s one';

COMMENT ON COLUMN public.loans.amount IS 'in cents';

COMMENT ON CONSTRAINT odd on public.loans IS 'why';
`;

describe('the snapshot of a schema', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase({ migrated: false });
    await database.db.query(SCHEMA);
  });
  afterAll(() => database.drop());

  test('holds everything that a migration can make', async () => {
    const snapshot = await schemaSnapshot(database.db);
    expect(snapshot.slice(0, 200)).toContain('npm run migrate -- --snapshot');
    expect(snapshot.slice(snapshot.indexOf('\nCREATE'))).toBe(TEXT);
  });

  test('does not depend on the settings of the connection', async () => {
    const snapshot = await schemaSnapshot(database.db);
    const [{ name } = { name: '' }] = await database.db.query<{ name: string }>('SELECT current_database() AS name');
    await database.db.query(`ALTER DATABASE ${name} SET search_path = pg_catalog;
      ALTER DATABASE ${name} SET DateStyle = 'German'; ALTER DATABASE ${name} SET IntervalStyle = 'sql_standard'`);
    await database.db.session(async (session) => {
      expect(await session.query('SHOW search_path')).toEqual([{ search_path: 'pg_catalog' }]);
      expect(await schemaSnapshot({ ...database.db, transaction: session.transaction })).toBe(snapshot);
    });
  });

  test('is written to a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'snapshot-'));
    try {
      const path = await writeSnapshot(database.db, join(folder, 'schema.sql'));
      expect(await readFile(path, 'utf8')).toBe(await schemaSnapshot(database.db));
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
