-- Who may call the service: organizations, their clients and API keys, what one organization grants to
-- another, and the keys that sign tokens. No secret is stored in usable form: client
-- secrets as scrypt hashes, API keys as keyed hashes, private signing keys sealed under the master key.

CREATE TABLE organizations (
  organization_id       text PRIMARY KEY CHECK (organization_id ~ '^org_[a-z0-9]{1,60}$'),
  name                  text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
  created_at            timestamptz NOT NULL,
  rate_limit_per_minute integer CHECK (rate_limit_per_minute >= 0),
  raised_to             integer CHECK (raised_to >= 1),
  raised_until          timestamptz,
  clock_kind            text NOT NULL DEFAULT 'live' CHECK (clock_kind IN ('live', 'test')),
  time_zone             text NOT NULL DEFAULT 'UTC' CHECK (time_zone ~ '^[A-Za-z0-9_+:/-]{1,64}$'),
  CHECK ((raised_to IS NULL) = (raised_until IS NULL))
);
COMMENT ON COLUMN organizations.raised_to IS 'In place of rate_limit_per_minute until raised_until, which may be over';
COMMENT ON COLUMN organizations.rate_limit_per_minute IS
  'The ceiling of its clients together, set by the operator. null: the service default; 0: none';
COMMENT ON COLUMN organizations.clock_kind IS 'live: real time in its time zone; test: the day in test_clocks, moved only by an advance. It never changes';
COMMENT ON COLUMN organizations.time_zone IS 'The zone of its business days, an IANA name; the last one that was set: in force since the latest former_time_zones.until';

-- The zones an organization had before, so that the business day of any moment stays what it was. A zone ends when a business day
-- begins; the latest row may lie in the future, and the zone of the organization then begins there.
CREATE TABLE former_time_zones (
  organization_id text NOT NULL REFERENCES organizations,
  until           timestamptz NOT NULL,
  time_zone       text NOT NULL CHECK (time_zone ~ '^[A-Za-z0-9_+:/-]{1,64}$'),
  PRIMARY KEY (organization_id, until)
);

-- The day of a sandbox's clock. Not part of organizations: every advance by a day would raise the access epoch, and every process would
-- drop its cache of clients. A transaction that records facts holds the shared lock of the clock until commit, one that moves it the
-- exclusive lock.
CREATE TABLE test_clocks (
  organization_id text PRIMARY KEY REFERENCES organizations,
  stands_on       date NOT NULL,
  set_at          timestamptz NOT NULL,
  advancing_to    date,
  held_by         text,
  held_until      timestamptz,
  failures        integer NOT NULL DEFAULT 0,
  problem         text,
  CHECK (advancing_to >= stands_on)
);
COMMENT ON COLUMN test_clocks.set_at IS 'Real time when it was set to its day';
COMMENT ON COLUMN test_clocks.advancing_to IS 'It is being advanced to this day; if the process that does so stops, another continues';
COMMENT ON COLUMN test_clocks.held_by IS 'The process that advances it, until held_until; after that any process may. Null: none, and held_until is since when it waits, or until when';
COMMENT ON COLUMN test_clocks.failures IS 'Consecutive failures to advance it';
COMMENT ON COLUMN test_clocks.problem IS 'Why the last advance failed: the kind of error and its place in the source; null: it did not fail';
CREATE INDEX test_clocks_advancing ON test_clocks (held_until) WHERE advancing_to IS NOT NULL;

-- Organizations for testing, each with a test clock.
CREATE TABLE sandboxes (
  organization_id text PRIMARY KEY REFERENCES organizations,
  made_by         text REFERENCES organizations,
  made_at         timestamptz NOT NULL,
  ended_at        timestamptz,
  filling         boolean NOT NULL DEFAULT false
);
COMMENT ON COLUMN sandboxes.made_by IS 'null: the service itself, for the demonstration';
COMMENT ON COLUMN sandboxes.filling IS 'Loans of its past are still being recorded: its clock must not move';
CREATE INDEX sandboxes_by_maker ON sandboxes (made_by, made_at DESC, organization_id DESC);

CREATE TABLE clients (
  -- Made by the service (client_…), or chosen by the operator for the first client.
  client_id             text PRIMARY KEY CHECK (char_length(client_id) BETWEEN 1 AND 128),
  organization_id       text NOT NULL REFERENCES organizations,
  name                  text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
  kind                  text NOT NULL DEFAULT 'program' CHECK (kind IN ('program', 'console')),
  secret_hash           text CHECK (secret_hash LIKE '$scrypt$%'),
  scopes                text[] NOT NULL CHECK (cardinality(scopes) <= 64 AND array_position(scopes, NULL) IS NULL),
  status                text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'revoked')),
  rate_limit_per_minute integer CHECK (rate_limit_per_minute >= 0),
  numbers               text NOT NULL DEFAULT 'interface' CHECK (numbers IN ('interface', 'plain')),
  raised_to             integer CHECK (raised_to >= 1),
  raised_until          timestamptz,
  token_generation      integer NOT NULL DEFAULT 1 CHECK (token_generation >= 1),
  created_at            timestamptz NOT NULL,
  revoked_at            timestamptz,
  holders               text[] NOT NULL DEFAULT '{}',
  CHECK ((status = 'revoked') = (revoked_at IS NOT NULL)),
  -- No token is ever issued for the console: it has neither secret nor scopes.
  CHECK ((kind = 'console') = (secret_hash IS NULL) AND (kind = 'console') = (cardinality(scopes) = 0)),
  CHECK (kind = 'program' OR status = 'active'),
  CHECK ((raised_to IS NULL) = (raised_until IS NULL))
);
COMMENT ON COLUMN clients.raised_to IS 'In place of rate_limit_per_minute until raised_until, which may be over';
COMMENT ON COLUMN clients.kind IS 'program: calls with tokens; console: stands for the sessions of the organization''s people, and has no credentials';
COMMENT ON COLUMN clients.rate_limit_per_minute IS 'null: the service default; 0: no limit';
COMMENT ON COLUMN clients.numbers IS
  'How its answers write amounts and counts, where a request does not say: interface: with thousands separators; plain: without';
COMMENT ON COLUMN clients.token_generation IS 'A token carries the generation it was issued under; raising it ends every older token.';
COMMENT ON COLUMN clients.holders IS
  'Ids of the people and clients that have seen a credential of it: they made it, rotated its secret or made a key. Nobody is taken off. Empty: the operator alone';
CREATE INDEX clients_by_organization ON clients (organization_id, status, created_at);
CREATE UNIQUE INDEX clients_console_once ON clients (organization_id) WHERE kind = 'console';

CREATE TABLE api_keys (
  key_id     text PRIMARY KEY CHECK (key_id ~ '^key_[a-z0-9]{1,60}$'),
  client_id  text NOT NULL REFERENCES clients,
  key_hash   bytea NOT NULL UNIQUE CHECK (octet_length(key_hash) = 32),
  created_at timestamptz NOT NULL,
  revoked_at timestamptz
);
COMMENT ON COLUMN api_keys.key_hash IS 'HMAC-SHA-256 of the key under a pepper derived from the master key';
CREATE INDEX api_keys_by_client ON api_keys (client_id, created_at);

CREATE TABLE grants (
  grant_id                text PRIMARY KEY CHECK (grant_id ~ '^grant_[a-z0-9]{1,60}$'),
  owner_organization_id   text NOT NULL REFERENCES organizations,
  grantee_organization_id text NOT NULL REFERENCES organizations,
  access                  text NOT NULL CHECK (access IN ('read', 'servicing')),
  servicer_id             text CHECK (servicer_id ~ '^[A-Za-z0-9._:-]{1,64}$'),
  created_at              timestamptz NOT NULL,
  accepted_at             timestamptz,
  ended_at                timestamptz,
  revoked_at              timestamptz,
  CHECK (owner_organization_id <> grantee_organization_id)
);
COMMENT ON COLUMN grants.access IS 'read: see the loans; servicing: see and service them';
COMMENT ON COLUMN grants.accepted_at IS 'By the grantee; until then the grant gives nothing';
COMMENT ON COLUMN grants.ended_at IS 'By the grantee: declined where it was never accepted';
COMMENT ON COLUMN grants.revoked_at IS 'By the owner';
COMMENT ON COLUMN grants.servicer_id IS 'null: all loans of the owner; else only loans with this servicer id';
CREATE UNIQUE INDEX grants_active_once
  ON grants (owner_organization_id, grantee_organization_id, access, coalesce(servicer_id, ''))
  WHERE revoked_at IS NULL AND ended_at IS NULL;
CREATE INDEX grants_by_owner ON grants (owner_organization_id, created_at);
CREATE INDEX grants_by_grantee ON grants (grantee_organization_id, created_at);

CREATE TABLE signing_keys (
  key_id         text PRIMARY KEY CHECK (key_id ~ '^sig_[a-z0-9]{1,60}$'),
  algorithm      text NOT NULL CHECK (algorithm = 'ES256'),
  public_jwk     jsonb NOT NULL,
  private_sealed bytea,
  created_at     timestamptz NOT NULL,
  superseded_at  timestamptz,
  -- A superseded key no longer signs: its private part is destroyed at that moment, its public part stays
  -- until the last token that it signed has expired.
  CHECK ((superseded_at IS NULL) = (private_sealed IS NOT NULL))
);
CREATE UNIQUE INDEX signing_keys_one_current ON signing_keys ((true)) WHERE superseded_at IS NULL;

-- The version of everything above, as one number. An instance that has seen epoch n and reads n again knows
-- that its cache is still valid; so a revocation reaches every instance within a second. The trigger
-- raises it inside the changing transaction, whichever user and program make the change. The
-- row lock that this takes until commit also puts all changes into one order, so a lower number is always an older state.
CREATE TABLE access_epoch (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  epoch    bigint NOT NULL
);
INSERT INTO access_epoch (epoch) VALUES (1);

CREATE FUNCTION access_epoch_raise() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE access_epoch SET epoch = epoch + 1;
  RETURN NULL;
END
$$;

CREATE TRIGGER organizations_raise_epoch AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON organizations
  FOR EACH STATEMENT EXECUTE FUNCTION access_epoch_raise();
CREATE TRIGGER former_time_zones_raise_epoch AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON former_time_zones
  FOR EACH STATEMENT EXECUTE FUNCTION access_epoch_raise();
CREATE TRIGGER sandboxes_raise_epoch AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON sandboxes
  FOR EACH STATEMENT EXECUTE FUNCTION access_epoch_raise();
CREATE TRIGGER clients_raise_epoch AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON clients
  FOR EACH STATEMENT EXECUTE FUNCTION access_epoch_raise();
CREATE TRIGGER api_keys_raise_epoch AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON api_keys
  FOR EACH STATEMENT EXECUTE FUNCTION access_epoch_raise();
CREATE TRIGGER grants_raise_epoch AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON grants
  FOR EACH STATEMENT EXECUTE FUNCTION access_epoch_raise();
CREATE TRIGGER signing_keys_raise_epoch AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON signing_keys
  FOR EACH STATEMENT EXECUTE FUNCTION access_epoch_raise();
