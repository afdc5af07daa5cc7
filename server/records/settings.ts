import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Config } from '#server/config.ts'
import type { Services } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { gathered } from '#server/platform/gather.ts'
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
  return settingsOf(row, config)
}

const newest = {
  name: 'settings_newest',
  text: `SELECT version, created_at, large_withdrawal_cents, earnings_second_approval
           FROM app.setting_versions ORDER BY version DESC LIMIT 1`,
}
const readers = new WeakMap<pg.Pool, (key: 'newest') => Promise<Row | undefined>>()

/** The settings in force now, for what many ask at the same time: they are answered by one prepared statement. */
export async function settingsNow({ pool, config }: Pick<Services, 'pool' | 'config'>): Promise<Settings> {
  let read = readers.get(pool)
  if (read === undefined) {
    read = gathered(1_000, async () => {
      const { rows } = await pool.query<Row>(newest)
      return new Map(rows.map(row => ['newest' as const, row]))
    })
    readers.set(pool, read)
  }
  return settingsOf(await read('newest'), config)
}

function settingsOf(row: Row | undefined, config: Config): Settings {
  if (row === undefined) {
    const { largeWithdrawalCents, earningsSecondApproval } = config
    return { version: 0, changedAt: null, largeWithdrawalCents, earningsSecondApproval }
  }
  return {
    version: row.version,
    changedAt: row.created_at,
    largeWithdrawalCents: row.large_withdrawal_cents,
    earningsSecondApproval: row.earnings_second_approval,
  }
}

export function presentSettings({ largeWithdrawalCents, earningsSecondApproval }: Settings): SettingValues {
  return { largeWithdrawal: usdToJson(largeWithdrawalCents), earningsSecondApproval }
}
