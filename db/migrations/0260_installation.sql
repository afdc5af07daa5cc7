-- A database belongs to the mode that it was first used in: a firm's investors never meet the demonstration's people and
-- figures in it, nor does a demonstration ever show a firm's. The application writes the row at its first start and never
-- changes it.
CREATE TABLE app.installation (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  mode text NOT NULL CHECK (mode IN ('demo', 'live')),
  since timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT ON app.installation TO probity_app;

-- Those that were used before: only a demonstration has sample figures, and only people have used anything else.
INSERT INTO app.installation (mode)
SELECT CASE WHEN EXISTS (SELECT FROM app.statistics WHERE kind = 'sample') THEN 'demo' ELSE 'live' END
 WHERE EXISTS (SELECT FROM app.users);

-- Under another TOKEN_SECRET what is sealed is sealed anew, which an HMAC cannot be: so the code is kept beside it, sealed.
-- Without it (codes that were made before) it counts as long as the secret that it was made under is known.
ALTER TABLE app.recovery_codes ADD COLUMN sealed_code bytea;
GRANT UPDATE (code_hash, sealed_code) ON app.recovery_codes TO probity_app;
