-- Underwriting: the results of runs, and the pulls of credit reports they used.

-- From its event on, the file and the public part of a run replace those that were submitted.
CREATE TABLE assessments (
  volume         smallint NOT NULL,
  loan_id        bytea NOT NULL CHECK (octet_length(loan_id) = 32),
  sequence       integer NOT NULL,
  file           text NOT NULL,
  public_part    bytea NOT NULL,
  model_version  text NOT NULL,
  policy_version text NOT NULL,
  PRIMARY KEY (volume, loan_id, sequence)
);
COMMENT ON COLUMN assessments.sequence IS 'Of the event that started the run; its transaction holds the commitments to these parts';

-- A pull is reserved here before it is made, so that a retry asks under the same id and never counts twice.
CREATE TABLE bureau_pulls (
  volume      smallint NOT NULL,
  loan_id     bytea NOT NULL CHECK (octet_length(loan_id) = 32),
  run         integer NOT NULL CHECK (run >= 1),
  role        text NOT NULL CHECK (role ~ '^(screening:[0-9]+:[0-9-]{10}:)?(primary|coApplicant)$'),
  pull_id     text NOT NULL,
  bureau      text NOT NULL,
  reserved_at timestamptz NOT NULL,
  held_until  timestamptz NOT NULL,
  answered_at timestamptz,
  hash        bytea CHECK (octet_length(hash) = 32),
  sealed      bytea,
  PRIMARY KEY (volume, loan_id, run, role),
  CHECK ((answered_at IS NULL) = (sealed IS NULL) AND (answered_at IS NULL) = (hash IS NULL))
);
-- Notices to applicants are kept as they were made: the same one is not made twice, nor dated again.
CREATE TABLE notices (
  volume    smallint NOT NULL,
  loan_id   bytea NOT NULL CHECK (octet_length(loan_id) = 32),
  kind      text NOT NULL CHECK (kind IN ('adverseAction', 'incompleteApplication', 'scoreDisclosure')),
  party     text NOT NULL CHECK (party IN ('applicant', 'coApplicant')),
  run       integer NOT NULL CHECK (run >= 0),
  notice_id text NOT NULL,
  version   integer NOT NULL,
  made_on   date NOT NULL,
  made_at   timestamptz NOT NULL,
  completes boolean NOT NULL,
  sealed    bytea NOT NULL,
  PRIMARY KEY (volume, loan_id, kind, party, run)
);
COMMENT ON COLUMN notices.run IS 'Of underwriting, on which it is based; 0: before the first';
COMMENT ON COLUMN notices.version IS 'Of the loan when it was made';
COMMENT ON COLUMN notices.completes IS 'With it everybody on the application has theirs';
COMMENT ON COLUMN notices.sealed IS 'The text, sealed under the loan''s key';
COMMENT ON COLUMN bureau_pulls.role IS 'Of the person; of a screening also the number of events before it, and its day';
COMMENT ON COLUMN bureau_pulls.held_until IS 'Until then the process that claimed it last makes the pull; others wait for its answer';
COMMENT ON COLUMN bureau_pulls.sealed IS 'The report, or the answer of a screening, with the raw answer, sealed under the loan''s key';
COMMENT ON COLUMN bureau_pulls.hash IS 'SHA-256 of the raw answer';
