-- Transfers of loans to other servicers and owners.

-- One row a loan and transfer. The loan's events are what counts; this is how transfers are listed, and how those that are due are found.
CREATE TABLE transfers (
  volume smallint NOT NULL,
  loan_id bytea NOT NULL CHECK (octet_length(loan_id) = 32),
  transfer_id text NOT NULL CHECK (transfer_id ~ '^[A-Za-z0-9._:-]{1,64}$'),
  organization_id text NOT NULL,
  what text NOT NULL CHECK (what IN ('servicer', 'owner')),
  to_servicer_id text,
  to_organization_id text,
  to_lender_id text,
  date date NOT NULL,
  state text NOT NULL CHECK (state IN ('scheduled', 'offered', 'accepted', 'cancelled', 'done')),
  scheduled_at timestamptz NOT NULL,
  changed_at timestamptz NOT NULL,
  CHECK ((what = 'servicer') = (to_servicer_id IS NOT NULL)),
  CHECK ((what = 'owner') = (to_organization_id IS NOT NULL) AND (what = 'owner') = (to_lender_id IS NOT NULL)),
  PRIMARY KEY (volume, loan_id, transfer_id)
);
COMMENT ON COLUMN transfers.organization_id IS 'The owner that scheduled it';
COMMENT ON COLUMN transfers.transfer_id IS 'The same for all loans of one request';
COMMENT ON COLUMN transfers.state IS 'scheduled: to a servicer; offered and accepted: to an owner; done: carried out';
CREATE INDEX transfers_out ON transfers (organization_id, transfer_id, loan_id);
CREATE INDEX transfers_in ON transfers (to_organization_id, transfer_id, loan_id) WHERE to_organization_id IS NOT NULL;
CREATE INDEX transfers_due ON transfers (volume, date, loan_id) WHERE state IN ('scheduled', 'accepted');

-- Who owned a loan before its present owner, one row for each change of owner.
CREATE TABLE former_owners (
  volume smallint NOT NULL,
  loan_id bytea NOT NULL CHECK (octet_length(loan_id) = 32),
  sequence integer NOT NULL CHECK (sequence > 1),
  organization_id text NOT NULL,
  lender_id text NOT NULL,
  owned_from date NOT NULL,
  owned_until date NOT NULL,
  next_organization_id text NOT NULL,
  first_organization_id text NOT NULL,
  CHECK (owned_until >= owned_from),
  PRIMARY KEY (volume, loan_id, sequence)
);
COMMENT ON COLUMN former_owners.sequence IS 'Of the event that carried out the transfer';
COMMENT ON COLUMN former_owners.owned_from IS 'The first day on which the loan was in the books of this owner';
COMMENT ON COLUMN former_owners.owned_until IS 'The first day on which it was not any more';
COMMENT ON COLUMN former_owners.first_organization_id IS 'The organization that created the loan: its blind index and its application are under this one';
CREATE INDEX former_owners_by_owner ON former_owners (organization_id, owned_until, volume, loan_id);
CREATE INDEX former_owners_by_next ON former_owners (next_organization_id, first_organization_id);

COMMENT ON COLUMN loans.primary_servicer_id IS 'As the loan was created or since its last transfer, like lender_id and secondary_servicer_id; null: none';
COMMENT ON COLUMN loans.first_recorded_on IS 'The business day on which it came into the books of its owner: of its first event, or of the transfer to this owner';

-- Transfers, and acceptances, of many loans in one request. They are carried out in the background, loan by loan.
CREATE TABLE transfer_runs (
  run_id text PRIMARY KEY CHECK (run_id ~ '^[A-Za-z0-9._:-]{1,64}$'),
  organization_id text NOT NULL,
  client_id text NOT NULL,
  user_id text,
  key_id text,
  scopes text[] NOT NULL,
  request text NOT NULL,
  reason_key_id text,
  reason_key bytea,
  reason bytea,
  dry_run boolean NOT NULL,
  cursor text,
  gathered boolean NOT NULL,
  created_at timestamptz NOT NULL,
  ended_at timestamptz,
  refusal text,
  detail text,
  held_by text,
  held_until timestamptz
);
COMMENT ON COLUMN transfer_runs.user_id IS 'The person who ordered it; null: the client itself. What they may do is asked again while it runs';
COMMENT ON COLUMN transfer_runs.refusal IS 'Why it ended before its loans were done; null: it did not';
COMMENT ON COLUMN transfer_runs.request IS 'JSON: what is done, and the filter of its loans; nothing personal';
COMMENT ON COLUMN transfer_runs.reason IS 'Sealed under a key of the run; gone when the run has ended';
COMMENT ON COLUMN transfer_runs.gathered IS 'All its loans are in transfer_run_loans; until then cursor is where the list goes on';
COMMENT ON COLUMN transfer_runs.held_by IS 'The process that carries it out, until held_until; after that any process may';
CREATE INDEX transfer_runs_open ON transfer_runs (created_at) WHERE ended_at IS NULL;
CREATE INDEX transfer_runs_by_organization ON transfer_runs (organization_id, run_id);

CREATE TABLE transfer_run_loans (
  run_id text NOT NULL,
  loan_id bytea NOT NULL CHECK (octet_length(loan_id) = 32),
  state text NOT NULL CHECK (state IN ('pending', 'done', 'refused')),
  refusal text,
  detail text,
  PRIMARY KEY (run_id, loan_id)
);
CREATE INDEX transfer_run_loans_by_state ON transfer_run_loans (run_id, state, loan_id);
