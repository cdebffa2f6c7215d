-- The schema after all migrations, read from the catalogs and compared by the tests.
-- Generated: `npm run migrate -- --snapshot` writes it. Do not edit it, and do not run it.

CREATE SEQUENCE row_changes AS bigint START 1 INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1;

CREATE TABLE access_epoch (
  only_row boolean DEFAULT true NOT NULL,
  epoch bigint NOT NULL,
  CONSTRAINT access_epoch_pkey PRIMARY KEY (only_row),
  CONSTRAINT access_epoch_only_row_check CHECK (only_row)
);

CREATE TABLE account_codes (
  organization_id text NOT NULL,
  lender_id text NOT NULL,
  account text NOT NULL,
  code text NOT NULL,
  CONSTRAINT account_codes_pkey PRIMARY KEY (organization_id, lender_id, account)
);

CREATE TABLE account_days (
  volume smallint NOT NULL,
  organization_id text NOT NULL,
  lender_id text NOT NULL,
  date_posted date NOT NULL,
  entry text NOT NULL,
  account text NOT NULL,
  prior_period boolean NOT NULL,
  debit bigint NOT NULL,
  credit bigint NOT NULL,
  CONSTRAINT account_days_pkey PRIMARY KEY (organization_id, date_posted, account, lender_id, entry, prior_period, volume),
  CONSTRAINT account_days_credit_check CHECK ((credit >= 0)),
  CONSTRAINT account_days_debit_check CHECK ((debit >= 0))
);

CREATE TABLE allowances (
  organization_id text NOT NULL,
  period text NOT NULL,
  lender_id text NOT NULL,
  transaction_hash bytea,
  booked_at timestamp with time zone NOT NULL,
  client_id text NOT NULL,
  user_id text,
  proposal text NOT NULL,
  CONSTRAINT allowances_pkey PRIMARY KEY (organization_id, period, lender_id),
  CONSTRAINT allowances_period_check CHECK ((period ~ '^[0-9]{4}-[0-9]{2}$'::text)),
  CONSTRAINT allowances_transaction_hash_check CHECK ((octet_length(transaction_hash) = 32))
);

CREATE TABLE answers (
  volume smallint NOT NULL,
  loan_id bytea NOT NULL,
  key_hash bytea NOT NULL,
  kept date NOT NULL,
  request_hash bytea NOT NULL,
  version integer,
  answer text NOT NULL,
  CONSTRAINT answers_pkey PRIMARY KEY (volume, loan_id, key_hash, kept),
  CONSTRAINT answers_key_hash_check CHECK ((octet_length(key_hash) = 32)),
  CONSTRAINT answers_request_hash_check CHECK ((octet_length(request_hash) = 32))
) PARTITION BY RANGE (kept);

CREATE TABLE answers_kept (
  volume smallint NOT NULL,
  loan_id bytea NOT NULL,
  key_hash bytea NOT NULL,
  kept date NOT NULL,
  request_hash bytea NOT NULL,
  version integer,
  answer text NOT NULL
) INHERITS (answers) FOR VALUES FROM ('9999-01-01') TO (MAXVALUE);

CREATE TABLE api_keys (
  key_id text NOT NULL,
  client_id text NOT NULL,
  key_hash bytea NOT NULL,
  created_at timestamp with time zone NOT NULL,
  revoked_at timestamp with time zone,
  CONSTRAINT api_keys_pkey PRIMARY KEY (key_id),
  CONSTRAINT api_keys_key_hash_key UNIQUE (key_hash),
  CONSTRAINT api_keys_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(client_id),
  CONSTRAINT api_keys_key_hash_check CHECK ((octet_length(key_hash) = 32)),
  CONSTRAINT api_keys_key_id_check CHECK ((key_id ~ '^key_[a-z0-9]{1,60}$'::text))
);

CREATE TABLE applications (
  volume smallint NOT NULL,
  loan_id bytea NOT NULL,
  organization_id text NOT NULL,
  application_id text NOT NULL,
  borrower_id text NOT NULL,
  lender_id text NOT NULL,
  primary_servicer_id text NOT NULL,
  secondary_servicer_id text NOT NULL,
  loan_type text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  start_block bigint NOT NULL,
  id_is_free boolean DEFAULT false NOT NULL,
  file text NOT NULL,
  public_part bytea NOT NULL,
  applied boolean DEFAULT false NOT NULL,
  CONSTRAINT applications_pkey PRIMARY KEY (volume, loan_id),
  CONSTRAINT applications_loan_id_check CHECK ((octet_length(loan_id) = 32))
);

CREATE TABLE approvals (
  volume smallint NOT NULL,
  approval_id text NOT NULL,
  loan_id bytea NOT NULL,
  organization_id text NOT NULL,
  operation text NOT NULL,
  version integer NOT NULL,
  requested_organization_id text NOT NULL,
  requested_client_id text NOT NULL,
  requested_user_id text,
  requested_at timestamp with time zone NOT NULL,
  requested_on date NOT NULL,
  lapses_on date NOT NULL,
  request_digest bytea NOT NULL,
  request bytea NOT NULL,
  reason_given boolean NOT NULL,
  preview text NOT NULL,
  preview_hash bytea NOT NULL,
  facts text NOT NULL,
  key_hash bytea,
  key_request_hash bytea,
  key_forever boolean,
  state text NOT NULL,
  decided_organization_id text,
  decided_client_id text,
  decided_user_id text,
  decided_at timestamp with time zone,
  decision_note bytea,
  transaction_hash bytea,
  answer text,
  CONSTRAINT approvals_pkey PRIMARY KEY (volume, approval_id),
  CONSTRAINT approvals_approval_id_check CHECK ((approval_id ~ '^approval_[0-9a-f]{32}$'::text)),
  CONSTRAINT approvals_check CHECK ((lapses_on >= requested_on)),
  CONSTRAINT approvals_check1 CHECK (((state = ANY (ARRAY['approved'::text, 'rejected'::text])) = (decided_at IS NOT NULL))),
  CONSTRAINT approvals_check2 CHECK ((((state = 'approved'::text) = (transaction_hash IS NOT NULL)) AND ((state = 'approved'::text) = (answer IS NOT NULL)))),
  CONSTRAINT approvals_loan_id_check CHECK ((octet_length(loan_id) = 32)),
  CONSTRAINT approvals_preview_hash_check CHECK ((octet_length(preview_hash) = 32)),
  CONSTRAINT approvals_request_digest_check CHECK ((octet_length(request_digest) = 32)),
  CONSTRAINT approvals_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'lapsed'::text]))),
  CONSTRAINT approvals_transaction_hash_check CHECK ((octet_length(transaction_hash) = 32)),
  CONSTRAINT approvals_version_check CHECK ((version > 0))
);

CREATE TABLE assessments (
  volume smallint NOT NULL,
  loan_id bytea NOT NULL,
  sequence integer NOT NULL,
  file text NOT NULL,
  public_part bytea NOT NULL,
  model_version text NOT NULL,
  policy_version text NOT NULL,
  CONSTRAINT assessments_pkey PRIMARY KEY (volume, loan_id, sequence),
  CONSTRAINT assessments_loan_id_check CHECK ((octet_length(loan_id) = 32))
);

CREATE TABLE audit (
  volume smallint NOT NULL,
  entry_id text NOT NULL,
  at timestamp with time zone NOT NULL,
  organization_id text NOT NULL,
  owner_id text,
  client_id text,
  user_id text,
  key_id text,
  account text,
  kind text NOT NULL,
  operation text NOT NULL,
  outcome text NOT NULL,
  loan_id bytea,
  subject text,
  transaction_hash bytea,
  approval_id text,
  count integer DEFAULT 1 NOT NULL,
  purpose bytea,
  request_id text,
  content text,
  number bigint NOT NULL,
  hash bytea NOT NULL,
  CONSTRAINT audit_pkey PRIMARY KEY (volume, number),
  CONSTRAINT audit_hash_check CHECK ((octet_length(hash) = 32)),
  CONSTRAINT audit_number_check CHECK ((number >= 1))
);

CREATE TABLE audit_waiting (
  volume smallint NOT NULL,
  entry_id text NOT NULL,
  at timestamp with time zone NOT NULL,
  organization_id text NOT NULL,
  owner_id text,
  client_id text,
  user_id text,
  key_id text,
  account text,
  kind text NOT NULL,
  operation text NOT NULL,
  outcome text NOT NULL,
  loan_id bytea,
  subject text,
  transaction_hash bytea,
  approval_id text,
  count integer DEFAULT 1 NOT NULL,
  purpose bytea,
  request_id text,
  content text,
  since timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT audit_waiting_pkey PRIMARY KEY (volume, entry_id)
);

CREATE TABLE blind_index (
  volume smallint NOT NULL,
  organization_id text NOT NULL,
  kind text NOT NULL,
  digest bytea NOT NULL,
  loan_id bytea NOT NULL,
  CONSTRAINT blind_index_pkey PRIMARY KEY (organization_id, kind, digest, volume, loan_id),
  CONSTRAINT blind_index_digest_check CHECK ((octet_length(digest) = 32))
);

CREATE TABLE blocks (
  volume smallint NOT NULL,
  number bigint NOT NULL,
  previous_hash bytea NOT NULL,
  root bytea NOT NULL,
  count integer NOT NULL,
  sealed_at timestamp with time zone NOT NULL,
  hash bytea NOT NULL,
  CONSTRAINT blocks_pkey PRIMARY KEY (volume, number),
  CONSTRAINT blocks_count_check CHECK ((count >= 1)),
  CONSTRAINT blocks_hash_check CHECK ((octet_length(hash) = 32)),
  CONSTRAINT blocks_previous_hash_check CHECK ((octet_length(previous_hash) = 32)),
  CONSTRAINT blocks_root_check CHECK ((octet_length(root) = 32))
);

CREATE TABLE books (
  volume smallint NOT NULL,
  book_id bytea NOT NULL,
  organization_id text NOT NULL,
  lender_id text NOT NULL,
  version integer NOT NULL,
  last_hash bytea NOT NULL,
  kind text NOT NULL,
  accrued_from date,
  accrued_through date,
  accrued bigint,
  amortized_fees bigint DEFAULT 0 NOT NULL,
  amortized_costs bigint DEFAULT 0 NOT NULL,
  amortized_discount bigint DEFAULT 0 NOT NULL,
  first_posted date,
  CONSTRAINT books_pkey PRIMARY KEY (volume, book_id),
  CONSTRAINT books_accrued_check CHECK ((accrued >= 0)),
  CONSTRAINT books_book_id_check CHECK ((octet_length(book_id) = 32)),
  CONSTRAINT books_check CHECK ((accrued_through >= accrued_from)),
  CONSTRAINT books_check1 CHECK (
CASE kind
    WHEN 'accrual'::text THEN ((num_nonnulls(accrued_from, accrued_through, accrued) = 3) AND (first_posted IS NULL))
    ELSE ((num_nonnulls(accrued_from, accrued_through, accrued) = 0) AND (first_posted IS NOT NULL))
END),
  CONSTRAINT books_kind_check CHECK ((kind = ANY (ARRAY['accrual'::text, 'entries'::text]))),
  CONSTRAINT books_last_hash_check CHECK ((octet_length(last_hash) = 32)),
  CONSTRAINT books_version_check CHECK ((version >= 1))
);

CREATE TABLE bureau_pulls (
  volume smallint NOT NULL,
  loan_id bytea NOT NULL,
  run integer NOT NULL,
  role text NOT NULL,
  pull_id text NOT NULL,
  bureau text NOT NULL,
  reserved_at timestamp with time zone NOT NULL,
  held_until timestamp with time zone NOT NULL,
  answered_at timestamp with time zone,
  hash bytea,
  sealed bytea,
  CONSTRAINT bureau_pulls_pkey PRIMARY KEY (volume, loan_id, run, role),
  CONSTRAINT bureau_pulls_check CHECK ((((answered_at IS NULL) = (sealed IS NULL)) AND ((answered_at IS NULL) = (hash IS NULL)))),
  CONSTRAINT bureau_pulls_hash_check CHECK ((octet_length(hash) = 32)),
  CONSTRAINT bureau_pulls_loan_id_check CHECK ((octet_length(loan_id) = 32)),
  CONSTRAINT bureau_pulls_role_check CHECK ((role ~ '^(screening:[0-9]+:[0-9-]{10}:)?(primary|coApplicant)$'::text)),
  CONSTRAINT bureau_pulls_run_check CHECK ((run >= 1))
);

CREATE TABLE clients (
  client_id text NOT NULL,
  organization_id text NOT NULL,
  name text NOT NULL,
  kind text DEFAULT 'program'::text NOT NULL,
  secret_hash text,
  scopes text[] NOT NULL,
  status text DEFAULT 'active'::text NOT NULL,
  rate_limit_per_minute integer,
  numbers text DEFAULT 'interface'::text NOT NULL,
  raised_to integer,
  raised_until timestamp with time zone,
  token_generation integer DEFAULT 1 NOT NULL,
  created_at timestamp with time zone NOT NULL,
  revoked_at timestamp with time zone,
  holders text[] DEFAULT '{}'::text[] NOT NULL,
  CONSTRAINT clients_pkey PRIMARY KEY (client_id),
  CONSTRAINT clients_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  CONSTRAINT clients_check CHECK (((status = 'revoked'::text) = (revoked_at IS NOT NULL))),
  CONSTRAINT clients_check1 CHECK ((((kind = 'console'::text) = (secret_hash IS NULL)) AND ((kind = 'console'::text) = (cardinality(scopes) = 0)))),
  CONSTRAINT clients_check2 CHECK (((kind = 'program'::text) OR (status = 'active'::text))),
  CONSTRAINT clients_check3 CHECK (((raised_to IS NULL) = (raised_until IS NULL))),
  CONSTRAINT clients_client_id_check CHECK (((char_length(client_id) >= 1) AND (char_length(client_id) <= 128))),
  CONSTRAINT clients_kind_check CHECK ((kind = ANY (ARRAY['program'::text, 'console'::text]))),
  CONSTRAINT clients_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
  CONSTRAINT clients_numbers_check CHECK ((numbers = ANY (ARRAY['interface'::text, 'plain'::text]))),
  CONSTRAINT clients_raised_to_check CHECK ((raised_to >= 1)),
  CONSTRAINT clients_rate_limit_per_minute_check CHECK ((rate_limit_per_minute >= 0)),
  CONSTRAINT clients_scopes_check CHECK (((cardinality(scopes) <= 64) AND (array_position(scopes, NULL::text) IS NULL))),
  CONSTRAINT clients_secret_hash_check CHECK ((secret_hash ~~ '$scrypt$%'::text)),
  CONSTRAINT clients_status_check CHECK ((status = ANY (ARRAY['active'::text, 'revoked'::text]))),
  CONSTRAINT clients_token_generation_check CHECK ((token_generation >= 1))
);

CREATE TABLE cycle_findings (
  organization_id text NOT NULL,
  date date NOT NULL,
  kind text NOT NULL,
  loan_id bytea NOT NULL,
  step text NOT NULL,
  facts jsonb NOT NULL,
  CONSTRAINT cycle_findings_pkey PRIMARY KEY (organization_id, date, kind, loan_id),
  CONSTRAINT cycle_findings_kind_check CHECK ((kind = ANY (ARRAY['exception'::text, 'proposal'::text]))),
  CONSTRAINT cycle_findings_loan_id_check CHECK ((octet_length(loan_id) = 32))
);

CREATE TABLE cycle_heads (
  organization_id text NOT NULL,
  first date NOT NULL,
  through date NOT NULL,
  CONSTRAINT cycle_heads_pkey PRIMARY KEY (organization_id),
  CONSTRAINT cycle_heads_check CHECK ((through >= (first - 1)))
);

CREATE TABLE cycle_steps (
  organization_id text NOT NULL,
  date date NOT NULL,
  step text NOT NULL,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  counts jsonb DEFAULT '{}'::jsonb NOT NULL,
  CONSTRAINT cycle_steps_pkey PRIMARY KEY (organization_id, date, step)
);

CREATE TABLE cycles (
  organization_id text NOT NULL,
  date date NOT NULL,
  started_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  CONSTRAINT cycles_pkey PRIMARY KEY (organization_id, date)
);

CREATE TABLE events (
  volume smallint NOT NULL,
  loan_id bytea NOT NULL,
  sequence integer NOT NULL,
  hash bytea NOT NULL,
  block bigint NOT NULL,
  "position" integer NOT NULL,
  type text NOT NULL,
  body text NOT NULL,
  client_id text NOT NULL,
  user_id text,
  note bytea,
  organization_id text,
  next_organization_id text,
  CONSTRAINT events_pkey PRIMARY KEY (volume, loan_id, sequence),
  CONSTRAINT events_hash_check CHECK ((octet_length(hash) = 32)),
  CONSTRAINT events_sequence_check CHECK ((sequence >= 1))
);

CREATE TABLE exports (
  export_id text NOT NULL,
  organization_id text NOT NULL,
  what text NOT NULL,
  asked text NOT NULL,
  moment text NOT NULL,
  started_at timestamp with time zone NOT NULL,
  CONSTRAINT exports_pkey PRIMARY KEY (export_id),
  CONSTRAINT exports_export_id_check CHECK ((export_id ~ '^exp_[0-9a-f]{24}$'::text))
);

CREATE TABLE feed_head (
  only_row boolean DEFAULT true NOT NULL,
  number bigint NOT NULL,
  CONSTRAINT feed_head_pkey PRIMARY KEY (only_row),
  CONSTRAINT feed_head_only_row_check CHECK (only_row)
);

CREATE TABLE feed_marks (
  volume smallint NOT NULL,
  number bigint NOT NULL,
  last_block bigint NOT NULL,
  CONSTRAINT feed_marks_pkey PRIMARY KEY (volume, number)
);

CREATE TABLE feed_notes (
  number bigint NOT NULL,
  organization_id text NOT NULL,
  type text NOT NULL,
  subject text NOT NULL,
  at timestamp with time zone NOT NULL,
  CONSTRAINT feed_notes_pkey PRIMARY KEY (number)
);

CREATE TABLE former_owners (
  volume smallint NOT NULL,
  loan_id bytea NOT NULL,
  sequence integer NOT NULL,
  organization_id text NOT NULL,
  lender_id text NOT NULL,
  owned_from date NOT NULL,
  owned_until date NOT NULL,
  next_organization_id text NOT NULL,
  first_organization_id text NOT NULL,
  CONSTRAINT former_owners_pkey PRIMARY KEY (volume, loan_id, sequence),
  CONSTRAINT former_owners_check CHECK ((owned_until >= owned_from)),
  CONSTRAINT former_owners_loan_id_check CHECK ((octet_length(loan_id) = 32)),
  CONSTRAINT former_owners_sequence_check CHECK ((sequence > 1))
);

CREATE TABLE former_time_zones (
  organization_id text NOT NULL,
  until timestamp with time zone NOT NULL,
  time_zone text NOT NULL,
  CONSTRAINT former_time_zones_pkey PRIMARY KEY (organization_id, until),
  CONSTRAINT former_time_zones_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  CONSTRAINT former_time_zones_time_zone_check CHECK ((time_zone ~ '^[A-Za-z0-9_+:/-]{1,64}$'::text))
);

CREATE TABLE grants (
  grant_id text NOT NULL,
  owner_organization_id text NOT NULL,
  grantee_organization_id text NOT NULL,
  access text NOT NULL,
  servicer_id text,
  created_at timestamp with time zone NOT NULL,
  accepted_at timestamp with time zone,
  ended_at timestamp with time zone,
  revoked_at timestamp with time zone,
  CONSTRAINT grants_pkey PRIMARY KEY (grant_id),
  CONSTRAINT grants_grantee_organization_id_fkey FOREIGN KEY (grantee_organization_id) REFERENCES organizations(organization_id),
  CONSTRAINT grants_owner_organization_id_fkey FOREIGN KEY (owner_organization_id) REFERENCES organizations(organization_id),
  CONSTRAINT grants_access_check CHECK ((access = ANY (ARRAY['read'::text, 'servicing'::text]))),
  CONSTRAINT grants_check CHECK ((owner_organization_id <> grantee_organization_id)),
  CONSTRAINT grants_grant_id_check CHECK ((grant_id ~ '^grant_[a-z0-9]{1,60}$'::text)),
  CONSTRAINT grants_servicer_id_check CHECK ((servicer_id ~ '^[A-Za-z0-9._:-]{1,64}$'::text))
);

CREATE TABLE identity_providers (
  organization_id text NOT NULL,
  issuer text NOT NULL,
  client_id text NOT NULL,
  client_secret_sealed bytea NOT NULL,
  settings text DEFAULT '{}'::text NOT NULL,
  changed_at timestamp with time zone NOT NULL,
  CONSTRAINT identity_providers_pkey PRIMARY KEY (organization_id),
  CONSTRAINT identity_providers_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id)
);

CREATE TABLE invitations (
  token_hash bytea NOT NULL,
  user_id text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  used_at timestamp with time zone,
  CONSTRAINT invitations_pkey PRIMARY KEY (token_hash),
  CONSTRAINT invitations_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id),
  CONSTRAINT invitations_token_hash_check CHECK ((octet_length(token_hash) = 32))
);

CREATE TABLE journal (
  volume smallint NOT NULL,
  loan_id bytea NOT NULL,
  sequence integer NOT NULL,
  line smallint NOT NULL,
  organization_id text NOT NULL,
  lender_id text NOT NULL,
  block bigint NOT NULL,
  entry text NOT NULL,
  account text NOT NULL,
  amount bigint NOT NULL,
  date_effective date NOT NULL,
  date_posted date NOT NULL,
  CONSTRAINT journal_pkey PRIMARY KEY (volume, loan_id, sequence, line),
  CONSTRAINT journal_amount_check CHECK ((amount <> 0))
);

CREATE TABLE ledger_heads (
  volume smallint NOT NULL,
  number bigint NOT NULL,
  CONSTRAINT ledger_heads_pkey PRIMARY KEY (volume),
  CONSTRAINT ledger_heads_volume_check CHECK (((volume >= 0) AND (volume <= 255)))
);

CREATE TABLE ledger_periods (
  organization_id text NOT NULL,
  period text NOT NULL,
  closed_from text NOT NULL,
  closed_at timestamp with time zone NOT NULL,
  client_id text NOT NULL,
  user_id text,
  balances text NOT NULL,
  hash bytea NOT NULL,
  CONSTRAINT ledger_periods_pkey PRIMARY KEY (organization_id, period),
  CONSTRAINT ledger_periods_check CHECK ((closed_from <= period)),
  CONSTRAINT ledger_periods_hash_check CHECK ((octet_length(hash) = 32)),
  CONSTRAINT ledger_periods_period_check CHECK ((period ~ '^[0-9]{4}-[0-9]{2}$'::text))
);

CREATE TABLE ledger_roots (
  number bigint NOT NULL,
  previous_hash bytea NOT NULL,
  root bytea NOT NULL,
  heads text NOT NULL,
  audit bytea NOT NULL,
  audit_heads text NOT NULL,
  made_at timestamp with time zone NOT NULL,
  hash bytea NOT NULL,
  CONSTRAINT ledger_roots_pkey PRIMARY KEY (number),
  CONSTRAINT ledger_roots_audit_check CHECK ((octet_length(audit) = 32)),
  CONSTRAINT ledger_roots_hash_check CHECK ((octet_length(hash) = 32)),
  CONSTRAINT ledger_roots_number_check CHECK ((number >= 1)),
  CONSTRAINT ledger_roots_previous_hash_check CHECK ((octet_length(previous_hash) = 32)),
  CONSTRAINT ledger_roots_root_check CHECK ((octet_length(root) = 32))
);

CREATE TABLE ledger_years (
  organization_id text NOT NULL,
  year integer NOT NULL,
  date_posted date NOT NULL,
  closed_at timestamp with time zone NOT NULL,
  client_id text NOT NULL,
  user_id text,
  closing text NOT NULL,
  CONSTRAINT ledger_years_pkey PRIMARY KEY (organization_id, year),
  CONSTRAINT ledger_years_year_check CHECK (((year >= 1900) AND (year <= 2199)))
);

CREATE TABLE loans (
  volume smallint NOT NULL,
  loan_id bytea NOT NULL,
  organization_id text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  version integer NOT NULL,
  last_hash bytea NOT NULL,
  status text NOT NULL,
  past_due_from date,
  delinquent_from date,
  next_due date NOT NULL,
  loan_amount bigint NOT NULL,
  principal bigint NOT NULL,
  principal_step integer GENERATED ALWAYS AS ((ceil((sqrt((GREATEST(principal, (0)::bigint))::double precision) / (4)::double precision)))::integer) NOT NULL,
  published boolean NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  recorded_on date NOT NULL,
  first_recorded_on date NOT NULL,
  closed_by text,
  lender_id text NOT NULL,
  primary_servicer_id text,
  secondary_servicer_id text,
  book_principal bigint NOT NULL,
  book_interest bigint NOT NULL,
  book_fees bigint NOT NULL,
  book_credits bigint NOT NULL,
  accrues_per_unit numeric,
  accrues_divisor bigint,
  accrues_from integer,
  accrues_scale smallint,
  accrues_half_even boolean,
  deferred_fees bigint,
  deferred_costs bigint,
  purchase_discount bigint,
  amortized bigint,
  amortizes_per_unit numeric,
  amortizes_divisor bigint,
  amortizes_from integer,
  amortizes_before bigint,
  books_change_on date,
  changes_on date,
  charge_off_by date,
  erased boolean DEFAULT false NOT NULL,
  grade text,
  state text,
  charge_off_ground_gone boolean DEFAULT false NOT NULL,
  credit_since date,
  non_accrual_since date,
  funded_on date,
  vintage date,
  original bigint DEFAULT 0 NOT NULL,
  rate numeric DEFAULT 0 NOT NULL,
  remaining integer DEFAULT 0 NOT NULL,
  flow_month date DEFAULT '-infinity'::date NOT NULL,
  opening_principal bigint DEFAULT 0 NOT NULL,
  disbursed bigint DEFAULT 0 NOT NULL,
  principal_received bigint DEFAULT 0 NOT NULL,
  interest_received bigint DEFAULT 0 NOT NULL,
  fees_received bigint DEFAULT 0 NOT NULL,
  unscheduled_principal bigint DEFAULT 0 NOT NULL,
  charged_off bigint DEFAULT 0 NOT NULL,
  recovered bigint DEFAULT 0 NOT NULL,
  forgiven bigint DEFAULT 0 NOT NULL,
  returned bigint DEFAULT 0 NOT NULL,
  received_late bigint DEFAULT 0 NOT NULL,
  scheduled bigint DEFAULT 0 NOT NULL,
  scheduled_principal bigint DEFAULT 0 NOT NULL,
  predicted_yield numeric,
  predicted_loss numeric,
  CONSTRAINT loans_pkey PRIMARY KEY (volume, loan_id),
  CONSTRAINT loans_last_hash_check CHECK ((octet_length(last_hash) = 32)),
  CONSTRAINT loans_loan_id_check CHECK ((octet_length(loan_id) = 32)),
  CONSTRAINT loans_version_check CHECK ((version >= 1))
) WITH (fillfactor=80);

CREATE TABLE notices (
  volume smallint NOT NULL,
  loan_id bytea NOT NULL,
  kind text NOT NULL,
  party text NOT NULL,
  run integer NOT NULL,
  notice_id text NOT NULL,
  version integer NOT NULL,
  made_on date NOT NULL,
  made_at timestamp with time zone NOT NULL,
  completes boolean NOT NULL,
  sealed bytea NOT NULL,
  CONSTRAINT notices_pkey PRIMARY KEY (volume, loan_id, kind, party, run),
  CONSTRAINT notices_kind_check CHECK ((kind = ANY (ARRAY['adverseAction'::text, 'incompleteApplication'::text, 'scoreDisclosure'::text]))),
  CONSTRAINT notices_loan_id_check CHECK ((octet_length(loan_id) = 32)),
  CONSTRAINT notices_party_check CHECK ((party = ANY (ARRAY['applicant'::text, 'coApplicant'::text]))),
  CONSTRAINT notices_run_check CHECK ((run >= 0))
);

CREATE TABLE organization_approvals (
  approval_id text NOT NULL,
  organization_id text NOT NULL,
  operation text NOT NULL,
  needs text NOT NULL,
  requested_client_id text NOT NULL,
  requested_user_id text,
  requested_at timestamp with time zone NOT NULL,
  requested_on date NOT NULL,
  lapses_on date NOT NULL,
  request_digest bytea NOT NULL,
  request bytea NOT NULL,
  preview text NOT NULL,
  preview_hash bytea NOT NULL,
  key_hash bytea,
  key_request_hash bytea,
  state text NOT NULL,
  decided_client_id text,
  decided_user_id text,
  decided_at timestamp with time zone,
  decision_note bytea,
  answer text,
  CONSTRAINT organization_approvals_pkey PRIMARY KEY (approval_id),
  CONSTRAINT organization_approvals_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  CONSTRAINT organization_approvals_approval_id_check CHECK ((approval_id ~ '^approval_[0-9a-f]{32}$'::text)),
  CONSTRAINT organization_approvals_check CHECK ((lapses_on >= requested_on)),
  CONSTRAINT organization_approvals_check1 CHECK (((state = ANY (ARRAY['approved'::text, 'rejected'::text])) = (decided_at IS NOT NULL))),
  CONSTRAINT organization_approvals_check2 CHECK (((state = 'approved'::text) = (answer IS NOT NULL))),
  CONSTRAINT organization_approvals_needs_check CHECK ((needs = ANY (ARRAY['approver'::text, 'administrator'::text]))),
  CONSTRAINT organization_approvals_preview_hash_check CHECK ((octet_length(preview_hash) = 32)),
  CONSTRAINT organization_approvals_request_digest_check CHECK ((octet_length(request_digest) = 32)),
  CONSTRAINT organization_approvals_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'lapsed'::text])))
);

CREATE TABLE organizations (
  organization_id text NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  rate_limit_per_minute integer,
  raised_to integer,
  raised_until timestamp with time zone,
  clock_kind text DEFAULT 'live'::text NOT NULL,
  time_zone text DEFAULT 'UTC'::text NOT NULL,
  policy_versions integer DEFAULT 0 NOT NULL,
  CONSTRAINT organizations_pkey PRIMARY KEY (organization_id),
  CONSTRAINT organizations_check CHECK (((raised_to IS NULL) = (raised_until IS NULL))),
  CONSTRAINT organizations_clock_kind_check CHECK ((clock_kind = ANY (ARRAY['live'::text, 'test'::text]))),
  CONSTRAINT organizations_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
  CONSTRAINT organizations_organization_id_check CHECK ((organization_id ~ '^org_[a-z0-9]{1,60}$'::text)),
  CONSTRAINT organizations_policy_versions_check CHECK ((policy_versions >= 0)),
  CONSTRAINT organizations_raised_to_check CHECK ((raised_to >= 1)),
  CONSTRAINT organizations_rate_limit_per_minute_check CHECK ((rate_limit_per_minute >= 0)),
  CONSTRAINT organizations_time_zone_check CHECK ((time_zone ~ '^[A-Za-z0-9_+:/-]{1,64}$'::text))
);

CREATE TABLE party_changes (
  volume smallint NOT NULL,
  loan_id bytea NOT NULL,
  commitment bytea NOT NULL,
  sealed bytea NOT NULL,
  CONSTRAINT party_changes_pkey PRIMARY KEY (volume, loan_id, commitment),
  CONSTRAINT party_changes_commitment_check CHECK ((octet_length(commitment) = 32)),
  CONSTRAINT party_changes_loan_id_check CHECK ((octet_length(loan_id) = 32))
);

CREATE TABLE passkeys (
  credential_id bytea NOT NULL,
  user_id text NOT NULL,
  public_key bytea NOT NULL,
  counter bigint NOT NULL,
  transports text[] NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  used_at timestamp with time zone,
  CONSTRAINT passkeys_pkey PRIMARY KEY (credential_id),
  CONSTRAINT passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id),
  CONSTRAINT passkeys_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100)))
);

CREATE TABLE passwords (
  user_id text NOT NULL,
  password_hash text NOT NULL,
  code_secret bytea NOT NULL,
  last_step bigint DEFAULT 0 NOT NULL,
  changed_at timestamp with time zone NOT NULL,
  CONSTRAINT passwords_pkey PRIMARY KEY (user_id),
  CONSTRAINT passwords_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id),
  CONSTRAINT passwords_password_hash_check CHECK ((password_hash ~~ '$argon2id$%'::text))
);

CREATE TABLE people (
  volume smallint NOT NULL,
  loan_id bytea NOT NULL,
  key_id text NOT NULL,
  wrapped_key bytea NOT NULL,
  sealed bytea NOT NULL,
  stored_at timestamp with time zone NOT NULL,
  revision integer DEFAULT 1 NOT NULL,
  CONSTRAINT people_pkey PRIMARY KEY (volume, loan_id)
);

CREATE TABLE policy_dry_runs (
  organization_id text NOT NULL,
  request_hash bytea NOT NULL,
  started_at timestamp with time zone NOT NULL,
  held_until timestamp with time zone NOT NULL,
  at_volume smallint NOT NULL,
  after_loan bytea NOT NULL,
  total integer NOT NULL,
  done integer NOT NULL,
  result jsonb NOT NULL,
  ended_at timestamp with time zone,
  CONSTRAINT policy_dry_runs_pkey PRIMARY KEY (organization_id, request_hash),
  CONSTRAINT policy_dry_runs_request_hash_check CHECK ((octet_length(request_hash) = 32))
);

CREATE TABLE policy_marks (
  organization_id text NOT NULL,
  number integer NOT NULL,
  marked_at timestamp with time zone NOT NULL,
  CONSTRAINT policy_marks_pkey PRIMARY KEY (organization_id, number)
);

CREATE TABLE policy_versions (
  organization_id text NOT NULL,
  number integer NOT NULL,
  policy_id text NOT NULL,
  lender_id text,
  version integer NOT NULL,
  from_date date NOT NULL,
  figures_from date NOT NULL,
  policy text NOT NULL,
  recorded_at timestamp with time zone NOT NULL,
  client_id text NOT NULL,
  CONSTRAINT policy_versions_pkey PRIMARY KEY (organization_id, number),
  CONSTRAINT policy_versions_organization_id_policy_id_version_key UNIQUE (organization_id, policy_id, version),
  CONSTRAINT policy_versions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  CONSTRAINT policy_versions_check CHECK ((figures_from >= from_date)),
  CONSTRAINT policy_versions_number_check CHECK ((number >= 1)),
  CONSTRAINT policy_versions_version_check CHECK ((version >= 1))
);

CREATE TABLE position_dates (
  organization_id text NOT NULL,
  date date NOT NULL,
  known_on date NOT NULL,
  asked_at timestamp with time zone NOT NULL,
  total integer NOT NULL,
  done integer DEFAULT 0 NOT NULL,
  held_until timestamp with time zone NOT NULL,
  ready_at timestamp with time zone,
  CONSTRAINT position_dates_pkey PRIMARY KEY (organization_id, date),
  CONSTRAINT position_dates_check CHECK ((known_on >= date)),
  CONSTRAINT position_dates_done_check CHECK ((done >= 0)),
  CONSTRAINT position_dates_total_check CHECK ((total >= 0))
);

CREATE TABLE position_sums (
  organization_id text NOT NULL,
  date date NOT NULL,
  known_on date NOT NULL,
  lender_id text NOT NULL,
  primary_servicer_id text NOT NULL,
  secondary_servicer_id text NOT NULL,
  dimension text NOT NULL,
  value text NOT NULL,
  count bigint NOT NULL,
  original bigint NOT NULL,
  principal bigint NOT NULL,
  interest bigint NOT NULL,
  fees bigint NOT NULL,
  credits bigint NOT NULL,
  kept bigint NOT NULL,
  credits_0_to_29_count bigint NOT NULL,
  credits_0_to_29 bigint NOT NULL,
  credits_30_to_59_count bigint NOT NULL,
  credits_30_to_59 bigint NOT NULL,
  credits_60_to_89_count bigint NOT NULL,
  credits_60_to_89 bigint NOT NULL,
  credits_90_to_119_count bigint NOT NULL,
  credits_90_to_119 bigint NOT NULL,
  credits_120_and_more_count bigint NOT NULL,
  credits_120_and_more bigint NOT NULL,
  rate_principal numeric NOT NULL,
  remaining_principal numeric NOT NULL,
  age_principal numeric NOT NULL,
  predicted_loss_original numeric NOT NULL,
  predicted_loss_of bigint NOT NULL,
  claim_count bigint NOT NULL,
  claim_principal bigint NOT NULL,
  closed_count bigint NOT NULL,
  funded_count bigint NOT NULL,
  funded_principal bigint NOT NULL,
  current_count bigint NOT NULL,
  current_principal bigint NOT NULL,
  delinquent_count bigint NOT NULL,
  delinquent_principal bigint NOT NULL,
  defaulted_count bigint NOT NULL,
  defaulted_principal bigint NOT NULL,
  past_0_count bigint NOT NULL,
  past_0_principal bigint NOT NULL,
  past_1_count bigint NOT NULL,
  past_1_principal bigint NOT NULL,
  past_30_count bigint NOT NULL,
  past_30_principal bigint NOT NULL,
  past_60_count bigint NOT NULL,
  past_60_principal bigint NOT NULL,
  past_90_count bigint NOT NULL,
  past_90_principal bigint NOT NULL,
  past_120_count bigint NOT NULL,
  past_120_principal bigint NOT NULL,
  opening_principal bigint NOT NULL,
  age_opening numeric NOT NULL,
  entered_count bigint NOT NULL,
  entered bigint NOT NULL,
  disbursed bigint NOT NULL,
  principal_received bigint NOT NULL,
  interest_received bigint NOT NULL,
  fees_received bigint NOT NULL,
  unscheduled_principal bigint NOT NULL,
  charged_off bigint NOT NULL,
  recovered bigint NOT NULL,
  forgiven bigint NOT NULL,
  returned bigint NOT NULL,
  received_late bigint NOT NULL,
  scheduled bigint NOT NULL,
  predicted_yield_opening numeric NOT NULL,
  predicted_yield_principal numeric NOT NULL,
  predicted_opening bigint NOT NULL,
  predicted_principal bigint NOT NULL,
  open_principal_received bigint NOT NULL,
  open_unscheduled bigint NOT NULL,
  open_charged_off bigint NOT NULL,
  CONSTRAINT position_sums_pkey PRIMARY KEY (organization_id, date, known_on, dimension, value, lender_id, primary_servicer_id, secondary_servicer_id),
  CONSTRAINT position_sums_check CHECK ((known_on >= date)),
  CONSTRAINT position_sums_dimension_check CHECK ((dimension = ANY (ARRAY[''::text, 'grade'::text, 'state'::text, 'vintage'::text, 'status'::text, 'vintage_grade'::text, 'vintage_state'::text])))
);

CREATE TABLE positions (
  volume smallint NOT NULL,
  place smallint GENERATED ALWAYS AS (
CASE
    WHEN (NOT ((principal > 0) OR (fees > 0) OR (interest > 0))) THEN 7
    WHEN (status = ANY (ARRAY['Funded'::text, 'Current'::text, 'Delinquent'::text, 'Defaulted'::text])) THEN
    CASE
        WHEN (days_past_due < 1) THEN 0
        WHEN (days_past_due < 30) THEN 1
        WHEN (days_past_due < 60) THEN 2
        WHEN (days_past_due < 90) THEN 3
        WHEN (days_past_due < 120) THEN 4
        ELSE 5
    END
    WHEN (status = 'ChargedOff'::text) THEN 6
    ELSE 7
END) NOT NULL,
  date date NOT NULL,
  known_on date NOT NULL,
  withdrawn boolean NOT NULL,
  principal bigint NOT NULL,
  loan_id bytea NOT NULL,
  organization_id text NOT NULL,
  lender_id text NOT NULL,
  primary_servicer_id text,
  secondary_servicer_id text,
  grade text,
  state text,
  vintage date,
  funded_on date,
  status text NOT NULL,
  days_past_due integer NOT NULL,
  non_accrual_since date,
  original bigint NOT NULL,
  rate numeric NOT NULL,
  remaining integer NOT NULL,
  interest bigint NOT NULL,
  fees bigint NOT NULL,
  credits bigint NOT NULL,
  credit_since date,
  kept bigint NOT NULL,
  opening_principal bigint NOT NULL,
  disbursed bigint NOT NULL,
  principal_received bigint NOT NULL,
  interest_received bigint NOT NULL,
  fees_received bigint NOT NULL,
  unscheduled_principal bigint NOT NULL,
  charged_off bigint NOT NULL,
  recovered bigint NOT NULL,
  forgiven bigint NOT NULL,
  returned bigint NOT NULL,
  received_late bigint NOT NULL,
  scheduled bigint NOT NULL,
  scheduled_principal bigint NOT NULL,
  predicted_yield numeric,
  predicted_loss numeric,
  CONSTRAINT positions_pkey PRIMARY KEY (volume, loan_id, date, known_on, organization_id),
  CONSTRAINT positions_check CHECK ((known_on >= date)),
  CONSTRAINT positions_days_past_due_check CHECK ((days_past_due >= 0)),
  CONSTRAINT positions_loan_id_check CHECK ((octet_length(loan_id) = 32)),
  CONSTRAINT positions_remaining_check CHECK ((remaining >= 0))
);

CREATE UNLOGGED TABLE processes (
  process_id text NOT NULL,
  address text NOT NULL,
  seen_at timestamp with time zone NOT NULL,
  CONSTRAINT processes_pkey PRIMARY KEY (process_id),
  CONSTRAINT processes_address_check CHECK (((length(address) >= 1) AND (length(address) <= 300))),
  CONSTRAINT processes_process_id_check CHECK ((process_id ~ '^process_[a-z0-9]{1,60}$'::text))
);

CREATE TABLE provider_subjects (
  subject_digest bytea NOT NULL,
  organization_id text NOT NULL,
  user_id text NOT NULL,
  linked_at timestamp with time zone NOT NULL,
  CONSTRAINT provider_subjects_pkey PRIMARY KEY (organization_id, subject_digest),
  CONSTRAINT provider_subjects_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  CONSTRAINT provider_subjects_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id),
  CONSTRAINT provider_subjects_subject_digest_check CHECK ((octet_length(subject_digest) = 32))
);

CREATE TABLE recovery_codes (
  user_id text NOT NULL,
  code_hash bytea NOT NULL,
  used_at timestamp with time zone,
  CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, code_hash),
  CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id),
  CONSTRAINT recovery_codes_code_hash_check CHECK ((octet_length(code_hash) = 32))
);

CREATE TABLE reservations (
  volume smallint NOT NULL,
  key_hash bytea NOT NULL,
  kept date NOT NULL,
  loan_id bytea NOT NULL,
  request_hash bytea NOT NULL,
  held_by text NOT NULL,
  at timestamp with time zone NOT NULL,
  CONSTRAINT reservations_pkey PRIMARY KEY (volume, key_hash, kept),
  CONSTRAINT reservations_key_hash_check CHECK ((octet_length(key_hash) = 32)),
  CONSTRAINT reservations_request_hash_check CHECK ((octet_length(request_hash) = 32))
) PARTITION BY RANGE (kept);

CREATE TABLE reservations_kept (
  volume smallint NOT NULL,
  key_hash bytea NOT NULL,
  kept date NOT NULL,
  loan_id bytea NOT NULL,
  request_hash bytea NOT NULL,
  held_by text NOT NULL,
  at timestamp with time zone NOT NULL
) INHERITS (reservations) FOR VALUES FROM ('9999-01-01') TO (MAXVALUE);

CREATE TABLE roles (
  organization_id text NOT NULL,
  name text NOT NULL,
  scopes text[] NOT NULL,
  limits text DEFAULT '{}'::text NOT NULL,
  changed_at timestamp with time zone NOT NULL,
  CONSTRAINT roles_pkey PRIMARY KEY (organization_id, name),
  CONSTRAINT roles_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  CONSTRAINT roles_name_check CHECK ((name ~ '^[a-z][a-z0-9-]{0,39}$'::text)),
  CONSTRAINT roles_scopes_check CHECK ((((cardinality(scopes) >= 1) AND (cardinality(scopes) <= 64)) AND (array_position(scopes, NULL::text) IS NULL)))
);

CREATE TABLE root_secrets (
  name text NOT NULL,
  key_id text NOT NULL,
  wrapped bytea NOT NULL,
  CONSTRAINT root_secrets_pkey PRIMARY KEY (name)
);

CREATE TABLE sandboxes (
  organization_id text NOT NULL,
  made_by text,
  made_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  filling boolean DEFAULT false NOT NULL,
  CONSTRAINT sandboxes_pkey PRIMARY KEY (organization_id),
  CONSTRAINT sandboxes_made_by_fkey FOREIGN KEY (made_by) REFERENCES organizations(organization_id),
  CONSTRAINT sandboxes_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id)
);

CREATE TABLE schema_migrations (
  number integer NOT NULL,
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (number)
);

CREATE TABLE sessions (
  session_id text NOT NULL,
  user_id text NOT NULL,
  session_generation integer NOT NULL,
  method text NOT NULL,
  secret_hash bytea NOT NULL,
  previous_hash bytea,
  lost_hash bytea,
  confirmed boolean DEFAULT true NOT NULL,
  rotated_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL,
  proven_at timestamp with time zone NOT NULL,
  seen_at timestamp with time zone NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  ended_why text,
  CONSTRAINT sessions_pkey PRIMARY KEY (session_id),
  CONSTRAINT sessions_secret_hash_key UNIQUE (secret_hash),
  CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id),
  CONSTRAINT sessions_check CHECK (((ended_at IS NULL) = (ended_why IS NULL))),
  CONSTRAINT sessions_lost_hash_check CHECK ((octet_length(lost_hash) = 32)),
  CONSTRAINT sessions_method_check CHECK ((method = ANY (ARRAY['passkey'::text, 'password'::text, 'provider'::text, 'invitation'::text]))),
  CONSTRAINT sessions_previous_hash_check CHECK ((octet_length(previous_hash) = 32)),
  CONSTRAINT sessions_secret_hash_check CHECK ((octet_length(secret_hash) = 32)),
  CONSTRAINT sessions_session_id_check CHECK ((session_id ~ '^session_[a-z0-9]{1,60}$'::text))
);

CREATE TABLE sightings (
  organization_id text NOT NULL,
  owner_id text NOT NULL,
  client_id text NOT NULL,
  user_id text NOT NULL,
  hour timestamp with time zone NOT NULL,
  count integer NOT NULL,
  CONSTRAINT sightings_pkey PRIMARY KEY (organization_id, owner_id, client_id, user_id, hour),
  CONSTRAINT sightings_count_check CHECK ((count > 0))
);

CREATE TABLE sign_in_failures (
  account_digest bytea NOT NULL,
  forgotten_at timestamp with time zone NOT NULL,
  locked_at timestamp with time zone,
  CONSTRAINT sign_in_failures_pkey PRIMARY KEY (account_digest),
  CONSTRAINT sign_in_failures_account_digest_check CHECK ((octet_length(account_digest) = 32))
);

CREATE TABLE sign_in_steps (
  token_hash bytea NOT NULL,
  kind text NOT NULL,
  sealed bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT sign_in_steps_pkey PRIMARY KEY (token_hash),
  CONSTRAINT sign_in_steps_token_hash_check CHECK ((octet_length(token_hash) = 32))
);

CREATE TABLE signing_keys (
  key_id text NOT NULL,
  algorithm text NOT NULL,
  public_jwk jsonb NOT NULL,
  private_sealed bytea,
  created_at timestamp with time zone NOT NULL,
  superseded_at timestamp with time zone,
  CONSTRAINT signing_keys_pkey PRIMARY KEY (key_id),
  CONSTRAINT signing_keys_algorithm_check CHECK ((algorithm = 'ES256'::text)),
  CONSTRAINT signing_keys_check CHECK (((superseded_at IS NULL) = (private_sealed IS NOT NULL))),
  CONSTRAINT signing_keys_key_id_check CHECK ((key_id ~ '^sig_[a-z0-9]{1,60}$'::text))
);

CREATE TABLE test_clocks (
  organization_id text NOT NULL,
  stands_on date NOT NULL,
  set_at timestamp with time zone NOT NULL,
  advancing_to date,
  held_by text,
  held_until timestamp with time zone,
  failures integer DEFAULT 0 NOT NULL,
  problem text,
  CONSTRAINT test_clocks_pkey PRIMARY KEY (organization_id),
  CONSTRAINT test_clocks_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  CONSTRAINT test_clocks_check CHECK ((advancing_to >= stands_on))
);

CREATE TABLE transfer_run_loans (
  run_id text NOT NULL,
  loan_id bytea NOT NULL,
  state text NOT NULL,
  refusal text,
  detail text,
  CONSTRAINT transfer_run_loans_pkey PRIMARY KEY (run_id, loan_id),
  CONSTRAINT transfer_run_loans_loan_id_check CHECK ((octet_length(loan_id) = 32)),
  CONSTRAINT transfer_run_loans_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'done'::text, 'refused'::text])))
);

CREATE TABLE transfer_runs (
  run_id text NOT NULL,
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
  created_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  refusal text,
  detail text,
  held_by text,
  held_until timestamp with time zone,
  CONSTRAINT transfer_runs_pkey PRIMARY KEY (run_id),
  CONSTRAINT transfer_runs_run_id_check CHECK ((run_id ~ '^[A-Za-z0-9._:-]{1,64}$'::text))
);

CREATE TABLE transfers (
  volume smallint NOT NULL,
  loan_id bytea NOT NULL,
  transfer_id text NOT NULL,
  organization_id text NOT NULL,
  what text NOT NULL,
  to_servicer_id text,
  to_organization_id text,
  to_lender_id text,
  date date NOT NULL,
  state text NOT NULL,
  scheduled_at timestamp with time zone NOT NULL,
  changed_at timestamp with time zone NOT NULL,
  CONSTRAINT transfers_pkey PRIMARY KEY (volume, loan_id, transfer_id),
  CONSTRAINT transfers_check CHECK (((what = 'servicer'::text) = (to_servicer_id IS NOT NULL))),
  CONSTRAINT transfers_check1 CHECK ((((what = 'owner'::text) = (to_organization_id IS NOT NULL)) AND ((what = 'owner'::text) = (to_lender_id IS NOT NULL)))),
  CONSTRAINT transfers_loan_id_check CHECK ((octet_length(loan_id) = 32)),
  CONSTRAINT transfers_state_check CHECK ((state = ANY (ARRAY['scheduled'::text, 'offered'::text, 'accepted'::text, 'cancelled'::text, 'done'::text]))),
  CONSTRAINT transfers_transfer_id_check CHECK ((transfer_id ~ '^[A-Za-z0-9._:-]{1,64}$'::text)),
  CONSTRAINT transfers_what_check CHECK ((what = ANY (ARRAY['servicer'::text, 'owner'::text])))
);

CREATE UNLOGGED TABLE usage_reports (
  reporter text NOT NULL,
  number integer NOT NULL,
  counted_at timestamp with time zone NOT NULL,
  counts jsonb NOT NULL,
  CONSTRAINT usage_reports_pkey PRIMARY KEY (reporter, number),
  CONSTRAINT usage_reports_number_check CHECK ((number > 0)),
  CONSTRAINT usage_reports_reporter_check CHECK (((char_length(reporter) >= 1) AND (char_length(reporter) <= 64)))
);

CREATE TABLE users (
  user_id text NOT NULL,
  organization_id text NOT NULL,
  email_digest bytea,
  sealed bytea NOT NULL,
  roles text[] NOT NULL,
  status text NOT NULL,
  session_generation integer DEFAULT 1 NOT NULL,
  created_at timestamp with time zone NOT NULL,
  disabled_at timestamp with time zone,
  accepted_at timestamp with time zone,
  CONSTRAINT users_pkey PRIMARY KEY (user_id),
  CONSTRAINT users_organization_id_email_digest_key UNIQUE (organization_id, email_digest),
  CONSTRAINT users_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  CONSTRAINT users_check CHECK (((status = 'disabled'::text) = (disabled_at IS NOT NULL))),
  CONSTRAINT users_check1 CHECK (((status <> 'active'::text) OR (email_digest IS NOT NULL))),
  CONSTRAINT users_email_digest_check CHECK ((octet_length(email_digest) = 32)),
  CONSTRAINT users_roles_check CHECK ((((cardinality(roles) >= 1) AND (cardinality(roles) <= 20)) AND (array_position(roles, NULL::text) IS NULL))),
  CONSTRAINT users_session_generation_check CHECK ((session_generation >= 1)),
  CONSTRAINT users_status_check CHECK ((status = ANY (ARRAY['invited'::text, 'active'::text, 'disabled'::text]))),
  CONSTRAINT users_user_id_check CHECK ((user_id ~ '^user_[a-z0-9]{1,60}$'::text))
);

CREATE TABLE webhook_deliveries (
  day date DEFAULT CURRENT_DATE NOT NULL,
  delivery_id text NOT NULL,
  organization_id text NOT NULL,
  endpoint_id text NOT NULL,
  event_id text NOT NULL,
  type text NOT NULL,
  loan text,
  attempt integer NOT NULL,
  at timestamp with time zone NOT NULL,
  ms integer NOT NULL,
  status integer,
  failure text,
  outcome text NOT NULL,
  replay_id text,
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (day, delivery_id),
  CONSTRAINT webhook_deliveries_outcome_check CHECK ((outcome = ANY (ARRAY['delivered'::text, 'failed'::text, 'dead'::text])))
) PARTITION BY RANGE (day);

CREATE TABLE webhook_endpoints (
  endpoint_id text NOT NULL,
  organization_id text NOT NULL,
  url text NOT NULL,
  types text[] NOT NULL,
  description text NOT NULL,
  status text NOT NULL,
  paused_because text,
  paused_at timestamp with time zone,
  secret bytea NOT NULL,
  former_secret bytea,
  former_until timestamp with time zone,
  cursor text,
  failures integer DEFAULT 0 NOT NULL,
  failing_since timestamp with time zone,
  held_until timestamp with time zone,
  delivered_at timestamp with time zone,
  is_down boolean DEFAULT false NOT NULL,
  resets integer DEFAULT 0 NOT NULL,
  version integer DEFAULT 1 NOT NULL,
  lease integer DEFAULT 0 NOT NULL,
  worked_by text,
  worked_until timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (endpoint_id),
  CONSTRAINT webhook_endpoints_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  CONSTRAINT webhook_endpoints_check CHECK ((((status = 'paused'::text) = (paused_because IS NOT NULL)) AND ((status = 'paused'::text) = (paused_at IS NOT NULL)))),
  CONSTRAINT webhook_endpoints_check1 CHECK (((former_secret IS NULL) = (former_until IS NULL))),
  CONSTRAINT webhook_endpoints_check2 CHECK (((worked_by IS NULL) = (worked_until IS NULL))),
  CONSTRAINT webhook_endpoints_description_check CHECK ((char_length(description) <= 500)),
  CONSTRAINT webhook_endpoints_endpoint_id_check CHECK ((endpoint_id ~ '^endpoint_[a-z0-9]{1,60}$'::text)),
  CONSTRAINT webhook_endpoints_failures_check CHECK ((failures >= 0)),
  CONSTRAINT webhook_endpoints_paused_because_check CHECK ((paused_because = ANY (ARRAY['by_user'::text, 'gone'::text, 'failing'::text]))),
  CONSTRAINT webhook_endpoints_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text]))),
  CONSTRAINT webhook_endpoints_types_check CHECK (((cardinality(types) <= 200) AND (array_position(types, NULL::text) IS NULL))),
  CONSTRAINT webhook_endpoints_url_check CHECK (((char_length(url) >= 1) AND (char_length(url) <= 2048)))
);

CREATE TABLE webhook_replays (
  replay_id text NOT NULL,
  endpoint_id text NOT NULL,
  kind text NOT NULL,
  from_time timestamp with time zone,
  to_time timestamp with time zone,
  from_event text,
  to_event text,
  cursor text,
  read_all boolean NOT NULL,
  replayed bigint DEFAULT 0 NOT NULL,
  dead bigint DEFAULT 0 NOT NULL,
  created_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  CONSTRAINT webhook_replays_pkey PRIMARY KEY (replay_id),
  CONSTRAINT webhook_replays_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(endpoint_id) ON DELETE CASCADE,
  CONSTRAINT webhook_replays_kind_check CHECK ((kind = ANY (ARRAY['range'::text, 'dead_letters'::text]))),
  CONSTRAINT webhook_replays_replay_id_check CHECK ((replay_id ~ '^replay_[a-z0-9]{1,60}$'::text))
);

CREATE TABLE webhook_waiting (
  endpoint_id text NOT NULL,
  lane text NOT NULL,
  event_id text NOT NULL,
  place bigint NOT NULL,
  event text NOT NULL,
  preceding text,
  reach text NOT NULL,
  attempts integer NOT NULL,
  steps integer NOT NULL,
  next_at timestamp with time zone NOT NULL,
  first_failed_at timestamp with time zone,
  last_outcome text,
  dead_at timestamp with time zone,
  CONSTRAINT webhook_waiting_pkey PRIMARY KEY (endpoint_id, lane, event_id),
  CONSTRAINT webhook_waiting_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(endpoint_id) ON DELETE CASCADE,
  CONSTRAINT webhook_waiting_attempts_check CHECK ((attempts >= 0)),
  CONSTRAINT webhook_waiting_check CHECK (((steps >= 0) AND (steps <= attempts)))
);

CREATE INDEX api_keys_by_client ON public.api_keys USING btree (client_id, created_at);

CREATE INDEX applications_by_application ON public.applications USING btree (organization_id, application_id text_pattern_ops);

CREATE INDEX applications_by_borrower ON public.applications USING btree (organization_id, borrower_id text_pattern_ops);

CREATE UNIQUE INDEX applications_once ON public.applications USING btree (organization_id, lender_id, application_id, volume) WHERE (NOT id_is_free);

CREATE INDEX approvals_by_loan ON public.approvals USING btree (volume, loan_id, requested_at);

CREATE INDEX approvals_by_owner ON public.approvals USING btree (organization_id, requested_at, approval_id);

CREATE INDEX approvals_by_requester ON public.approvals USING btree (requested_organization_id, requested_at, approval_id);

CREATE UNIQUE INDEX approvals_once ON public.approvals USING btree (volume, loan_id, request_digest) WHERE (state = 'pending'::text);

CREATE INDEX audit_by_client ON public.audit USING btree (organization_id, client_id, entry_id);

CREATE INDEX audit_by_kind ON public.audit USING btree (organization_id, kind, entry_id) WHERE (kind <> 'did'::text);

CREATE INDEX audit_by_loan ON public.audit USING btree (volume, loan_id, entry_id) WHERE (loan_id IS NOT NULL);

CREATE INDEX audit_by_operation ON public.audit USING btree (organization_id, operation, entry_id) WHERE (operation <> ALL (ARRAY['loan-repay'::text, 'acknowledge-repayment'::text]));

CREATE INDEX audit_by_organization ON public.audit USING btree (organization_id, entry_id);

CREATE INDEX audit_by_outcome ON public.audit USING btree (organization_id, outcome, entry_id) WHERE (outcome <> 'done'::text);

CREATE INDEX audit_by_owner ON public.audit USING btree (owner_id, entry_id) WHERE (owner_id IS NOT NULL);

CREATE INDEX audit_by_owner_and_client ON public.audit USING btree (owner_id, client_id, entry_id) WHERE (owner_id IS NOT NULL);

CREATE INDEX audit_by_owner_and_kind ON public.audit USING btree (owner_id, kind, entry_id) WHERE ((owner_id IS NOT NULL) AND (kind <> 'did'::text));

CREATE INDEX audit_by_owner_and_operation ON public.audit USING btree (owner_id, operation, entry_id) WHERE ((owner_id IS NOT NULL) AND (operation <> ALL (ARRAY['loan-repay'::text, 'acknowledge-repayment'::text])));

CREATE INDEX audit_by_owner_and_outcome ON public.audit USING btree (owner_id, outcome, entry_id) WHERE ((owner_id IS NOT NULL) AND (outcome <> 'done'::text));

CREATE INDEX audit_by_user ON public.audit USING btree (organization_id, user_id, entry_id) WHERE (user_id IS NOT NULL);

CREATE INDEX audit_disclosures ON public.audit USING btree (volume, loan_id, entry_id) WHERE ((kind = 'saw'::text) OR (operation = 'erase-borrower'::text));

CREATE INDEX blind_index_by_loan ON public.blind_index USING btree (volume, loan_id);

CREATE UNIQUE INDEX books_once ON public.books USING btree (organization_id, lender_id, kind, volume);

CREATE INDEX clients_by_organization ON public.clients USING btree (organization_id, status, created_at);

CREATE UNIQUE INDEX clients_console_once ON public.clients USING btree (organization_id) WHERE (kind = 'console'::text);

CREATE INDEX events_by_block ON public.events USING btree (volume, block, "position");

CREATE INDEX events_by_hash ON public.events USING btree (hash);

CREATE INDEX events_by_next_owner ON public.events USING btree (next_organization_id, volume, block, "position") WHERE (next_organization_id IS NOT NULL);

CREATE INDEX events_by_owner ON public.events USING btree (organization_id, volume, block, "position") WHERE (organization_id IS NOT NULL);

CREATE INDEX exports_by_start ON public.exports USING btree (started_at);

CREATE UNIQUE INDEX feed_marks_by_block ON public.feed_marks USING btree (volume, last_block) INCLUDE (number);

CREATE INDEX feed_notes_by_organization ON public.feed_notes USING btree (organization_id, number);

CREATE INDEX former_owners_by_loan ON public.former_owners USING btree (volume, organization_id, loan_id);

CREATE INDEX former_owners_by_next ON public.former_owners USING btree (next_organization_id, first_organization_id);

CREATE INDEX former_owners_by_owner ON public.former_owners USING btree (organization_id, owned_until, volume, loan_id);

CREATE UNIQUE INDEX grants_active_once ON public.grants USING btree (owner_organization_id, grantee_organization_id, access, COALESCE(servicer_id, ''::text)) WHERE ((revoked_at IS NULL) AND (ended_at IS NULL));

CREATE INDEX grants_by_grantee ON public.grants USING btree (grantee_organization_id, created_at);

CREATE INDEX grants_by_owner ON public.grants USING btree (owner_organization_id, created_at);

CREATE INDEX invitations_by_user ON public.invitations USING btree (user_id);

CREATE INDEX ledger_roots_by_time ON public.ledger_roots USING btree (made_at, number);

CREATE INDEX loans_by_balance ON public.loans USING btree (organization_id, status, principal_step, loan_id) INCLUDE (volume, created_at, next_due, delinquent_from);

CREATE INDEX loans_by_books_change ON public.loans USING btree (organization_id, books_change_on, volume, loan_id) WHERE (books_change_on IS NOT NULL);

CREATE INDEX loans_by_change ON public.loans USING btree (volume, organization_id, changes_on, loan_id) WHERE (changes_on IS NOT NULL);

CREATE INDEX loans_by_due ON public.loans USING btree (organization_id, status, next_due, loan_id) INCLUDE (volume, created_at, delinquent_from, principal_step);

CREATE INDEX loans_by_first_recording ON public.loans USING btree (volume, organization_id, lender_id, first_recorded_on);

CREATE INDEX loans_by_lender ON public.loans USING btree (organization_id, lender_id, status, created_at, loan_id) INCLUDE (volume, next_due, delinquent_from, principal_step);

CREATE INDEX loans_by_owner ON public.loans USING btree (volume, organization_id, loan_id);

CREATE INDEX loans_by_recording ON public.loans USING btree (organization_id, recorded_on, volume, loan_id, first_recorded_on);

CREATE INDEX loans_by_second_servicer ON public.loans USING btree (organization_id, secondary_servicer_id, status, created_at, loan_id) INCLUDE (volume, next_due, delinquent_from, principal_step, primary_servicer_id) WHERE (secondary_servicer_id IS NOT NULL);

CREATE INDEX loans_by_servicer ON public.loans USING btree (organization_id, primary_servicer_id, status, created_at, loan_id) INCLUDE (volume, next_due, delinquent_from, principal_step) WHERE (primary_servicer_id IS NOT NULL);

CREATE INDEX loans_by_status ON public.loans USING btree (organization_id, status, created_at, loan_id) INCLUDE (volume, next_due, delinquent_from, principal_step);

CREATE INDEX loans_charge_off_ground_gone ON public.loans USING btree (organization_id, status) WHERE charge_off_ground_gone;

CREATE INDEX loans_credits ON public.loans USING btree (organization_id, status, credit_since, loan_id) WHERE (credit_since IS NOT NULL);

CREATE INDEX loans_market_by_balance ON public.loans USING btree (principal_step, loan_id) INCLUDE (volume, organization_id, status, grade, vintage, rate, next_due, delinquent_from, recorded_on) WHERE (published AND (NOT erased));

CREATE INDEX loans_market_by_creation ON public.loans USING btree (created_at, loan_id) INCLUDE (volume, organization_id, status, grade, vintage, rate, principal_step, next_due, delinquent_from, recorded_on) WHERE (published AND (NOT erased));

CREATE INDEX loans_market_by_due ON public.loans USING btree (next_due, loan_id) INCLUDE (volume, organization_id, status, grade, vintage, rate, principal_step, delinquent_from, recorded_on) WHERE (published AND (NOT erased));

CREATE INDEX loans_market_by_rate ON public.loans USING btree (rate, loan_id) INCLUDE (volume, organization_id, status, grade, vintage, principal_step, next_due, delinquent_from, recorded_on) WHERE (published AND (NOT erased));

CREATE INDEX loans_non_accrual ON public.loans USING btree (organization_id, status, non_accrual_since) WHERE (non_accrual_since IS NOT NULL);

CREATE INDEX organization_approvals_listed ON public.organization_approvals USING btree (organization_id, requested_at, approval_id);

CREATE UNIQUE INDEX organization_approvals_once ON public.organization_approvals USING btree (organization_id, request_digest) WHERE (state = 'pending'::text);

CREATE INDEX passkeys_by_user ON public.passkeys USING btree (user_id);

CREATE INDEX people_by_key ON public.people USING btree (key_id, loan_id);

CREATE INDEX position_dates_open ON public.position_dates USING btree (asked_at) WHERE (ready_at IS NULL);

CREATE INDEX positions_by_date ON public.positions USING btree (organization_id, date, known_on, volume, loan_id);

CREATE INDEX positions_restated ON public.positions USING btree (organization_id, known_on, date, volume) WHERE (known_on > date);

CREATE INDEX reservations_by_time ON ONLY public.reservations USING brin (at);

CREATE INDEX sandboxes_by_maker ON public.sandboxes USING btree (made_by, made_at DESC, organization_id DESC);

CREATE INDEX sessions_by_end ON public.sessions USING btree (ends_at);

CREATE INDEX sessions_by_lost ON public.sessions USING btree (lost_hash) WHERE (lost_hash IS NOT NULL);

CREATE INDEX sessions_by_previous ON public.sessions USING btree (previous_hash) WHERE (previous_hash IS NOT NULL);

CREATE INDEX sessions_by_user ON public.sessions USING btree (user_id, created_at);

CREATE INDEX sign_in_failures_by_end ON public.sign_in_failures USING btree (forgotten_at) WHERE (locked_at IS NULL);

CREATE INDEX sign_in_steps_by_end ON public.sign_in_steps USING btree (expires_at);

CREATE UNIQUE INDEX signing_keys_one_current ON public.signing_keys USING btree ((true)) WHERE (superseded_at IS NULL);

CREATE INDEX test_clocks_advancing ON public.test_clocks USING btree (held_until) WHERE (advancing_to IS NOT NULL);

CREATE INDEX transfer_run_loans_by_state ON public.transfer_run_loans USING btree (run_id, state, loan_id);

CREATE INDEX transfer_runs_by_organization ON public.transfer_runs USING btree (organization_id, run_id);

CREATE INDEX transfer_runs_open ON public.transfer_runs USING btree (created_at) WHERE (ended_at IS NULL);

CREATE INDEX transfers_due ON public.transfers USING btree (volume, date, loan_id) WHERE (state = ANY (ARRAY['scheduled'::text, 'accepted'::text]));

CREATE INDEX transfers_in ON public.transfers USING btree (to_organization_id, transfer_id, loan_id) WHERE (to_organization_id IS NOT NULL);

CREATE INDEX transfers_out ON public.transfers USING btree (organization_id, transfer_id, loan_id);

CREATE INDEX users_by_email ON public.users USING btree (email_digest);

CREATE INDEX webhook_deliveries_endpoint ON ONLY public.webhook_deliveries USING btree (endpoint_id, delivery_id);

CREATE INDEX webhook_deliveries_event ON ONLY public.webhook_deliveries USING btree (event_id);

CREATE INDEX webhook_deliveries_failed ON ONLY public.webhook_deliveries USING btree (endpoint_id, delivery_id) WHERE (outcome <> 'delivered'::text);

CREATE INDEX webhook_deliveries_loan ON ONLY public.webhook_deliveries USING btree (loan, delivery_id) WHERE (loan IS NOT NULL);

CREATE INDEX webhook_deliveries_of ON ONLY public.webhook_deliveries USING btree (organization_id, delivery_id);

CREATE INDEX webhook_endpoints_of ON public.webhook_endpoints USING btree (organization_id, created_at, endpoint_id);

CREATE INDEX webhook_replays_of ON public.webhook_replays USING btree (endpoint_id, created_at);

CREATE INDEX webhook_waiting_dead ON public.webhook_waiting USING btree (endpoint_id, dead_at) WHERE (dead_at IS NOT NULL);

CREATE INDEX webhook_waiting_order ON public.webhook_waiting USING btree (endpoint_id, lane, place) WHERE (dead_at IS NULL);

CREATE OR REPLACE FUNCTION public.access_epoch_raise()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE access_epoch SET epoch = epoch + 1;
  RETURN NULL;
END
$function$;

CREATE OR REPLACE FUNCTION public.feed_moved(volumes smallint[], heads bigint[])
 RETURNS TABLE(volume smallint, head bigint)
 LANGUAGE sql
 STABLE
AS $function$
  SELECT h.volume, h.head FROM unnest(volumes, heads) AS h (volume, head)
  WHERE h.head > coalesce((SELECT m.last_block FROM feed_marks m WHERE m.volume = h.volume ORDER BY m.number DESC LIMIT 1), h.volume)
$function$;

CREATE OR REPLACE FUNCTION public.feed_tick(volumes smallint[], heads bigint[])
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
  tick bigint;
BEGIN
  -- Without the lock: most looks find nothing.
  PERFORM 1 FROM feed_moved(volumes, heads);
  IF NOT FOUND THEN
    SELECT number INTO tick FROM feed_head;
    RETURN tick;
  END IF;
  SELECT number + 1 INTO tick FROM feed_head FOR UPDATE;
  INSERT INTO feed_marks (volume, number, last_block) SELECT m.volume, tick, m.head FROM feed_moved(volumes, heads) m;
  IF NOT FOUND THEN
    RETURN tick - 1;
  END IF;
  UPDATE feed_head SET number = tick;
  RETURN tick;
END
$function$;

CREATE OR REPLACE FUNCTION public.policy_versions_refuse()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'policy_versions is append only';
END
$function$;

CREATE OR REPLACE FUNCTION public.position_sums_refuse()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'position_sums is append only';
END
$function$;

CREATE TRIGGER api_keys_raise_epoch AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.api_keys FOR EACH STATEMENT EXECUTE FUNCTION access_epoch_raise();

CREATE TRIGGER clients_raise_epoch AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.clients FOR EACH STATEMENT EXECUTE FUNCTION access_epoch_raise();

CREATE TRIGGER former_time_zones_raise_epoch AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.former_time_zones FOR EACH STATEMENT EXECUTE FUNCTION access_epoch_raise();

CREATE TRIGGER grants_raise_epoch AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.grants FOR EACH STATEMENT EXECUTE FUNCTION access_epoch_raise();

CREATE TRIGGER organizations_raise_epoch AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.organizations FOR EACH STATEMENT EXECUTE FUNCTION access_epoch_raise();

CREATE TRIGGER policy_versions_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.policy_versions FOR EACH STATEMENT EXECUTE FUNCTION policy_versions_refuse();

CREATE TRIGGER position_sums_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.position_sums FOR EACH STATEMENT EXECUTE FUNCTION position_sums_refuse();

CREATE TRIGGER roles_raise_epoch AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.roles FOR EACH STATEMENT EXECUTE FUNCTION access_epoch_raise();

CREATE TRIGGER sandboxes_raise_epoch AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.sandboxes FOR EACH STATEMENT EXECUTE FUNCTION access_epoch_raise();

CREATE TRIGGER sessions_raise_epoch AFTER DELETE OR UPDATE OF ended_at OR TRUNCATE ON public.sessions FOR EACH STATEMENT EXECUTE FUNCTION access_epoch_raise();

CREATE TRIGGER signing_keys_raise_epoch AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.signing_keys FOR EACH STATEMENT EXECUTE FUNCTION access_epoch_raise();

CREATE TRIGGER users_raise_epoch AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.users FOR EACH STATEMENT EXECUTE FUNCTION access_epoch_raise();

COMMENT ON TABLE public.policy_versions IS 'Append only: a trigger refuses every change';

COMMENT ON TABLE public.position_sums IS 'Append only: a trigger refuses every change';

COMMENT ON TABLE public.usage_reports IS 'Exchanged by the processes of this database; nothing else reads it.';

COMMENT ON COLUMN public.account_codes.lender_id IS 'The code in the books of this lender; empty: of every lender that has none of its own';

COMMENT ON COLUMN public.account_days.prior_period IS 'Takes effect in an earlier month than it is posted in';

COMMENT ON COLUMN public.allowances.proposal IS 'Canonical JSON of LenderAllowance (src/loans/allowance/proposal.ts), amounts in cents';

COMMENT ON COLUMN public.allowances.transaction_hash IS 'null: the month changed nothing, so nothing was posted';

COMMENT ON COLUMN public.allowances.user_id IS 'The person who requested it; null: a program';

COMMENT ON COLUMN public.answers.request_hash IS 'Of the request that was carried out; the reservation may have been taken over by another since';

COMMENT ON COLUMN public.answers.version IS 'Of the loan after the write; null: the write was of no loan';

COMMENT ON COLUMN public.api_keys.key_hash IS 'HMAC-SHA-256 of the key under a pepper derived from the master key';

COMMENT ON COLUMN public.applications.applied IS 'It came as an application that nobody had decided: its people are owed a notice of what became of it';

COMMENT ON COLUMN public.applications.file IS 'JSON of LoanFile (src/boarding/file.ts): terms, figures and references, nothing personal';

COMMENT ON COLUMN public.applications.id_is_free IS 'The boarding was cancelled: another loan may have the same application id';

COMMENT ON COLUMN public.applications.public_part IS 'What the public record adds (zstd), sealed under the loan''s key: it came from callers, and is erased with the borrower';

COMMENT ON COLUMN public.approvals.approval_id IS 'Its first two digits are the first byte of the loan''s id, so that its volume follows from it';

COMMENT ON COLUMN public.approvals.decision_note IS 'The reason of the decision, sealed under the loan''s key';

COMMENT ON COLUMN public.approvals.facts IS 'JSON: what the operation itself would have done on that day';

COMMENT ON COLUMN public.approvals.key_hash IS 'With the next two: the requester''s idempotency key, under which the answer is stored once it is approved';

COMMENT ON COLUMN public.approvals.lapses_on IS 'The last day on which it can be approved';

COMMENT ON COLUMN public.approvals.organization_id IS 'The owner of the loan at the request, by whose clock its times are';

COMMENT ON COLUMN public.approvals.preview IS 'JSON: the data of the dry run at the request';

COMMENT ON COLUMN public.approvals.request IS 'JSON, sealed under the loan''s key: the body, and how it is to be answered';

COMMENT ON COLUMN public.approvals.request_digest IS 'Keyed hash of the caller, the operation and the body: recognises the same call';

COMMENT ON COLUMN public.approvals.version IS 'Of the loan at the request';

COMMENT ON COLUMN public.assessments.sequence IS 'Of the event that started the run; its transaction holds the commitments to these parts';

COMMENT ON COLUMN public.audit.account IS 'Of a command: the account of the operating system that it was started by';

COMMENT ON COLUMN public.audit.content IS 'JSON: the rows that the change left, by table and key, each with the SHA-256 of what it holds; null: none of those that are recorded';

COMMENT ON COLUMN public.audit.entry_id IS 'Made by the process: its time, a count, and random digits, so that it sorts by time';

COMMENT ON COLUMN public.audit.kind IS 'did: a change; tried: it was refused; saw: personal data was shown';

COMMENT ON COLUMN public.audit.organization_id IS 'Whose trail it is part of: that of the caller; empty: the operator''s';

COMMENT ON COLUMN public.audit.outcome IS 'done, or the code of the problem';

COMMENT ON COLUMN public.audit.owner_id IS 'Another organization whose trail it is part of too: the one that owns the loan, or the other party of a grant';

COMMENT ON COLUMN public.audit.purpose IS 'As the caller stated it, sealed under the loan''s key; null: none was stated, or there is no key';

COMMENT ON COLUMN public.audit.subject IS 'What it was about besides a loan: the part that was seen, the id of a client, key, grant, person or period';

COMMENT ON COLUMN public.audit_waiting.account IS 'Of a command: the account of the operating system that it was started by';

COMMENT ON COLUMN public.audit_waiting.content IS 'JSON: the rows that the change left, by table and key, each with the SHA-256 of what it holds; null: none of those that are recorded';

COMMENT ON COLUMN public.audit_waiting.entry_id IS 'Made by the process: its time, a count, and random digits, so that it sorts by time';

COMMENT ON COLUMN public.audit_waiting.kind IS 'did: a change; tried: it was refused; saw: personal data was shown';

COMMENT ON COLUMN public.audit_waiting.organization_id IS 'Whose trail it is part of: that of the caller; empty: the operator''s';

COMMENT ON COLUMN public.audit_waiting.outcome IS 'done, or the code of the problem';

COMMENT ON COLUMN public.audit_waiting.owner_id IS 'Another organization whose trail it is part of too: the one that owns the loan, or the other party of a grant';

COMMENT ON COLUMN public.audit_waiting.purpose IS 'As the caller stated it, sealed under the loan''s key; null: none was stated, or there is no key';

COMMENT ON COLUMN public.audit_waiting.since IS 'By the clock of the database: its own time may be one of long ago, as in a history that is filled in';

COMMENT ON COLUMN public.audit_waiting.subject IS 'What it was about besides a loan: the part that was seen, the id of a client, key, grant, person or period';

COMMENT ON COLUMN public.books.accrued IS 'What the open stretches of all its loans had earned at the end of accrued_through; and what they had amortized: amortized_fees, amortized_costs, amortized_discount';

COMMENT ON COLUMN public.books.accrued_through IS 'Interest is posted for every day from accrued_from to this one';

COMMENT ON COLUMN public.books.first_posted IS 'Of entries by hand: the first day on which one is posted';

COMMENT ON COLUMN public.bureau_pulls.hash IS 'SHA-256 of the raw answer';

COMMENT ON COLUMN public.bureau_pulls.held_until IS 'Until then the process that claimed it last makes the pull; others wait for its answer';

COMMENT ON COLUMN public.bureau_pulls.role IS 'Of the person; of a screening also the number of events before it, and its day';

COMMENT ON COLUMN public.bureau_pulls.sealed IS 'The report, or the answer of a screening, with the raw answer, sealed under the loan''s key';

COMMENT ON COLUMN public.clients.holders IS 'Ids of the people and clients that have seen a credential of it: they made it, rotated its secret or made a key. Nobody is taken off. Empty: the operator alone';

COMMENT ON COLUMN public.clients.kind IS 'program: calls with tokens; console: stands for the sessions of the organization''s people, and has no credentials';

COMMENT ON COLUMN public.clients.numbers IS 'How its answers write amounts and counts, where a request does not say: interface: with thousands separators; plain: without';

COMMENT ON COLUMN public.clients.raised_to IS 'In place of rate_limit_per_minute until raised_until, which may be over';

COMMENT ON COLUMN public.clients.rate_limit_per_minute IS 'null: the service default; 0: no limit';

COMMENT ON COLUMN public.clients.token_generation IS 'A token carries the generation it was issued under; raising it ends every older token.';

COMMENT ON COLUMN public.cycle_steps.counts IS 'Whole numbers by name, amounts in cents; counted in the transaction of what they count';

COMMENT ON COLUMN public.events.body IS 'Canonical JSON (RFC 8785); hash is its SHA-256';

COMMENT ON COLUMN public.events.next_organization_id IS 'The organization that the loan is offered or transferred to by it, which is told as well';

COMMENT ON COLUMN public.events.note IS 'The reason that was given, sealed under the loan''s key';

COMMENT ON COLUMN public.events.organization_id IS 'The owner of the loan when it was recorded; null: it is of a lender''s book, and not in the feed';

COMMENT ON COLUMN public.events.user_id IS 'The person who acted through the client; null: the client acted by itself';

COMMENT ON COLUMN public.exports.asked IS 'Filters and dates, as JSON';

COMMENT ON COLUMN public.exports.moment IS 'The last block of each volume, the day of each owner, and the end of the feed, as JSON';

COMMENT ON COLUMN public.feed_head.number IS 'The last tick. Its row is locked while a tick is made';

COMMENT ON COLUMN public.feed_marks.last_block IS 'The volume''s head at this tick';

COMMENT ON COLUMN public.former_owners.first_organization_id IS 'The organization that created the loan: its blind index and its application are under this one';

COMMENT ON COLUMN public.former_owners.owned_from IS 'The first day on which the loan was in the books of this owner';

COMMENT ON COLUMN public.former_owners.owned_until IS 'The first day on which it was not any more';

COMMENT ON COLUMN public.former_owners.sequence IS 'Of the event that carried out the transfer';

COMMENT ON COLUMN public.grants.accepted_at IS 'By the grantee; until then the grant gives nothing';

COMMENT ON COLUMN public.grants.access IS 'read: see the loans; servicing: see and service them';

COMMENT ON COLUMN public.grants.ended_at IS 'By the grantee: declined where it was never accepted';

COMMENT ON COLUMN public.grants.revoked_at IS 'By the owner';

COMMENT ON COLUMN public.grants.servicer_id IS 'null: all loans of the owner; else only loans with this servicer id';

COMMENT ON COLUMN public.ledger_periods.balances IS 'Canonical JSON: the balance of each account by lender on the last day of the month; hash is its SHA-256';

COMMENT ON COLUMN public.ledger_periods.closed_from IS 'The first of the months that were closed in one go with this one';

COMMENT ON COLUMN public.ledger_periods.user_id IS 'The person who closed it; null: a program';

COMMENT ON COLUMN public.ledger_roots.audit_heads IS 'JSON: the last link of the audit trail of each volume, by number and hash';

COMMENT ON COLUMN public.ledger_roots.heads IS 'JSON: the last sealed block of each volume, by number and hash';

COMMENT ON COLUMN public.ledger_years.closing IS 'Canonical JSON: by lender the transaction and its lines';

COMMENT ON COLUMN public.ledger_years.user_id IS 'The person who closed it; null: a program';

COMMENT ON COLUMN public.loans.accrues_per_unit IS 'Accrued interest on a day: accrues_per_unit * (units of the day - accrues_from) / accrues_divisor, in cents (src/ledger/accrue.ts); null: none';

COMMENT ON COLUMN public.loans.amortizes_per_unit IS 'Amortized by the open stretch on a day: amortizes_before + amortizes_per_unit * (day - amortizes_from) / amortizes_divisor less its interest (src/ledger/accrue.ts); null: none';

COMMENT ON COLUMN public.loans.book_principal IS 'What the books show of it, like book_interest (of stretches that have ended), book_fees and book_credits: until books_change_on';

COMMENT ON COLUMN public.loans.books_change_on IS 'The first day on which its books may change although nothing is recorded; null: none';

COMMENT ON COLUMN public.loans.changes_on IS 'The first day after recorded_on on which something follows from the date alone: books_change_on, a delinquency bucket, a quote or a hold that expires; null: none';

COMMENT ON COLUMN public.loans.charge_off_by IS 'The month end from which a hold requires the charge-off; null: none does';

COMMENT ON COLUMN public.loans.charge_off_ground_gone IS 'The nightly cycle charged it off for days past due that a later fact has taken away';

COMMENT ON COLUMN public.loans.closed_by IS 'How a closed loan ended; null while it is open';

COMMENT ON COLUMN public.loans.credit_since IS 'See positions; as of the last event';

COMMENT ON COLUMN public.loans.deferred_fees IS 'What was deferred, like deferred_costs and purchase_discount (below zero: a premium); null: nothing, or nothing is left of it. amortized: net, with ended stretches';

COMMENT ON COLUMN public.loans.erased IS 'Its borrower was erased: the public market shows it no more';

COMMENT ON COLUMN public.loans.first_recorded_on IS 'The business day on which it came into the books of its owner: of its first event, or of the transfer to this owner';

COMMENT ON COLUMN public.loans.flow_month IS 'The last month in which something happened to the loan, by its first day: the columns from opening_principal to scheduled_principal are about it, with what is scheduled by its end. In a later month nothing has flowed';

COMMENT ON COLUMN public.loans.grade IS 'Of the file that counts, like the predictions; see positions';

COMMENT ON COLUMN public.loans.next_due IS 'past_due_from as lists are sorted by it: infinity when nothing is left to pay, or nothing is due yet';

COMMENT ON COLUMN public.loans.non_accrual_since IS 'See positions; as of the last event, so a cycle sets it on the day on which it begins by itself';

COMMENT ON COLUMN public.loans.past_due_from IS 'Due date of the oldest unsatisfied installment: days past due count from here';

COMMENT ON COLUMN public.loans.primary_servicer_id IS 'As the loan was created or since its last transfer, like lender_id and secondary_servicer_id; null: none';

COMMENT ON COLUMN public.loans.principal IS 'What the borrower owes of it; 0 before funding and after the end';

COMMENT ON COLUMN public.loans.principal_step IS 'The principal in steps that lists are ordered by (src/store/reads/by-balance.ts): a payment seldom changes it. 0: none is owed';

COMMENT ON COLUMN public.loans.recorded_on IS 'The business day of its last event: no read or write of the loan uses an earlier day';

COMMENT ON COLUMN public.loans.status IS 'As of its last event; Funded and Current show as Delinquent from delinquent_from on';

COMMENT ON COLUMN public.loans.version IS 'The number of its events; a change is saved only where it is still the one that was read';

COMMENT ON COLUMN public.notices.completes IS 'With it everybody on the application has theirs';

COMMENT ON COLUMN public.notices.run IS 'Of underwriting, on which it is based; 0: before the first';

COMMENT ON COLUMN public.notices.sealed IS 'The text, sealed under the loan''s key';

COMMENT ON COLUMN public.notices.version IS 'Of the loan when it was made';

COMMENT ON COLUMN public.organization_approvals.answer IS 'JSON, without secrets';

COMMENT ON COLUMN public.organization_approvals.decision_note IS 'The reason of the decision, sealed under the organization''s key';

COMMENT ON COLUMN public.organization_approvals.needs IS 'administrator: a person who administers has to approve it; approver: whoever may do the operation';

COMMENT ON COLUMN public.organization_approvals.operation IS 'Its name in the audit trail, such as invite-user';

COMMENT ON COLUMN public.organization_approvals.preview IS 'JSON: what it would do, without personal data';

COMMENT ON COLUMN public.organization_approvals.request IS 'JSON, sealed under the organization''s key: the body, how it is to be answered, and the rights of the requester then';

COMMENT ON COLUMN public.organization_approvals.request_digest IS 'Keyed hash of the caller, the operation and the body: recognises the same call';

COMMENT ON COLUMN public.organizations.clock_kind IS 'live: real time in its time zone; test: the day in test_clocks, moved only by an advance. It never changes';

COMMENT ON COLUMN public.organizations.policy_versions IS 'How many rows it has in policy_versions: a process that knows as many knows all of them';

COMMENT ON COLUMN public.organizations.raised_to IS 'In place of rate_limit_per_minute until raised_until, which may be over';

COMMENT ON COLUMN public.organizations.rate_limit_per_minute IS 'The ceiling of its clients together, set by the operator. null: the service default; 0: none';

COMMENT ON COLUMN public.organizations.time_zone IS 'The zone of its business days, an IANA name; the last one that was set: in force since the latest former_time_zones.until';

COMMENT ON COLUMN public.party_changes.commitment IS 'Salted hash of the change, as its event has it; the salt is sealed with the change';

COMMENT ON COLUMN public.passwords.code_secret IS 'Of the time codes (RFC 6238), sealed';

COMMENT ON COLUMN public.passwords.last_step IS 'The time step of the last code that was accepted: no code of this step or an earlier one is accepted again';

COMMENT ON COLUMN public.people.key_id IS 'Which master key wraps the data key';

COMMENT ON COLUMN public.people.revision IS 'Raised when the sealed data is replaced; a cache of opened data compares it';

COMMENT ON COLUMN public.policy_dry_runs.after_loan IS 'With at_volume: the last loan that was examined';

COMMENT ON COLUMN public.policy_dry_runs.held_until IS 'A process works on it until then; after that any process may';

COMMENT ON COLUMN public.policy_dry_runs.request_hash IS 'SHA-256 of what was asked: values, lender, dates, and the versions that were there';

COMMENT ON COLUMN public.policy_dry_runs.result IS 'Counts by name, amounts in cents';

COMMENT ON COLUMN public.policy_versions.figures_from IS 'From when on the values count that change figures by themselves (src/policy/versions.ts)';

COMMENT ON COLUMN public.policy_versions.lender_id IS 'null: for all lenders without a policy of their own';

COMMENT ON COLUMN public.policy_versions.number IS 'In the order of recording, of all policies of the organization';

COMMENT ON COLUMN public.policy_versions.policy IS 'JSON of LenderPolicy (src/core/policy.ts), all values';

COMMENT ON COLUMN public.position_sums.count IS 'Which positions a sum counts, and what it adds up for each, is said in src/portfolio/sums.ts; a test compares the columns with that list';

COMMENT ON COLUMN public.position_sums.credits_0_to_29_count IS 'Credits by the days for which they have been owed back on the date';

COMMENT ON COLUMN public.position_sums.past_0_count IS 'Current; past_1: 1 to 29 days past due, past_30: 30 to 59, and so on';

COMMENT ON COLUMN public.position_sums.primary_servicer_id IS 'Empty: none; like secondary_servicer_id and value';

COMMENT ON COLUMN public.positions.charged_off IS 'Principal on the day of the charge-off, whatever the collateral is worth; undone in a later month it is a restatement';

COMMENT ON COLUMN public.positions.credit_since IS 'The day on which credits last rose from zero; null: there are none';

COMMENT ON COLUMN public.positions.date IS 'A month end, or another date that was asked for';

COMMENT ON COLUMN public.positions.disbursed IS 'Boarded principal, and principal bought with the loan, too; of the seller''s row the principal sold, negative';

COMMENT ON COLUMN public.positions.forgiven IS 'Principal given up by a settlement or waived with a quote';

COMMENT ON COLUMN public.positions.interest IS 'What the books carry, like fees and credits: none in non-accrual and after a charge-off';

COMMENT ON COLUMN public.positions.kept IS 'Principal that the books keep of a charged-off loan: what its collateral covers';

COMMENT ON COLUMN public.positions.known_on IS 'What was recorded up to the end of this day is in it. The row of a date as known on a day is the last one with a known_on up to that day';

COMMENT ON COLUMN public.positions.non_accrual_since IS 'The day from which the books count interest only when it is received; null: they accrue it';

COMMENT ON COLUMN public.positions.opening_principal IS 'At the end of the month before; the columns from here to scheduled_principal are about the month up to the date';

COMMENT ON COLUMN public.positions.organization_id IS 'The owner on the date, like lender_id and the servicers; of a loan that was sold in the month there is a row of the seller too, with what it received until then and nothing owed';

COMMENT ON COLUMN public.positions.original IS 'Principal disbursed by the date; of a boarded loan its principal when it was boarded';

COMMENT ON COLUMN public.positions.place IS 'Of roll rates: the number of the bucket, then 6 for charged off and 7 for no longer in the balance (src/store/roll-rates.ts)';

COMMENT ON COLUMN public.positions.predicted_loss IS 'Percent of the original principal that was expected to be charged off and not recovered; null: not predicted';

COMMENT ON COLUMN public.positions.predicted_yield IS 'Percent a year, when the loan was assessed; null: not predicted';

COMMENT ON COLUMN public.positions.principal IS 'What the borrower owes of it, also after a charge-off';

COMMENT ON COLUMN public.positions.rate IS 'Percent a year in force';

COMMENT ON COLUMN public.positions.received_late IS 'Money of payments that were recorded in the month and took effect in an earlier one';

COMMENT ON COLUMN public.positions.recovered IS 'All money after the charge-off; it is in none of the other flows';

COMMENT ON COLUMN public.positions.remaining IS 'Installments that are not fully paid';

COMMENT ON COLUMN public.positions.returned IS 'Money of payments that were recorded in an earlier month and returned or reversed in this one';

COMMENT ON COLUMN public.positions.scheduled IS 'Installments due in the month; scheduled_principal is the principal in them';

COMMENT ON COLUMN public.positions.status IS 'LoanStatus on the date';

COMMENT ON COLUMN public.positions.unscheduled_principal IS 'Of principal_received: money that satisfied no installment due by the date (src/portfolio/position.ts)';

COMMENT ON COLUMN public.positions.withdrawn IS 'By what is known now there is no position on the date: the row takes back an earlier one, and all its figures are 0';

COMMENT ON COLUMN public.processes.address IS 'Where the others reach it, host:port: forwarded writes go there';

COMMENT ON COLUMN public.processes.seen_at IS 'By the clock of the database';

COMMENT ON COLUMN public.reservations.held_by IS 'The process that made it: only that one knows before a minute is over whether the write is still in progress';

COMMENT ON COLUMN public.reservations.kept IS 'The day it was made; infinity for a money movement';

COMMENT ON COLUMN public.roles.limits IS 'JSON: by operation, the amount in cents above which a write needs approval';

COMMENT ON COLUMN public.sandboxes.filling IS 'Loans of its past are still being recorded: its clock must not move';

COMMENT ON COLUMN public.sandboxes.made_by IS 'null: the service itself, for the demonstration';

COMMENT ON COLUMN public.sessions.confirmed IS 'Whether the present secret was used: before, the answer that brought it may have been lost';

COMMENT ON COLUMN public.sessions.lost_hash IS 'A secret that was replaced before it was used: its use is the sign of a stolen session';

COMMENT ON COLUMN public.sessions.previous_hash IS 'The secret before the last rotation: accepted for a moment and until the new one is used, and after that the sign of a stolen session';

COMMENT ON COLUMN public.sessions.proven_at IS 'When the person proved who they are: a session that continues another one has its time';

COMMENT ON COLUMN public.sessions.seen_at IS 'At most a minute old while the session is in use';

COMMENT ON COLUMN public.sightings.hour IS 'Its beginning';

COMMENT ON COLUMN public.sightings.owner_id IS 'The organization that owns the loans';

COMMENT ON COLUMN public.sightings.user_id IS 'Empty: a program';

COMMENT ON COLUMN public.sign_in_failures.forgotten_at IS 'Each failure adds a day: the days until then are those that count';

COMMENT ON COLUMN public.sign_in_failures.locked_at IS 'From then on no password is accepted, until the person sets a new one or accepts an invitation';

COMMENT ON COLUMN public.test_clocks.advancing_to IS 'It is being advanced to this day; if the process that does so stops, another continues';

COMMENT ON COLUMN public.test_clocks.failures IS 'Consecutive failures to advance it';

COMMENT ON COLUMN public.test_clocks.held_by IS 'The process that advances it, until held_until; after that any process may. Null: none, and held_until is since when it waits, or until when';

COMMENT ON COLUMN public.test_clocks.problem IS 'Why the last advance failed: the kind of error and its place in the source; null: it did not fail';

COMMENT ON COLUMN public.test_clocks.set_at IS 'Real time when it was set to its day';

COMMENT ON COLUMN public.transfer_runs.gathered IS 'All its loans are in transfer_run_loans; until then cursor is where the list goes on';

COMMENT ON COLUMN public.transfer_runs.held_by IS 'The process that carries it out, until held_until; after that any process may';

COMMENT ON COLUMN public.transfer_runs.reason IS 'Sealed under a key of the run; gone when the run has ended';

COMMENT ON COLUMN public.transfer_runs.refusal IS 'Why it ended before its loans were done; null: it did not';

COMMENT ON COLUMN public.transfer_runs.request IS 'JSON: what is done, and the filter of its loans; nothing personal';

COMMENT ON COLUMN public.transfer_runs.user_id IS 'The person who ordered it; null: the client itself. What they may do is asked again while it runs';

COMMENT ON COLUMN public.transfers.organization_id IS 'The owner that scheduled it';

COMMENT ON COLUMN public.transfers.state IS 'scheduled: to a servicer; offered and accepted: to an owner; done: carried out';

COMMENT ON COLUMN public.transfers.transfer_id IS 'The same for all loans of one request';

COMMENT ON COLUMN public.usage_reports.counted_at IS 'By the clock of the database, the only one that all processes share';

COMMENT ON COLUMN public.usage_reports.counts IS 'Lines by tally. Network addresses, and client ids that callers have tried, are keyed hashes; of quotas, ids of clients and organizations';

COMMENT ON COLUMN public.usage_reports.number IS 'Counts up from 1 for each reporter: a reader requests those after the last it has';

COMMENT ON COLUMN public.usage_reports.reporter IS 'A random id that a process has from its start to its end';

COMMENT ON COLUMN public.users.accepted_at IS 'When they first accepted an invitation; null: never. A later invitation takes over an account that was somebody''s';

COMMENT ON COLUMN public.users.email_digest IS 'null: whoever accepts the invitation gives address and name';

COMMENT ON COLUMN public.users.sealed IS 'E-mail address and name';

COMMENT ON COLUMN public.users.session_generation IS 'A session carries the generation it began under; raising it ends every older session';

COMMENT ON COLUMN public.webhook_deliveries.delivery_id IS 'Begins with the time of the attempt, so that their order is that of the attempts';

COMMENT ON COLUMN public.webhook_deliveries.status IS 'Of the HTTP response; null: there was none, see failure';

COMMENT ON COLUMN public.webhook_endpoints.cursor IS 'Place in the feed; null: its beginning';

COMMENT ON COLUMN public.webhook_endpoints.failures IS 'Failed attempts since the last one that succeeded';

COMMENT ON COLUMN public.webhook_endpoints.is_down IS 'It is tried with one event at a time';

COMMENT ON COLUMN public.webhook_endpoints.lease IS 'Raised when another process takes it over: what the former one remembers is no longer true';

COMMENT ON COLUMN public.webhook_endpoints.resets IS 'Raised when what went wrong before no longer counts: a worker from before must not bring it back';

COMMENT ON COLUMN public.webhook_endpoints.secret IS 'Sealed. The former one also signs until former_until';

COMMENT ON COLUMN public.webhook_endpoints.types IS 'Types or families of events; empty: all';

COMMENT ON COLUMN public.webhook_endpoints.version IS 'Raised with every change that the worker has to notice';

COMMENT ON COLUMN public.webhook_endpoints.worked_by IS 'The process that delivers, until worked_until by the clock of the database';

COMMENT ON COLUMN public.webhook_replays.from_event IS 'A place in the feed, as to_event: the id of an event or a cursor';

COMMENT ON COLUMN public.webhook_replays.read_all IS 'The whole range was read: what is left are rows in webhook_waiting';

COMMENT ON COLUMN public.webhook_waiting.lane IS 'Empty for live events, or the replay';

COMMENT ON COLUMN public.webhook_waiting.place IS 'Order within the lane';

COMMENT ON COLUMN public.webhook_waiting.preceding IS 'The cursor right before the event: by it the event is read again when grants have changed';

COMMENT ON COLUMN public.webhook_waiting.reach IS 'Digest of the grants under which it was read';

COMMENT ON COLUMN public.webhook_waiting.steps IS 'The attempts that count until it is given up: those while the endpoint was not down';
