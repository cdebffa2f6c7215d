-- Requests for approval: writes of a loan that a second person or client has to approve. A row is added by the request and changed once,
-- from pending to approved, rejected or lapsed. One that is pending has also lapsed when its last day is over, or when the loan has changed
-- its owner since.
CREATE TABLE approvals (
  volume                    smallint NOT NULL,
  approval_id               text NOT NULL CHECK (approval_id ~ '^approval_[0-9a-f]{32}$'),
  loan_id                   bytea NOT NULL CHECK (octet_length(loan_id) = 32),
  organization_id           text NOT NULL,
  operation                 text NOT NULL,
  version                   integer NOT NULL CHECK (version > 0),
  requested_organization_id text NOT NULL,
  requested_client_id       text NOT NULL,
  requested_user_id         text,
  requested_at              timestamptz NOT NULL,
  requested_on              date NOT NULL,
  lapses_on                 date NOT NULL CHECK (lapses_on >= requested_on),
  request_digest            bytea NOT NULL CHECK (octet_length(request_digest) = 32),
  request                   bytea NOT NULL,
  reason_given              boolean NOT NULL,
  preview                   text NOT NULL,
  preview_hash              bytea NOT NULL CHECK (octet_length(preview_hash) = 32),
  facts                     text NOT NULL,
  key_hash                  bytea,
  key_request_hash          bytea,
  key_forever               boolean,
  state                     text NOT NULL CHECK (state IN ('pending', 'approved', 'rejected', 'lapsed')),
  decided_organization_id   text,
  decided_client_id         text,
  decided_user_id           text,
  decided_at                timestamptz,
  decision_note             bytea,
  transaction_hash          bytea CHECK (octet_length(transaction_hash) = 32),
  answer                    text,
  CHECK ((state IN ('approved', 'rejected')) = (decided_at IS NOT NULL)),
  CHECK ((state = 'approved') = (transaction_hash IS NOT NULL) AND (state = 'approved') = (answer IS NOT NULL)),
  PRIMARY KEY (volume, approval_id)
);
COMMENT ON COLUMN approvals.approval_id IS 'Its first two digits are the first byte of the loan''s id, so that its volume follows from it';
COMMENT ON COLUMN approvals.organization_id IS 'The owner of the loan at the request, by whose clock its times are';
COMMENT ON COLUMN approvals.version IS 'Of the loan at the request';
COMMENT ON COLUMN approvals.lapses_on IS 'The last day on which it can be approved';
COMMENT ON COLUMN approvals.request_digest IS 'Keyed hash of the caller, the operation and the body: recognises the same call';
COMMENT ON COLUMN approvals.request IS 'JSON, sealed under the loan''s key: the body, and how it is to be answered';
COMMENT ON COLUMN approvals.preview IS 'JSON: the data of the dry run at the request';
COMMENT ON COLUMN approvals.facts IS 'JSON: what the operation itself would have done on that day';
COMMENT ON COLUMN approvals.key_hash IS 'With the next two: the requester''s idempotency key, under which the answer is stored once it is approved';
COMMENT ON COLUMN approvals.decision_note IS 'The reason of the decision, sealed under the loan''s key';
CREATE UNIQUE INDEX approvals_once ON approvals (volume, loan_id, request_digest) WHERE state = 'pending';
CREATE INDEX approvals_by_loan ON approvals (volume, loan_id, requested_at);
CREATE INDEX approvals_by_owner ON approvals (organization_id, requested_at, approval_id);
CREATE INDEX approvals_by_requester ON approvals (requested_organization_id, requested_at, approval_id);

-- Requests for approval of writes that belong to no loan: people, clients, policies, months of an organization. They are where the other
-- rows of organizations are, so that a decision and what it does are one transaction. Added and changed as those above.
CREATE TABLE organization_approvals (
  approval_id               text PRIMARY KEY CHECK (approval_id ~ '^approval_[0-9a-f]{32}$'),
  organization_id           text NOT NULL REFERENCES organizations,
  operation                 text NOT NULL,
  needs                     text NOT NULL CHECK (needs IN ('approver', 'administrator')),
  requested_client_id       text NOT NULL,
  requested_user_id         text,
  requested_at              timestamptz NOT NULL,
  requested_on              date NOT NULL,
  lapses_on                 date NOT NULL CHECK (lapses_on >= requested_on),
  request_digest            bytea NOT NULL CHECK (octet_length(request_digest) = 32),
  request                   bytea NOT NULL,
  preview                   text NOT NULL,
  preview_hash              bytea NOT NULL CHECK (octet_length(preview_hash) = 32),
  key_hash                  bytea,
  key_request_hash          bytea,
  state                     text NOT NULL CHECK (state IN ('pending', 'approved', 'rejected', 'lapsed')),
  decided_client_id         text,
  decided_user_id           text,
  decided_at                timestamptz,
  decision_note             bytea,
  answer                    text,
  CHECK ((state IN ('approved', 'rejected')) = (decided_at IS NOT NULL)),
  CHECK ((state = 'approved') = (answer IS NOT NULL))
);
COMMENT ON COLUMN organization_approvals.operation IS 'Its name in the audit trail, such as invite-user';
COMMENT ON COLUMN organization_approvals.needs IS 'administrator: a person who administers has to approve it; approver: whoever may do the operation';
COMMENT ON COLUMN organization_approvals.request_digest IS 'Keyed hash of the caller, the operation and the body: recognises the same call';
COMMENT ON COLUMN organization_approvals.request IS 'JSON, sealed under the organization''s key: the body, how it is to be answered, and the rights of the requester then';
COMMENT ON COLUMN organization_approvals.preview IS 'JSON: what it would do, without personal data';
COMMENT ON COLUMN organization_approvals.answer IS 'JSON, without secrets';
COMMENT ON COLUMN organization_approvals.decision_note IS 'The reason of the decision, sealed under the organization''s key';
CREATE UNIQUE INDEX organization_approvals_once ON organization_approvals (organization_id, request_digest) WHERE state = 'pending';
CREATE INDEX organization_approvals_listed ON organization_approvals (organization_id, requested_at, approval_id);
