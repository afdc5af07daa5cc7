-- Takes the log back to the end of an earlier epoch: the writer adds all later transactions again. For the owner alone, where the
-- log's key has not signed the epochs that go (docs/operate.md): removing any other is a fork.
CREATE FUNCTION ledger.remove_epochs(p_from bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_last ledger.epochs;
  v_size bigint;
  v_left bigint;
  v_table text;
  v_tables text[] := '{log,log_nodes,epochs,epoch_files,cosignatures,stamps}';
BEGIN
  PERFORM FROM ledger.log_progress FOR UPDATE;
  SELECT * INTO v_last FROM ledger.epochs WHERE number = p_from - 1;
  v_size := coalesce(v_last.size, 0);
  IF p_from < 1 OR p_from > 1 AND v_last IS NULL OR EXISTS (SELECT FROM app.reserve_proofs WHERE sealed_epoch >= p_from) THEN
    RAISE EXCEPTION 'refused: there is no epoch %, or an epoch since then seals reserves', p_from - 1 USING ERRCODE = 'PB202';
  END IF;
  FOREACH v_table IN ARRAY v_tables LOOP
    EXECUTE format('ALTER TABLE ledger.%I DISABLE TRIGGER USER', v_table);
  END LOOP;
  DELETE FROM app.proof_copies WHERE epoch >= p_from;
  DELETE FROM ledger.cosignatures WHERE epoch >= p_from;
  DELETE FROM ledger.stamps WHERE epoch >= p_from;
  DELETE FROM ledger.epoch_parts WHERE epoch >= p_from;
  DELETE FROM ledger.epoch_files WHERE epoch >= p_from;
  DELETE FROM ledger.epochs WHERE number >= p_from;
  DELETE FROM ledger.log WHERE index >= v_size;
  DELETE FROM ledger.log_nodes WHERE (index + 1) * (256::numeric ^ level) > v_size;
  FOREACH v_table IN ARRAY v_tables LOOP
    EXECUTE format('ALTER TABLE ledger.%I ENABLE TRIGGER USER', v_table);
  END LOOP;

  SELECT count(*) INTO v_left FROM ledger.log WHERE transaction_id IS NOT NULL;
  UPDATE ledger.log_progress p
     SET size = v_size, epoch_from = v_size, epoch_ends = NULL, moment = v_last.ended_at - interval '1 millisecond',
         (seal, of_next_seal) = (
           SELECT coalesce(max(s.number), 0), v_left - coalesce(max(s.upto), 0)
             FROM (SELECT b.number, sum(cardinality(b.transactions)) OVER (ORDER BY b.number) AS upto
                     FROM ledger.seal_batches b) s
            WHERE s.upto <= v_left),
         totals = (
           SELECT coalesce(jsonb_object_agg(account, amount), '{}')
             FROM (SELECT a.kind || ' ' || a.asset AS account, sum(e.amount)::text AS amount
                     FROM ledger.log l
                     JOIN ledger.entries e ON e.transaction_id = l.transaction_id
                     JOIN ledger.accounts a ON a.id = e.account_id
                    GROUP BY a.kind, a.asset) total);
  DELETE FROM ledger.log_balances;
  INSERT INTO ledger.log_balances (account_id, version, balance)
  SELECT DISTINCT ON (e.account_id) e.account_id, e.version, e.new_balance
    FROM ledger.log l
    JOIN ledger.entries e ON e.transaction_id = l.transaction_id
    JOIN ledger.accounts a ON a.id = e.account_id AND a.owner <> ledger.firm()
   ORDER BY e.account_id, e.version DESC;
END
$$;
