-- The public log: what outsiders check the books by (docs/proof-format.md). Its leaves are the journal's transactions in
-- plain-text accounting, and the end of each epoch. It is written after the seals (0042), off every posting's way.

-- How the log writes the books (docs/proof-format.md). The database renders every leaf itself, so that nobody with the
-- application's login can have another text signed. Without SET, so that they become part of the statements that call them.

CREATE FUNCTION ledger.public_account(p_kind text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  CASE p_kind WHEN 'available' THEN 'Liabilities:Investors:Available' WHEN 'held' THEN 'Liabilities:Investors:Held'
              WHEN 'invested' THEN 'Liabilities:Investors:Invested' WHEN 'recorded_returns' THEN 'Liabilities:Recorded-Returns'
              WHEN 'returns_received' THEN 'Assets:Returns-Received' WHEN 'custody' THEN 'Assets:Custody'
              WHEN 'receivable' THEN 'Assets:Receivable' WHEN 'exchange' THEN 'Equity:Exchange'
              WHEN 'payouts' THEN 'Equity:Payouts' WHEN 'rounding' THEN 'Equity:Rounding' END;

-- A credit in minor units as a debit with all decimals of its asset: -153850 is 0.00153850 BTC.
CREATE FUNCTION ledger.public_debit(p_credit numeric, p_asset text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  (-p_credit * CASE p_asset WHEN 'USD' THEN 0.01 WHEN 'BTC' THEN 0.00000001 WHEN 'USDT' THEN 0.000001 WHEN 'ETH' THEN 0.000000001
                            WHEN 'USDC' THEN 0.000001 END)::text || ' ' || p_asset;

-- An entry's line. An investor's has a tag; NULL for the firm's.
CREATE FUNCTION ledger.public_line(p_kind text, p_asset text, p_amount bigint, p_tag text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  '  ' || ledger.public_account(p_kind) || '  ' || ledger.public_debit(p_amount, p_asset) || coalesce('  ; leg:' || p_tag, '') || E'\n';

-- A transaction's leaf from its lines.
CREATE FUNCTION ledger.public_leaf(p_moment timestamptz, p_event text, p_lines text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE RETURN
  to_char(p_moment AT TIME ZONE 'UTC', 'YYYY-MM-DD') || ' * "' || p_event || E'"\n' || p_lines || E'\n';

-- The lines of balances at an epoch's end, by account and commodity. `p_totals`: {"custody BTC": "-153850"}, credits positive.
CREATE FUNCTION ledger.public_balances(p_totals jsonb) RETURNS text[]
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(array_agg('assert: ' || account || ' ' || ledger.public_debit(credit, asset) ORDER BY account || ' ' || asset COLLATE "C"),
                  '{}')
    FROM (SELECT ledger.public_account(split_part(key, ' ', 1)) AS account, split_part(key, ' ', 2) AS asset, value::numeric AS credit
            FROM jsonb_each_text(p_totals)) total
   WHERE credit <> 0
$$;

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

-- The root over hashes, one after the other, whose number is a power of two (RFC 6962, 2.1).
CREATE FUNCTION ledger.subtree_root(p_hashes bytea) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_level bytea := p_hashes;
BEGIN
  WHILE octet_length(v_level) > 32 LOOP
    v_level := (SELECT string_agg(sha256('\x01'::bytea || substr(v_level, 64 * i + 1, 64)), '' ORDER BY i)
                  FROM generate_series(0, octet_length(v_level) / 64 - 1) AS i);
  END LOOP;
  RETURN v_level;
END
$$;

-- The root over the 256 hashes of a full tile.
CREATE FUNCTION ledger.tile_root(p_hashes bytea) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF octet_length(p_hashes) <> 256 * 32 THEN
    RAISE EXCEPTION 'a full tile has 256 hashes' USING ERRCODE = 'PB200';
  END IF;
  RETURN ledger.subtree_root(p_hashes);
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

-- The root over the first leaves of the log.
CREATE FUNCTION ledger.log_root(p_size bigint) RETURNS bytea
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_root bytea;
  v_subtree bytea;
  v_to bigint := p_size;
  v_level integer := 0;
  v_hashes bytea;
  v_width integer;
BEGIN
  -- From the smallest complete subtree, at the end of the log, to the largest.
  WHILE v_to > 0 LOOP
    v_hashes := ledger.log_hashes(v_level, v_to - v_to % 256, v_to);
    v_width := v_to % 256;
    FOR height IN 0 .. 7 LOOP
      CONTINUE WHEN v_width & (1 << height) = 0;
      v_width := v_width - (1 << height);
      v_subtree := ledger.subtree_root(substr(v_hashes, 32 * v_width + 1, 32 << height));
      v_root := coalesce(sha256('\x01'::bytea || v_subtree || v_root), v_subtree);
    END LOOP;
    v_to := v_to / 256;
    v_level := v_level + 1;
  END LOOP;
  RETURN coalesce(v_root, sha256(''));
END
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

-- How far the clock of a process that writes the log may be behind the database's.
CREATE FUNCTION ledger.most_clock_lag() RETURNS interval
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '10 minutes';

-- Adds the next `p_count` sealed transactions to the log, with all that follows from the books: their order, texts, totals and
-- balances. The caller gives what is not here: the tags of the investors' lines (32 bytes each, one after the other), the clock
-- by which no leaf is dated in the future, when the open epoch ends if this is its beginning, and the salts that close leaves.
CREATE FUNCTION ledger.log_transactions(p_count integer, p_tags bytea, p_now timestamptz, p_ends timestamptz,
                                        p_salts bytea[] DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET client_encoding = 'UTF8'
-- The ids are known to the planner.
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_old ledger.log_progress;
  v_seal bigint;
  v_sealed integer;
  v_transactions uuid[];
  v_leaves bytea[];
  v_totals jsonb;
  v_tags bigint;
  v_first timestamptz;
  v_last timestamptz;
BEGIN
  SELECT * INTO v_old FROM ledger.log_progress FOR UPDATE;
  SELECT b.number, cardinality(b.transactions), b.transactions[v_old.of_next_seal + 1 : v_old.of_next_seal + p_count]
    INTO v_seal, v_sealed, v_transactions
    FROM ledger.seals JOIN ledger.seal_batches b USING (number)
   WHERE b.number > v_old.seal AND cardinality(b.transactions) > 0 ORDER BY b.number LIMIT 1;
  IF p_count > 0 AND cardinality(v_transactions) = p_count IS NOT TRUE THEN
    RAISE EXCEPTION 'refused: a leaf of no sealed transaction' USING ERRCODE = 'PB202';
  END IF;
  IF p_now >= clock_timestamp() - ledger.most_clock_lag() IS NOT TRUE THEN
    RAISE EXCEPTION 'refused: the clock says %, and the database''s %', p_now, clock_timestamp() USING ERRCODE = 'PB202';
  END IF;

  WITH entry AS MATERIALIZED (
    SELECT next.place, t.event, e.line, a.kind, a.asset, e.account_id, e.amount, e.version, e.new_balance,
           a.owner <> ledger.firm() AS is_investors, least(date_trunc('milliseconds', t.created_at), p_now) AS moment
      FROM unnest(v_transactions) WITH ORDINALITY AS next (id, place)
      JOIN ledger.transactions t ON t.id = next.id
      JOIN ledger.entries e ON e.transaction_id = next.id
      JOIN ledger.accounts a ON a.id = e.account_id
     WHERE t.id = ANY (v_transactions) AND e.transaction_id = ANY (v_transactions)
  ), kept AS (
    INSERT INTO ledger.log_balances AS b (account_id, version, balance)
    SELECT DISTINCT ON (account_id) account_id, version, new_balance FROM entry WHERE is_investors ORDER BY account_id, version DESC
        ON CONFLICT (account_id) DO UPDATE SET version = excluded.version, balance = excluded.balance
     WHERE excluded.version > b.version
  ), line AS (
    SELECT entry.*, count(*) FILTER (WHERE is_investors) OVER (ORDER BY place, line) AS tag FROM entry
  ), leaf AS (
    SELECT place, event, moment, max(tag) AS tags,
           string_agg(ledger.public_line(kind, asset, amount,
             CASE WHEN is_investors THEN encode(substr(p_tags, (32 * tag - 31)::integer, 32), 'base64') END), '' ORDER BY line) AS lines
      FROM line GROUP BY place, event, moment
  ), dated AS (
    -- Dates never go back.
    SELECT leaf.*, greatest(v_old.moment, max(moment) OVER (ORDER BY place)) AS dated FROM leaf
  ), total AS (
    SELECT kind || ' ' || asset AS account, sum(amount) AS amount FROM entry GROUP BY kind, asset
  )
  SELECT array_agg(convert_to(ledger.public_leaf(dated, event, lines), 'UTF8') ORDER BY place), min(dated), max(dated), max(tags),
         (SELECT v_old.totals || jsonb_object_agg(account, (amount + coalesce((v_old.totals ->> account)::numeric, 0))::text) FROM total)
    INTO v_leaves, v_first, v_last, v_tags, v_totals
    FROM dated;

  IF cardinality(v_leaves) <> p_count OR octet_length(p_tags) = 32 * v_tags IS NOT TRUE THEN
    RAISE EXCEPTION 'refused: % transactions with % lines of investors need a tag each', p_count, v_tags USING ERRCODE = 'PB202';
  END IF;
  IF v_old.epoch_ends IS NULL AND p_ends > v_first + interval '1 day' OR v_last < coalesce(v_old.epoch_ends, p_ends) IS NOT TRUE THEN
    RAISE EXCEPTION 'refused: an epoch lasts at most a day, and has no transaction after it' USING ERRCODE = 'PB202';
  END IF;
  PERFORM ledger.add_to_log(v_old.size, v_transactions, v_leaves, p_salts);
  UPDATE ledger.log_progress
     SET size = v_old.size + p_count, moment = v_last, epoch_ends = coalesce(v_old.epoch_ends, p_ends), totals = v_totals,
         seal = CASE WHEN v_old.of_next_seal + p_count = v_sealed THEN v_seal ELSE v_old.seal END,
         of_next_seal = CASE WHEN v_old.of_next_seal + p_count = v_sealed THEN 0 ELSE v_old.of_next_seal + p_count END;
END
$$;

-- The id of a signer's key, after its type (C2SP signed-note).
CREATE FUNCTION ledger.key_id(p_name text, p_key bytea) RETURNS bytea
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT substr(sha256(convert_to(p_name || E'\n', 'UTF8') || p_key), 1, 4)
$$;

-- Refuses an epoch's end that states something else than the log, as far as the database can know: it has no signature's key,
-- and no documents.
CREATE FUNCTION ledger.require_epoch(p_epoch ledger.epochs, p_leaf bytea, p_progress ledger.log_progress) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_hex text := '[0-9a-f]{64}';
  v_text text := convert_from(p_leaf, 'UTF8');
  v_owed numeric := (SELECT coalesce(sum(value::numeric), 0) FROM jsonb_each_text(p_progress.totals)
                      WHERE key IN ('available USD', 'held USD', 'invested USD'));
  v_log record;
  v_receipts record;
  v_day text := to_char(greatest(p_epoch.ended_at - interval '1 millisecond', p_progress.moment) AT TIME ZONE 'UTC', 'YYYY-MM-DD');
  v_begin text;
BEGIN
  -- '\x01': an Ed25519 key.
  SELECT name, '\x01'::bytea || public_key AS key INTO v_log FROM app.proof_keys
   WHERE purpose = 'log' AND since_epoch <= p_epoch.number ORDER BY since_epoch DESC LIMIT 1;
  SELECT name, '\x01'::bytea || public_key AS key INTO v_receipts FROM app.proof_keys
   WHERE purpose = 'receipts' AND since_epoch <= p_epoch.number ORDER BY since_epoch DESC LIMIT 1;
  v_begin := concat(E'; probity-epoch/v1\n; epoch: ', p_epoch.number, E'\n; date: ', v_day, E'\n; leaves: ', p_epoch.transactions, E'\n',
    (SELECT string_agg(concat('; ', line, E'\n'), '' ORDER BY place)
       FROM unnest(ledger.public_balances(p_progress.totals)) WITH ORDINALITY AS balance (line, place)),
    CASE WHEN p_epoch.tree_leaves > 0 THEN
      concat('; pol: porl-1 investors-leaves=', p_epoch.tree_leaves, ' sum=', p_epoch.liabilities, ' root=') END);
  IF (p_epoch.liabilities = v_owed AND (p_epoch.tree_leaves > 0) = (v_owed > 0)
      AND starts_with(v_text, v_begin)
      AND substr(v_text, length(v_begin) + 1) ~ concat('^', CASE WHEN p_epoch.tree_leaves > 0 THEN concat(v_hex, ' sha256=', v_hex, '\n') END,
            '(; (reserves|reserves-prices|assets|evidence): sha256=', v_hex, '\n)*; verifier: sha256=', v_hex, '\n; receipts: [^\n]*\n\n$')
      AND right(v_text, length(v_receipts.name) + 56) = concat(v_receipts.name, '+',
            encode(ledger.key_id(v_receipts.name, v_receipts.key), 'hex'), '+', encode(v_receipts.key, 'base64'), E'\n\n')) IS NOT TRUE THEN
    RAISE EXCEPTION 'refused: the leaf of epoch % is not of this log', p_epoch.number USING ERRCODE = 'PB202';
  END IF;
  v_begin := concat(v_log.name, E'\n', p_epoch.size, E'\n', encode(p_epoch.root, 'base64'), E'\n\n— ', v_log.name, ' ');
  IF (p_epoch.root = ledger.log_root(p_epoch.size)
      AND starts_with(p_epoch.checkpoint, v_begin)
      AND substr(p_epoch.checkpoint, length(v_begin) + 1) ~ '^[A-Za-z0-9+/]{91}=\n(— [^[:space:]+]+ [A-Za-z0-9+/]{91}=\n)?$'
      AND substr(decode(substr(p_epoch.checkpoint, length(v_begin) + 1, 92), 'base64'), 1, 4)
          = ledger.key_id(v_log.name, v_log.key)) IS NOT TRUE THEN
    RAISE EXCEPTION 'refused: the checkpoint of epoch % is not of this log', p_epoch.number USING ERRCODE = 'PB202';
  END IF;
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
  IF (p_epoch.number = coalesce(v_last.number, 0) + 1 AND p_epoch.size = v_old.size + 1
      AND p_epoch.transactions = v_old.size - v_old.epoch_from
      AND p_epoch.ended_at BETWEEN coalesce(v_last.ended_at, '-infinity') AND v_old.epoch_ends
      AND p_ends BETWEEN v_old.epoch_ends AND v_old.epoch_ends + interval '1 day' AND p_ends > p_epoch.ended_at) IS NOT TRUE THEN
    RAISE EXCEPTION 'refused: epoch % does not follow epoch %', p_epoch.number, v_last.number USING ERRCODE = 'PB202';
  END IF;
  PERFORM ledger.add_to_log(v_old.size, ARRAY[NULL::uuid], ARRAY[p_leaf]);
  PERFORM ledger.require_epoch(p_epoch, p_leaf, v_old);
  INSERT INTO ledger.epochs SELECT p_epoch.*;
  -- What is sealed late, after its day's epoch has ended, gets no earlier date.
  UPDATE ledger.log_progress
     SET size = p_epoch.size, epoch_from = p_epoch.size, epoch_ends = p_ends,
         moment = greatest(moment, p_epoch.ended_at - interval '1 millisecond');
END
$$;

-- Refuses an epoch that another transaction has ended.
CREATE FUNCTION ledger.require_ending(p_epoch bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM ledger.epochs e WHERE e.number = p_epoch AND e.xmin = pg_current_xact_id()::xid) THEN
    RAISE EXCEPTION 'refused: epoch % has all its files and parts', p_epoch USING ERRCODE = 'PB202';
  END IF;
END
$$;

-- Adds a file to the epoch that this transaction has ended: its leaf has the hash.
CREATE FUNCTION ledger.add_epoch_file(p_epoch bigint, p_name text, p_content bytea) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM ledger.require_ending(p_epoch);
  INSERT INTO ledger.epoch_files (epoch, name, content) VALUES (p_epoch, p_name, p_content);
END
$$;

-- Keeps where the parts of the epoch are that this transaction has ended. Arrays as text: '{1,2}'.
CREATE FUNCTION ledger.keep_parts(p_epoch bigint, p_owners uuid[], p_places text[], p_amounts text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM ledger.require_ending(p_epoch);
  INSERT INTO ledger.epoch_parts (epoch, owner, email, places, amounts)
  SELECT p_epoch, u.id, u.email, places::bigint[], amounts::bigint[]
    FROM unnest(p_owners, p_places, p_amounts) AS t (owner, places, amounts)
    JOIN app.users u ON u.id = t.owner;
END
$$;

-- Epochs whose parts are kept: an investor who comes back later finds theirs in a later epoch.
CREATE FUNCTION ledger.kept_parts() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 8;

-- Deletes the parts of all epochs but the latest.
CREATE FUNCTION ledger.drop_parts() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  DELETE FROM ledger.epoch_parts WHERE epoch <= (SELECT max(number) FROM ledger.epochs) - ledger.kept_parts()
$$;

-- Compares the public log with the books; more invariants for check_books.
CREATE FUNCTION ledger.broken_log(p_scope ledger.check_scope)
RETURNS TABLE (name text, statement text, examined bigint, faults bigint, examples jsonb)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
DECLARE
  -- The first leaf to examine, the transactions before it, and the seal where the next one is, with those before that.
  v_index bigint := (SELECT coalesce(min(index) FILTER (WHERE age(l.xmin) <= p_scope.age), max(index) + 1, 0) FROM ledger.log l);
  -- The first leaf of its epoch: no earlier one has a later moment than the end of the epoch before.
  v_epoch bigint := (SELECT coalesce(max(size), 0) FROM ledger.epochs WHERE size <= v_index);
  -- The transactions of new leaves; unused where everything is examined.
  v_transactions uuid[] := ARRAY(SELECT transaction_id FROM ledger.log WHERE index >= v_index AND NOT p_scope.everything);
  v_logged bigint := (SELECT count(*) FROM ledger.log WHERE index < v_index AND transaction_id IS NOT NULL);
  v_seal bigint := (SELECT coalesce(min(number) FILTER (WHERE journal_size > v_logged), max(number) + 1, 0) FROM ledger.seals);
  v_sealed bigint := (SELECT coalesce(max(journal_size), 0) FROM ledger.seals WHERE number < v_seal);
  -- The transactions that are not in the log yet, and the accounts to compare.
  v_unlogged uuid[];
  v_accounts bigint[];
BEGIN
  RETURN QUERY WITH sealed AS (
    SELECT s.id, v_sealed + row_number() OVER (ORDER BY b.number, s.place) AS place
      FROM ledger.log_progress l
      JOIN ledger.seal_batches b
        ON b.number <= coalesce((SELECT min(n.number) FROM ledger.seal_batches n WHERE n.number > l.seal AND cardinality(n.transactions) > 0),
                                l.seal)
     CROSS JOIN unnest(b.transactions) WITH ORDINALITY AS s (id, place)
     WHERE b.number >= v_seal AND (b.number <= l.seal OR s.place <= l.of_next_seal)
  ), logged AS (
    SELECT l.transaction_id AS id, v_logged + row_number() OVER (ORDER BY l.index) AS place
      FROM ledger.log l WHERE l.index >= v_index AND l.transaction_id IS NOT NULL
  ), fault AS (
    SELECT jsonb_build_object('transaction', coalesce(s.id, l.id), 'fault',
             CASE WHEN l.id IS NULL THEN 'not in the public log' WHEN s.id IS NULL THEN 'in the public log, but not sealed'
                  ELSE 'not in its place in the public log' END) AS example
      FROM (SELECT * FROM sealed WHERE place > v_logged) s FULL JOIN logged l ON l.id = s.id
     WHERE s.place IS DISTINCT FROM l.place
  ) SELECT 'log_complete', 'Every sealed transaction is one leaf of the public log, in the order of the seals',
           (SELECT count(*) FROM logged), count(*), ledger.examples(array_agg(example)) FROM fault;

  -- With the log complete, it is the whole journal but for the transactions that are not in it yet.
  v_unlogged := ARRAY(
    SELECT s.id
      FROM ledger.log_progress l
      JOIN ledger.seal_batches b ON b.number > l.seal
     CROSS JOIN unnest(b.transactions) WITH ORDINALITY AS s (id, place)
     WHERE s.place > l.of_next_seal
        OR b.number > (SELECT min(n.number) FROM ledger.seal_batches n WHERE n.number > l.seal AND cardinality(n.transactions) > 0)
    UNION ALL
    SELECT e.transaction_id
      FROM ledger.entries e, ledger.seal_progress s
     WHERE s.log = 'journal' AND e.line = 1 AND e.id > (SELECT coalesce(lower(gaps) - 1, upto) FROM ledger.seal_progress WHERE log = 'journal')
       AND (e.id > s.upto OR e.id <@ s.gaps));
  v_accounts := p_scope.accounts || ARRAY(
    SELECT account_id FROM ledger.log_balances b WHERE age(b.xmin) <= p_scope.age AND NOT p_scope.everything
     UNION
    SELECT account_id FROM ledger.entries
     WHERE transaction_id = ANY (v_transactions));
  RETURN QUERY WITH ahead AS (
    SELECT e.account_id, count(*) AS entries, sum(e.amount) AS amount
      FROM ledger.entries e WHERE e.transaction_id = ANY (v_unlogged) GROUP BY e.account_id
  ), total AS (
    SELECT k.kind || ' ' || k.asset AS account, k.balance - coalesce(sum(ahead.amount), 0) AS balance
      FROM ledger.kind_balances k
      LEFT JOIN (ledger.accounts a JOIN ahead ON ahead.account_id = a.id) ON (a.kind, a.asset) = (k.kind, k.asset)
     GROUP BY k.kind, k.asset, k.balance
  ), fault AS (
    SELECT jsonb_build_object('account', coalesce(e.account, t.key), 'public', t.value, 'journal', e.balance) AS example
      FROM total e
      FULL JOIN (SELECT j.key, j.value FROM ledger.log_progress l, jsonb_each_text(l.totals) j) t ON t.key = e.account
     WHERE coalesce(t.value, '0')::numeric <> coalesce(e.balance, 0)
    UNION ALL
    SELECT jsonb_build_object('account_id', coalesce(e.id, b.account_id), 'public', b.balance, 'journal', e.balance)
      FROM (SELECT a.id, a.version - coalesce(ahead.entries, 0) AS version, a.balance - coalesce(ahead.amount, 0) AS balance
              FROM ledger.accounts a
              LEFT JOIN ahead ON ahead.account_id = a.id
             WHERE a.owner <> ledger.firm() AND a.version > coalesce(ahead.entries, 0)
               AND (p_scope.everything OR a.id = ANY (v_accounts))) e
      FULL JOIN (SELECT * FROM ledger.log_balances WHERE p_scope.everything OR account_id = ANY (v_accounts)) b ON b.account_id = e.id
     WHERE (b.version, b.balance::numeric) IS DISTINCT FROM (e.version, e.balance)
  ) SELECT 'log_figures', 'The totals and balances of the public log are those of its transactions',
           (SELECT count(*) FROM ledger.log_balances WHERE p_scope.everything OR account_id = ANY (v_accounts)), count(*), ledger.examples(array_agg(example)) FROM fault;

  RETURN QUERY WITH rendered AS (
    SELECT l.index, l.transaction_id, convert_from(coalesce(l.opened, l.leaf), 'UTF8') AS text, t.event,
           -- Dates never go back, and none was in the future when it was written.
           greatest(max(least(date_trunc('milliseconds', t.created_at), epoch.ends)) OVER (ORDER BY l.index), epoch.begun) AS moment
      FROM ledger.log l
      JOIN ledger.transactions t ON t.id = l.transaction_id
     CROSS JOIN LATERAL (
       SELECT coalesce((SELECT e.ended_at FROM ledger.epochs e WHERE e.size > l.index ORDER BY e.size LIMIT 1), p.epoch_ends)
                - interval '1 millisecond' AS ends,
              (SELECT e.ended_at FROM ledger.epochs e WHERE e.size <= l.index ORDER BY e.size DESC LIMIT 1)
                - interval '1 millisecond' AS begun
         FROM ledger.log_progress p) epoch
     WHERE l.index >= v_epoch
  ), lines AS (
    SELECT e.transaction_id,
           string_agg(ledger.public_line(a.kind, a.asset, e.amount, CASE WHEN a.owner <> ledger.firm() THEN '' END), ''
                      ORDER BY e.line) AS lines
      FROM ledger.entries e JOIN ledger.accounts a ON a.id = e.account_id
     WHERE p_scope.everything OR e.transaction_id = ANY (v_transactions)
     GROUP BY e.transaction_id
  ), fault AS (
    SELECT jsonb_build_object('transaction', r.transaction_id, 'leaf', r.index) AS example
      FROM rendered r JOIN lines l ON l.transaction_id = r.transaction_id
     CROSS JOIN LATERAL (
       -- Without its tags, of 44 characters.
       SELECT string_agg(CASE place WHEN 1 THEN part ELSE substr(part, 45) END, '  ; leg:' ORDER BY place) AS text,
              bool_and(place = 1 OR left(part, 44) ~ '^[A-Za-z0-9+/]{43}=$') AS has_tags
         FROM unnest(string_to_array(r.text, '  ; leg:')) WITH ORDINALITY AS parts (part, place)) bare
     WHERE r.index >= v_index AND (bare.has_tags AND bare.text = ledger.public_leaf(r.moment, r.event, l.lines)) IS NOT TRUE
  ) SELECT 'log_texts', 'Every leaf of the public log says what its transaction says',
           (SELECT count(*) FROM rendered WHERE index >= v_index), count(*), ledger.examples(array_agg(example)) FROM fault;
END
$$;

GRANT SELECT ON ledger.log, ledger.log_nodes, ledger.epochs, ledger.log_progress, ledger.log_balances, ledger.epoch_parts,
  ledger.epoch_files TO probity_app;
GRANT EXECUTE ON FUNCTION ledger.log_hashes, ledger.tile_root, ledger.public_account, ledger.public_debit, ledger.public_balances,
  ledger.log_transactions, ledger.close_epoch,
  ledger.add_epoch_file, ledger.keep_parts,
  ledger.drop_parts TO probity_app;
GRANT SELECT, INSERT (user_id, sealed_secret) ON app.proof_secrets TO probity_app;
GRANT SELECT ON app.proof_keys TO probity_app;
