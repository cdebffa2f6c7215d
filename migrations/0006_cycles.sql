-- The nightly cycle: which days of an organization have run, what each step did, and what a person should check.

-- Every day from the first to `through` is done. A day on which nothing could happen leaves no row in `cycles`.
CREATE TABLE cycle_heads (
  organization_id text PRIMARY KEY,
  first           date NOT NULL,
  through         date NOT NULL CHECK (through >= first - 1)
);

CREATE TABLE cycles (
  organization_id text NOT NULL,
  date            date NOT NULL,
  started_at      timestamptz NOT NULL,
  ended_at        timestamptz,
  PRIMARY KEY (organization_id, date)
);

CREATE TABLE cycle_steps (
  organization_id text NOT NULL,
  date            date NOT NULL,
  step            text NOT NULL,
  started_at      timestamptz,
  ended_at        timestamptz,
  counts          jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (organization_id, date, step)
);
COMMENT ON COLUMN cycle_steps.counts IS 'Whole numbers by name, amounts in cents; counted in the transaction of what they count';

-- Loans that a step failed for, and loans that should be charged off.
CREATE TABLE cycle_findings (
  organization_id text NOT NULL,
  date            date NOT NULL,
  kind            text NOT NULL CHECK (kind IN ('exception', 'proposal')),
  loan_id         bytea NOT NULL CHECK (octet_length(loan_id) = 32),
  step            text NOT NULL,
  facts           jsonb NOT NULL,
  PRIMARY KEY (organization_id, date, kind, loan_id)
);
