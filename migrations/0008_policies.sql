-- Servicing policies: their versions, which only grow; which rows of loans know of a version; dry runs over the book.

ALTER TABLE organizations ADD COLUMN policy_versions integer NOT NULL DEFAULT 0 CHECK (policy_versions >= 0);
COMMENT ON COLUMN organizations.policy_versions IS 'How many rows it has in policy_versions: a process that knows as many knows all of them';

CREATE TABLE policy_versions (
  organization_id text NOT NULL REFERENCES organizations,
  number          integer NOT NULL CHECK (number >= 1),
  policy_id       text NOT NULL,
  lender_id       text,
  version         integer NOT NULL CHECK (version >= 1),
  from_date       date NOT NULL,
  figures_from    date NOT NULL CHECK (figures_from >= from_date),
  policy          text NOT NULL,
  recorded_at     timestamptz NOT NULL,
  client_id       text NOT NULL,
  PRIMARY KEY (organization_id, number),
  UNIQUE (organization_id, policy_id, version)
);
COMMENT ON TABLE policy_versions IS 'Append only: a trigger refuses every change';
COMMENT ON COLUMN policy_versions.number IS 'In the order of recording, of all policies of the organization';
COMMENT ON COLUMN policy_versions.lender_id IS 'null: for all lenders without a policy of their own';
COMMENT ON COLUMN policy_versions.figures_from IS 'From when on the values count that change figures by themselves (src/policy/versions.ts)';
COMMENT ON COLUMN policy_versions.policy IS 'JSON of LenderPolicy (src/core/policy.ts), all values';

CREATE FUNCTION policy_versions_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'policy_versions is append only';
END
$$;
CREATE TRIGGER policy_versions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON policy_versions
  FOR EACH STATEMENT EXECUTE FUNCTION policy_versions_refuse();

-- Versions whose first day of figures is in the row of every open loan (changes_on, books_change_on).
CREATE TABLE policy_marks (
  organization_id text NOT NULL,
  number          integer NOT NULL,
  marked_at       timestamptz NOT NULL,
  PRIMARY KEY (organization_id, number)
);

-- What a version would change over the whole book: a page of loans at a time, continued by any process.
CREATE TABLE policy_dry_runs (
  organization_id text NOT NULL,
  request_hash    bytea NOT NULL CHECK (octet_length(request_hash) = 32),
  started_at      timestamptz NOT NULL,
  held_until      timestamptz NOT NULL,
  at_volume       smallint NOT NULL,
  after_loan      bytea NOT NULL,
  total           integer NOT NULL,
  done            integer NOT NULL,
  result          jsonb NOT NULL,
  ended_at        timestamptz,
  PRIMARY KEY (organization_id, request_hash)
);
COMMENT ON COLUMN policy_dry_runs.request_hash IS 'SHA-256 of what was asked: values, lender, dates, and the versions that were there';
COMMENT ON COLUMN policy_dry_runs.held_until IS 'A process works on it until then; after that any process may';
COMMENT ON COLUMN policy_dry_runs.after_loan IS 'With at_volume: the last loan that was examined';
COMMENT ON COLUMN policy_dry_runs.result IS 'Counts by name, amounts in cents';
