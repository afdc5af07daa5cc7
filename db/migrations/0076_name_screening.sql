-- People whose names are like those on sanctions lists (record 178): staff compare the two, and until they have, no withdrawal of that
-- person is approved. Nor is one of a person whose name was compared with no sanctions list yet, once there is one. A match with a politically
-- exposed person (record 181) stops no withdrawal.

-- Who and what the lists name, as they name it. Like wallets, they come and go with an import of their list; a changed entry is removed
-- and added anew.
CREATE TABLE app.list_entries (
  list text NOT NULL,
  -- The authority's number.
  entry text NOT NULL CHECK (entry <> ''),
  kind text NOT NULL CHECK (kind IN ('person', 'organisation', 'vessel', 'aircraft')),
  -- The first is the main one.
  names text[] NOT NULL CHECK (cardinality(names) > 0),
  -- Names that the authority itself calls weak: broad or generic.
  weak text[] NOT NULL,
  births text[] NOT NULL,
  countries text[] NOT NULL,
  programmes text[] NOT NULL,
  added_by integer NOT NULL REFERENCES app.list_imports (id),
  -- The import whose file has it no more, or another version of it.
  removed_by integer REFERENCES app.list_imports (id) CHECK (removed_by > added_by),
  PRIMARY KEY (list, entry, added_by),
  CHECK (list <> 'pep' OR kind = 'person')
);
CREATE UNIQUE INDEX list_entries_in_force ON app.list_entries (list, entry) WHERE removed_by IS NULL;
GRANT SELECT, INSERT, UPDATE (removed_by) ON app.list_entries TO probity_app;
CREATE TRIGGER list_entries_stay BEFORE DELETE ON app.list_entries
  FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER list_entries_no_truncate BEFORE TRUNCATE ON app.list_entries
  FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER list_entries_removed_once BEFORE UPDATE ON app.list_entries
  FOR EACH ROW WHEN (OLD.removed_by IS NOT NULL
    OR (OLD.list, OLD.entry, OLD.kind, OLD.names, OLD.weak, OLD.births, OLD.countries, OLD.programmes, OLD.added_by)
       IS DISTINCT FROM
       (NEW.list, NEW.entry, NEW.kind, NEW.names, NEW.weak, NEW.births, NEW.countries, NEW.programmes, NEW.added_by))
  EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER list_entries_imported BEFORE INSERT OR UPDATE ON app.list_entries
  FOR EACH ROW EXECUTE FUNCTION app.guard_listed_by_import();

-- A row for each account that is not closed: with which lists its name was compared.
CREATE TABLE app.name_screenings (
  user_id uuid PRIMARY KEY REFERENCES app.users (id),
  -- The newest import of sanctions lists then, and of exposed persons; 0: this name was compared with none yet. Each has a progress of its
  -- own, so that a list of the one kind never holds up the other.
  through integer NOT NULL DEFAULT 0 CHECK (through >= 0),
  pep_through integer NOT NULL DEFAULT 0 CHECK (pep_through >= 0),
  -- When it got the name, or was opened again.
  since timestamptz NOT NULL DEFAULT now()
);
-- In the order in which they are compared.
CREATE INDEX name_screenings_by_import ON app.name_screenings (through, user_id);
CREATE INDEX name_screenings_by_pep_import ON app.name_screenings (pep_through, user_id);
GRANT SELECT, UPDATE (through, pep_through) ON app.name_screenings TO probity_app;

-- A new account, a changed name and a reopened account are due at once; a closed account is not screened.
CREATE FUNCTION app.screen_anew() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.closed_at IS NOT NULL THEN
    DELETE FROM app.name_screenings WHERE user_id = NEW.id;
  ELSE
    INSERT INTO app.name_screenings (user_id) VALUES (NEW.id)
        ON CONFLICT (user_id) DO UPDATE SET through = 0, pep_through = 0, since = now();
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER users_added_screened AFTER INSERT ON app.users
  FOR EACH ROW EXECUTE FUNCTION app.screen_anew();
CREATE TRIGGER users_renamed_screened AFTER UPDATE OF name, closed_at ON app.users
  FOR EACH ROW WHEN ((OLD.name, OLD.closed_at) IS DISTINCT FROM (NEW.name, NEW.closed_at))
  EXECUTE FUNCTION app.screen_anew();

-- A person's name and one of a list that are alike. What staff decided about the two names stays decided when the list is imported again.
CREATE TABLE app.name_matches (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES app.users (id),
  -- As they were compared.
  user_name text NOT NULL CHECK (user_name <> ''),
  list text NOT NULL,
  entry text NOT NULL,
  -- The entry's name that is most like the person's.
  listed_name text NOT NULL CHECK (listed_name <> ''),
  score smallint NOT NULL CHECK (score BETWEEN 0 AND 100),
  found_by integer NOT NULL REFERENCES app.list_imports (id),
  found_at timestamptz NOT NULL,
  decided_at timestamptz,
  decided_by uuid REFERENCES app.users (id),
  -- Somebody else, or the very one.
  decision text CHECK (decision IN ('different', 'same')),
  reason text CHECK (reason <> ''),
  CHECK (num_nonnulls(decided_at, decided_by, decision, reason) IN (0, 4)),
  UNIQUE (user_id, list, entry, user_name, listed_name)
);
CREATE INDEX name_matches_open ON app.name_matches (id) WHERE decided_at IS NULL;
CREATE INDEX name_matches_by_decision ON app.name_matches (decision, id);
CREATE INDEX name_matches_by_time ON app.name_matches (found_at, id);
-- Those that stop a withdrawal while their entry is in force.
CREATE INDEX name_matches_stopping ON app.name_matches (user_id) WHERE decision IS DISTINCT FROM 'different';
GRANT SELECT, INSERT (id, user_id, user_name, list, entry, listed_name, score, found_by, found_at),
  UPDATE (decided_at, decided_by, decision, reason) ON app.name_matches TO probity_app;

CREATE TRIGGER name_matches_stay BEFORE DELETE ON app.name_matches
  FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER name_matches_no_truncate BEFORE TRUNCATE ON app.name_matches
  FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER name_matches_begin_open BEFORE INSERT ON app.name_matches
  FOR EACH ROW WHEN (NEW.decided_at IS NOT NULL)
  EXECUTE FUNCTION app.refuse_fact('a match of names begins undecided');
CREATE TRIGGER name_matches_keep_facts BEFORE UPDATE ON app.name_matches
  FOR EACH ROW WHEN (OLD.decided_at IS NOT NULL AND NEW.decided_at IS NULL
    OR (OLD.id, OLD.user_id, OLD.user_name, OLD.list, OLD.entry, OLD.listed_name, OLD.score, OLD.found_by, OLD.found_at)
       IS DISTINCT FROM
       (NEW.id, NEW.user_id, NEW.user_name, NEW.list, NEW.entry, NEW.listed_name, NEW.score, NEW.found_by, NEW.found_at))
  EXECUTE FUNCTION app.refuse_fact('what was found never changes, and what was decided stays decided');
CREATE TRIGGER name_matches_happen_now BEFORE INSERT ON app.name_matches
  FOR EACH ROW WHEN (NEW.found_at < now() - interval '5 minutes' OR NEW.found_at > clock_timestamp() + interval '1 minute'
    OR NEW.decided_at < now() - interval '5 minutes' OR NEW.decided_at > clock_timestamp() + interval '1 minute')
  EXECUTE FUNCTION app.refuse_another_time();
CREATE TRIGGER name_matches_change_now BEFORE UPDATE ON app.name_matches
  FOR EACH ROW WHEN (NEW.decided_at IS DISTINCT FROM OLD.decided_at
    AND (NEW.decided_at < now() - interval '5 minutes' OR NEW.decided_at > clock_timestamp() + interval '1 minute'))
  EXECUTE FUNCTION app.refuse_another_time();

-- Guard: a match is of a name that the list has, or has had.
CREATE FUNCTION app.guard_match_found() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM app.list_entries e
                  WHERE e.list = NEW.list AND e.entry = NEW.entry AND NEW.listed_name = ANY (e.names || e.weak)) THEN
    RAISE EXCEPTION 'no entry % of % has this name', NEW.entry, NEW.list USING ERRCODE = 'PB912';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER name_matches_of_entries BEFORE INSERT ON app.name_matches
  FOR EACH ROW EXECUTE FUNCTION app.guard_match_found();

-- Guard: who may care for the account decides, never its owner; about staff, an admin. Another such person may correct them; the audit log
-- keeps both.
CREATE FUNCTION app.guard_match_decided() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.decided_by = NEW.user_id OR NOT EXISTS (
       SELECT FROM app.carers c JOIN app.users u ON u.id = c.id
        WHERE c.id = NEW.decided_by
          AND (u.role = 'admin' OR (SELECT type FROM app.users WHERE id = NEW.user_id) <> 'admin')) THEN
    RAISE EXCEPTION 'match % is decided by another person, who may care for accounts', NEW.id USING ERRCODE = 'PB914';
  END IF;
  IF OLD.decided_at IS NOT NULL
     AND (NEW.decided_by = OLD.decided_by OR NEW.decision = OLD.decision OR NEW.decided_at <= OLD.decided_at) THEN
    RAISE EXCEPTION 'what was decided about match % is corrected by another person', NEW.id USING ERRCODE = 'PB914';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER name_matches_decided_by_another BEFORE UPDATE ON app.name_matches
  FOR EACH ROW WHEN (NEW.decided_at IS NOT NULL)
  EXECUTE FUNCTION app.guard_match_decided();

-- Matches with entries in force that are to be decided, or that are the same person.
CREATE VIEW app.current_matches AS
SELECT m.* FROM app.name_matches m
  JOIN app.list_entries e ON e.list = m.list AND e.entry = m.entry AND e.removed_by IS NULL
 WHERE m.decision IS DISTINCT FROM 'different';
-- Those that stop their account's withdrawals.
CREATE VIEW app.stopping_matches AS SELECT * FROM app.current_matches WHERE list <> 'pep';
GRANT SELECT ON app.current_matches, app.stopping_matches TO probity_app;

-- Whether an account's owner is a politically exposed person, as staff decided.
CREATE FUNCTION app.is_exposed(p_user uuid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (SELECT FROM app.current_matches WHERE user_id = p_user AND list = 'pep' AND decision = 'same')
$$;
GRANT EXECUTE ON FUNCTION app.is_exposed TO probity_app;

-- Names that were compared with no sanctions list, though there is one; `since`: when they could have been.
CREATE VIEW app.uncompared_names AS
SELECT s.user_id, greatest(s.since, i.imported_at) AS since
  FROM app.name_screenings s
 CROSS JOIN (SELECT id, imported_at FROM app.list_imports WHERE list <> 'pep' ORDER BY id LIMIT 1) i
 WHERE s.through < i.id;
GRANT SELECT ON app.uncompared_names TO probity_app;

-- Why an account's name stops its withdrawals (0033): { "why": 'open' or 'same', "list", "entry", "name" } by a match, one that was decided
-- first; { "why": 'uncompared' }; or NULL.
CREATE FUNCTION app.name_stop(p_user uuid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(
    (SELECT jsonb_build_object('why', coalesce(m.decision, 'open'), 'list', m.list, 'entry', m.entry, 'name', m.listed_name)
       FROM app.stopping_matches m WHERE m.user_id = p_user ORDER BY m.decision, m.score DESC, m.id LIMIT 1),
    (SELECT jsonb_build_object('why', 'uncompared') FROM app.uncompared_names WHERE user_id = p_user))
$$;
GRANT EXECUTE ON FUNCTION app.name_stop TO probity_app;

-- Guard: while an account's owner is on a list, as staff decided, its freeze does not end.
CREATE FUNCTION app.guard_listed_frozen() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM app.stopping_matches WHERE user_id = NEW.id AND decision = 'same') THEN
    RAISE EXCEPTION 'the owner of account % is on a sanctions list', NEW.id USING ERRCODE = 'PB914';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER users_listed_stay_frozen BEFORE UPDATE OF frozen_at ON app.users
  FOR EACH ROW WHEN (OLD.frozen_at IS NOT NULL AND NEW.frozen_at IS NULL)
  EXECUTE FUNCTION app.guard_listed_frozen();

-- Guard: a frozen account's withdrawals stay as they are, or are declined. What was sent to a listed owner before their freeze, which may
-- never end, is recorded during it: it is a fact, not a decision.
CREATE FUNCTION app.guard_frozen_withdrawal() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.status <> 'paid' OR NOT EXISTS (
    SELECT FROM app.users u WHERE u.id = NEW.user_id AND u.frozen_at IS NOT NULL
       AND EXISTS (SELECT FROM app.stopping_matches m WHERE m.user_id = u.id AND m.decision = 'same')) THEN
    PERFORM app.require_unfrozen(ARRAY[NEW.user_id]);
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER withdrawals_of_frozen_stay AFTER UPDATE OF status ON app.withdrawals
  FOR EACH ROW WHEN (OLD.status <> NEW.status AND NEW.status <> 'declined')
  EXECUTE FUNCTION app.guard_frozen_withdrawal();

CREATE FUNCTION app.notify_matches_changed() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM changed) THEN
    PERFORM pg_notify('changed', 'screening');
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER name_matches_added_notify AFTER INSERT ON app.name_matches
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION app.notify_matches_changed();
CREATE TRIGGER name_matches_changed_notify AFTER UPDATE ON app.name_matches
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION app.notify_matches_changed();
CREATE TRIGGER list_imports_notify AFTER INSERT ON app.list_imports
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('screening');
CREATE TRIGGER list_fetches_notify AFTER INSERT OR UPDATE ON app.list_fetches
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('screening');
