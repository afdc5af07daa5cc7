import { type Kysely, sql } from 'kysely'
import type { Stop } from '#server/chain/numbering.ts'
import type { Services } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { emailAdmins, lockAdmins } from '#server/staff/admins.ts'
import { type RailName, railLabels } from '#shared/coins.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'

type Doubt = { because: 'stopped' } | Stop

/**
 * Why the next address of an account may already be somebody else's: the account is stopped, this machine has shown a later address, or
 * the database is on another server than at the latest number and no mark of this machine says that nothing is missing.
 * @param of.last the last index in the database, -1 if none
 * @returns undefined if nothing speaks against it; the server is then the account's
 */
export async function doubtAbout(
  tx: Kysely<Schema>,
  { account, rail, last, mark }: { account: string; rail: RailName; last: number; mark: number | undefined },
): Promise<Doubt | undefined> {
  const { rows } = await sql<{ server: string }>`SELECT app.this_server() AS server`.execute(tx)
  const { server } = rows[0]!
  const known = await tx
    .selectFrom('app.receiving_accounts')
    .select(['server', 'stopped_at'])
    .where('account', '=', account)
    .executeTakeFirst()
  if (known?.stopped_at) return { because: 'stopped' }
  if (mark !== undefined && mark > last) return { because: 'mark', knownIndex: mark }
  if (known !== undefined && known.server !== server && mark === undefined) {
    return { because: 'server', knownIndex: null }
  }
  if (known?.server === server) return undefined
  await tx
    .insertInto('app.receiving_accounts')
    .values({ account, rail, server })
    .onConflict(conflict => conflict.column('account').doUpdateSet({ server }))
    .execute()
  return undefined
}

const reasons: Record<Stop['because'], string> = {
  mark: msg(
    'This machine has shown a later address than the database knows: the database was restored to an earlier time.',
  ),
  server: msg(
    'The database is on another server than before, and this machine has no record of the addresses that were shown.',
  ),
  chain: msg(
    'A payment arrived at an address that we gave to nobody: the database was restored, or somebody else uses the same key.',
  ),
}

/**
 * Emails the admins about accounts that have stopped numbering, once each, and logs it.
 * @returns how many they were told of
 */
export async function tellOfStops(services: Services): Promise<number> {
  return services.db.transaction().execute(async tx => {
    const stops = await tx
      .updateTable('app.receiving_accounts')
      .set({ told_at: services.clock.now() })
      .where('stopped_at', 'is not', null)
      .where('told_at', 'is', null)
      .returning(['rail', 'stopped_because', 'known_index'])
      .execute()
    const admins = stops.length === 0 ? [] : await lockAdmins(tx)
    for (const { rail, stopped_because: because, known_index: knownIndex } of stops) {
      const network = railLabels[rail]
      services.log.error({ rail, because, knownIndex }, 'no new payment addresses until an operator resumes')
      await emailAdmins(tx, { services }, admins, () => ({
        subject: t('New payments on {network} are paused', { network }),
        paragraphs: [
          t(
            '{reason} A new address could already belong to somebody else, so investors get none on {network}.',
            { reason: translate(reasons[because!]), network },
          ),
          t(
            'Payments to addresses already shown are credited as usual. The operator finds what to do in docs/operate.md, under "No new payment addresses".',
          ),
        ],
        action: { label: t('Open the console'), path: '/admin/home#chains' },
      }))
    }
    return stops.length
  })
}
