-- Loans: what happened to them (events, which are the transactions of the ledger), what that means for the books (journal), who the
-- borrower is (sealed), who has read it, and what every write stores besides. Amounts are whole cents.
--
-- A loan belongs to one volume, which follows from its id. `volume` is in every key of these tables, so that they can be spread over
-- several servers by it, and nothing here needs more than one server for a change of one loan: no foreign keys, no triggers. What is
-- written once (applications, events, journal, blocks) is never updated; `npm run verify` notices when it was.

-- What was submitted at creation. It does not change, except that a cancelled boarding frees its id, so that the indexes over it cost nothing when a loan is paid.
CREATE TABLE applications (
  volume                smallint NOT NULL,
  loan_id               bytea NOT NULL CHECK (octet_length(loan_id) = 32),
  organization_id       text NOT NULL,
  application_id        text NOT NULL,
  borrower_id           text NOT NULL,
  lender_id             text NOT NULL,
  primary_servicer_id   text NOT NULL,
  secondary_servicer_id text NOT NULL,
  loan_type             text NOT NULL,
  created_at            timestamptz NOT NULL,
  start_block           bigint NOT NULL,
  id_is_free            boolean NOT NULL DEFAULT false,
  file                  text NOT NULL,
  public_part           bytea NOT NULL,
  applied               boolean NOT NULL DEFAULT false,
  PRIMARY KEY (volume, loan_id)
);
COMMENT ON COLUMN applications.applied IS 'It came as an application that nobody had decided: its people are owed a notice of what became of it';
COMMENT ON COLUMN applications.id_is_free IS 'The boarding was cancelled: another loan may have the same application id';
COMMENT ON COLUMN applications.file IS 'JSON of LoanFile (src/boarding/file.ts): terms, figures and references, nothing personal';
COMMENT ON COLUMN applications.public_part IS 'What the public record adds (zstd), sealed under the loan''s key: it came from callers, and is erased with the borrower';
-- The volume follows from these three, so that what is unique in its volume is unique.
CREATE UNIQUE INDEX applications_once ON applications (organization_id, lender_id, application_id, volume) WHERE NOT id_is_free;
CREATE INDEX applications_by_application ON applications (organization_id, application_id text_pattern_ops);
CREATE INDEX applications_by_borrower ON applications (organization_id, borrower_id text_pattern_ops);

-- The present state of a loan: its version, the end of its chain, and what lists show and filter by. Every figure here is a fold of the events.
CREATE TABLE loans (
  volume          smallint NOT NULL,
  loan_id         bytea NOT NULL CHECK (octet_length(loan_id) = 32),
  organization_id text NOT NULL,
  created_at      timestamptz NOT NULL,
  version         integer NOT NULL CHECK (version >= 1),
  last_hash       bytea NOT NULL CHECK (octet_length(last_hash) = 32),
  status          text NOT NULL,
  past_due_from   date,
  delinquent_from date,
  next_due        date NOT NULL,
  loan_amount     bigint NOT NULL,
  principal       bigint NOT NULL,
  principal_step  integer NOT NULL GENERATED ALWAYS AS (ceil(sqrt(greatest(principal, 0)::float8) / 4)::integer) STORED,
  published       boolean NOT NULL,
  updated_at      timestamptz NOT NULL,
  recorded_on     date NOT NULL,
  first_recorded_on date NOT NULL,
  closed_by       text,
  lender_id       text NOT NULL,
  primary_servicer_id text,
  secondary_servicer_id text,
  book_principal  bigint NOT NULL,
  book_interest   bigint NOT NULL,
  book_fees       bigint NOT NULL,
  book_credits    bigint NOT NULL,
  accrues_per_unit numeric,
  accrues_divisor bigint,
  accrues_from    integer,
  accrues_scale   smallint,
  accrues_half_even boolean,
  deferred_fees   bigint,
  deferred_costs  bigint,
  purchase_discount bigint,
  amortized       bigint,
  amortizes_per_unit numeric,
  amortizes_divisor bigint,
  amortizes_from  integer,
  amortizes_before bigint,
  books_change_on date,
  changes_on      date,
  charge_off_by   date,
  erased          boolean NOT NULL DEFAULT false,
  PRIMARY KEY (volume, loan_id)
) WITH (fillfactor = 80);
COMMENT ON COLUMN loans.erased IS 'Its borrower was erased: the public market shows it no more';
COMMENT ON COLUMN loans.book_principal IS 'What the books show of it, like book_interest (of stretches that have ended), book_fees and book_credits: until books_change_on';
COMMENT ON COLUMN loans.deferred_fees IS 'What was deferred, like deferred_costs and purchase_discount (below zero: a premium); null: nothing, or nothing is left of it. amortized: net, with ended stretches';
COMMENT ON COLUMN loans.amortizes_per_unit IS 'Amortized by the open stretch on a day: amortizes_before + amortizes_per_unit * (day - amortizes_from) / amortizes_divisor less its interest (src/ledger/accrue.ts); null: none';
COMMENT ON COLUMN loans.accrues_per_unit IS 'Accrued interest on a day: accrues_per_unit * (units of the day - accrues_from) / accrues_divisor, in cents (src/ledger/accrue.ts); null: none';
COMMENT ON COLUMN loans.books_change_on IS 'The first day on which its books may change although nothing is recorded; null: none';
COMMENT ON COLUMN loans.changes_on IS 'The first day after recorded_on on which something follows from the date alone: books_change_on, a delinquency bucket, a quote or a hold that expires; null: none';
COMMENT ON COLUMN loans.charge_off_by IS 'The month end from which a hold requires the charge-off; null: none does';
COMMENT ON COLUMN loans.closed_by IS 'How a closed loan ended; null while it is open';
COMMENT ON COLUMN loans.version IS 'The number of its events; a change is saved only where it is still the one that was read';
COMMENT ON COLUMN loans.status IS 'As of its last event; Funded and Current show as Delinquent from delinquent_from on';
COMMENT ON COLUMN loans.next_due IS 'past_due_from as lists are sorted by it: infinity when nothing is left to pay, or nothing is due yet';
COMMENT ON COLUMN loans.principal IS 'What the borrower owes of it; 0 before funding and after the end';
COMMENT ON COLUMN loans.principal_step IS 'The principal in steps that lists are ordered by (src/store/reads/by-balance.ts): a payment seldom changes it. 0: none is owed';
COMMENT ON COLUMN loans.primary_servicer_id IS 'As in applications, like lender_id and secondary_servicer_id; null: none';
COMMENT ON COLUMN loans.recorded_on IS 'The business day of its last event: no read or write of the loan uses an earlier day';
COMMENT ON COLUMN loans.first_recorded_on IS 'The business day of its first event: it is not in the books of earlier days';
COMMENT ON COLUMN loans.past_due_from IS 'Due date of the oldest unsatisfied installment: days past due count from here';
-- Lists (src/store/reads/lists.ts): the loans of an owner with one status, in each order; by lender and servicer in the order of creation. What
-- the other filters compare, and the other orders, is in the index too, so that few rows have to be fetched. No index has the principal:
-- an update that changes no column of an index writes no entry of any (HOT), and that is what a second payment of a day is.
CREATE INDEX loans_by_status ON loans (organization_id, status, created_at, loan_id)
  INCLUDE (volume, next_due, delinquent_from, principal_step);
CREATE INDEX loans_by_due ON loans (organization_id, status, next_due, loan_id)
  INCLUDE (volume, created_at, delinquent_from, principal_step);
CREATE INDEX loans_by_balance ON loans (organization_id, status, principal_step, loan_id)
  INCLUDE (volume, created_at, next_due, delinquent_from);
CREATE INDEX loans_by_lender ON loans (organization_id, lender_id, status, created_at, loan_id)
  INCLUDE (volume, next_due, delinquent_from, principal_step);
CREATE INDEX loans_by_servicer ON loans (organization_id, primary_servicer_id, status, created_at, loan_id)
  INCLUDE (volume, next_due, delinquent_from, principal_step) WHERE primary_servicer_id IS NOT NULL;
CREATE INDEX loans_by_second_servicer ON loans (organization_id, secondary_servicer_id, status, created_at, loan_id)
  INCLUDE (volume, next_due, delinquent_from, principal_step, primary_servicer_id) WHERE secondary_servicer_id IS NOT NULL;
CREATE INDEX loans_by_change ON loans (volume, organization_id, changes_on, loan_id) WHERE changes_on IS NOT NULL;
-- The books of a past day fold the loans that were recorded since, or changed by a day; pages of them follow these.
CREATE INDEX loans_by_books_change ON loans (organization_id, books_change_on, volume, loan_id) WHERE books_change_on IS NOT NULL;
CREATE INDEX loans_by_recording ON loans (organization_id, recorded_on, volume, loan_id, first_recorded_on);
CREATE INDEX loans_by_first_recording ON loans (volume, organization_id, lender_id, first_recorded_on);

-- What happened, in the order it was recorded: each row is one transaction of the ledger, linked to the loan's previous one.
CREATE TABLE events (
  volume      smallint NOT NULL,
  loan_id     bytea NOT NULL,
  sequence    integer NOT NULL CHECK (sequence >= 1),
  hash        bytea NOT NULL CHECK (octet_length(hash) = 32),
  block       bigint NOT NULL,
  position    integer NOT NULL,
  type        text NOT NULL,
  body        text NOT NULL,
  client_id   text NOT NULL,
  user_id     text,
  note        bytea,
  organization_id      text,
  next_organization_id text,
  PRIMARY KEY (volume, loan_id, sequence)
);
COMMENT ON COLUMN events.body IS 'Canonical JSON (RFC 8785); hash is its SHA-256';
COMMENT ON COLUMN events.user_id IS 'The person who acted through the client; null: the client acted by itself';
COMMENT ON COLUMN events.note IS 'The reason that was given, sealed under the loan''s key';
CREATE INDEX events_by_hash ON events (hash);
COMMENT ON COLUMN events.organization_id IS 'The owner of the loan when it was recorded; null: it is of a lender''s book, and not in the feed';
COMMENT ON COLUMN events.next_organization_id IS 'The organization that the loan is offered or transferred to by it, which is told as well';
CREATE INDEX events_by_block ON events (volume, block, position);
CREATE INDEX events_by_owner ON events (organization_id, volume, block, position) WHERE organization_id IS NOT NULL;
CREATE INDEX events_by_next_owner ON events (next_organization_id, volume, block, position) WHERE next_organization_id IS NOT NULL;

-- Balanced lines in cents: a debit is positive, a credit negative, and the lines of an event add up to zero.
CREATE TABLE journal (
  volume          smallint NOT NULL,
  loan_id         bytea NOT NULL,
  sequence        integer NOT NULL,
  line            smallint NOT NULL,
  organization_id text NOT NULL,
  lender_id       text NOT NULL,
  block           bigint NOT NULL,
  entry           text NOT NULL,
  account         text NOT NULL,
  amount          bigint NOT NULL CHECK (amount <> 0),
  date_effective  date NOT NULL,
  date_posted     date NOT NULL,
  PRIMARY KEY (volume, loan_id, sequence, line)
);
-- The lines of a block are found by its events: an index of their own would have an entry for each line of each payment.

-- What belongs to no loan: two books an organization and lender, each with a chain of transactions (`events`) and lines (`journal`) as a loan
-- has, under its own id. In one interest accrues, in one transaction a day; the other has the entries by hand and the ends of years.
CREATE TABLE books (
  volume          smallint NOT NULL,
  book_id         bytea NOT NULL CHECK (octet_length(book_id) = 32),
  organization_id text NOT NULL,
  lender_id       text NOT NULL,
  version         integer NOT NULL CHECK (version >= 1),
  last_hash       bytea NOT NULL CHECK (octet_length(last_hash) = 32),
  kind            text NOT NULL CHECK (kind IN ('accrual', 'entries')),
  accrued_from    date,
  accrued_through date CHECK (accrued_through >= accrued_from),
  accrued         bigint CHECK (accrued >= 0),
  amortized_fees  bigint NOT NULL DEFAULT 0,
  amortized_costs bigint NOT NULL DEFAULT 0,
  amortized_discount bigint NOT NULL DEFAULT 0,
  first_posted    date,
  PRIMARY KEY (volume, book_id),
  CHECK (CASE kind WHEN 'accrual' THEN num_nonnulls(accrued_from, accrued_through, accrued) = 3 AND first_posted IS NULL
    ELSE num_nonnulls(accrued_from, accrued_through, accrued) = 0 AND first_posted IS NOT NULL END)
);
COMMENT ON COLUMN books.first_posted IS 'Of entries by hand: the first day on which one is posted';
COMMENT ON COLUMN books.accrued_through IS 'Interest is posted for every day from accrued_from to this one';
COMMENT ON COLUMN books.accrued IS 'What the open stretches of all its loans had earned at the end of accrued_through; and what they had amortized: amortized_fees, amortized_costs, amortized_discount';
-- The volume follows from these three.
CREATE UNIQUE INDEX books_once ON books (organization_id, lender_id, kind, volume);

-- Each volume has a chain of its own. Its blocks are numbered in the commit of their transactions, each by the number of volumes more
-- than the one before, and sealed in order a moment later. A head is the number of its volume's newest block; before the first one it
-- is the volume itself. How many volumes there are is fixed when these rows are made.
CREATE TABLE ledger_heads (
  volume smallint PRIMARY KEY CHECK (volume BETWEEN 0 AND 255),
  number bigint NOT NULL
);

CREATE TABLE blocks (
  volume        smallint NOT NULL,
  number        bigint NOT NULL,
  previous_hash bytea NOT NULL CHECK (octet_length(previous_hash) = 32),
  root          bytea NOT NULL CHECK (octet_length(root) = 32),
  count         integer NOT NULL CHECK (count >= 1),
  sealed_at     timestamptz NOT NULL,
  hash          bytea NOT NULL CHECK (octet_length(hash) = 32),
  PRIMARY KEY (volume, number)
);

-- The heads of all volumes under one root, for every minute in which a block was sealed, each linked to the one before.
CREATE TABLE ledger_roots (
  number        bigint PRIMARY KEY CHECK (number >= 1),
  previous_hash bytea NOT NULL CHECK (octet_length(previous_hash) = 32),
  root          bytea NOT NULL CHECK (octet_length(root) = 32),
  heads         text NOT NULL,
  audit         bytea NOT NULL CHECK (octet_length(audit) = 32),
  audit_heads   text NOT NULL,
  made_at       timestamptz NOT NULL,
  hash          bytea NOT NULL CHECK (octet_length(hash) = 32)
);
-- The first root over a block that was sealed at a moment.
CREATE INDEX ledger_roots_by_time ON ledger_roots (made_at, number);
COMMENT ON COLUMN ledger_roots.heads IS 'JSON: the last sealed block of each volume, by number and hash';
COMMENT ON COLUMN ledger_roots.audit_heads IS 'JSON: the last link of the audit trail of each volume, by number and hash';

-- Sums of the journal by day over the sealed blocks of a volume, added up when a block is sealed, so that a trial balance, a roll-forward or
-- an export reads few rows.
CREATE TABLE account_days (
  volume          smallint NOT NULL,
  organization_id text NOT NULL,
  lender_id       text NOT NULL,
  date_posted     date NOT NULL,
  entry           text NOT NULL,
  account         text NOT NULL,
  prior_period    boolean NOT NULL,
  debit           bigint NOT NULL CHECK (debit >= 0),
  credit          bigint NOT NULL CHECK (credit >= 0),
  PRIMARY KEY (organization_id, date_posted, account, lender_id, entry, prior_period, volume)
);

COMMENT ON COLUMN account_days.prior_period IS 'Takes effect in an earlier month than it is posted in';

-- Closed months: the balances at the close, and their hash. A closed month is never reopened.
CREATE TABLE ledger_periods (
  organization_id text NOT NULL,
  period          text NOT NULL CHECK (period ~ '^[0-9]{4}-[0-9]{2}$'),
  closed_from     text NOT NULL CHECK (closed_from <= period),
  closed_at       timestamptz NOT NULL,
  client_id       text NOT NULL,
  user_id         text,
  balances        text NOT NULL,
  hash            bytea NOT NULL CHECK (octet_length(hash) = 32),
  PRIMARY KEY (organization_id, period)
);
COMMENT ON COLUMN ledger_periods.closed_from IS 'The first of the months that were closed in one go with this one';
COMMENT ON COLUMN ledger_periods.user_id IS 'The person who closed it; null: a program';
COMMENT ON COLUMN ledger_periods.balances IS 'Canonical JSON: the balance of each account by lender on the last day of the month; hash is its SHA-256';

-- Closed years: what income and expense of each lender were closed to its retained earnings, by the day on which that is posted.
CREATE TABLE ledger_years (
  organization_id text NOT NULL,
  year            integer NOT NULL CHECK (year BETWEEN 1900 AND 2199),
  date_posted     date NOT NULL,
  closed_at       timestamptz NOT NULL,
  client_id       text NOT NULL,
  user_id         text,
  closing         text NOT NULL,
  PRIMARY KEY (organization_id, year)
);
COMMENT ON COLUMN ledger_years.user_id IS 'The person who closed it; null: a program';
COMMENT ON COLUMN ledger_years.closing IS 'Canonical JSON: by lender the transaction and its lines';

-- The allowance for expected losses that was booked for a month: what was required of each lender, the parts that it was made of, and the
-- transaction in its book. A month is booked once.
CREATE TABLE allowances (
  organization_id  text NOT NULL,
  period           text NOT NULL CHECK (period ~ '^[0-9]{4}-[0-9]{2}$'),
  lender_id        text NOT NULL,
  transaction_hash bytea CHECK (octet_length(transaction_hash) = 32),
  booked_at        timestamptz NOT NULL,
  client_id        text NOT NULL,
  user_id          text,
  proposal         text NOT NULL,
  PRIMARY KEY (organization_id, period, lender_id)
);
COMMENT ON COLUMN allowances.transaction_hash IS 'null: the month changed nothing, so nothing was posted';
COMMENT ON COLUMN allowances.user_id IS 'The person who requested it; null: a program';
COMMENT ON COLUMN allowances.proposal IS 'Canonical JSON of LenderAllowance (src/loans/allowance/proposal.ts), amounts in cents';

-- What an organization calls its accounts in its own general ledger.
CREATE TABLE account_codes (
  organization_id text NOT NULL,
  lender_id       text NOT NULL,
  account         text NOT NULL,
  code            text NOT NULL,
  PRIMARY KEY (organization_id, lender_id, account)
);
COMMENT ON COLUMN account_codes.lender_id IS 'The code in the books of this lender; empty: of every lender that has none of its own';

-- The person: one data key for a loan, wrapped under a master key, and everything personal sealed under it. Destroying the row erases
-- the borrower; events and journal stay whole.
CREATE TABLE people (
  volume      smallint NOT NULL,
  loan_id     bytea NOT NULL,
  key_id      text NOT NULL,
  wrapped_key bytea NOT NULL,
  sealed      bytea NOT NULL,
  stored_at   timestamptz NOT NULL,
  revision    integer NOT NULL DEFAULT 1,
  PRIMARY KEY (volume, loan_id)
);
COMMENT ON COLUMN people.revision IS 'Raised when the sealed data is replaced; a cache of opened data compares it';
COMMENT ON COLUMN people.key_id IS 'Which master key wraps the data key';
CREATE INDEX people_by_key ON people (key_id, loan_id);

-- Keyed hashes of what a loan can be found by.
CREATE TABLE blind_index (
  volume          smallint NOT NULL,
  organization_id text NOT NULL,
  kind            text NOT NULL,
  digest          bytea NOT NULL CHECK (octet_length(digest) = 32),
  loan_id         bytea NOT NULL,
  PRIMARY KEY (organization_id, kind, digest, volume, loan_id)
);
CREATE INDEX blind_index_by_loan ON blind_index (volume, loan_id);

-- Secrets that outlive a master key (the pepper of API keys, the keys of blind indexes and ledger accounts), wrapped under one.
CREATE TABLE root_secrets (
  name    text PRIMARY KEY,
  key_id  text NOT NULL,
  wrapped bytea NOT NULL
);

-- An idempotency key belongs to one write of one loan. The key is reserved in a volume that follows from the key itself, before the write,
-- so that the same key for another loan is noticed; the answer is with the loan, in the transaction of its effect. A reservation without
-- an answer lapses after a minute. Both are partitioned by day, and a partition is dropped when its answers may no longer be repeated;
-- those of money movements stay for the life of the loan.
CREATE TABLE reservations (
  volume       smallint NOT NULL,
  key_hash     bytea NOT NULL CHECK (octet_length(key_hash) = 32),
  kept         date NOT NULL,
  loan_id      bytea NOT NULL,
  request_hash bytea NOT NULL CHECK (octet_length(request_hash) = 32),
  held_by      text NOT NULL,
  at           timestamptz NOT NULL,
  PRIMARY KEY (volume, key_hash, kept)
) PARTITION BY RANGE (kept);
COMMENT ON COLUMN reservations.kept IS 'The day it was made; infinity for a money movement';
COMMENT ON COLUMN reservations.held_by IS 'The process that made it: only that one knows before a minute is over whether the write is still in progress';
-- Reservations are inserted in the order of time, so this stays small and adds almost no cost to a write.
CREATE INDEX reservations_by_time ON reservations USING brin (at);
CREATE TABLE reservations_kept PARTITION OF reservations FOR VALUES FROM ('9999-01-01') TO (MAXVALUE);
CREATE TABLE answers (
  volume       smallint NOT NULL,
  loan_id      bytea NOT NULL,
  key_hash     bytea NOT NULL CHECK (octet_length(key_hash) = 32),
  kept         date NOT NULL,
  request_hash bytea NOT NULL CHECK (octet_length(request_hash) = 32),
  version      integer,
  answer       text NOT NULL,
  PRIMARY KEY (volume, loan_id, key_hash, kept)
) PARTITION BY RANGE (kept);
COMMENT ON COLUMN answers.version IS 'Of the loan after the write; null: the write was of no loan';
COMMENT ON COLUMN answers.request_hash IS 'Of the request that was carried out; the reservation may have been taken over by another since';
CREATE TABLE answers_kept PARTITION OF answers FOR VALUES FROM ('9999-01-01') TO (MAXVALUE);
