-- The processes of the service that are alive. Each writes its row about once a second; one that has not done so for some seconds counts as dead.
-- Unlogged: after a crash or a failover the table is empty, and within a second it is filled again.
CREATE UNLOGGED TABLE processes (
  process_id text PRIMARY KEY CHECK (process_id ~ '^process_[a-z0-9]{1,60}$'),
  address    text NOT NULL CHECK (length(address) BETWEEN 1 AND 300),
  seen_at    timestamptz NOT NULL
);
COMMENT ON COLUMN processes.address IS 'Where the others reach it, host:port: forwarded writes go there';
COMMENT ON COLUMN processes.seen_at IS 'By the clock of the database';
