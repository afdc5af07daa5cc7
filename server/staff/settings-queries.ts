import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Config } from '#server/config.ts'
import type { Services } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { Notifications } from '#server/platform/notifications.ts'
import type { SettingValues } from '#shared/contract/proposals.ts'
import { usdToJson } from '#shared/money.ts'

/** What two admins decide (D7). */
export type Settings = {
  /** 0: nothing was decided yet, and the configuration's values are in force. */
  version: number
  changedAt: Date | null
  /** A withdrawal above this many cents needs two approvals. */
  largeWithdrawalCents: bigint
  /** Whether an earning waits for a second approval. */
  earningsSecondApproval: boolean
}

type Row = {
  version: number
  created_at: Date
  large_withdrawal_cents: bigint
  earnings_second_approval: boolean
}

/** The settings in force, as a transaction sees them. */
export async function currentSettings(db: Kysely<Schema>, config: Config): Promise<Settings> {
  const row = await db
    .selectFrom('app.setting_versions')
    .select(['version', 'created_at', 'large_withdrawal_cents', 'earnings_second_approval'])
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ? settingsOf(row) : configured(config)
}

/** What a process has at hand: the newest version, null before the first one. */
type Known = { isOpen: () => boolean; newest: Settings | null }
const knownBy = new WeakMap<object, Known>()

/**
 * Keeps the settings at hand, so that no request for money reads them: the database tells every change (NOTIFY
 * settings_changed), and they are read again whenever the line was cut.
 */
export function watchSettings(notifications: Notifications, pool: pg.Pool): void {
  const known: Known = { isOpen: notifications.isOpen, newest: null }
  knownBy.set(pool, known)
  // A change can be heard while an older answer is still on its way.
  const take = (settings: Settings | null) => {
    if ((settings?.version ?? 0) > (known.newest?.version ?? 0)) known.newest = settings
  }
  notifications.subscribe({
    channel: 'settings_changed',
    heard(payload) {
      const { changedAt, largeWithdrawalCents, ...told } = JSON.parse(payload)
      take({
        ...told,
        changedAt: new Date(changedAt),
        largeWithdrawalCents: BigInt(largeWithdrawalCents),
      })
    },
    begin: async client => take(await newestOf(client)),
  })
}

/** The settings in force now. */
export async function settingsNow({ pool, config }: Pick<Services, 'pool' | 'config'>): Promise<Settings> {
  const known = knownBy.get(pool)
  // While the line is cut, the database itself is asked.
  const newest = known?.isOpen() ? known.newest : await newestOf(pool)
  return newest ?? configured(config)
}

async function newestOf(database: Pick<pg.ClientBase, 'query'> | pg.Pool): Promise<Settings | null> {
  const { rows } = await database.query<Row>(
    `SELECT version, created_at, large_withdrawal_cents, earnings_second_approval
       FROM app.setting_versions ORDER BY version DESC LIMIT 1`,
  )
  return rows[0] ? settingsOf(rows[0]) : null
}

function settingsOf(row: Row): Settings {
  return {
    version: row.version,
    changedAt: row.created_at,
    largeWithdrawalCents: row.large_withdrawal_cents,
    earningsSecondApproval: row.earnings_second_approval,
  }
}

function configured({ largeWithdrawalCents, earningsSecondApproval }: Config): Settings {
  return { version: 0, changedAt: null, largeWithdrawalCents, earningsSecondApproval }
}

export function presentSettings({ largeWithdrawalCents, earningsSecondApproval }: Settings): SettingValues {
  return { largeWithdrawal: usdToJson(largeWithdrawalCents), earningsSecondApproval }
}
