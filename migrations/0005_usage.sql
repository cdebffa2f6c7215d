-- What each process has counted of quotas and failures, for the others: a row is one report of one process. A report is read by all others
-- within a second and removed after a minute and a half.
--
-- Unlogged: reports are not worth a disk flush or a place in the log that replicas replay. After a crash of the server, and on a replica
-- that has been promoted, the table is empty, and the processes continue with what they have in memory. On a replica that is not promoted
-- it cannot be read; only the primary is queried.
CREATE UNLOGGED TABLE usage_reports (
  reporter    text NOT NULL CHECK (char_length(reporter) BETWEEN 1 AND 64),
  number      integer NOT NULL CHECK (number > 0),
  counted_at  timestamptz NOT NULL,
  counts      jsonb NOT NULL,
  PRIMARY KEY (reporter, number)
);
COMMENT ON TABLE usage_reports IS 'Exchanged by the processes of this database; nothing else reads it.';
COMMENT ON COLUMN usage_reports.reporter IS 'A random id that a process has from its start to its end';
COMMENT ON COLUMN usage_reports.number IS 'Counts up from 1 for each reporter: a reader requests those after the last it has';
COMMENT ON COLUMN usage_reports.counted_at IS 'By the clock of the database, the only one that all processes share';
COMMENT ON COLUMN usage_reports.counts IS
  'Lines by tally. Network addresses, and client ids that callers have tried, are keyed hashes; of quotas, ids of clients and organizations';
