import { type RawBuilder, sql } from 'kysely'
import type { Services } from '#server/context.ts'
import { retireKeys } from '#server/ledger/idempotency.ts'
import {
  closedAlertDays,
  coverageReadingDays,
  endedSessionDays,
  expiredCodeDays,
  mailboxDays,
  priceHistoryDays,
  readNotificationDays,
  removedGoalDays,
  unusedAttachmentDays,
  unusedEvidenceDays,
  unusedLogoDays,
  webhookLogDays,
} from '#shared/limits.ts'
import { forgetFailedJobs, tellFailedJobs } from './failed.ts'

/** Maximum rows per statement, so that none holds its locks for long. */
const BATCH = 1000

/** Removes up to `most` expired rows of one kind; returns how many. */
type Sweep = (services: Services, most: number) => Promise<number>

/** Everything with limited retention; shared/limits.ts says how long. */
const sweeps: Record<string, Sweep> = {
  'counters that ran out': (services, most) =>
    remove(services, 'app.rate_limits', sql`expire < extract(epoch FROM now()) * 1000`, most),
  'ended sessions': (services, most) =>
    remove(
      services,
      'app.sessions',
      sql`least(expires_at, revoked_at) < ${daysAgo(services, endedSessionDays)}`,
      most,
    ),
  // Of a browser with no open login of their owner: also an expired one, which nobody ended.
  'devices that are logged out': (services, most) =>
    remove(
      services,
      'app.push_devices',
      sql`NOT EXISTS (
        SELECT FROM app.sessions s
         WHERE s.user_id = push_devices.user_id
           AND (s.id = push_devices.session_id OR s.device_hash = push_devices.device_hash)
           AND s.revoked_at IS NULL AND s.expires_at > ${services.clock.now()})`,
      most,
    ),
  'expired codes': (services, most) =>
    remove(services, 'app.email_codes', sql`expires_at < ${daysAgo(services, expiredCodeDays)}`, most),
  'expired links': (services, most) =>
    remove(services, 'app.password_resets', sql`expires_at < ${daysAgo(services, expiredCodeDays)}`, most),
  'challenges that nobody answered': (services, most) =>
    remove(services, 'app.passkey_challenges', sql`expires_at < ${services.clock.now()}`, most),
  'files that prove nothing': ({ db, clock }, most) =>
    removeUnusedEvidence(db, daysAgo({ clock }, unusedEvidenceDays), most),
  'files without a message': ({ db, clock }, most) =>
    removeUnusedAttachments(db, daysAgo({ clock }, unusedAttachmentDays), most),
  'logos that nobody proposed': ({ db, clock }, most) =>
    removeUnusedLogos(db, daysAgo({ clock }, unusedLogoDays), most),
  'old rates': (services, most) =>
    remove(services, 'app.price_history', sql`at < ${daysAgo(services, priceHistoryDays)}`, most),
  'old readings of the chains': async ({ db, clock }) => {
    const before = daysAgo({ clock }, coverageReadingDays)
    const { numDeletedRows } = await db
      .deleteFrom('app.coverage_readings')
      .where('at', '<', before)
      .executeTakeFirst()
    return Number(numDeletedRows)
  },
  'emails of the demonstration': (services, most) =>
    remove(services, 'app.mailbox', sql`created_at < ${daysAgo(services, mailboxDays)}`, most),
  // The notification itself records that the investor was notified of a maturity, so it stays.
  'read notifications': (services, most) =>
    remove(
      services,
      'app.notifications',
      sql`read_at < ${daysAgo(services, readNotificationDays)} AND kind <> 'investment.matured'`,
      most,
    ),
  'closed alerts': (services, most) =>
    remove(services, 'app.staff_alerts', sql`closed_at < ${daysAgo(services, closedAlertDays)}`, most),
  'removed goals': (services, most) =>
    remove(
      services,
      'app.goals',
      sql`reached_at IS NULL AND removed_at < ${daysAgo(services, removedGoalDays)}`,
      most,
    ),
  'messages of webhooks': (services, most) =>
    remove(services, 'app.webhook_deliveries', sql`happened_at < ${daysAgo(services, webhookLogDays)}`, most),
  'idempotency keys': ({ db }, most) => retireKeys(db, most),
  'failed jobs': forgetFailedJobs,
  // All at once: after a rotation they are as old as each other, and nothing else waits for them.
  'former seals of the public proof': async ({ db }) => {
    const { rows } = await sql<{ dropped: bigint }>`SELECT app.drop_former_seals() AS dropped`.execute(db)
    return Number(rows[0]!.dropped)
  },
}

/** Removes expired data. A kind that fails is logged and stays for the next run; the others are removed. */
export async function cleanUp(services: Services): Promise<void> {
  for (const [what, sweep] of Object.entries(sweeps)) {
    try {
      const removed = await sweepAll(services, sweep)
      if (removed > 0) services.log.info({ what, removed }, 'cleaned up')
    } catch (err) {
      services.log.error({ err, what }, 'could not be cleaned up')
    }
  }
  await tellFailedJobs(services)
}

async function sweepAll(services: Services, sweep: Sweep): Promise<number> {
  for (let removed = 0; ; ) {
    const batch = await sweep(services, BATCH)
    removed += batch
    if (batch < BATCH) return removed
  }
}

async function remove(
  { db }: Services,
  table: string,
  condition: RawBuilder<unknown>,
  most: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM ${sql.table(table)} WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ${sql.table(table)} WHERE ${condition} LIMIT ${most} FOR UPDATE SKIP LOCKED))`.execute(
    db,
  )
  return Number(numAffectedRows)
}

/** Immutable rows cannot be locked beforehand; a foreign key protects a file that a return takes at this moment. */
async function removeUnusedEvidence(db: Services['db'], before: Date, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM app.evidence_files WHERE id IN (
      SELECT f.id FROM app.evidence_files f
       WHERE f.created_at < ${before}
         AND NOT EXISTS (SELECT FROM app.returns r WHERE r.evidence_file = f.id)
       LIMIT ${most})`.execute(db)
  return Number(numAffectedRows)
}

/** As above, for files that people uploaded for a message. */
async function removeUnusedAttachments(db: Services['db'], before: Date, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM app.contact_files WHERE id IN (
      SELECT f.id FROM app.contact_files f
       WHERE f.created_at < ${before}
         AND NOT EXISTS (SELECT FROM app.contact_attachments a WHERE a.file_id = f.id)
       LIMIT ${most})`.execute(db)
  return Number(numAffectedRows)
}

/** As above, for logos of looks. */
async function removeUnusedLogos(db: Services['db'], before: Date, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM app.brand_logos WHERE sha256 IN (
      SELECT l.sha256 FROM app.brand_logos l
       WHERE l.uploaded_at < ${before}
         AND NOT EXISTS (
           SELECT FROM app.proposals p
            WHERE p.kind = 'brand'
              AND encode(l.sha256, 'hex') IN (p.content #>> '{after,logo,light,file}', p.content #>> '{after,logo,dark,file}'))
       LIMIT ${most})`.execute(db)
  return Number(numAffectedRows)
}

function daysAgo({ clock }: Pick<Services, 'clock'>, days: number): Date {
  return new Date(clock.now().getTime() - days * 86_400_000)
}
