-- The people of organizations: who they are, how they prove it, their roles and their sessions. E-mail address and name are sealed
-- under a key derived from the master key, and found by a keyed digest. No secret is stored in usable form: passwords as argon2id
-- hashes; tokens of invitations, sessions and steps of a sign-in as SHA-256 digests of 32 random bytes; the secret of time codes sealed.

-- Own roles. The built-in ones are in the program.
CREATE TABLE roles (
  organization_id text NOT NULL REFERENCES organizations,
  name            text NOT NULL CHECK (name ~ '^[a-z][a-z0-9-]{0,39}$'),
  scopes          text[] NOT NULL CHECK (cardinality(scopes) BETWEEN 1 AND 64 AND array_position(scopes, NULL) IS NULL),
  limits          text NOT NULL DEFAULT '{}',
  changed_at      timestamptz NOT NULL,
  PRIMARY KEY (organization_id, name)
);
COMMENT ON COLUMN roles.limits IS 'JSON: by operation, the amount in cents above which a write needs approval';

CREATE TABLE users (
  user_id            text PRIMARY KEY CHECK (user_id ~ '^user_[a-z0-9]{1,60}$'),
  organization_id    text NOT NULL REFERENCES organizations,
  email_digest       bytea CHECK (octet_length(email_digest) = 32),
  sealed             bytea NOT NULL,
  roles              text[] NOT NULL CHECK (cardinality(roles) BETWEEN 1 AND 20 AND array_position(roles, NULL) IS NULL),
  status             text NOT NULL CHECK (status IN ('invited', 'active', 'disabled')),
  session_generation integer NOT NULL DEFAULT 1 CHECK (session_generation >= 1),
  created_at         timestamptz NOT NULL,
  disabled_at        timestamptz,
  accepted_at        timestamptz,
  CHECK ((status = 'disabled') = (disabled_at IS NOT NULL)),
  CHECK (status <> 'active' OR email_digest IS NOT NULL),
  UNIQUE (organization_id, email_digest)
);
COMMENT ON COLUMN users.email_digest IS 'null: whoever accepts the invitation gives address and name';
COMMENT ON COLUMN users.sealed IS 'E-mail address and name';
COMMENT ON COLUMN users.session_generation IS 'A session carries the generation it began under; raising it ends every older session';
COMMENT ON COLUMN users.accepted_at IS 'When they first accepted an invitation; null: never. A later invitation takes over an account that was somebody''s';
CREATE INDEX users_by_email ON users (email_digest);

-- How people prove who they are. Apart from users, so that a sign-in does not raise the access epoch.
CREATE TABLE passwords (
  user_id       text PRIMARY KEY REFERENCES users,
  password_hash text NOT NULL CHECK (password_hash LIKE '$argon2id$%'),
  code_secret   bytea NOT NULL,
  last_step     bigint NOT NULL DEFAULT 0,
  changed_at    timestamptz NOT NULL
);
COMMENT ON COLUMN passwords.code_secret IS 'Of the time codes (RFC 6238), sealed';
COMMENT ON COLUMN passwords.last_step IS 'The time step of the last code that was accepted: no code of this step or an earlier one is accepted again';

CREATE TABLE passkeys (
  credential_id bytea PRIMARY KEY,
  user_id       text NOT NULL REFERENCES users,
  public_key    bytea NOT NULL,
  counter       bigint NOT NULL,
  transports    text[] NOT NULL,
  name          text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  created_at    timestamptz NOT NULL,
  used_at       timestamptz
);
CREATE INDEX passkeys_by_user ON passkeys (user_id);

CREATE TABLE recovery_codes (
  user_id   text NOT NULL REFERENCES users,
  code_hash bytea NOT NULL CHECK (octet_length(code_hash) = 32),
  used_at   timestamptz,
  PRIMARY KEY (user_id, code_hash)
);

-- A provider's name for a person, as a keyed digest of issuer and subject.
CREATE TABLE provider_subjects (
  subject_digest  bytea NOT NULL CHECK (octet_length(subject_digest) = 32),
  organization_id text NOT NULL REFERENCES organizations,
  user_id         text NOT NULL REFERENCES users,
  linked_at       timestamptz NOT NULL,
  PRIMARY KEY (organization_id, subject_digest)
);

CREATE TABLE identity_providers (
  organization_id      text PRIMARY KEY REFERENCES organizations,
  issuer               text NOT NULL,
  client_id            text NOT NULL,
  client_secret_sealed bytea NOT NULL,
  settings             text NOT NULL DEFAULT '{}',
  changed_at           timestamptz NOT NULL
);

-- An invitation lets a new person, or one who has lost every other means, set up how they sign in.
CREATE TABLE invitations (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  user_id    text NOT NULL REFERENCES users,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz
);
CREATE INDEX invitations_by_user ON invitations (user_id);

-- What a sign-in under way must remember between two requests: a challenge, the state of a redirect, an accepted password.
CREATE TABLE sign_in_steps (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  kind       text NOT NULL,
  sealed     bytea NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX sign_in_steps_by_end ON sign_in_steps (expires_at);

-- Wrong attempts with a password, by account: an address in an organization, whether it is somebody's or not.
CREATE TABLE sign_in_failures (
  account_digest bytea PRIMARY KEY CHECK (octet_length(account_digest) = 32),
  forgotten_at   timestamptz NOT NULL,
  locked_at      timestamptz
);
COMMENT ON COLUMN sign_in_failures.forgotten_at IS 'Each failure adds a day: the days until then are those that count';
COMMENT ON COLUMN sign_in_failures.locked_at IS 'From then on no password is accepted, until the person sets a new one or accepts an invitation';
CREATE INDEX sign_in_failures_by_end ON sign_in_failures (forgotten_at) WHERE locked_at IS NULL;

CREATE TABLE sessions (
  session_id         text PRIMARY KEY CHECK (session_id ~ '^session_[a-z0-9]{1,60}$'),
  user_id            text NOT NULL REFERENCES users,
  session_generation integer NOT NULL,
  method             text NOT NULL CHECK (method IN ('passkey', 'password', 'provider', 'invitation')),
  secret_hash        bytea NOT NULL UNIQUE CHECK (octet_length(secret_hash) = 32),
  previous_hash      bytea CHECK (octet_length(previous_hash) = 32),
  lost_hash          bytea CHECK (octet_length(lost_hash) = 32),
  confirmed          boolean NOT NULL DEFAULT true,
  rotated_at         timestamptz NOT NULL,
  created_at         timestamptz NOT NULL,
  proven_at          timestamptz NOT NULL,
  seen_at            timestamptz NOT NULL,
  ends_at            timestamptz NOT NULL,
  ended_at           timestamptz,
  ended_why          text,
  CHECK ((ended_at IS NULL) = (ended_why IS NULL))
);
COMMENT ON COLUMN sessions.previous_hash IS 'The secret before the last rotation: accepted for a moment and until the new one is used, and after that the sign of a stolen session';
COMMENT ON COLUMN sessions.confirmed IS 'Whether the present secret was used: before, the answer that brought it may have been lost';
COMMENT ON COLUMN sessions.lost_hash IS 'A secret that was replaced before it was used: its use is the sign of a stolen session';
COMMENT ON COLUMN sessions.proven_at IS 'When the person proved who they are: a session that continues another one has its time';
COMMENT ON COLUMN sessions.seen_at IS 'At most a minute old while the session is in use';
CREATE INDEX sessions_by_user ON sessions (user_id, created_at);
CREATE INDEX sessions_by_previous ON sessions (previous_hash) WHERE previous_hash IS NOT NULL;
CREATE INDEX sessions_by_lost ON sessions (lost_hash) WHERE lost_hash IS NOT NULL;
CREATE INDEX sessions_by_end ON sessions (ends_at);

-- A change of a person, a role or the end of a session reaches every process within a second; a sign-in, a rotation and a sign of
-- life do not, because nothing that is cached becomes wrong by them.
CREATE TRIGGER roles_raise_epoch AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON roles
  FOR EACH STATEMENT EXECUTE FUNCTION access_epoch_raise();
CREATE TRIGGER users_raise_epoch AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON users
  FOR EACH STATEMENT EXECUTE FUNCTION access_epoch_raise();
CREATE TRIGGER sessions_raise_epoch AFTER UPDATE OF ended_at OR DELETE OR TRUNCATE ON sessions
  FOR EACH STATEMENT EXECUTE FUNCTION access_epoch_raise();
