-- A pending earning can be declined, with a reason. It was never paid and nothing was held for it: no posting goes with it.

ALTER TABLE app.earnings ADD COLUMN decline_reason text;
ALTER TABLE app.earnings DROP CONSTRAINT earnings_status_check;
ALTER TABLE app.earnings
  ADD CONSTRAINT earnings_status_check CHECK (status IN ('pending', 'paid', 'declined')),
  ADD CONSTRAINT earnings_declined_check CHECK ((status = 'declined') = (decline_reason IS NOT NULL));
