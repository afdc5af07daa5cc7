-- Logos of looks (record 168), by the hash of their content: what two admins approve is the very picture.
CREATE TABLE app.brand_logos (
  sha256 bytea PRIMARY KEY CHECK (sha256 = pg_catalog.sha256(content)),
  -- A PNG that we have written from the pixels of the uploaded file.
  content bytea NOT NULL CHECK (octet_length(content) <= 102400),
  width integer NOT NULL CHECK (width > 0),
  height integer NOT NULL CHECK (height > 0),
  uploaded_by uuid NOT NULL REFERENCES app.users (id),
  -- The latest upload. A logo that no proposal names is removed a day later.
  uploaded_at timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE (uploaded_at), DELETE ON app.brand_logos TO probity_app;

-- Guard: a proposed picture stays.
CREATE FUNCTION app.guard_brand_logos() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF EXISTS (
    SELECT FROM app.proposals
     WHERE kind = 'brand'
       AND encode(OLD.sha256, 'hex') IN (content #>> '{after,logo,light,file}', content #>> '{after,logo,dark,file}')
  ) THEN
    RAISE EXCEPTION 'a proposed logo is kept' USING ERRCODE = 'PB920';
  END IF;
  RETURN OLD;
END
$$;
CREATE TRIGGER brand_logos_stay BEFORE DELETE ON app.brand_logos
  FOR EACH ROW EXECUTE FUNCTION app.guard_brand_logos();
