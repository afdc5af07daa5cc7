-- Published lists: of sanctions (record 176), and of politically exposed persons, 'pep' (record 181). Nothing is paid to a wallet on a
-- sanctions list, and payments from it are reviewed before they are credited.

-- The files that were imported, in their order, which no clock decides. The newest of each list is in force.
CREATE TABLE app.list_imports (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  list text NOT NULL CHECK (list IN ('ofac_sdn', 'un_sc', 'eu_fsf', 'pep')),
  -- The day that the file states. A day to come would keep out every file until then.
  published_on date NOT NULL CHECK (published_on <= (imported_at AT TIME ZONE 'UTC')::date + 1),
  -- Of the file.
  sha256 bytea NOT NULL CHECK (length(sha256) = 32),
  -- People, organisations, vessels and aircraft in it, and their wallets. Without any: the list of exposed persons is no longer in use.
  entries integer NOT NULL CHECK (entries >= 0),
  wallets integer NOT NULL CHECK (wallets >= 0),
  imported_at timestamptz NOT NULL,
  CHECK (list <> 'pep' OR wallets = 0),
  CHECK (list = 'pep' OR entries > 0)
);
CREATE INDEX list_imports_newest ON app.list_imports (list, id DESC);
GRANT SELECT, INSERT (list, published_on, sha256, entries, wallets, imported_at) ON app.list_imports TO probity_app;

-- Guard: no older file of a sanctions list, and none that was cut off, replaces the one in force. The firm chooses which persons count as
-- exposed, and may choose fewer (record 181).
CREATE FUNCTION app.guard_list_imports() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_last app.list_imports;
BEGIN
  IF NEW.id <= (SELECT max(id) FROM app.list_imports) THEN
    RAISE EXCEPTION 'another file was imported meanwhile' USING ERRCODE = 'PB920';
  END IF;
  IF NEW.list = 'pep' THEN
    RETURN NEW;
  END IF;
  SELECT * INTO v_last FROM app.list_imports WHERE list = NEW.list ORDER BY id DESC LIMIT 1;
  IF NEW.published_on < v_last.published_on THEN
    RAISE EXCEPTION 'an older file does not replace a newer one' USING ERRCODE = 'PB920';
  END IF;
  IF NEW.entries * 2 < v_last.entries OR NEW.wallets * 2 < v_last.wallets THEN
    RAISE EXCEPTION 'a file with less than half of the entries or wallets does not replace the one in force' USING ERRCODE = 'PB920';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER list_imports_newer BEFORE INSERT ON app.list_imports
  FOR EACH ROW EXECUTE FUNCTION app.guard_list_imports();
CREATE TRIGGER list_imports_append_only BEFORE UPDATE OR DELETE ON app.list_imports
  FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER list_imports_no_truncate BEFORE TRUNCATE ON app.list_imports
  FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER list_imports_happen_now BEFORE INSERT ON app.list_imports
  FOR EACH ROW WHEN (NEW.imported_at < now() - interval '5 minutes' OR NEW.imported_at > clock_timestamp() + interval '1 minute')
  EXECUTE FUNCTION app.refuse_another_time();

-- How the file of each list was last read, by a worker or by the manual import.
CREATE TABLE app.list_fetches (
  id uuid PRIMARY KEY,
  list text NOT NULL UNIQUE CHECK (list IN ('ofac_sdn', 'un_sc', 'eu_fsf', 'pep')),
  -- When a whole file of it was last read that is in force since, or was already.
  checked_at timestamptz,
  -- Since when its file cannot be read or is refused, and why at the last try.
  failing_since timestamptz,
  failure text CHECK (failure <> ''),
  -- When its file was read and refused.
  refused_at timestamptz,
  -- The file that was read at checked_at, as its address (SHA-256) names its version (RFC 9110, 8.8).
  source bytea CHECK (length(source) = 32),
  etag text CHECK (etag <> ''),
  last_modified text CHECK (last_modified <> ''),
  CHECK (num_nonnulls(failing_since, failure) IN (0, 2)),
  CHECK (refused_at IS NULL OR failing_since IS NOT NULL),
  CHECK (source IS NULL OR checked_at IS NOT NULL),
  CHECK (source IS NOT NULL OR num_nonnulls(etag, last_modified) = 0)
);
GRANT SELECT, INSERT (id, list, checked_at, failing_since, failure, refused_at, source, etag, last_modified),
  UPDATE (checked_at, failing_since, failure, refused_at, source, etag, last_modified) ON app.list_fetches TO probity_app;
CREATE TRIGGER list_fetches_stay BEFORE DELETE ON app.list_fetches
  FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER list_fetches_no_truncate BEFORE TRUNCATE ON app.list_fetches
  FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
-- A moment to come would keep a list from being told as too old.
CREATE TRIGGER list_fetches_past BEFORE INSERT OR UPDATE ON app.list_fetches
  FOR EACH ROW WHEN (greatest(NEW.checked_at, NEW.failing_since, NEW.refused_at) > clock_timestamp() + interval '1 minute')
  EXECUTE FUNCTION app.refuse_another_time();

CREATE TABLE app.sanctioned_wallets (
  list text NOT NULL CHECK (list <> 'pep'),
  -- As app.address_key writes it: one way to write the wallet, which may belong to several entries; and as the file writes it.
  address text NOT NULL,
  published text NOT NULL,
  -- The authority's number of its owner, and their name.
  entry text NOT NULL CHECK (entry <> ''),
  name text NOT NULL CHECK (name <> ''),
  added_by integer NOT NULL REFERENCES app.list_imports (id),
  -- The import whose file has it no more.
  removed_by integer REFERENCES app.list_imports (id) CHECK (removed_by > added_by),
  PRIMARY KEY (list, address, entry, added_by)
);
CREATE UNIQUE INDEX sanctioned_wallets_listed ON app.sanctioned_wallets (address, list, entry) WHERE removed_by IS NULL;
GRANT SELECT, INSERT, UPDATE (removed_by) ON app.sanctioned_wallets TO probity_app;
CREATE TRIGGER sanctioned_wallets_stay BEFORE DELETE ON app.sanctioned_wallets
  FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER sanctioned_wallets_no_truncate BEFORE TRUNCATE ON app.sanctioned_wallets
  FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER sanctioned_wallets_removed_once BEFORE UPDATE ON app.sanctioned_wallets
  FOR EACH ROW WHEN (OLD.removed_by IS NOT NULL OR (OLD.list, OLD.address, OLD.published, OLD.entry, OLD.name, OLD.added_by)
                       IS DISTINCT FROM (NEW.list, NEW.address, NEW.published, NEW.entry, NEW.name, NEW.added_by))
  EXECUTE FUNCTION app.refuse_change();

-- Guard: what is listed comes and goes with an import of its list, in its own transaction. For entries too (0076).
CREATE FUNCTION app.guard_listed_by_import() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM app.list_imports i
                  WHERE i.id = coalesce(NEW.removed_by, NEW.added_by) AND i.list = NEW.list
                    AND i.xmin = pg_current_xact_id()::xid) THEN
    RAISE EXCEPTION 'what is listed comes and goes with an import of its list' USING ERRCODE = 'PB920';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER sanctioned_wallets_imported BEFORE INSERT OR UPDATE ON app.sanctioned_wallets
  FOR EACH ROW EXECUTE FUNCTION app.guard_listed_by_import();

-- Where an address is listed now: { "list", "entry", "name" }, or NULL.
CREATE FUNCTION app.listing_of(p_address text) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT jsonb_build_object('list', list, 'entry', entry, 'name', name) FROM app.sanctioned_wallets
   WHERE address = app.address_key(p_address) AND removed_by IS NULL
   ORDER BY list, entry LIMIT 1
$$;
GRANT EXECUTE ON FUNCTION app.listing_of TO probity_app;

-- Guard: no listed address enters an address book. Nor does a withdrawal begin (0024) or get approved (0033) that goes to one.
CREATE FUNCTION app.refuse_listed() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'this address is on a sanctions list' USING ERRCODE = 'PB910';
END
$$;
CREATE TRIGGER payout_addresses_unlisted BEFORE INSERT ON app.payout_addresses
  FOR EACH ROW WHEN (app.listing_of(NEW.address) IS NOT NULL) EXECUTE FUNCTION app.refuse_listed();
