-- The firm's terms, privacy notice and the like, in versions that never change (record 170).
CREATE TABLE app.policies (
  id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('terms', 'privacy', 'risk', 'cookies', 'complaints')),
  version integer NOT NULL CHECK (version >= 1),
  -- Markdown.
  text text NOT NULL CHECK (text <> ''),
  -- What changed since the version before.
  changes text CHECK (changes <> ''),
  in_force_from date NOT NULL,
  proposal_id uuid NOT NULL UNIQUE REFERENCES app.proposals (id),
  created_at timestamptz NOT NULL,
  UNIQUE (kind, version),
  CHECK ((version = 1) = (changes IS NULL)),
  CHECK (in_force_from >= (created_at AT TIME ZONE 'UTC')::date),
  -- Nobody is bound overnight. The same limit as termsNoticeDays of shared/limits.ts.
  CHECK (kind <> 'terms' OR version = 1 OR in_force_from >= (created_at AT TIME ZONE 'UTC')::date + 14)
);
GRANT SELECT, INSERT ON app.policies TO probity_app;

-- Guard: two admins have approved exactly this text for this day, and it follows the version before.
CREATE FUNCTION app.guard_policies() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM app.proposals p
     WHERE p.id = NEW.proposal_id AND p.kind = 'policy' AND p.status = 'approved'
       AND p.content ->> 'policy' = NEW.kind AND p.content ->> 'text' = NEW.text
       AND p.content ->> 'changes' IS NOT DISTINCT FROM NEW.changes
       AND (p.content ->> 'from')::date = NEW.in_force_from
  ) THEN
    RAISE EXCEPTION 'a policy is published as two admins approved it' USING ERRCODE = 'PB920';
  END IF;
  IF NEW.version > 1 AND NOT EXISTS (
    SELECT FROM app.policies WHERE kind = NEW.kind AND version = NEW.version - 1 AND in_force_from < NEW.in_force_from
  ) THEN
    RAISE EXCEPTION 'a policy follows the version before, and comes into force after it' USING ERRCODE = 'PB920';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER policies_approved BEFORE INSERT ON app.policies
  FOR EACH ROW EXECUTE FUNCTION app.guard_policies();
CREATE TRIGGER policies_append_only BEFORE UPDATE OR DELETE ON app.policies
  FOR EACH ROW EXECUTE FUNCTION app.refuse_change();

-- Translations of a version, of which the newest in a language is shown (record 183).
CREATE TABLE app.policy_translations (
  id uuid PRIMARY KEY,
  policy_id uuid NOT NULL REFERENCES app.policies (id),
  language text NOT NULL CHECK (language IN ('de', 'es', 'ar')),
  -- Null: from now on the original is read, because the translation before was wrong.
  text text CHECK (text <> ''),
  changes text CHECK (changes <> ''),
  proposal_id uuid NOT NULL REFERENCES app.proposals (id),
  created_at timestamptz NOT NULL,
  UNIQUE (proposal_id, language),
  CHECK (text IS NOT NULL OR changes IS NULL)
);
CREATE INDEX policy_translations_newest ON app.policy_translations (policy_id, language, id DESC);
GRANT SELECT, INSERT ON app.policy_translations TO probity_app;

-- Guard: two admins have approved exactly this translation, with the version or for it, and it leaves nothing out.
CREATE FUNCTION app.guard_policy_translations() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM app.proposals p JOIN app.policies v ON v.id = NEW.policy_id
     WHERE p.id = NEW.proposal_id AND p.status = 'approved'
       AND (p.id = v.proposal_id OR (p.kind = 'policy_translation'
             AND p.content ->> 'policy' = v.kind AND (p.content ->> 'version')::integer = v.version))
       AND p.content -> 'translations' ? NEW.language
       AND p.content -> 'translations' -> NEW.language ->> 'text' IS NOT DISTINCT FROM NEW.text
       AND p.content -> 'translations' -> NEW.language ->> 'changes' IS NOT DISTINCT FROM NEW.changes
       AND (NEW.text IS NULL OR (v.changes IS NULL) = (NEW.changes IS NULL))
  ) THEN
    RAISE EXCEPTION 'a policy is translated as two admins approved it' USING ERRCODE = 'PB920';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER policy_translations_approved BEFORE INSERT ON app.policy_translations
  FOR EACH ROW EXECUTE FUNCTION app.guard_policy_translations();
CREATE TRIGGER policy_translations_append_only BEFORE UPDATE OR DELETE ON app.policy_translations
  FOR EACH ROW EXECUTE FUNCTION app.refuse_change();

-- Which version of the terms each person has accepted, when, and in which words.
CREATE TABLE app.term_acceptances (
  user_id uuid NOT NULL REFERENCES app.users (id),
  kind text NOT NULL DEFAULT 'terms' CHECK (kind = 'terms'),
  version integer NOT NULL,
  -- What was shown; null: the original.
  translation_id uuid REFERENCES app.policy_translations (id),
  accepted_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, version),
  FOREIGN KEY (kind, version) REFERENCES app.policies (kind, version)
);
-- Guard: the words are those of the version.
CREATE FUNCTION app.guard_term_acceptances() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM app.policy_translations t JOIN app.policies p ON p.id = t.policy_id
     WHERE t.id = NEW.translation_id AND t.text IS NOT NULL AND p.kind = NEW.kind AND p.version = NEW.version
  ) THEN
    RAISE EXCEPTION 'terms are accepted in words of their own' USING ERRCODE = 'PB920';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER term_acceptances_in_own_words BEFORE INSERT ON app.term_acceptances
  FOR EACH ROW WHEN (NEW.translation_id IS NOT NULL) EXECUTE FUNCTION app.guard_term_acceptances();
CREATE INDEX term_acceptances_by_version ON app.term_acceptances (version);
GRANT SELECT, INSERT ON app.term_acceptances TO probity_app;
CREATE TRIGGER term_acceptances_append_only BEFORE UPDATE OR DELETE ON app.term_acceptances
  FOR EACH ROW EXECUTE FUNCTION app.refuse_change();

-- As 0035 does for other acts: it happened now. Nobody accepts, or publishes, in the past.
CREATE TRIGGER policies_happen_now BEFORE INSERT ON app.policies
  FOR EACH ROW WHEN (NEW.created_at < now() - interval '5 minutes' OR NEW.created_at > clock_timestamp() + interval '1 minute')
  EXECUTE FUNCTION app.refuse_another_time();
CREATE TRIGGER policy_translations_happen_now BEFORE INSERT ON app.policy_translations
  FOR EACH ROW WHEN (NEW.created_at < now() - interval '5 minutes' OR NEW.created_at > clock_timestamp() + interval '1 minute')
  EXECUTE FUNCTION app.refuse_another_time();
CREATE TRIGGER term_acceptances_happen_now BEFORE INSERT ON app.term_acceptances
  FOR EACH ROW WHEN (NEW.accepted_at < now() - interval '5 minutes' OR NEW.accepted_at > clock_timestamp() + interval '1 minute')
  EXECUTE FUNCTION app.refuse_another_time();

-- Versions of which every investor has been told.
CREATE TABLE app.policies_told (
  policy_id uuid PRIMARY KEY REFERENCES app.policies (id),
  told_at timestamptz NOT NULL
);
GRANT SELECT, INSERT ON app.policies_told TO probity_app;

CREATE TRIGGER policies_notify AFTER INSERT ON app.policies
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_pages_changed();
CREATE TRIGGER policies_changed_notify AFTER INSERT ON app.policies
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('policies');
CREATE TRIGGER policy_translations_notify AFTER INSERT ON app.policy_translations
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_pages_changed();
CREATE TRIGGER policy_translations_changed_notify AFTER INSERT ON app.policy_translations
  FOR EACH STATEMENT EXECUTE FUNCTION app.notify_list_changed('policies');

-- The age in years, at least, that a person stated when they registered. The same as leastAge of shared/limits.ts.
ALTER TABLE app.users ADD COLUMN stated_age smallint CHECK (stated_age = 18);
