-- Which person has an account of staff, and from when on something accrues on an investment that earnings do not cover.

-- An account of staff whose access has ended may be given to somebody else (docs/decisions/0019-roles-and-two-admin-approval.md).
-- Its holders are numbered, so that an approval is that of the person who gave it. Approvals so far are the first one's: whoever
-- came after him approves again.
ALTER TABLE app.users ADD COLUMN holder integer NOT NULL DEFAULT 1 CHECK (holder > 0);
UPDATE app.users u SET holder = 1 + again.times
  FROM (SELECT j.subject_id, count(*)::integer AS times
          FROM app.audit_log j
         WHERE j.action = 'staff.joined'
           AND EXISTS (SELECT FROM app.audit_log e
                        WHERE e.subject_id = j.subject_id AND e.id < j.id AND e.action = 'staff.access_ended')
         GROUP BY j.subject_id) again
 WHERE u.id = again.subject_id;
ALTER TABLE app.withdrawal_approvals
  ADD COLUMN holder integer NOT NULL DEFAULT 1,
  DROP CONSTRAINT withdrawal_approvals_pkey,
  ADD PRIMARY KEY (withdrawal_id, admin_id, holder);

-- Before this moment nothing accrues on an investment beyond its earnings, those included that wait for an approval. The
-- application keeps it (server/records/investments.ts), so that what is paid up is neither read nor locked where a plan's earnings
-- are added.
ALTER TABLE app.investments ADD COLUMN covered_until timestamptz NOT NULL DEFAULT 'epoch';
-- What has accrued is amount * percentage * days / duration, rounded to a cent: it comes to a cent more than is covered no
-- earlier than half a cent before that.
UPDATE app.investments i
   SET covered_until = CASE WHEN next.day <= next.duration_days THEN i.approved_at + next.day::integer * interval '24 hours'
                            ELSE '9999-12-31T00:00:00Z' END
  FROM (SELECT a.id, p.duration_days,
               ceil((2 * coalesce((SELECT sum(e.amount_cents) FROM app.earnings e
                                    WHERE e.investment_id = a.id AND e.status IN ('pending', 'paid')), 0) + 1)
                    * 10000 * p.duration_days / (2 * a.amount_cents::numeric * p.percentage_bp)) AS day
          FROM app.investments a
          JOIN app.plan_versions p ON p.id = a.plan_version_id
         WHERE a.status = 'active') next
 WHERE next.id = i.id;
CREATE INDEX investments_accruing ON app.investments (plan_version_id, covered_until) WHERE status = 'active';
