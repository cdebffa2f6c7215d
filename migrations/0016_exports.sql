-- Exports that were started: the moment that an export is of, so that it can be continued after its connection broke and still be of that
-- moment. What was asked for is in the id too, so the same export of the same moment has the same row. Rows are kept for a week.
CREATE TABLE exports (
  export_id       text PRIMARY KEY CHECK (export_id ~ '^exp_[0-9a-f]{24}$'),
  organization_id text NOT NULL,
  what            text NOT NULL,
  asked           text NOT NULL,
  moment          text NOT NULL,
  started_at      timestamptz NOT NULL
);
COMMENT ON COLUMN exports.asked IS 'Filters and dates, as JSON';
COMMENT ON COLUMN exports.moment IS 'The last block of each volume, the day of each owner, and the end of the feed, as JSON';
CREATE INDEX exports_by_start ON exports (started_at);

-- Exports go through the loans of an owner in the order of their ids, a page at a time.
CREATE INDEX loans_by_owner ON loans (volume, organization_id, loan_id);
CREATE INDEX former_owners_by_loan ON former_owners (volume, organization_id, loan_id);
