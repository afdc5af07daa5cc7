-- What a network had shown when a payout batch was made, by which its own transfers are told from older ones: no clock but the network's own
-- says which came first (docs/decisions/0034-payout-recognition.md).
ALTER TABLE app.payout_batches
  -- The median time of the last blocks that had been read, as they say it themselves.
  ADD COLUMN chain_time timestamptz,
  -- The last of app.chain_transfers that had been written down.
  ADD COLUMN last_transfer bigint;

-- Those that were made before are told as they were, two minutes before they were made by the clock of then: what their payer had sent to their
-- addresses by then is not theirs.
UPDATE app.payout_batches b
   SET chain_time = b.created_at - interval '2 minutes',
       last_transfer = coalesce(
         (SELECT max(t.id) FROM app.payout_items p JOIN app.chain_transfers t ON t.address = app.address_key(p.address)
           WHERE p.batch_id = b.id AND t.method = b.method AND t.senders @> ARRAY[app.address_key(b.payer)]
             AND coalesce(t.block_time, t.seen_at) < b.created_at - interval '2 minutes'),
         0)
 WHERE b.payer IS NOT NULL;

-- What spends a batch's outpoints is its own, whenever it came.
ALTER TABLE app.payout_batches
  ADD CONSTRAINT payout_batches_told_by_the_chain CHECK (num_nonnulls(payer, chain_time, last_transfer) IN (0, 3));
