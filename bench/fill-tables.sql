-- Fills a database with users $users, each with five records and their postings. fill-tables.ts runs it, batch by
-- batch, as a superuser without triggers and foreign keys. It computes for all rows at once what the guards would check
-- row by row; afterwards ledger.check_books() checks every invariant.
--
-- A user's life, by their number n: two deposits (the second may be pending, unpaid or declined), an investment from
-- the balance (pending, declined, closed or active), a withdrawal (in any state), and an earning on a running
-- investment, else a third, declined deposit.

CREATE SCHEMA load;

-- A version 7 UUID from a time, a kind (0 to 4095) and a number.
CREATE FUNCTION load.id(at timestamptz, kind integer, n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(kind), 3, '0') || '8'
          || lpad(to_hex(n), 15, '0'))::uuid
$$;

CREATE TABLE load.scale (users bigint, begun timestamptz, plan uuid, admin uuid, payer uuid);

-- Users register evenly over three years, the last of them two months ago.
CREATE FUNCTION load.registered(n bigint) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT date_trunc('milliseconds', begun + n * (interval '1035 days' / users)) FROM load.scale
$$;

CREATE FUNCTION load.wallet(n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT (ARRAY['Bitcoin (BTC)', 'USDT TRC-20', 'Ethereum (ETH)'])[n % 3 + 1]
$$;

CREATE TABLE load.person AS
SELECT n, at, id, 100000 + (n * 7919) % 900000 AS a, 10000 + (n * 104729) % 490000 AS b, 30000 + (n * 31) % 60000 AS i,
       1000 + (n * 17) % 9000 AS w, 100 + (n * 13) % 900 AS e, s2, si, sw, si IN ('active', 'inactive') AS earns, deposit1, deposit2,
       deposit3, investment, withdrawal, earning, held_i, held_w
  FROM (SELECT 0::bigint AS n, now() AS at, NULL::uuid AS id, ''::text AS s2, ''::text AS si, ''::text AS sw, NULL::uuid AS deposit1,
               NULL::uuid AS deposit2, NULL::uuid AS deposit3, NULL::uuid AS investment, NULL::uuid AS withdrawal,
               NULL::uuid AS earning, NULL::uuid AS held_i, NULL::uuid AS held_w) none
 WHERE false;

CREATE PROCEDURE load.people(p_from bigint, p_to bigint) LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE load.person;
  INSERT INTO load.person
  SELECT n, at, load.id(at, 1, n), 100000 + (n * 7919) % 900000, 10000 + (n * 104729) % 490000, 30000 + (n * 31) % 60000,
         1000 + (n * 17) % 9000, 100 + (n * 13) % 900,
         (ARRAY['pending', 'unpaid', 'declined'])[n % 10 + 1],
         coalesce((ARRAY['pending', 'declined', 'inactive'])[n % 20 + 1], 'active'),
         coalesce((ARRAY['pending', 'approved', 'declined'])[n / 3 % 10 + 1], 'paid'),
         n % 20 > 1,
         load.id(at + interval '1 day', 11, n), load.id(at + interval '2 days', 12, n), load.id(at + interval '20 days', 13, n),
         load.id(at + interval '5 days', 14, n), load.id(at + interval '10 days', 15, n), load.id(at + interval '20 days', 16, n),
         load.id(at + interval '5 days', 103, n), load.id(at + interval '10 days', 106, n)
    FROM (SELECT n, load.registered(n) AS at FROM generate_series(p_from, p_to) AS n) AS numbered;
  UPDATE load.person SET s2 = 'paid' WHERE s2 IS NULL;
END
$$;

CREATE PROCEDURE load.records() LANGUAGE sql AS $$
  INSERT INTO app.users (id, name, email, phone, country, password_hash, email_verified_at, referral_code, referrer_id, created_at)
  SELECT id, (ARRAY['Ada', 'Boris', 'Chen', 'Dara', 'Elif', 'Femi', 'Grete', 'Hugo', 'Ines', 'Jonas', 'Kira'])[n % 11 + 1] || ' '
             || (ARRAY['Abe', 'Berg', 'Costa', 'Diaz', 'Engel', 'Fox', 'Gray', 'Hahn', 'Ito', 'Jung', 'Klein', 'Lund', 'Moss'])[n % 13 + 1]
             || ' ' || n,
         'person' || n || '@example.com', '+61 400 ' || lpad((n % 1000000)::text, 6, '0'),
         (ARRAY['Australia', 'Brazil', 'Canada', 'Denmark', 'Egypt', 'France', 'Germany', 'India', 'Japan', 'Kenya'])[(n * n) % 10 + 1],
         'not used', at, 'LOAD' || n, CASE WHEN n > 10 THEN load.id(load.registered(n / 10), 1, n / 10) END, at
    FROM load.person ORDER BY n;

  INSERT INTO app.deposits (id, invoice_id, user_id, amount_cents, method, status, asset, network, address, crypto_units, rate_e8, rate_at,
                            rate_source, payment_uri, expires_at, watch_until, created_at, settled_at, decline_reason)
  SELECT d.id, 'DEP-' || to_char(d.at, 'YYYY') || '-' || lpad((p.n * 10 + d.ordinal)::text, 9, '0'), p.id, d.cents,
         (ARRAY['usdt', 'usdt', 'bitcoin', 'ethereum'])[(p.n + d.ordinal) % 4 + 1], d.status, 'USDT', 'TRON (TRC-20)', 'TLoad' || p.n,
         d.cents * 10000, 99000000, d.at, 'Configured', 'tron:TLoad' || p.n, d.at + interval '15 minutes', d.at + interval '1 day', d.at,
         CASE d.status WHEN 'paid' THEN d.at + interval '1 hour' END, CASE d.status WHEN 'declined' THEN 'Nothing has arrived' END
    FROM load.person p
   CROSS JOIN LATERAL (VALUES (1, deposit1, a, 'paid', at + interval '1 day', true),
                              (2, deposit2, b, s2, at + interval '2 days', true),
                              (3, deposit3, b, 'declined', at + interval '20 days', NOT earns)) AS d (ordinal, id, cents, status, at, is_made)
   WHERE d.is_made ORDER BY p.n, d.ordinal;

  INSERT INTO app.deposit_credits (deposit_id, entered_by, units, exchanged_units, cents, rate_e8, rate_at, rate_source, posting)
  SELECT d.id, p.id, d.cents * 10000, d.cents * 10000, d.cents, 99000000, d.at, 'Configured', load.id(d.at, 100 + d.ordinal, p.n)
    FROM load.person p
   CROSS JOIN LATERAL (VALUES (1, deposit1, a, at + interval '1 day', true),
                              (2, deposit2, b, at + interval '2 days', s2 = 'paid')) AS d (ordinal, id, cents, at, is_paid)
   WHERE d.is_paid ORDER BY p.n, d.ordinal;

  INSERT INTO app.investments (id, invoice_id, user_id, plan_version_id, amount_cents, method, status, hold_id, created_at, approved_at,
                               ending_at, closed_at, declined_at, decline_reason)
  SELECT investment, 'INV-' || to_char(at, 'YYYY') || '-' || lpad((n * 10 + 4)::text, 9, '0'), p.id, plan, i, 'balance', si, held_i,
         at + interval '5 days', CASE WHEN earns THEN at + interval '6 days' END, CASE WHEN earns THEN at + interval '36 days' END,
         CASE si WHEN 'inactive' THEN at + interval '40 days' END, CASE si WHEN 'declined' THEN at + interval '6 days' END,
         CASE si WHEN 'declined' THEN 'The plan is full' END
    FROM load.person p, load.scale ORDER BY n;

  INSERT INTO app.payout_addresses (id, user_id, wallet, address, created_at)
  SELECT load.id(at, 17, n), id, load.wallet(n), 'load' || n, at FROM load.person ORDER BY n;
  INSERT INTO app.withdrawals (id, invoice_id, user_id, amount_cents, wallet, address, status, hold_id, single_approval_cents, approvals_needed,
                               created_at, approved_at, paid_at, paid_by, transaction_id, decline_reason)
  SELECT withdrawal, 'WDR-' || to_char(at, 'YYYY') || '-' || lpad((n * 10 + 5)::text, 9, '0'), id, w, load.wallet(n), 'load' || n, sw,
         held_w, 999999999999, 1, at + interval '10 days', CASE WHEN sw IN ('approved', 'paid') THEN at + interval '11 days' END,
         CASE sw WHEN 'paid' THEN at + interval '12 days' END, CASE sw WHEN 'paid' THEN payer END, CASE sw WHEN 'paid' THEN md5(n::text) || md5((-n)::text) END,
         CASE sw WHEN 'declined' THEN 'The address cannot be paid' END
    FROM load.person, load.scale ORDER BY n;
  INSERT INTO app.withdrawal_approvals (withdrawal_id, admin_id, created_at)
  SELECT withdrawal, admin, at + interval '11 days' FROM load.person, load.scale WHERE sw IN ('approved', 'paid');

  INSERT INTO app.earnings (id, user_id, investment_id, amount_cents, note, status, created_by, created_at, paid_at)
  SELECT earning, p.id, investment, e, CASE n % 7 WHEN 0 THEN 'Paid for the month' END, 'paid', admin, at + interval '20 days',
         at + interval '20 days'
    FROM load.person p, load.scale WHERE earns ORDER BY n;
  -- One return pays twenty users.
  INSERT INTO app.earning_sources (earning_id, return_id, amount_cents)
  SELECT earning, load.id(begun, 2, (n + 19) / 20), e FROM load.person, load.scale WHERE earns;

  INSERT INTO app.audit_log (at, actor_id, action, subject_kind, subject_id, ip, request_id)
  SELECT l.at, CASE WHEN l.by_admin THEN admin ELSE p.id END, l.action, l.kind, l.subject, '192.0.2.1', 'load'
    FROM load.scale, load.person p
   CROSS JOIN LATERAL (VALUES (at, false, 'account.opened', 'user', p.id),
                              (at + interval '1 day', true, 'deposit.approved', 'deposit', deposit1),
                              (at + interval '10 days', false, 'withdrawal.requested', 'withdrawal', withdrawal)) AS l (at, by_admin, action, kind, subject)
   ORDER BY p.n, l.at;

  INSERT INTO app.contact_messages (id, name, email, subject, message, created_at)
  SELECT load.id(at, 18, n), 'Visitor ' || n, 'visitor' || n || '@example.com', 'A question', 'How long does a withdrawal take?', at
    FROM load.person WHERE n % 20 = 0 ORDER BY n;
$$;

-- Each posting's legs, in the order of the user's life, and their results: entries with their chains, balances, holds.
CREATE UNLOGGED TABLE load.leg (n bigint, owner uuid, seq integer, leg integer, tx uuid, event text, kind text, ref uuid, hold uuid,
                                at timestamptz, from_kind text, to_kind text, asset text, amount bigint);

CREATE PROCEDURE load.legs() LANGUAGE sql AS $$
  TRUNCATE load.leg;
  INSERT INTO load.leg
  SELECT p.n, p.id, v.seq, v.leg, load.id(p.at + v.after, 100 + v.seq, p.n), v.event, v.kind, v.ref, v.hold, p.at + v.after, v.from_kind,
         v.to_kind, v.asset, v.amount
    FROM load.person p
   CROSS JOIN LATERAL (VALUES
     (1, 1, 'deposit.settled', 'deposit', deposit1, NULL::uuid, interval '1 day', 'custody', 'exchange', 'USDT', a * 10000, true),
     (1, 2, 'deposit.settled', 'deposit', deposit1, NULL, interval '1 day', 'exchange', 'available', 'USD', a, true),
     (2, 1, 'deposit.settled', 'deposit', deposit2, NULL, interval '2 days', 'custody', 'exchange', 'USDT', b * 10000, s2 = 'paid'),
     (2, 2, 'deposit.settled', 'deposit', deposit2, NULL, interval '2 days', 'exchange', 'available', 'USD', b, s2 = 'paid'),
     (3, 1, 'investment.requested', 'investment', investment, NULL, interval '5 days', 'available', 'held', 'USD', i, true),
     (4, 1, 'investment.approved', 'investment', investment, held_i, interval '6 days', 'held', 'invested', 'USD', i, earns),
     (5, 1, 'investment.declined', 'investment', investment, held_i, interval '6 days', 'held', 'available', 'USD', i, si = 'declined'),
     (6, 1, 'withdrawal.requested', 'withdrawal', withdrawal, NULL, interval '10 days', 'available', 'held', 'USD', w, true),
     (7, 1, 'withdrawal.paid', 'withdrawal', withdrawal, held_w, interval '12 days', 'held', 'payouts', 'USD', w, sw = 'paid'),
     (8, 1, 'withdrawal.declined', 'withdrawal', withdrawal, held_w, interval '12 days', 'held', 'available', 'USD', w, sw = 'declined'),
     (9, 1, 'earning.paid', 'earning', earning, NULL, interval '20 days', 'recorded_returns', 'available', 'USD', e, earns),
     (10, 1, 'investment.closed', 'investment', investment, NULL, interval '40 days', 'invested', 'available', 'USD', i, si = 'inactive')
   ) AS v (seq, leg, event, kind, ref, hold, after, from_kind, to_kind, asset, amount, happens)
   WHERE v.happens;
$$;

CREATE PROCEDURE load.postings() LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ledger.transactions (id, event, reference_kind, reference_id, hold_id, actor, created_at)
  SELECT tx, event, kind, ref, hold, NULL, at FROM load.leg WHERE leg = 1 ORDER BY n, seq;

  CREATE TEMP TABLE entry ON COMMIT DROP AS
  SELECT l.n, l.seq, l.tx, l.at, s.line::smallint, s.kind, l.asset, s.amount,
         CASE WHEN k.holder = 'firm' THEN ledger.firm() ELSE l.owner END AS owner, k.floor,
         NULL::bigint AS new_balance, NULL::bigint AS version
    FROM load.leg l
   CROSS JOIN LATERAL (VALUES (2 * leg - 1, from_kind, -l.amount), (2 * leg, to_kind, l.amount)) AS s (line, kind, amount)
    JOIN ledger.account_kinds k ON k.kind = s.kind;

  INSERT INTO ledger.accounts (owner, kind, asset, floor, balance, version)
  SELECT DISTINCT owner, kind, asset, floor, floor, CASE WHEN floor IS NOT NULL THEN 0 END FROM entry
  ON CONFLICT DO NOTHING;

  -- Continues the chains from the previous batch.
  INSERT INTO ledger.entries (transaction_id, line, account_id, amount, previous_balance, new_balance, version)
  SELECT tx, line, account_id, amount, after - amount, after, place
    FROM (SELECT e.n, e.seq, e.tx, e.line, a.id AS account_id, e.amount,
                 CASE WHEN a.floor IS NOT NULL THEN a.balance + sum(e.amount) OVER chain END AS after,
                 CASE WHEN a.floor IS NOT NULL THEN a.version + row_number() OVER chain END AS place
            FROM entry e JOIN ledger.accounts a ON (a.owner, a.kind, a.asset) = (e.owner, e.kind, e.asset)
          WINDOW chain AS (PARTITION BY a.id ORDER BY e.n, e.seq, e.line)) AS chained
   ORDER BY n, seq, line;

  UPDATE ledger.accounts a
     SET balance = a.balance + moved.amount, version = a.version + moved.entries, moved_at = moved.at
    FROM (SELECT owner, kind, asset, sum(amount)::bigint AS amount, count(*) AS entries, max(at) AS at
            FROM entry WHERE floor IS NOT NULL GROUP BY owner, kind, asset) AS moved
   WHERE (a.owner, a.kind, a.asset) = (moved.owner, moved.kind, moved.asset);

  INSERT INTO ledger.holds (id, account_id, amount, resolution, resolved_by)
  SELECT l.tx, a.id, l.amount, CASE WHEN r.event IN ('investment.approved', 'withdrawal.paid') THEN 'posted'
                                    WHEN r.event IS NOT NULL THEN 'voided' END, r.tx
    FROM load.leg l
    JOIN ledger.accounts a ON (a.owner, a.kind, a.asset) = (l.owner, 'held', 'USD')
    LEFT JOIN load.leg r ON r.hold = l.tx
   WHERE l.to_kind = 'held';
END
$$;

-- One return for every twenty users, recorded before the first of them is paid.
CREATE PROCEDURE load.returns() LANGUAGE plpgsql AS $$
DECLARE
  v_count bigint;
  v_begun timestamptz;
  v_admin uuid;
BEGIN
  SELECT (users + 19) / 20, begun, admin INTO v_count, v_begun, v_admin FROM load.scale;
  INSERT INTO app.returns (id, amount_cents, spent_cents, status, alone_limit_cents, source, realised_on, evidence, evidence_kind, recorded_by, created_at)
  SELECT load.id(v_begun, 2, r), 100000, 0, 'recorded', 1000000000000, 'Coupon ' || r, (v_begun + r % 1000 * interval '1 day')::date, 'LOAD-' || r, 'transaction', v_admin,
         v_begun
    FROM generate_series(1, v_count) AS r;
  TRUNCATE load.leg;
  INSERT INTO load.leg
  SELECT r, ledger.firm(), 1, 1, load.id(v_begun, 100, r), 'return.recorded', 'return', load.id(v_begun, 2, r), NULL, v_begun,
         'returns_received', 'recorded_returns', 'USD', 100000
    FROM generate_series(1, v_count) AS r;
  CALL load.postings();
END
$$;

CREATE PROCEDURE load.spend() LANGUAGE sql AS $$
  UPDATE app.returns r SET spent_cents = paid.cents
    FROM (SELECT return_id, sum(amount_cents)::bigint AS cents FROM app.earning_sources GROUP BY return_id) AS paid
   WHERE paid.return_id = r.id
$$;
