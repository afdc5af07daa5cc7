import { sql } from 'kysely'
import type { Services, Tx } from '#server/context.ts'
import { notifyAllMatured } from '#server/investments/mature.ts'
import { lockKeys } from '#server/platform/database/lock-keys.ts'
import { openDatabase, openPool } from '#server/platform/database/pool.ts'
import { EXIT_CONFIG, StartupError } from '#server/platform/startup-error.ts'
import { dayOf } from '#shared/moments.ts'
import { loadPlans } from './catalogue.ts'
import { loadFirm } from './firm.ts'
import { loadPeople } from './people.ts'
import { loadPolicies } from './policies.ts'
import { openStage, type Stage } from './stage.ts'
import { type Story, storiesOf } from './stories.ts'

const dayMilliseconds = 86_400_000
/** Older notifications count as read. */
const unreadDays = 7

/**
 * Loads the demonstration's sample in one transaction (D2): the firm, the catalogue, and a year of activity through
 * the product's own services, so that the books balance. Sends no emails.
 * @param ownerUrl the database owner's URL: the application itself cannot post in the past
 * @param signal aborts before the next step, with nothing loaded
 * @returns false if the sample already exists
 */
export async function seedDemo(
  ownerUrl: string,
  services: Pick<Services, 'config' | 'log' | 'clock'>,
  signal?: AbortSignal,
): Promise<boolean> {
  const pool = openPool({ url: ownerUrl, as: 'owner', name: 'probity sample', max: 1, statementTimeoutMs: 0 })
  const db = openDatabase(pool)
  try {
    return await db.transaction().execute(tx => loadOnce(tx, { ...services, db, pool }, signal))
  } finally {
    await db.destroy()
  }
}

async function loadOnce(tx: Tx, services: Services, signal: AbortSignal | undefined): Promise<boolean> {
  // One process loads the sample; the others wait and then find it.
  await sql`SELECT pg_advisory_xact_lock(${lockKeys.sample})`.execute(tx)
  const there = await tx.selectFrom('app.firm_profiles').select('version').limit(1).executeTakeFirst()
  if (there) return false
  await requireOwner(tx)
  const now = services.clock.now()
  const midnight = now.getTime() - (now.getTime() % dayMilliseconds)
  // Today's stories must not reach into the future.
  const momentOf = (daysAgo: number, hour: number) =>
    new Date(Math.min(midnight - daysAgo * dayMilliseconds + hour * 3_600_000, now.getTime() - 600_000))
  await loadFirm(tx, momentOf(386, 0))
  await loadPlans(tx, momentOf(386, 0))
  const people = await loadPeople(tx, days => momentOf(days, 5))
  await loadPolicies(tx, people, momentOf(386, 5))
  const stage = openStage(services, tx, people)
  const stories = storiesOf(stage, daysAgo => dayOf(momentOf(daysAgo, 0)))
  await play(stage, stories, momentOf, signal)
  // At its end, because the sample's past does not depend on the operator's settings.
  await stage.goTo(momentOf(0, 24))
  await stage.limitUnproved()
  await stage.goTo(now)
  await stage.readPrices()
  await notifyAllMatured(tx, now)
  await markReadBefore(tx, momentOf(unreadDays, 0))
  await dropEmails(tx)
  return true
}

/**
 * Anyone else's postings would all be of today.
 * @throws StartupError
 */
async function requireOwner(tx: Tx): Promise<void> {
  const { rows } = await sql<{ owns: boolean }>`
    SELECT nspowner = session_user::regrole AS owns FROM pg_namespace WHERE nspname = 'ledger'`.execute(tx)
  if (rows[0]?.owns) return
  throw new StartupError(
    'The sample is loaded by the login that owns the tables. Run: DATABASE_OWNER_URL=… node build/product/main.js migrate',
    EXIT_CONFIG,
  )
}

type Pending = { story: Story; at: Date }

/** Advances all stories in chronological order. */
async function play(
  stage: Stage,
  stories: Story[],
  momentOf: (daysAgo: number, hour: number) => Date,
  signal: AbortSignal | undefined,
): Promise<void> {
  const pending: Pending[] = []
  const advance = async (story: Story) => {
    const { value, done } = await story.next()
    if (!done) pending.push({ story, at: momentOf(...value) })
  }
  for (const story of stories) await advance(story)
  while (pending.length > 0) {
    signal?.throwIfAborted()
    pending.sort((a, b) => a.at.getTime() - b.at.getTime())
    const { story, at } = pending.shift()!
    await stage.goTo(at)
    await advance(story)
  }
}

/** Marks notifications from before this moment as read. */
async function markReadBefore(tx: Tx, moment: Date): Promise<void> {
  await tx
    .updateTable('app.notifications')
    .set(eb => ({ read_at: eb.ref('created_at') }))
    .where('created_at', '<', moment)
    .execute()
}

/** Removes the jobs queued by this transaction: nobody should get emails about past months. */
async function dropEmails(tx: Tx): Promise<void> {
  await sql`SELECT graphile_worker.complete_jobs(array_agg(id))
              FROM graphile_worker.jobs WHERE created_at = transaction_timestamp()`.execute(tx)
}
