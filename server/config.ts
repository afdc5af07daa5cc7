import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { EXIT_CONFIG, StartupFault } from '#server/platform/startup-fault.ts'
import {
  type DepositMethod,
  type WithdrawalWallet,
  withdrawalCoins,
  withdrawalWallets,
} from '#shared/coins.ts'
import { firmFields } from '#shared/contract/firm.ts'
import type { FirmProfile } from '#shared/contract/site.ts'
import { type Environment, environmentSchema } from './config/environment.ts'
import { faultsOf, rulesBroken } from './config/faults.ts'
import { firmGiven } from './config/firm.ts'
import { demoAddresses, givenAddresses } from './config/payment-addresses.ts'
import { type PriceSource, type PriceSourceUrls, reachable } from './config/price-sources.ts'
import { type RailSettings, railSettings } from './config/rails.ts'
import { keptTokenSecret, tokenSecretOf } from './platform/token-secret.ts'
import { type LiveChat, liveChatOf } from './site/live-chat.ts'

/** An address of its own, never that of the product. Every request must show the token, where there is one. */
export type MetricsAddress = { host: string; port: number; token: string | null }

/** The configuration of one process, parsed once at its start. */
export type Config = {
  mode: 'demo' | 'live'
  host: string
  port: number
  /** Origin under which people reach the product, without a slash at its end; links in emails start with it. */
  publicUrl: string
  /** Addresses or CIDR ranges whose X-Forwarded-For is believed. */
  trustedProxies: string[]
  /** False only in demo mode, for load tests. */
  rateLimit: boolean
  logLevel: 'debug' | 'info' | 'warn' | 'error'
  /** Absolute path: the embedded database and generated secrets live here. */
  dataDir: string
  /** Null: the embedded PostgreSQL in `dataDir`. */
  database: { appUrl: string; ownerUrl: string } | null
  /** Most connections of one process to the database. */
  databaseConnections: number
  /** Signs the access tokens; everything else that needs a key derives its own from it. */
  tokenSecret: string
  /** Secrets of before: nothing is made under them any more, and what was made under them is still accepted. */
  formerSecrets: string[]
  /** Where the process tells its metrics; null: nowhere. */
  metrics: MetricsAddress | null
  /** Null in demo mode without SMTP_URL: email goes to the built-in mailbox. */
  smtp: { url: string; from: string } | null
  /** Where deposits are paid to that get no address of their own. A method without an address or an extended key is not offered. */
  paymentAddresses: Partial<Record<DepositMethod, string>>
  /** Extended public keys, and how the networks are synced. */
  rails: RailSettings
  /** Demo mode: a local chain of Ethereum's kind that a newcomer can pay on. */
  demoChain: 'anvil' | null
  /** USD for one USDT, in 10^-8 (D5). */
  usdtRateE8: bigint
  /** Empty in demo mode: the bundled sample series. */
  priceSources: PriceSource[]
  /** Where sources are asked that are not asked at their own address: base URLs without a slash at their end. */
  priceSourceUrls: PriceSourceUrls
  /** From this amount in cents on, staff must review a deposit before it is credited. */
  creditReviewCents: bigint
  /** A withdrawal above this many cents needs two approvals (D7), until two admins have set another limit. */
  largeWithdrawalCents: bigint
  /** What withdrawals can be asked for in, in the order of the whole list. */
  withdrawalWallets: WithdrawalWallet[]
  /** How long a new address of an address book waits before withdrawals go there, in hours. */
  addressWaitHours: number
  /** Whether an earning waits for a second approval (D7), until two admins have decided otherwise. */
  earningsSecondApproval: boolean
  /** Null: no live chat, and nothing of any provider is loaded (D10). */
  liveChat: LiveChat | null
  /**
   * What the profile of a live firm begins with; from its first version on the database has it (decision 23). Null in demo
   * mode, whose firm is part of the sample content.
   */
  firm: FirmProfile | null
}

const ENV_FILE = join(import.meta.dirname, '../.env')

/**
 * The process' environment, with the file `.env` behind it where there is one.
 * @throws StartupFault where the file cannot be read
 */
export function environment(): NodeJS.ProcessEnv {
  try {
    if (existsSync(ENV_FILE)) process.loadEnvFile(ENV_FILE)
  } catch (cause) {
    throw new StartupFault(`${ENV_FILE} cannot be read: ${(cause as Error).message}`, EXIT_CONFIG, { cause })
  }
  return process.env
}

/**
 * Reads the environment; an empty variable counts as missing. In demo mode a missing TOKEN_SECRET is made in DATA_DIR.
 * @param options.makesSecret false for commands about an installation that is there, or is not: they make nothing
 * @throws StartupFault (exit 78) that lists everything that is wrong or missing, at once
 */
export function loadConfig(environment: NodeJS.ProcessEnv, { makesSecret = true } = {}): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim() !== ''))
  const parsed = environmentSchema.safeParse(given)
  const faults = parsed.success ? rulesBroken(parsed.data) : faultsOf(given, parsed.error)
  if (!parsed.success || faults.length > 0) throw new StartupFault(listed(faults), EXIT_CONFIG)
  return configOf(parsed.data, makesSecret)
}

function configOf(env: Environment, makesSecret: boolean): Config {
  const dataDir = resolve(env.DATA_DIR)
  const demo = env.MODE === 'demo'
  return {
    mode: env.MODE,
    host: env.HOST,
    port: env.PORT,
    publicUrl: env.PUBLIC_URL ?? `http://${env.HOST.includes(':') ? `[${env.HOST}]` : env.HOST}:${env.PORT}`,
    trustedProxies: env.TRUSTED_PROXIES,
    rateLimit: env.RATE_LIMIT,
    logLevel: env.LOG_LEVEL,
    dataDir,
    database:
      env.DATABASE_URL === undefined
        ? null
        : { appUrl: env.DATABASE_URL, ownerUrl: env.DATABASE_OWNER_URL ?? env.DATABASE_URL },
    databaseConnections: env.DATABASE_CONNECTIONS,
    tokenSecret: env.TOKEN_SECRET ?? (makesSecret ? tokenSecretOf : keptTokenSecret)(dataDir),
    formerSecrets: env.TOKEN_SECRETS_BEFORE,
    metrics:
      env.METRICS_PORT === undefined
        ? null
        : { host: env.METRICS_HOST, port: env.METRICS_PORT, token: env.METRICS_TOKEN ?? null },
    smtp: env.SMTP_URL && env.MAIL_FROM ? { url: env.SMTP_URL, from: env.MAIL_FROM } : null,
    paymentAddresses: { ...(demo ? demoAddresses : {}), ...givenAddresses(env) },
    rails: railSettings(env),
    demoChain: env.DEMO_CHAIN ?? null,
    usdtRateE8: env.USDT_RATE,
    priceSources: env.PRICE_SOURCES ?? (demo ? [] : reachable(env.PRICE_SOURCE_URLS)),
    priceSourceUrls: env.PRICE_SOURCE_URLS,
    creditReviewCents: env.CREDIT_REVIEW_FROM,
    largeWithdrawalCents: env.LARGE_WITHDRAWAL_USD,
    withdrawalWallets: withdrawalWallets.filter(wallet =>
      env.WITHDRAWAL_COINS.some(name => withdrawalCoins[name] === wallet),
    ),
    addressWaitHours: env.WITHDRAWAL_ADDRESS_WAIT_HOURS ?? (demo ? 0 : 24),
    earningsSecondApproval: env.EARNINGS_SECOND_APPROVAL,
    liveChat:
      env.LIVE_CHAT_PROVIDER && env.LIVE_CHAT_ID
        ? liveChatOf(env.LIVE_CHAT_PROVIDER, env.LIVE_CHAT_ID)
        : null,
    firm: demo ? null : firmFields.parse(firmGiven(env)),
  }
}

function listed(faults: string[]): string {
  return [
    'The configuration cannot be used:',
    ...faults.map(fault => `  ${fault}`),
    'See .env.example.',
  ].join('\n')
}
