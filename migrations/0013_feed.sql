-- The feed: one order over the events of all volumes, without a copy of them. Blocks of a volume are numbered in the order of their commits,
-- so a volume's head says which of its events are there. A tick writes down the heads that have moved since the one before, one tick at a
-- time; the order is by tick, volume, block and position.
CREATE TABLE feed_head (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  number   bigint NOT NULL
);
INSERT INTO feed_head (number) VALUES (0);
COMMENT ON COLUMN feed_head.number IS 'The last tick. Its row is locked while a tick is made';

CREATE TABLE feed_marks (
  volume     smallint NOT NULL,
  number     bigint NOT NULL,
  last_block bigint NOT NULL,
  PRIMARY KEY (volume, number)
);
COMMENT ON COLUMN feed_marks.last_block IS 'The volume''s head at this tick';
CREATE UNIQUE INDEX feed_marks_by_block ON feed_marks (volume, last_block) INCLUDE (number);

-- The last tick, after making one if anything has been committed since. Each statement sees what was committed before it began: the marks
-- hold everything up to the moment at which the lock was there.
CREATE FUNCTION feed_tick() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  tick bigint;
BEGIN
  SELECT number + 1 INTO tick FROM feed_head FOR UPDATE;
  INSERT INTO feed_marks (volume, number, last_block)
  SELECT h.volume, tick, h.number FROM ledger_heads h
  WHERE h.number > coalesce((SELECT m.last_block FROM feed_marks m WHERE m.volume = h.volume ORDER BY m.number DESC LIMIT 1), h.volume);
  IF NOT FOUND THEN
    RETURN tick - 1;
  END IF;
  UPDATE feed_head SET number = tick;
  RETURN tick;
END
$$;

-- Events of an organization that are not of a loan, each with a tick of its own.
CREATE TABLE feed_notes (
  number          bigint PRIMARY KEY,
  organization_id text NOT NULL,
  type            text NOT NULL,
  subject         text NOT NULL,
  at              timestamptz NOT NULL
);
CREATE INDEX feed_notes_by_organization ON feed_notes (organization_id, number);
