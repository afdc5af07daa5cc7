import type { SignedInContext, Tx } from '#server/context.ts'
import { requireFewThisHour } from '#server/queries/hourly-limit.ts'
import { currentSettings, type Settings } from '#server/staff/settings-queries.ts'
import { t } from '#shared/i18n/t.ts'
import { maximumOpenDeposits, newDepositsPerHour } from '#shared/limits.ts'
import { amountsOf } from './locks.ts'
import { depositRefusals } from './messages.ts'

/** @throws AppError deposits_closed, while two admins have closed them */
export function requireDepositsOpen({ depositsOpen }: Pick<Settings, 'depositsOpen'>): void {
  if (!depositsOpen) throw depositRefusals.error({ reason: 'deposits_closed' })
}

/**
 * Limits new deposits, because each may take an address that we watch for ever, and each takes a row of the console until it
 * is decided. Locks the account, so that concurrent requests cannot exceed the limits.
 * @returns the settings in force
 * @throws AppError deposits_closed, too_many_open, rate_limited
 */
export async function requireRoomForDeposit(tx: Tx, ctx: SignedInContext): Promise<Settings> {
  const settings = await currentSettings(tx, ctx.services.config)
  requireDepositsOpen(settings)
  const { userId } = ctx.caller
  await tx.selectFrom('app.users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
  const { open } = await tx
    .selectFrom('app.deposits as d')
    .crossJoinLateral(amountsOf)
    .select(({ fn }) => fn.countAll<bigint>().as('open'))
    .where('d.user_id', '=', userId)
    .where('d.status', '=', 'pending')
    // A payment that is on its way, or came and waits for our team, no longer waits for the investor.
    .where('m.seen_units', '=', 0n)
    .executeTakeFirstOrThrow()
  if (open >= maximumOpenDeposits) throw depositRefusals.error({ reason: 'too_many_open' })
  const limit = t('You can request at most {count} deposits an hour', { count: newDepositsPerHour })
  await requireFewThisHour(tx, ctx, { table: 'app.deposits', most: newDepositsPerHour, limit })
  return settings
}
