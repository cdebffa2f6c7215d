-- Positions: what a loan was on a date, for reports that read no history. One row a loan and month end, written by the nightly cycle and
-- never changed: when a later fact changes a past date, a further row says so, with the day whose cycle noticed it. Like every table of
-- loans it has no trigger, so that it can be spread over servers; `npm run verify` compares each row with the events.
CREATE TABLE positions (
  -- First what roll rates read of a million rows: a row is taken apart up to the last column that is needed.
  volume                smallint NOT NULL,
  place                 smallint NOT NULL GENERATED ALWAYS AS (CASE
    WHEN NOT (principal > 0 OR fees > 0 OR interest > 0) THEN 7
    WHEN status IN ('Funded', 'Current', 'Delinquent', 'Defaulted') THEN CASE
      WHEN days_past_due < 1 THEN 0 WHEN days_past_due < 30 THEN 1 WHEN days_past_due < 60 THEN 2
      WHEN days_past_due < 90 THEN 3 WHEN days_past_due < 120 THEN 4 ELSE 5 END
    WHEN status = 'ChargedOff' THEN 6 ELSE 7 END) STORED,
  date                  date NOT NULL,
  known_on              date NOT NULL CHECK (known_on >= date),
  withdrawn             boolean NOT NULL,
  principal             bigint NOT NULL,
  loan_id               bytea NOT NULL CHECK (octet_length(loan_id) = 32),
  organization_id       text NOT NULL,
  lender_id             text NOT NULL,
  primary_servicer_id   text,
  secondary_servicer_id text,
  grade                 text,
  state                 text,
  vintage               date,
  funded_on             date,
  status                text NOT NULL,
  days_past_due         integer NOT NULL CHECK (days_past_due >= 0),
  non_accrual_since     date,
  original              bigint NOT NULL,
  rate                  numeric NOT NULL,
  remaining             integer NOT NULL CHECK (remaining >= 0),
  interest              bigint NOT NULL,
  fees                  bigint NOT NULL,
  credits               bigint NOT NULL,
  credit_since          date,
  kept                  bigint NOT NULL,
  opening_principal     bigint NOT NULL,
  disbursed             bigint NOT NULL,
  principal_received    bigint NOT NULL,
  interest_received     bigint NOT NULL,
  fees_received         bigint NOT NULL,
  unscheduled_principal bigint NOT NULL,
  charged_off           bigint NOT NULL,
  recovered             bigint NOT NULL,
  forgiven              bigint NOT NULL,
  returned              bigint NOT NULL,
  received_late         bigint NOT NULL,
  scheduled             bigint NOT NULL,
  scheduled_principal   bigint NOT NULL,
  predicted_yield       numeric,
  predicted_loss        numeric,
  -- The organization is in the key for the month of a sale, in which both owners have a row.
  PRIMARY KEY (volume, loan_id, date, known_on, organization_id)
);
COMMENT ON COLUMN positions.place IS 'Of roll rates: the number of the bucket, then 6 for charged off and 7 for no longer in the balance (src/store/roll-rates.ts)';
COMMENT ON COLUMN positions.date IS 'A month end, or another date that was asked for';
COMMENT ON COLUMN positions.known_on IS 'What was recorded up to the end of this day is in it. The row of a date as known on a day is the last one with a known_on up to that day';
COMMENT ON COLUMN positions.organization_id IS 'The owner on the date, like lender_id and the servicers; of a loan that was sold in the month there is a row of the seller too, with what it received until then and nothing owed';
COMMENT ON COLUMN positions.withdrawn IS 'By what is known now there is no position on the date: the row takes back an earlier one, and all its figures are 0';
COMMENT ON COLUMN positions.status IS 'LoanStatus on the date';
COMMENT ON COLUMN positions.non_accrual_since IS 'The day from which the books count interest only when it is received; null: they accrue it';
COMMENT ON COLUMN positions.rate IS 'Percent a year in force';
COMMENT ON COLUMN positions.remaining IS 'Installments that are not fully paid';
COMMENT ON COLUMN positions.original IS 'Principal disbursed by the date; of a boarded loan its principal when it was boarded';
COMMENT ON COLUMN positions.principal IS 'What the borrower owes of it, also after a charge-off';
COMMENT ON COLUMN positions.interest IS 'What the books carry, like fees and credits: none in non-accrual and after a charge-off';
COMMENT ON COLUMN positions.credit_since IS 'The day on which credits last rose from zero; null: there are none';
COMMENT ON COLUMN positions.kept IS 'Principal that the books keep of a charged-off loan: what its collateral covers';
COMMENT ON COLUMN positions.opening_principal IS 'At the end of the month before; the columns from here to scheduled_principal are about the month up to the date';
COMMENT ON COLUMN positions.disbursed IS 'Boarded principal, and principal bought with the loan, too; of the seller''s row the principal sold, negative';
COMMENT ON COLUMN positions.unscheduled_principal IS 'Of principal_received: money that satisfied no installment due by the date (src/portfolio/position.ts)';
COMMENT ON COLUMN positions.charged_off IS 'Principal on the day of the charge-off, whatever the collateral is worth; undone in a later month it is a restatement';
COMMENT ON COLUMN positions.recovered IS 'All money after the charge-off; it is in none of the other flows';
COMMENT ON COLUMN positions.forgiven IS 'Principal given up by a settlement or waived with a quote';
COMMENT ON COLUMN positions.returned IS 'Money of payments that were recorded in an earlier month and returned or reversed in this one';
COMMENT ON COLUMN positions.received_late IS 'Money of payments that were recorded in the month and took effect in an earlier one';
COMMENT ON COLUMN positions.scheduled IS 'Installments due in the month; scheduled_principal is the principal in them';
COMMENT ON COLUMN positions.predicted_yield IS 'Percent a year, when the loan was assessed; null: not predicted';
COMMENT ON COLUMN positions.predicted_loss IS 'Percent of the original principal that was expected to be charged off and not recovered; null: not predicted';
-- Roll rates join two dates of an organization; verification and the cycle read a date by loan.
CREATE INDEX positions_by_date ON positions (organization_id, date, known_on, volume, loan_id);
-- Which dates a day has restated.
CREATE INDEX positions_restated ON positions (organization_id, known_on, date, volume) WHERE known_on > date;

-- Sums of positions, added up when the rows of a date are complete: the sum over known_on <= K is the report as known on K. A restatement
-- adds what its rows add, less what the rows before them had added. Small, so it has no volume.
CREATE TABLE position_sums (
  organization_id       text NOT NULL,
  date                  date NOT NULL,
  known_on              date NOT NULL CHECK (known_on >= date),
  lender_id             text NOT NULL,
  primary_servicer_id   text NOT NULL,
  secondary_servicer_id text NOT NULL,
  dimension             text NOT NULL CHECK (dimension IN ('', 'grade', 'state', 'vintage', 'status', 'vintage_grade', 'vintage_state')),
  value                 text NOT NULL,
  count                     bigint NOT NULL,
  original                  bigint NOT NULL,
  principal                 bigint NOT NULL,
  interest                  bigint NOT NULL,
  fees                      bigint NOT NULL,
  credits                   bigint NOT NULL,
  kept                      bigint NOT NULL,
  credits_0_to_29_count     bigint NOT NULL,
  credits_0_to_29           bigint NOT NULL,
  credits_30_to_59_count    bigint NOT NULL,
  credits_30_to_59          bigint NOT NULL,
  credits_60_to_89_count    bigint NOT NULL,
  credits_60_to_89          bigint NOT NULL,
  credits_90_to_119_count   bigint NOT NULL,
  credits_90_to_119         bigint NOT NULL,
  credits_120_and_more_count bigint NOT NULL,
  credits_120_and_more      bigint NOT NULL,
  rate_principal            numeric NOT NULL,
  remaining_principal       numeric NOT NULL,
  age_principal             numeric NOT NULL,
  predicted_loss_original   numeric NOT NULL,
  predicted_loss_of         bigint NOT NULL,
  claim_count               bigint NOT NULL,
  claim_principal           bigint NOT NULL,
  closed_count              bigint NOT NULL,
  funded_count              bigint NOT NULL,
  funded_principal          bigint NOT NULL,
  current_count             bigint NOT NULL,
  current_principal         bigint NOT NULL,
  delinquent_count          bigint NOT NULL,
  delinquent_principal      bigint NOT NULL,
  defaulted_count           bigint NOT NULL,
  defaulted_principal       bigint NOT NULL,
  past_0_count              bigint NOT NULL,
  past_0_principal          bigint NOT NULL,
  past_1_count              bigint NOT NULL,
  past_1_principal          bigint NOT NULL,
  past_30_count             bigint NOT NULL,
  past_30_principal         bigint NOT NULL,
  past_60_count             bigint NOT NULL,
  past_60_principal         bigint NOT NULL,
  past_90_count             bigint NOT NULL,
  past_90_principal         bigint NOT NULL,
  past_120_count            bigint NOT NULL,
  past_120_principal        bigint NOT NULL,
  opening_principal         bigint NOT NULL,
  age_opening               numeric NOT NULL,
  entered_count             bigint NOT NULL,
  entered                   bigint NOT NULL,
  disbursed                 bigint NOT NULL,
  principal_received        bigint NOT NULL,
  interest_received         bigint NOT NULL,
  fees_received             bigint NOT NULL,
  unscheduled_principal     bigint NOT NULL,
  charged_off               bigint NOT NULL,
  recovered                 bigint NOT NULL,
  forgiven                  bigint NOT NULL,
  returned                  bigint NOT NULL,
  received_late             bigint NOT NULL,
  scheduled                 bigint NOT NULL,
  predicted_yield_opening   numeric NOT NULL,
  predicted_yield_principal numeric NOT NULL,
  predicted_opening         bigint NOT NULL,
  predicted_principal       bigint NOT NULL,
  open_principal_received   bigint NOT NULL,
  open_unscheduled          bigint NOT NULL,
  open_charged_off          bigint NOT NULL,
  PRIMARY KEY (organization_id, date, known_on, dimension, value, lender_id, primary_servicer_id, secondary_servicer_id)
);
COMMENT ON TABLE position_sums IS 'Append only: a trigger refuses every change';
COMMENT ON COLUMN position_sums.primary_servicer_id IS 'Empty: none; like secondary_servicer_id and value';
COMMENT ON COLUMN position_sums.count IS 'Which positions a sum counts, and what it adds up for each, is said in src/portfolio/sums.ts; a test compares the columns with that list';
COMMENT ON COLUMN position_sums.credits_0_to_29_count IS 'Credits by the days for which they have been owed back on the date';
COMMENT ON COLUMN position_sums.past_0_count IS 'Current; past_1: 1 to 29 days past due, past_30: 30 to 59, and so on';

CREATE FUNCTION position_sums_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'position_sums is append only';
END
$$;
CREATE TRIGGER position_sums_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON position_sums
  FOR EACH STATEMENT EXECUTE FUNCTION position_sums_refuse();

-- Today is the loan's own row. What follows from the file (grade, state, predictions) is set where the file is.
ALTER TABLE loans
  ADD COLUMN grade text,
  ADD COLUMN state text,
  ADD COLUMN charge_off_ground_gone boolean NOT NULL DEFAULT false,
  ADD COLUMN credit_since date,
  ADD COLUMN non_accrual_since date,
  ADD COLUMN funded_on date,
  ADD COLUMN vintage date,
  ADD COLUMN original bigint NOT NULL DEFAULT 0,
  ADD COLUMN rate numeric NOT NULL DEFAULT 0,
  ADD COLUMN remaining integer NOT NULL DEFAULT 0,
  ADD COLUMN flow_month date NOT NULL DEFAULT '-infinity',
  ADD COLUMN opening_principal bigint NOT NULL DEFAULT 0,
  ADD COLUMN disbursed bigint NOT NULL DEFAULT 0,
  ADD COLUMN principal_received bigint NOT NULL DEFAULT 0,
  ADD COLUMN interest_received bigint NOT NULL DEFAULT 0,
  ADD COLUMN fees_received bigint NOT NULL DEFAULT 0,
  ADD COLUMN unscheduled_principal bigint NOT NULL DEFAULT 0,
  ADD COLUMN charged_off bigint NOT NULL DEFAULT 0,
  ADD COLUMN recovered bigint NOT NULL DEFAULT 0,
  ADD COLUMN forgiven bigint NOT NULL DEFAULT 0,
  ADD COLUMN returned bigint NOT NULL DEFAULT 0,
  ADD COLUMN received_late bigint NOT NULL DEFAULT 0,
  ADD COLUMN scheduled bigint NOT NULL DEFAULT 0,
  ADD COLUMN scheduled_principal bigint NOT NULL DEFAULT 0,
  ADD COLUMN predicted_yield numeric,
  ADD COLUMN predicted_loss numeric;
COMMENT ON COLUMN loans.charge_off_ground_gone IS 'The nightly cycle charged it off for days past due that a later fact has taken away';
CREATE INDEX loans_charge_off_ground_gone ON loans (organization_id, status) WHERE charge_off_ground_gone;
COMMENT ON COLUMN loans.credit_since IS 'See positions; as of the last event';
-- In the order of the list of credits, which begins with the oldest.
CREATE INDEX loans_credits ON loans (organization_id, status, credit_since, loan_id) WHERE credit_since IS NOT NULL;
COMMENT ON COLUMN loans.non_accrual_since IS 'See positions; as of the last event, so a cycle sets it on the day on which it begins by itself';
CREATE INDEX loans_non_accrual ON loans (organization_id, status, non_accrual_since) WHERE non_accrual_since IS NOT NULL;
COMMENT ON COLUMN loans.flow_month IS 'The last month in which something happened to the loan, by its first day: the columns from opening_principal to scheduled_principal are about it, with what is scheduled by its end. In a later month nothing has flowed';
COMMENT ON COLUMN loans.grade IS 'Of the file that counts, like the predictions; see positions';

-- Dates other than month ends that were asked for: their positions are computed in the background. What is done is known from the rows
-- themselves; here is how far it is, and which process works on it until when.
CREATE TABLE position_dates (
  organization_id text NOT NULL,
  date            date NOT NULL,
  known_on        date NOT NULL CHECK (known_on >= date),
  asked_at        timestamptz NOT NULL,
  total           integer NOT NULL CHECK (total >= 0),
  done            integer NOT NULL DEFAULT 0 CHECK (done >= 0),
  held_until      timestamptz NOT NULL,
  ready_at        timestamptz,
  PRIMARY KEY (organization_id, date)
);
CREATE INDEX position_dates_open ON position_dates (asked_at) WHERE ready_at IS NULL;

-- The public market (src/store/market/market.ts): published loans of all organizations in each order of its list, with all that its filters
-- compare, so that few rows have to be fetched. Loans that are not published cost nothing here.
CREATE INDEX loans_market_by_creation ON loans (created_at, loan_id)
  INCLUDE (volume, organization_id, status, grade, vintage, rate, principal_step, next_due, delinquent_from, recorded_on)
  WHERE published AND NOT erased;
CREATE INDEX loans_market_by_balance ON loans (principal_step, loan_id)
  INCLUDE (volume, organization_id, status, grade, vintage, rate, next_due, delinquent_from, recorded_on)
  WHERE published AND NOT erased;
CREATE INDEX loans_market_by_rate ON loans (rate, loan_id)
  INCLUDE (volume, organization_id, status, grade, vintage, principal_step, next_due, delinquent_from, recorded_on)
  WHERE published AND NOT erased;
CREATE INDEX loans_market_by_due ON loans (next_due, loan_id)
  INCLUDE (volume, organization_id, status, grade, vintage, rate, principal_step, delinquent_from, recorded_on)
  WHERE published AND NOT erased;
