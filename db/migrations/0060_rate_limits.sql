-- The counters of limits are written at every login and every write. After a crash of the database they may start anew;
-- they are not worth a flush of the log each time.
ALTER TABLE app.rate_limits SET UNLOGGED;
