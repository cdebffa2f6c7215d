-- The schema after all migrations, read from the catalogs and compared by the tests.
-- Generated: `npm run migrate -- --snapshot` writes it. Do not edit it, and do not run it.

CREATE TABLE access_epoch (
  only_row boolean DEFAULT true NOT NULL,
  epoch bigint NOT NULL,
  CONSTRAINT access_epoch_pkey PRIMARY KEY (only_row),
  CONSTRAINT access_epoch_only_row_check CHECK (only_row)
);

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

CREATE TABLE clients (
  client_id text NOT NULL,
  organization_id text NOT NULL,
  name text NOT NULL,
  secret_hash text NOT NULL,
  scopes text[] NOT NULL,
  status text DEFAULT 'active'::text NOT NULL,
  rate_limit_per_minute integer,
  token_generation integer DEFAULT 1 NOT NULL,
  created_at timestamp with time zone NOT NULL,
  revoked_at timestamp with time zone,
  CONSTRAINT clients_pkey PRIMARY KEY (client_id),
  CONSTRAINT clients_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  CONSTRAINT clients_check CHECK (((status = 'revoked'::text) = (revoked_at IS NOT NULL))),
  CONSTRAINT clients_client_id_check CHECK (((char_length(client_id) >= 1) AND (char_length(client_id) <= 128))),
  CONSTRAINT clients_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
  CONSTRAINT clients_rate_limit_per_minute_check CHECK ((rate_limit_per_minute >= 0)),
  CONSTRAINT clients_scopes_check CHECK ((((cardinality(scopes) >= 1) AND (cardinality(scopes) <= 64)) AND (array_position(scopes, NULL::text) IS NULL))),
  CONSTRAINT clients_secret_hash_check CHECK ((secret_hash ~~ '$scrypt$%'::text)),
  CONSTRAINT clients_status_check CHECK ((status = ANY (ARRAY['active'::text, 'revoked'::text]))),
  CONSTRAINT clients_token_generation_check CHECK ((token_generation >= 1))
);

CREATE TABLE grants (
  grant_id text NOT NULL,
  owner_organization_id text NOT NULL,
  grantee_organization_id text NOT NULL,
  access text NOT NULL,
  servicer_id text,
  created_at timestamp with time zone NOT NULL,
  revoked_at timestamp with time zone,
  CONSTRAINT grants_pkey PRIMARY KEY (grant_id),
  CONSTRAINT grants_grantee_organization_id_fkey FOREIGN KEY (grantee_organization_id) REFERENCES organizations(organization_id),
  CONSTRAINT grants_owner_organization_id_fkey FOREIGN KEY (owner_organization_id) REFERENCES organizations(organization_id),
  CONSTRAINT grants_access_check CHECK ((access = ANY (ARRAY['read'::text, 'servicing'::text]))),
  CONSTRAINT grants_check CHECK ((owner_organization_id <> grantee_organization_id)),
  CONSTRAINT grants_grant_id_check CHECK ((grant_id ~ '^grant_[a-z0-9]{1,60}$'::text)),
  CONSTRAINT grants_servicer_id_check CHECK ((servicer_id ~ '^[A-Za-z0-9._:-]{1,64}$'::text))
);

CREATE TABLE organizations (
  organization_id text NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT organizations_pkey PRIMARY KEY (organization_id),
  CONSTRAINT organizations_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
  CONSTRAINT organizations_organization_id_check CHECK ((organization_id ~ '^org_[a-z0-9]{1,60}$'::text))
);

CREATE TABLE schema_migrations (
  number integer NOT NULL,
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (number)
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

CREATE INDEX api_keys_by_client ON public.api_keys USING btree (client_id, created_at);

CREATE INDEX clients_by_organization ON public.clients USING btree (organization_id, status, created_at);

CREATE UNIQUE INDEX grants_active_once ON public.grants USING btree (owner_organization_id, grantee_organization_id, access, COALESCE(servicer_id, ''::text)) WHERE (revoked_at IS NULL);

CREATE INDEX grants_by_grantee ON public.grants USING btree (grantee_organization_id, created_at);

CREATE INDEX grants_by_owner ON public.grants USING btree (owner_organization_id, created_at);

CREATE UNIQUE INDEX signing_keys_one_current ON public.signing_keys USING btree ((true)) WHERE (superseded_at IS NULL);

CREATE OR REPLACE FUNCTION public.access_epoch_raise()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE access_epoch SET epoch = epoch + 1;
  RETURN NULL;
END
$function$;

CREATE TRIGGER api_keys_raise_epoch AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.api_keys FOR EACH STATEMENT EXECUTE FUNCTION access_epoch_raise();

CREATE TRIGGER clients_raise_epoch AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.clients FOR EACH STATEMENT EXECUTE FUNCTION access_epoch_raise();

CREATE TRIGGER grants_raise_epoch AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.grants FOR EACH STATEMENT EXECUTE FUNCTION access_epoch_raise();

CREATE TRIGGER organizations_raise_epoch AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.organizations FOR EACH STATEMENT EXECUTE FUNCTION access_epoch_raise();

CREATE TRIGGER signing_keys_raise_epoch AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.signing_keys FOR EACH STATEMENT EXECUTE FUNCTION access_epoch_raise();

COMMENT ON COLUMN public.api_keys.key_hash IS 'HMAC-SHA-256 of the key under a pepper derived from the master key';

COMMENT ON COLUMN public.clients.rate_limit_per_minute IS 'null: the service default; 0: no limit';

COMMENT ON COLUMN public.clients.token_generation IS 'A token carries the generation it was issued under; raising it ends every older token.';

COMMENT ON COLUMN public.grants.access IS 'read: see the loans; servicing: see and service them';

COMMENT ON COLUMN public.grants.servicer_id IS 'null: all loans of the owner; else only loans with this servicer id';
