import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Services, Tx } from '#server/context.ts'
import { directOf } from '#server/platform/database/direct.ts'
import { lockKeys } from '#server/platform/database/lock-keys.ts'
import { openDatabase } from '#server/platform/database/pool.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { EXIT_CONFIG, StartupError } from '#server/platform/startup-error.ts'
import { emailAdmins, lockAdmins } from '#server/staff/admins.ts'
import { t } from '#shared/i18n/t.ts'
import { type Mark, readMark, writeMark } from './mark.ts'

/** Document numbers left out after a restore: more than are given between two beats. */
export const SKIPPED = 1_000
const PAUSE_MS = 5_000

/**
 * Counts one more beat in the database, and then in this machine's mark. A database whose count is below the mark has lost what
 * was written since: that is recorded, its document numbers skip ahead, and the admins get an email.
 */
export async function beat(services: Services): Promise<void> {
  const { db, pool, config } = services
  const installation = await installationOf(db)
  if (installation === undefined) return
  await openDatabase(directOf(pool))
    .connection()
    .execute(async connection => {
      // One process of a database at a time, so that no older mark takes the place of a newer one.
      await sql`SELECT pg_advisory_lock(${lockKeys.beats})`.execute(connection)
      try {
        const mark = await markOf(config.dataDir, installation)
        const counted = await connection
          .transaction()
          .execute(tx => count(tx, services, mark, mark?.machine ?? newId(services.clock.now())))
        await writeMark(config.dataDir, { installation, ...counted })
      } finally {
        await sql`SELECT pg_advisory_unlock(${lockKeys.beats})`.execute(connection)
      }
    })
}

async function count(
  tx: Tx,
  services: Services,
  mark: Mark | undefined,
  machine: string,
): Promise<Omit<Mark, 'installation'>> {
  await tx
    .insertInto('app.machines')
    .values({ machine, beat: 0 })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  const found = await tx
    .selectFrom('app.machines')
    .select('beat')
    .where('machine', '=', machine)
    .executeTakeFirstOrThrow()
  if (mark !== undefined && found.beat < mark.beat) await recordRestore(tx, services, mark)
  // Of several machines, each may know later numbers than the one on which the restore was finished.
  if (mark !== undefined && mark.number > (await lastNumber(tx))) await skipNumbers(tx, mark.number + SKIPPED)
  const counted = Math.max(found.beat, mark?.beat ?? 0) + 1
  await tx
    .updateTable('app.machines')
    .set({ beat: counted, at: services.clock.now() })
    .where('machine', '=', machine)
    .execute()
  return { machine, beat: counted, number: await lastNumber(tx) }
}

/**
 * Beats every few seconds until stopped.
 * @param onRestored called if the database turns out to be restored, and is not finished
 * @returns stops it
 */
export function startBeating(
  services: Services,
  onRestored: (error: StartupError) => void,
): () => Promise<void> {
  const stopping = new AbortController()
  const loop = async () => {
    let failed = false
    while (!stopping.signal.aborted) {
      const error = await beatAndCheck(services, onRestored).then(
        () => undefined,
        (reason: unknown) => ({ reason }),
      )
      // Log the first only: an unreachable database has its own errors.
      if (error && !failed)
        services.log.warn({ err: error.reason }, 'the mark of the database could not be written')
      failed = error !== undefined
      await delay(PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  const running = loop()
  return async () => {
    stopping.abort()
    await running
  }
}

async function beatAndCheck(services: Services, onRestored: (error: StartupError) => void): Promise<void> {
  await beat(services)
  await requireFinished(services).catch(error => {
    if (!(error instanceof StartupError)) throw error
    onRestored(error)
  })
}

/**
 * A restored database has forgotten what people were told and have changed, so nobody is served from it before
 * `npm run restore:finish`.
 * @throws StartupError (exit 78)
 */
export async function requireFinished(services: Pick<Services, 'db' | 'config'>): Promise<void> {
  if (!(await isRestored(services, 'finished_at'))) return
  throw new StartupError(
    'The database was restored to an earlier time, or has lost its latest transactions. Run: npm run restore:finish (docs/operate.md, Backing up and restoring)',
    EXIT_CONFIG,
  )
}

/**
 * True if the database was restored to an earlier time, as far as this machine knows.
 * @param until as long as payouts are paused, or as long as nothing is served
 */
export async function isRestored(
  { db, config }: Pick<Services, 'db' | 'config'>,
  until: 'resolved_at' | 'finished_at' = 'resolved_at',
): Promise<boolean> {
  const open = await db
    .selectFrom('app.restores')
    .select('id')
    .where(until, 'is', null)
    .limit(1)
    .executeTakeFirst()
  if (open) return true
  const installation = await installationOf(db)
  const mark = installation && (await markOf(config.dataDir, installation))
  if (!mark) return false
  const known = await db
    .selectFrom('app.machines')
    .select('beat')
    .where('machine', '=', mark.machine)
    .executeTakeFirst()
  return (known?.beat ?? 0) < mark.beat
}

/** undefined before the database's first use. */
async function installationOf(db: Kysely<Schema>): Promise<string | undefined> {
  const row = await db.selectFrom('app.installation').select('id').executeTakeFirst()
  return row?.id
}

/** This machine's mark of this database. */
async function markOf(dataDir: string, installation: string): Promise<Mark | undefined> {
  const mark = await readMark(dataDir)
  return mark?.installation === installation ? mark : undefined
}

export async function lastNumber(tx: Tx): Promise<number> {
  const { rows } = await sql<{ number: bigint }>`SELECT last_value AS number FROM app.invoice_number`.execute(
    tx,
  )
  return Number(rows[0]!.number)
}

export async function skipNumbers(tx: Tx, beyond: number): Promise<void> {
  await sql`SELECT app.skip_numbers(${beyond})`.execute(tx)
}

async function recordRestore(tx: Tx, services: Services, mark: Mark): Promise<void> {
  const number = await lastNumber(tx)
  const beyond = mark.number + SKIPPED
  await skipNumbers(tx, beyond)
  const now = services.clock.now()
  await tx
    .insertInto('app.restores')
    .values({
      id: newId(now),
      found_at: now,
      machine: mark.machine,
      number: BigInt(number),
      number_lost: BigInt(mark.number),
    })
    .execute()
  services.log.error(
    { machine: mark.machine, number, lost: mark.number },
    'the database was restored to an earlier time: nothing is served until an operator runs restore:finish, and no payouts until one resumes them',
  )
  await emailAdmins(tx, { services }, await lockAdmins(tx), () => ({
    subject: t('The database was restored: payouts are paused'),
    paragraphs: [
      t(
        'The database has lost its latest transactions. It knows documents up to number {number}; number {given} was given already, and new ones begin after {beyond}.',
        { number, given: mark.number, beyond },
      ),
      t(
        'Withdrawals that it shows as approved may be paid already. No payout file can be made, downloaded or signed before the operator has compared the wallet with the books and resumed payouts: docs/operate.md says how, under "Backing up and restoring".',
      ),
    ],
    action: { label: t('Open the console'), path: '/admin/payouts' },
  }))
}
