-- Why an investment was closed, where the admin has said so: before its ending date the console asks for it.

ALTER TABLE app.investments
  ADD COLUMN close_reason text,
  ADD CONSTRAINT investments_close_reason_check CHECK (close_reason IS NULL OR status = 'inactive');
