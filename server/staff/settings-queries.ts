import type { Kysely, Selectable } from 'kysely'
import type pg from 'pg'
import type { Config } from '#server/config.ts'
import type { Services } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { Notifications } from '#server/platform/notifications.ts'
import type { SettingValues } from '#shared/contract/proposals.ts'
import {
  firstDocumentYears,
  firstDormantLimitCents,
  firstReportingLimitCents,
  firstTurnoverLimitCents,
  shortestPaymentWindowMinutes,
} from '#shared/limits.ts'
import { usdToJson } from '#shared/money.ts'

/** The settings that two admins decide (D7). */
export type Settings = {
  /** 0 while the configuration's values are in force. */
  version: number
  changedAt: Date | null
  /** A withdrawal above this many cents needs two approvals. */
  largeWithdrawalCents: bigint
  /** A smaller withdrawal must take the whole available balance. */
  minimumWithdrawalCents: bigint
  /** How long a new withdrawal address waits before it can be used, in hours. */
  addressWaitHours: number
  /** How long the rate of a payment request is locked. */
  paymentWindowMinutes: number
  /** Returns above this many cents, recorded by one person in 24 hours, need a second person. */
  largeReturnCents: bigint
  /** Deposits, or withdrawals, of so much in some days are looked into (decision 179). */
  turnoverLimitCents: bigint
  /** Several movements just below are looked into, and as much that is paid in and out again. */
  reportingLimitCents: bigint
  /** So much after a long pause is looked into. */
  dormantLimitCents: bigint
  /** Up to here no proof of identity is asked for, and none of the source of funds (decision 180); null: never. */
  identityLimitCents: bigint | null
  fundsLimitCents: bigint | null
  /** How long documents of former customers are kept. */
  documentYears: number
  /** True if an earning needs a second approval. */
  earningsSecondApproval: boolean
  /** False while nobody can open an account. */
  registrationOpen: boolean
  /** False while nobody can request a deposit. */
  depositsOpen: boolean
}

const columns = [
  'version',
  'created_at',
  'large_withdrawal_cents',
  'minimum_withdrawal_cents',
  'address_wait_hours',
  'payment_window_minutes',
  'large_return_cents',
  'turnover_limit_cents',
  'reporting_limit_cents',
  'dormant_limit_cents',
  'identity_limit_cents',
  'funds_limit_cents',
  'document_years',
  'earnings_second_approval',
  'registration_open',
  'deposits_open',
] as const

type Row = Pick<Selectable<Schema['app.setting_versions']>, (typeof columns)[number]>
/** A row as the notification has it. Its amounts are exact: the calls that propose them take no larger numbers. */
type NotifiedRow = {
  [column in keyof Row]: Row[column] extends bigint ? number : Row[column] extends Date ? string : Row[column]
}

/** The settings in force, as this transaction sees them. */
export async function currentSettings(db: Kysely<Schema>, config: Config): Promise<Settings> {
  const row = await db
    .selectFrom('app.setting_versions')
    .select(columns)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ? settingsOf(row) : configured(config)
}

/** A process's cached settings: the newest version, null before the first. */
type Cached = { isOpen: () => boolean; newest: Settings | null }
const cachedBy = new WeakMap<object, Cached>()

/**
 * Caches the settings for money requests. The database notifies every change (NOTIFY settings_changed), and a reconnect
 * reads them again.
 */
export function watchSettings(notifications: Notifications, pool: pg.Pool): void {
  const cached: Cached = { isOpen: notifications.isOpen, newest: null }
  cachedBy.set(pool, cached)
  // A notification can overtake an older query's answer.
  const take = (settings: Settings | null) => {
    if ((settings?.version ?? 0) > (cached.newest?.version ?? 0)) cached.newest = settings
  }
  notifications.subscribe({
    channel: 'settings_changed',
    heard: payload => take(settingsOf(JSON.parse(payload))),
    begin: async client => take(await newestOf(client)),
  })
}

/** The settings in force now. */
export async function settingsNow({ pool, config }: Pick<Services, 'pool' | 'config'>): Promise<Settings> {
  const cached = cachedBy.get(pool)
  // Without a live connection for notifications the cache may be stale.
  const newest = cached?.isOpen() ? cached.newest : await newestOf(pool)
  return newest ?? configured(config)
}

async function newestOf(database: Pick<pg.ClientBase, 'query'> | pg.Pool): Promise<Settings | null> {
  const { rows } = await database.query<Row>(
    `SELECT ${columns.join(', ')} FROM app.setting_versions ORDER BY version DESC LIMIT 1`,
  )
  return rows[0] ? settingsOf(rows[0]) : null
}

function settingsOf(row: Row | NotifiedRow): Settings {
  return {
    version: row.version,
    changedAt: new Date(row.created_at),
    largeWithdrawalCents: BigInt(row.large_withdrawal_cents),
    minimumWithdrawalCents: BigInt(row.minimum_withdrawal_cents),
    addressWaitHours: row.address_wait_hours,
    paymentWindowMinutes: row.payment_window_minutes,
    largeReturnCents: BigInt(row.large_return_cents),
    turnoverLimitCents: BigInt(row.turnover_limit_cents),
    reportingLimitCents: BigInt(row.reporting_limit_cents),
    dormantLimitCents: BigInt(row.dormant_limit_cents),
    identityLimitCents: row.identity_limit_cents === null ? null : BigInt(row.identity_limit_cents),
    fundsLimitCents: row.funds_limit_cents === null ? null : BigInt(row.funds_limit_cents),
    documentYears: row.document_years,
    earningsSecondApproval: row.earnings_second_approval,
    registrationOpen: row.registration_open,
    depositsOpen: row.deposits_open,
  }
}

/** What is in force before two admins have decided anything. */
export function configured(config: Config): Settings {
  const { largeWithdrawalCents, addressWaitHours, largeReturnCents, earningsSecondApproval } = config
  return {
    version: 0,
    changedAt: null,
    largeWithdrawalCents,
    minimumWithdrawalCents: 0n,
    addressWaitHours,
    paymentWindowMinutes: shortestPaymentWindowMinutes,
    largeReturnCents,
    turnoverLimitCents: firstTurnoverLimitCents,
    reportingLimitCents: firstReportingLimitCents,
    dormantLimitCents: firstDormantLimitCents,
    identityLimitCents: null,
    fundsLimitCents: null,
    documentYears: firstDocumentYears,
    earningsSecondApproval,
    registrationOpen: true,
    depositsOpen: true,
  }
}

export function presentSettings(settings: Settings): SettingValues {
  return {
    largeWithdrawal: usdToJson(settings.largeWithdrawalCents),
    minimumWithdrawal: usdToJson(settings.minimumWithdrawalCents),
    addressWaitHours: settings.addressWaitHours,
    paymentWindowMinutes: settings.paymentWindowMinutes,
    largeReturn: usdToJson(settings.largeReturnCents),
    turnoverLimit: usdToJson(settings.turnoverLimitCents),
    reportingLimit: usdToJson(settings.reportingLimitCents),
    dormantLimit: usdToJson(settings.dormantLimitCents),
    identityLimit: usdOrNull(settings.identityLimitCents),
    fundsLimit: usdOrNull(settings.fundsLimitCents),
    documentYears: settings.documentYears,
    earningsSecondApproval: settings.earningsSecondApproval,
    registrationOpen: settings.registrationOpen,
    depositsOpen: settings.depositsOpen,
  }
}

function usdOrNull(cents: bigint | null): number | null {
  return cents === null ? null : usdToJson(cents)
}
