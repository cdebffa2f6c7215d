-- New contact data of the people on a loan, one row for each change, sealed under the loan's key. What a party's data was on a day follows
-- from the events that name these rows.
CREATE TABLE party_changes (
  volume     smallint NOT NULL,
  loan_id    bytea NOT NULL CHECK (octet_length(loan_id) = 32),
  commitment bytea NOT NULL CHECK (octet_length(commitment) = 32),
  sealed     bytea NOT NULL,
  PRIMARY KEY (volume, loan_id, commitment)
);
COMMENT ON COLUMN party_changes.commitment IS 'Salted hash of the change, as its event has it; the salt is sealed with the change';
