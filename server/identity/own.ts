import { sql } from 'kysely'
import type { SignedInContext } from '#server/context.ts'
import { settingsNow } from '#server/staff/settings-queries.ts'
import type { OwnIdentity } from '#shared/contract/identity.ts'
import { identityPeriodDays } from '#shared/limits.ts'
import { usdToJson } from '#shared/money.ts'
import { presentFile, unsentFiles } from './files.ts'
import { ownChecks } from './queries.ts'
import { ownProvider } from './sessions.ts'
import { isExposed, levelOf, waitingOf } from './standing.ts'

/** What the caller has proved, what it allows, and what waits for more. */
export async function ownIdentity({ services, caller: { userId } }: SignedInContext): Promise<OwnIdentity> {
  const { db } = services
  const [standing, settings, used, waiting, checks, files, refused, provider, exposed] = await Promise.all([
    levelOf(db, userId),
    settingsNow(services),
    usedBy(db, userId),
    waitingOf(db, userId),
    ownChecks(db, userId),
    unsentFiles(db, userId),
    refusalOf(db, userId),
    ownProvider(services, userId),
    isExposed(db, userId),
  ])
  const { identityLimitCents: identity, fundsLimitCents: funds } = settings
  const none = identity ?? funds
  return {
    ...standing,
    refused,
    exposed,
    limits: { none: usdOrNull(none), identity: usdOrNull(funds) },
    used: {
      withdrawals: usdToJson(used.withdrawals),
      investments: usdToJson(used.investments),
      days: identityPeriodDays,
    },
    waiting,
    checks,
    files: files.map(presentFile),
    provider,
  }
}

const usdOrNull = (cents: bigint | null) => (cents === null ? null : usdToJson(cents))

type Db = SignedInContext['services']['db']

/** What counts towards the limits, in cents (app.withdrawal_lacks and app.investment_lacks). */
async function usedBy(db: Db, userId: string): Promise<{ withdrawals: bigint; investments: bigint }> {
  const { rows } = await sql<{ withdrawals: bigint; investments: bigint }>`
    SELECT (SELECT coalesce(sum(amount_cents), 0) FROM app.withdrawals
             WHERE user_id = ${userId} AND status <> 'declined'
               AND id >= app.first_id(now() - make_interval(days => ${identityPeriodDays})))::bigint AS withdrawals,
           (SELECT coalesce(sum(amount_cents), 0) FROM app.investments
             WHERE user_id = ${userId} AND status IN ('pending', 'active'))::bigint AS investments`.execute(
    db,
  )
  return rows[0]!
}

async function refusalOf(db: Db, userId: string): Promise<OwnIdentity['refused']> {
  const row = await db
    .selectFrom('app.identity_checks')
    .select(['reason', 'decided_at'])
    .where('user_id', '=', userId)
    .where('decision', '=', 'refused')
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return row ? { reason: row.reason!, at: row.decided_at!.toISOString() } : null
}
