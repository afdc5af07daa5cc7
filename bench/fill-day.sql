-- A day of investors with one paid deposit each, in USDT, inserted as a superuser without triggers and foreign keys.
CREATE TEMP TABLE load_investor AS
SELECT n, lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') || '7' AS start, 10000 + (n * 7919) % 990000 AS cents
  FROM generate_series(1, $count::bigint) AS n;
CREATE FUNCTION pg_temp.id(start text, kind text, n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT (start || kind || '8' || lpad(to_hex(n), 15, '0'))::uuid
$$;

INSERT INTO app.users (id, name, email, phone, country, password_hash, email_verified_at, referral_code, created_at)
SELECT pg_temp.id(start, '001', n), 'Person ' || n, 'person' || n || '@example.com', '+61 400 000 000', 'Australia', 'not used', now(),
       'DAY' || n, now()
  FROM load_investor;

INSERT INTO ledger.transactions (id, event, reference_kind, reference_id, created_at)
SELECT pg_temp.id(start, '003', n), 'deposit.settled', 'deposit', pg_temp.id(start, '002', n), now() FROM load_investor ORDER BY n;
INSERT INTO ledger.accounts (owner, kind, asset, floor, balance, version, moved_at)
SELECT pg_temp.id(start, '001', n), 'available', 'USD', 0, cents, 1, now() FROM load_investor ORDER BY n;
INSERT INTO ledger.accounts (owner, kind, asset)
SELECT ledger.firm(), kind, asset FROM (VALUES ('custody', 'USDT'), ('exchange', 'USDT'), ('exchange', 'USD')) AS firm (kind, asset)
ON CONFLICT DO NOTHING;

INSERT INTO ledger.entries (transaction_id, line, account_id, amount, previous_balance, new_balance, version)
SELECT pg_temp.id(start, '003', n), line, a.id, e.amount, CASE WHEN line = 4 THEN 0 END, CASE WHEN line = 4 THEN cents END,
       CASE WHEN line = 4 THEN 1 END
  FROM load_investor
 CROSS JOIN LATERAL (VALUES (1, ledger.firm(), 'custody', 'USDT', -cents * 10000), (2, ledger.firm(), 'exchange', 'USDT', cents * 10000),
                            (3, ledger.firm(), 'exchange', 'USD', -cents),
                            (4, pg_temp.id(start, '001', n), 'available', 'USD', cents)) AS e (line, owner, kind, asset, amount)
  JOIN ledger.accounts a ON (a.owner, a.kind, a.asset) = (e.owner, e.kind, e.asset)
 ORDER BY n, line;
DROP TABLE load_investor;
