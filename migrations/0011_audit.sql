-- The audit trail: who did, tried and saw what. An entry is in the volume of its loan; without a loan, in the volume of a hash of its
-- organization. Entries are never updated. They are written into audit_waiting, in the transaction of what they tell where there is one;
-- the sealer links them and moves them into audit some moments later, many at once. So a write pays for one row and one index here.
CREATE TABLE audit_waiting (
  volume           smallint NOT NULL,
  entry_id         text NOT NULL,
  at               timestamptz NOT NULL,
  organization_id  text NOT NULL,
  owner_id         text,
  client_id        text,
  user_id          text,
  key_id           text,
  account          text,
  kind             text NOT NULL,
  operation        text NOT NULL,
  outcome          text NOT NULL,
  loan_id          bytea,
  subject          text,
  transaction_hash bytea,
  approval_id      text,
  count            integer NOT NULL DEFAULT 1,
  purpose          bytea,
  request_id       text,
  content          text,
  PRIMARY KEY (volume, entry_id)
);
COMMENT ON COLUMN audit_waiting.entry_id IS 'Made by the process: its time, a count, and random digits, so that it sorts by time';
COMMENT ON COLUMN audit_waiting.organization_id IS 'Whose trail it is part of: that of the caller; empty: the operator''s';
COMMENT ON COLUMN audit_waiting.owner_id IS 'Another organization whose trail it is part of too: the one that owns the loan, or the other party of a grant';
COMMENT ON COLUMN audit_waiting.account IS 'Of a command: the account of the operating system that it was started by';
COMMENT ON COLUMN audit_waiting.kind IS 'did: a change; tried: it was refused; saw: personal data was shown';
COMMENT ON COLUMN audit_waiting.outcome IS 'done, or the code of the problem';
COMMENT ON COLUMN audit_waiting.subject IS 'What it was about besides a loan: the part that was seen, the id of a client, key, grant, person or period';
COMMENT ON COLUMN audit_waiting.content IS 'JSON: the rows that the change left, by table and key, each with the SHA-256 of what it holds; null: none of those that are recorded';
COMMENT ON COLUMN audit_waiting.purpose IS 'As the caller stated it, sealed under the loan''s key; null: none was stated, or there is no key';

-- Numbers the changes of recorded rows. It is taken while the rows are locked, so of two changes of a row the later one has the higher number.
CREATE SEQUENCE row_changes;

-- The chain of a volume: every entry once, each with the hash of the one before.
CREATE TABLE audit (
  LIKE audit_waiting INCLUDING DEFAULTS INCLUDING COMMENTS,
  number bigint NOT NULL CHECK (number >= 1),
  hash   bytea NOT NULL CHECK (octet_length(hash) = 32),
  PRIMARY KEY (volume, number)
);
ALTER TABLE audit_waiting ADD COLUMN since timestamptz NOT NULL DEFAULT now();
COMMENT ON COLUMN audit_waiting.since IS 'By the clock of the database: its own time may be one of long ago, as in a history that is filled in';

-- For each filter of the list of entries, from the newest on. A payment of a loan's owner is in the first three alone: nearly all entries are
-- payments, so their operations are read along the index of the organization.
CREATE INDEX audit_by_loan ON audit (volume, loan_id, entry_id) WHERE loan_id IS NOT NULL;
CREATE INDEX audit_by_organization ON audit (organization_id, entry_id);
CREATE INDEX audit_by_client ON audit (organization_id, client_id, entry_id);
CREATE INDEX audit_by_operation ON audit (organization_id, operation, entry_id)
  WHERE operation NOT IN ('loan-repay', 'acknowledge-repayment');
CREATE INDEX audit_by_user ON audit (organization_id, user_id, entry_id) WHERE user_id IS NOT NULL;
CREATE INDEX audit_by_kind ON audit (organization_id, kind, entry_id) WHERE kind <> 'did';
CREATE INDEX audit_by_outcome ON audit (organization_id, outcome, entry_id) WHERE outcome <> 'done';
CREATE INDEX audit_disclosures ON audit (volume, loan_id, entry_id) WHERE kind = 'saw' OR operation = 'erase-borrower';
-- Those of an owner are small: few loans are serviced by another organization.
CREATE INDEX audit_by_owner ON audit (owner_id, entry_id) WHERE owner_id IS NOT NULL;
CREATE INDEX audit_by_owner_and_client ON audit (owner_id, client_id, entry_id) WHERE owner_id IS NOT NULL;
CREATE INDEX audit_by_owner_and_operation ON audit (owner_id, operation, entry_id)
  WHERE owner_id IS NOT NULL AND operation NOT IN ('loan-repay', 'acknowledge-repayment');
CREATE INDEX audit_by_owner_and_kind ON audit (owner_id, kind, entry_id) WHERE owner_id IS NOT NULL AND kind <> 'did';
CREATE INDEX audit_by_owner_and_outcome ON audit (owner_id, outcome, entry_id) WHERE owner_id IS NOT NULL AND outcome <> 'done';

-- Masked views of people, counted by caller and hour. A row becomes an entry of the audit trail when its hour is over.
CREATE TABLE sightings (
  organization_id text NOT NULL,
  owner_id        text NOT NULL,
  client_id       text NOT NULL,
  user_id         text NOT NULL,
  hour            timestamptz NOT NULL,
  count           integer NOT NULL CHECK (count > 0),
  PRIMARY KEY (organization_id, owner_id, client_id, user_id, hour)
);
COMMENT ON COLUMN sightings.owner_id IS 'The organization that owns the loans';
COMMENT ON COLUMN sightings.user_id IS 'Empty: a program';
COMMENT ON COLUMN sightings.hour IS 'Its beginning';
