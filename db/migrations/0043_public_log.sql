-- The public log: what outsiders check the books by (docs/proof-format.md). Its leaves are the journal's transactions in
-- plain-text accounting, and the end of each epoch. It is written after the seals (0042), off every posting's way.

-- What a closed leaf publishes in place of a transaction: a salted hash of its text.
CREATE FUNCTION ledger.closed_leaf(p_salt bytea, p_text bytea) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
  SELECT convert_to('; sealed:' || encode(sha256(p_salt || p_text), 'base64') || E'\n\n', 'UTF8')
$$;

CREATE TABLE ledger.log (
  index bigint PRIMARY KEY CHECK (index >= 0),
  -- NULL for the end of an epoch.
  transaction_id uuid UNIQUE,
  leaf bytea NOT NULL CHECK (octet_length(leaf) BETWEEN 1 AND 65535),
  hash bytea NOT NULL GENERATED ALWAYS AS (sha256('\x00'::bytea || leaf)) STORED,
  -- Of a closed leaf, for its owner and the auditor only: its salt and the transaction's text.
  salt bytea CHECK (octet_length(salt) = 32),
  opened bytea,
  CHECK ((salt IS NULL) = (opened IS NULL)),
  CHECK (salt IS NULL OR (transaction_id IS NOT NULL AND leaf = ledger.closed_leaf(salt, opened)))
);
CREATE INDEX log_closed ON ledger.log (index) WHERE salt IS NOT NULL;

-- Roots of full subtrees of 256 leaves (level 1), of 256 of those (level 2), and so on: the hashes of full tiles.
CREATE TABLE ledger.log_nodes (
  level smallint NOT NULL CHECK (level > 0),
  index bigint NOT NULL CHECK (index >= 0),
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  PRIMARY KEY (level, index)
);

CREATE TABLE ledger.epochs (
  number bigint PRIMARY KEY CHECK (number > 0),
  -- Leaves of the log with this epoch's last one, and the root over them.
  size bigint NOT NULL UNIQUE,
  root bytea NOT NULL CHECK (octet_length(root) = 32),
  -- No leaf in it is of a later moment.
  ended_at timestamptz(3) NOT NULL,
  closed_at timestamptz(3) NOT NULL,
  transactions bigint NOT NULL CHECK (transactions >= 0),
  -- What investors have, in cents, and the leaves of its tree; no leaves where that is zero.
  liabilities bigint NOT NULL CHECK (liabilities >= 0),
  tree_leaves bigint NOT NULL CHECK (tree_leaves >= 0),
  -- The signed note.
  checkpoint text NOT NULL
);

-- How far the log is: everything up to this seal is in it, and the first transactions of the next one.
CREATE TABLE ledger.log_progress (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  size bigint NOT NULL DEFAULT 0,
  seal bigint NOT NULL DEFAULT 0,
  of_next_seal bigint NOT NULL DEFAULT 0,
  -- The latest moment of a transaction so far; where the open epoch began and when it ends. NULL before the first one.
  moment timestamptz(3),
  epoch_ends timestamptz(3),
  epoch_from bigint NOT NULL DEFAULT 0,
  -- Balances by account and asset over all leaves, credits positive: {"custody BTC": "-153850"}.
  totals jsonb NOT NULL DEFAULT '{}'
);
INSERT INTO ledger.log_progress DEFAULT VALUES;

-- What each investor's account has over all leaves: the entries may be ahead.
CREATE TABLE ledger.log_balances (
  account_id bigint PRIMARY KEY,
  version bigint NOT NULL,
  balance bigint NOT NULL
) WITH (fillfactor = 70);

-- Where an investor's parts are in an epoch's tree of liabilities, kept for some epochs; an older proof is in the file
-- that the investor saved.
CREATE TABLE ledger.epoch_parts (
  epoch bigint NOT NULL REFERENCES ledger.epochs,
  owner uuid NOT NULL,
  -- The address that the parts are bound to: it may change later.
  email text NOT NULL,
  places bigint[] NOT NULL,
  amounts bigint[] NOT NULL,
  PRIMARY KEY (epoch, owner),
  CHECK (cardinality(places) = cardinality(amounts))
);

-- The files of an epoch: what its last leaf has a hash of.
CREATE TABLE ledger.epoch_files (
  epoch bigint NOT NULL REFERENCES ledger.epochs,
  name text NOT NULL,
  content bytea NOT NULL,
  PRIMARY KEY (epoch, name)
);
-- Hashes cannot be compressed, and slices of what is not compressed are read alone.
ALTER TABLE ledger.epoch_files ALTER content SET STORAGE EXTERNAL;

-- An investor's secret, by which only they find themselves in the log. Erasing it makes their tags noise for good.
CREATE TABLE app.proof_secrets (
  user_id uuid PRIMARY KEY REFERENCES app.users,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  sealed_secret bytea
);

-- The keys that sign the log and its receipts, sealed under TOKEN_SECRET.
CREATE TABLE app.proof_keys (
  purpose text PRIMARY KEY CHECK (purpose IN ('log', 'receipts')),
  -- The address of the proof when the key was made, without scheme: it stays if the site moves.
  name text NOT NULL,
  public_key bytea NOT NULL CHECK (octet_length(public_key) = 32),
  sealed_seed bytea NOT NULL
);

CREATE TRIGGER log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.log
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('the public log stays');
CREATE TRIGGER log_nodes_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.log_nodes
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('the public log stays');
CREATE TRIGGER epochs_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.epochs
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('the public log stays');
CREATE TRIGGER epoch_files_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.epoch_files
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('the public log stays');
CREATE TRIGGER log_progress_stays BEFORE DELETE OR TRUNCATE ON ledger.log_progress
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change('the public log stays');

-- The page of the public proof shows the epochs, and when the open one ends.
CREATE TRIGGER log_progress_notify AFTER UPDATE ON ledger.log_progress
  FOR EACH ROW WHEN ((OLD.epoch_ends, OLD.epoch_from) IS DISTINCT FROM (NEW.epoch_ends, NEW.epoch_from))
  EXECUTE FUNCTION app.notify_pages_changed();

-- The root over 256 hashes, one after the other (RFC 6962, 2.1).
CREATE FUNCTION ledger.tile_root(p_hashes bytea) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_level bytea := p_hashes;
BEGIN
  IF octet_length(p_hashes) <> 256 * 32 THEN
    RAISE EXCEPTION 'a full tile has 256 hashes' USING ERRCODE = 'PB200';
  END IF;
  FOR height IN 1 .. 8 LOOP
    v_level := (SELECT string_agg(sha256('\x01'::bytea || substr(v_level, 64 * i + 1, 64)), '' ORDER BY i)
                  FROM generate_series(0, octet_length(v_level) / 64 - 1) AS i);
  END LOOP;
  RETURN v_level;
END
$$;

-- Hashes of a level from one index to before another, one after the other; level 0 has the leaves.
CREATE FUNCTION ledger.log_hashes(p_level integer, p_from bigint, p_to bigint) RETURNS bytea
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN p_level = 0
    THEN (SELECT string_agg(hash, '' ORDER BY index) FROM ledger.log WHERE index >= p_from AND index < p_to)
    ELSE (SELECT string_agg(hash, '' ORDER BY index) FROM ledger.log_nodes
           WHERE level = p_level AND index >= p_from AND index < p_to) END
$$;

-- Adds the next leaves, and the nodes that they complete. The index of the first must be the log's size. Salts close them.
CREATE FUNCTION ledger.add_to_log(p_from bigint, p_transactions uuid[], p_leaves bytea[], p_salts bytea[] DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_from bigint := p_from;
  v_to bigint := p_from + cardinality(p_leaves);
BEGIN
  -- The newest leaf is found by its index, so that this costs the same however long the log is.
  IF v_from <> coalesce((SELECT max(index) FROM ledger.log), -1) + 1 OR cardinality(p_transactions) <> cardinality(p_leaves)
     OR cardinality(p_salts) <> cardinality(p_leaves) THEN
    RAISE EXCEPTION 'refused: leaf % does not follow the log', p_from USING ERRCODE = 'PB202';
  END IF;
  INSERT INTO ledger.log (index, transaction_id, leaf, salt, opened)
  SELECT p_from + place - 1, transaction_id, coalesce(ledger.closed_leaf(salt, leaf), leaf), salt, CASE WHEN salt IS NOT NULL THEN leaf END
    FROM unnest(p_transactions, p_leaves, p_salts) WITH ORDINALITY AS t (transaction_id, leaf, salt, place);
  FOR depth IN 1 .. 7 LOOP
    v_from := v_from / 256;
    v_to := v_to / 256;
    EXIT WHEN v_from = v_to;
    INSERT INTO ledger.log_nodes (level, index, hash)
    SELECT depth, i, ledger.tile_root(ledger.log_hashes(depth - 1, 256 * i, 256 * (i + 1)))
      FROM generate_series(v_from, v_to - 1) AS i;
  END LOOP;
  RETURN p_from + cardinality(p_leaves);
END
$$;

-- Adds the leaves of transactions, in the order of the log, and what they change. One at a time, under the sealer's lock.
CREATE FUNCTION ledger.log_transactions(p_next ledger.log_progress, p_transactions uuid[], p_leaves bytea[],
                                        p_accounts bigint[], p_versions bigint[], p_balances bigint[],
                                        p_salts bytea[] DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_old ledger.log_progress;
BEGIN
  SELECT * INTO v_old FROM ledger.log_progress FOR UPDATE;
  IF p_next.size <> v_old.size + cardinality(p_leaves) OR p_next.moment < v_old.moment OR array_position(p_transactions, NULL) IS NOT NULL
     OR (p_next.seal, p_next.of_next_seal) < (v_old.seal, v_old.of_next_seal) THEN
    RAISE EXCEPTION 'refused: the public log does not go back' USING ERRCODE = 'PB202';
  END IF;
  IF (SELECT count(*) FROM ledger.transactions WHERE id = ANY (p_transactions)) <> cardinality(p_transactions) THEN
    RAISE EXCEPTION 'refused: a leaf of no transaction' USING ERRCODE = 'PB202';
  END IF;
  PERFORM ledger.add_to_log(v_old.size, p_transactions, p_leaves, p_salts);
  INSERT INTO ledger.log_balances AS b (account_id, version, balance)
  SELECT * FROM unnest(p_accounts, p_versions, p_balances)
      ON CONFLICT (account_id) DO UPDATE SET version = excluded.version, balance = excluded.balance
   WHERE excluded.version > b.version;
  UPDATE ledger.log_progress
     SET size = p_next.size, seal = p_next.seal, of_next_seal = p_next.of_next_seal, moment = p_next.moment,
         epoch_ends = coalesce(p_next.epoch_ends, v_old.epoch_ends), totals = p_next.totals;
END
$$;

-- Ends the open epoch with its leaf. `p_ends`: when the next one ends.
CREATE FUNCTION ledger.close_epoch(p_epoch ledger.epochs, p_leaf bytea, p_ends timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_old ledger.log_progress;
  v_last ledger.epochs;
BEGIN
  SELECT * INTO v_old FROM ledger.log_progress FOR UPDATE;
  SELECT * INTO v_last FROM ledger.epochs ORDER BY number DESC LIMIT 1;
  IF p_epoch.number <> coalesce(v_last.number, 0) + 1 OR p_epoch.size <> v_old.size + 1
     OR p_epoch.transactions <> v_old.size - v_old.epoch_from OR p_epoch.ended_at < v_last.ended_at OR p_ends < v_old.epoch_ends THEN
    RAISE EXCEPTION 'refused: epoch % does not follow epoch %', p_epoch.number, v_last.number USING ERRCODE = 'PB202';
  END IF;
  PERFORM ledger.add_to_log(v_old.size, ARRAY[NULL::uuid], ARRAY[p_leaf]);
  INSERT INTO ledger.epochs SELECT p_epoch.*;
  -- What is sealed late, after its day's epoch has ended, gets no earlier date.
  UPDATE ledger.log_progress
     SET size = p_epoch.size, epoch_from = p_epoch.size, epoch_ends = p_ends,
         moment = greatest(moment, p_epoch.ended_at - interval '1 millisecond');
END
$$;

-- Adds a file to the epoch that this transaction has ended: its leaf has the hash.
CREATE FUNCTION ledger.add_epoch_file(p_epoch bigint, p_name text, p_content bytea) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM ledger.epochs e WHERE e.number = p_epoch AND e.xmin = pg_current_xact_id()::xid) THEN
    RAISE EXCEPTION 'refused: epoch % has all its files', p_epoch USING ERRCODE = 'PB202';
  END IF;
  INSERT INTO ledger.epoch_files (epoch, name, content) VALUES (p_epoch, p_name, p_content);
END
$$;

-- Keeps where the parts of an epoch are, for the latest ones only. Arrays as text: '{1,2}'.
CREATE FUNCTION ledger.keep_parts(p_epoch bigint, p_owners uuid[], p_places text[], p_amounts text[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO ledger.epoch_parts (epoch, owner, email, places, amounts)
  SELECT p_epoch, u.id, u.email, places::bigint[], amounts::bigint[]
    FROM unnest(p_owners, p_places, p_amounts) AS t (owner, places, amounts)
    JOIN app.users u ON u.id = t.owner
$$;

CREATE FUNCTION ledger.drop_parts(p_before bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  DELETE FROM ledger.epoch_parts WHERE epoch < p_before
$$;

-- Compares the public log with the books; more invariants for check_books.
CREATE FUNCTION ledger.broken_log()
RETURNS TABLE (name text, statement text, examined bigint, faults bigint, examples jsonb)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY WITH sealed AS (
    SELECT s.id, row_number() OVER (ORDER BY b.number, s.place) AS place
      FROM ledger.log_progress p
      JOIN ledger.seal_batches b
        ON b.number <= coalesce((SELECT min(n.number) FROM ledger.seal_batches n WHERE n.number > p.seal AND cardinality(n.transactions) > 0),
                                p.seal)
     CROSS JOIN unnest(b.transactions) WITH ORDINALITY AS s (id, place)
     WHERE b.number <= p.seal OR s.place <= p.of_next_seal
  ), logged AS (
    SELECT l.transaction_id AS id, row_number() OVER (ORDER BY l.index) AS place
      FROM ledger.log l WHERE l.transaction_id IS NOT NULL
  ), fault AS (
    SELECT jsonb_build_object('transaction', coalesce(s.id, l.id), 'fault',
             CASE WHEN l.id IS NULL THEN 'not in the public log' WHEN s.id IS NULL THEN 'in the public log, but not sealed'
                  ELSE 'not in its place in the public log' END) AS example
      FROM sealed s FULL JOIN logged l ON l.id = s.id
     WHERE s.place IS DISTINCT FROM l.place
  ) SELECT 'log_complete', 'Every sealed transaction is one leaf of the public log, in the order of the seals',
           (SELECT count(*) FROM logged), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH entry AS (
    SELECT a.id, a.kind || ' ' || a.asset AS account, a.owner <> ledger.firm() AS is_investors, e.amount, e.version, e.new_balance
      FROM ledger.log l
      JOIN ledger.entries e ON e.transaction_id = l.transaction_id
      JOIN ledger.accounts a ON a.id = e.account_id
  ), fault AS (
    SELECT jsonb_build_object('account', coalesce(e.account, t.key), 'public', t.value, 'journal', e.total) AS example
      FROM (SELECT account, sum(amount) AS total FROM entry GROUP BY account) e
      FULL JOIN (SELECT j.key, j.value FROM ledger.log_progress p, jsonb_each_text(p.totals) j) t ON t.key = e.account
     WHERE coalesce(t.value, '0')::numeric <> coalesce(e.total, 0)
    UNION ALL
    SELECT jsonb_build_object('account_id', coalesce(e.id, b.account_id), 'public', b.balance, 'journal', e.new_balance)
      FROM (SELECT DISTINCT ON (id) id, version, new_balance FROM entry WHERE is_investors ORDER BY id, version DESC) e
      FULL JOIN ledger.log_balances b ON b.account_id = e.id
     WHERE (b.version, b.balance) IS DISTINCT FROM (e.version, e.new_balance)
  ) SELECT 'log_figures', 'The totals and balances of the public log are those of its transactions',
           (SELECT count(*) FROM entry), count(*), ledger.examples(array_agg(example)) FROM fault;
END
$$;

GRANT SELECT ON ledger.log, ledger.log_nodes, ledger.epochs, ledger.log_progress, ledger.log_balances, ledger.epoch_parts,
  ledger.epoch_files TO probity_app;
GRANT EXECUTE ON FUNCTION ledger.log_hashes, ledger.tile_root, ledger.log_transactions, ledger.close_epoch,
  ledger.add_epoch_file, ledger.keep_parts,
  ledger.drop_parts TO probity_app;
GRANT SELECT, INSERT, UPDATE (sealed_secret) ON app.proof_secrets TO probity_app;
GRANT SELECT, INSERT, UPDATE (sealed_seed) ON app.proof_keys TO probity_app;
