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

-- The heads that are behind the last mark of their volume.
CREATE FUNCTION feed_moved(volumes smallint[], heads bigint[]) RETURNS TABLE (volume smallint, head bigint) LANGUAGE sql STABLE AS $$
  SELECT h.volume, h.head FROM unnest(volumes, heads) AS h (volume, head)
  WHERE h.head > coalesce((SELECT m.last_block FROM feed_marks m WHERE m.volume = h.volume ORDER BY m.number DESC LIMIT 1), h.volume)
$$;

-- The last tick, after making one if a head has moved. The heads were read before; they only grow, so a mark never goes back. Like
-- feed_head, the marks are not spread over servers: every reader asks for those of all volumes.
CREATE FUNCTION feed_tick(volumes smallint[], heads bigint[]) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
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
