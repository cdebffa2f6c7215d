-- Webhooks: where organizations have their events delivered, and how far each delivery has come. Everything before an endpoint's cursor
-- is delivered or has a row in webhook_waiting; what comes after it is in the feed alone.

CREATE TABLE webhook_endpoints (
  endpoint_id     text PRIMARY KEY CHECK (endpoint_id ~ '^endpoint_[a-z0-9]{1,60}$'),
  organization_id text NOT NULL REFERENCES organizations,
  url             text NOT NULL CHECK (char_length(url) BETWEEN 1 AND 2048),
  types           text[] NOT NULL CHECK (cardinality(types) <= 200 AND array_position(types, NULL) IS NULL),
  description     text NOT NULL CHECK (char_length(description) <= 500),
  status          text NOT NULL CHECK (status IN ('active', 'paused')),
  paused_because  text CHECK (paused_because IN ('by_user', 'gone', 'failing')),
  paused_at       timestamptz,
  secret          bytea NOT NULL,
  former_secret   bytea,
  former_until    timestamptz,
  cursor          text,
  failures        integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
  failing_since   timestamptz,
  held_until      timestamptz,
  delivered_at    timestamptz,
  is_down         boolean NOT NULL DEFAULT false,
  resets          integer NOT NULL DEFAULT 0,
  version         integer NOT NULL DEFAULT 1,
  lease           integer NOT NULL DEFAULT 0,
  worked_by       text,
  worked_until    timestamptz,
  created_at      timestamptz NOT NULL,
  updated_at      timestamptz NOT NULL,
  CHECK ((status = 'paused') = (paused_because IS NOT NULL) AND (status = 'paused') = (paused_at IS NOT NULL)),
  CHECK ((former_secret IS NULL) = (former_until IS NULL)),
  CHECK ((worked_by IS NULL) = (worked_until IS NULL))
);
COMMENT ON COLUMN webhook_endpoints.types IS 'Types or families of events; empty: all';
COMMENT ON COLUMN webhook_endpoints.secret IS 'Sealed. The former one also signs until former_until';
COMMENT ON COLUMN webhook_endpoints.cursor IS 'Place in the feed; null: its beginning';
COMMENT ON COLUMN webhook_endpoints.failures IS 'Failed attempts since the last one that succeeded';
COMMENT ON COLUMN webhook_endpoints.is_down IS 'It is tried with one event at a time';
COMMENT ON COLUMN webhook_endpoints.resets IS 'Raised when what went wrong before no longer counts: a worker from before must not bring it back';
COMMENT ON COLUMN webhook_endpoints.lease IS 'Raised when another process takes it over: what the former one remembers is no longer true';
COMMENT ON COLUMN webhook_endpoints.version IS 'Raised with every change that the worker has to notice';
COMMENT ON COLUMN webhook_endpoints.worked_by IS 'The process that delivers, until worked_until by the clock of the database';
CREATE INDEX webhook_endpoints_of ON webhook_endpoints (organization_id, created_at, endpoint_id);

-- Events delivered once more on request. Those of a range are read from the feed; dead letters are moved to its lane.
CREATE TABLE webhook_replays (
  replay_id   text PRIMARY KEY CHECK (replay_id ~ '^replay_[a-z0-9]{1,60}$'),
  endpoint_id text NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
  kind        text NOT NULL CHECK (kind IN ('range', 'dead_letters')),
  from_time   timestamptz,
  to_time     timestamptz,
  from_event  text,
  to_event    text,
  cursor      text,
  read_all    boolean NOT NULL,
  replayed    bigint NOT NULL DEFAULT 0,
  dead        bigint NOT NULL DEFAULT 0,
  created_at  timestamptz NOT NULL,
  ended_at    timestamptz
);
COMMENT ON COLUMN webhook_replays.from_event IS 'A place in the feed, as to_event: the id of an event or a cursor';
COMMENT ON COLUMN webhook_replays.read_all IS 'The whole range was read: what is left are rows in webhook_waiting';
CREATE INDEX webhook_replays_of ON webhook_replays (endpoint_id, created_at);

-- Events before the cursor that are not delivered yet, and dead letters. A row has the event itself, which names no person.
CREATE TABLE webhook_waiting (
  endpoint_id     text NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
  lane            text NOT NULL,
  event_id        text NOT NULL,
  place           bigint NOT NULL,
  event           text NOT NULL,
  preceding       text,
  reach           text NOT NULL,
  attempts        integer NOT NULL CHECK (attempts >= 0),
  steps           integer NOT NULL CHECK (steps BETWEEN 0 AND attempts),
  next_at         timestamptz NOT NULL,
  first_failed_at timestamptz,
  last_outcome    text,
  dead_at         timestamptz,
  PRIMARY KEY (endpoint_id, lane, event_id)
);
COMMENT ON COLUMN webhook_waiting.lane IS 'Empty for live events, or the replay';
COMMENT ON COLUMN webhook_waiting.place IS 'Order within the lane';
COMMENT ON COLUMN webhook_waiting.steps IS 'The attempts that count until it is given up: those while the endpoint was not down';
COMMENT ON COLUMN webhook_waiting.preceding IS 'The cursor right before the event: by it the event is read again when grants have changed';
COMMENT ON COLUMN webhook_waiting.reach IS 'Digest of the grants under which it was read';
CREATE INDEX webhook_waiting_order ON webhook_waiting (endpoint_id, lane, place) WHERE dead_at IS NULL;
CREATE INDEX webhook_waiting_dead ON webhook_waiting (endpoint_id, dead_at) WHERE dead_at IS NOT NULL;

-- One row an attempt, kept for 30 days; a partition a day by the clock of the database.
CREATE TABLE webhook_deliveries (
  day             date NOT NULL DEFAULT current_date,
  delivery_id     text NOT NULL,
  organization_id text NOT NULL,
  endpoint_id     text NOT NULL,
  event_id        text NOT NULL,
  type            text NOT NULL,
  loan            text,
  attempt         integer NOT NULL,
  at              timestamptz NOT NULL,
  ms              integer NOT NULL,
  status          integer,
  failure         text,
  outcome         text NOT NULL CHECK (outcome IN ('delivered', 'failed', 'dead')),
  replay_id       text,
  PRIMARY KEY (day, delivery_id)
) PARTITION BY RANGE (day);
COMMENT ON COLUMN webhook_deliveries.delivery_id IS 'Begins with the time of the attempt, so that their order is that of the attempts';
COMMENT ON COLUMN webhook_deliveries.status IS 'Of the HTTP response; null: there was none, see failure';
CREATE INDEX webhook_deliveries_of ON webhook_deliveries (organization_id, delivery_id);
CREATE INDEX webhook_deliveries_endpoint ON webhook_deliveries (endpoint_id, delivery_id);
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (endpoint_id, delivery_id) WHERE outcome <> 'delivered';
CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event_id);
CREATE INDEX webhook_deliveries_loan ON webhook_deliveries (loan, delivery_id) WHERE loan IS NOT NULL;
