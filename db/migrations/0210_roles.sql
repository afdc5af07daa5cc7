-- What staff may do (shared/roles.ts). All staff are of type 'admin'; who was one so far could do everything.

ALTER TABLE app.users ADD COLUMN role text CHECK (role IN ('admin', 'finance', 'support', 'auditor'));
UPDATE app.users SET role = 'admin' WHERE type = 'admin';
ALTER TABLE app.users ADD CONSTRAINT users_role_of_staff CHECK ((type = 'admin') = (role IS NOT NULL));

DROP TRIGGER users_changed_told ON app.users;
CREATE TRIGGER users_changed_told
  AFTER UPDATE OF type, role, name, email, phone, country, email_verified_at, pending_email ON app.users
  FOR EACH ROW WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION app.tell_user_changed();
