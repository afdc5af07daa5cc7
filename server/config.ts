import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { EXIT_CONFIG, StartupError } from '#server/platform/startup-error.ts'
import { type RailName, type WithdrawalWallet, withdrawalCoins, withdrawalWallets } from '#shared/coins.ts'
import { firmFields } from '#shared/contract/firm.ts'
import type { FirmProfile } from '#shared/contract/site.ts'
import { type Bucket, bucketOf } from './config/bucket.ts'
import { type Environment, environmentSchema, type samplerNames } from './config/environment.ts'
import { firmGiven } from './config/firm.ts'
import { type IdentityProvider, identityProviderOf } from './config/identity-provider.ts'
import { type ListAddresses, listAddressesOf } from './config/list-addresses.ts'
import { demoAddresses, givenAddresses } from './config/payment-addresses.ts'
import { type PriceSource, type PriceSourceUrls, reachable } from './config/price-sources.ts'
import { type RailSettings, railSettings } from './config/rails.ts'
import { type TimeAuthority, timeAuthorityOf } from './config/time-authority.ts'
import { rulesBroken, validationErrors } from './config/validation.ts'
import { type WitnessPolicy, witnessPolicyOf } from './config/witness-policy.ts'
import type { ClamdAddress } from './platform/clamd.ts'
import type { PushServices } from './platform/push-services.ts'
import { keptTokenSecret, tokenSecretOf } from './platform/token-secret.ts'
import { type LiveChat, liveChatOf } from './site/live-chat.ts'

/** Connection strings of an external PostgreSQL. */
export type DatabaseAddress = {
  appUrl: string
  /** The way of web processes through a pooler in transaction mode; null: they connect as all others do. */
  poolerUrl: string | null
  /** A standby for long and heavy reads; null: the primary serves them, too. */
  readUrl: string | null
}

/** The metrics' own address, never the product's. If a token is set, every request must send it. */
export type MetricsAddress = { host: string; port: number; token: string | null }

/**
 * Which acts are traced. The official exporter reads OTEL_EXPORTER_OTLP_* and OTEL_RESOURCE_ATTRIBUTES itself, from the process's
 * environment, where `environment()` has put what .env has.
 */
export type TracingConfig = { sampler: (typeof samplerNames)[number]; ratio: number }

/** The configuration of one process, parsed once at its start. */
export type Config = {
  mode: 'demo' | 'live'
  host: string
  port: number
  /** Public origin of the product, without a trailing slash; links in emails start with it. */
  publicUrl: string
  /** Addresses or CIDR ranges whose X-Forwarded-For we trust. */
  trustedProxies: string[]
  /** False only in demo mode, for load tests. */
  rateLimit: boolean
  /** How long a stopping web process says that it is not ready before it accepts no more connections, in seconds. */
  drainSeconds: number
  logLevel: 'debug' | 'info' | 'warn' | 'error'
  /** Absolute path of the embedded database and generated secrets. */
  dataDir: string
  /** null: the embedded PostgreSQL in `dataDir`. */
  database: DatabaseAddress | null
  /** Maximum database connections of one process. */
  databaseConnections: number
  /** Signs the access tokens; all other keys derive from it. */
  tokenSecret: string
  /** Earlier secrets: still accepted, never used for anything new. */
  formerSecrets: string[]
  /** null: no metrics. */
  metrics: MetricsAddress | null
  /** null: no tracing. */
  tracing: TracingConfig | null
  /** Scans uploaded files for malware; null: nobody does. */
  clamd: ClamdAddress | null
  /** Looks at investors' documents and faces; null: staff do. */
  identityProvider: IdentityProvider | null
  /** Where a worker fetches published lists every day; a list without an address is imported manually. */
  listAddresses: ListAddresses
  /** Hosts of webhooks, as addresses name them (with a port), that may be private and without TLS. */
  webhookPrivateHosts: string[]
  /** null in demo mode without SMTP_URL: emails go to the built-in mailbox. */
  smtp: { url: string; from: string; connections: number } | null
  /** Where people's answers to our emails arrive: a mailbox, read over IMAP, and its address; null: nowhere. */
  replies: { mailboxUrl: string; address: string } | null
  /** Where notifications of devices may be sent. */
  pushServices: PushServices
  /** Fixed payment addresses, by method. A method with neither an address nor an extended key is not offered. */
  paymentAddresses: Partial<Record<RailName, string>>
  /** Extended public keys, and how the networks are synced. */
  rails: RailSettings
  /** Demo mode: a local Ethereum chain on which visitors can pay. */
  demoChain: 'anvil' | null
  /** USD for one USDT, in 10^-8 (D5). */
  usdtRateE8: bigint
  /** The same for one USDC. */
  usdcRateE8: bigint
  /** Empty in demo mode: the bundled sample series. */
  priceSources: PriceSource[]
  /** Base URLs of sources that are not polled at their default address, without a trailing slash. */
  priceSourceUrls: PriceSourceUrls
  /** From this amount in cents, staff must review a deposit before it is credited. */
  creditReviewCents: bigint
  /** The most, in cents, that is credited in 24 hours without a review, for each network. */
  creditDailyCents: bigint
  /** From this amount in cents, a second source must show a payment too, on networks that have one. */
  creditSecondCents: bigint
  /** A withdrawal above this many cents needs two approvals (D7), until two admins set another limit. */
  largeWithdrawalCents: bigint
  /** Returns above this many cents, recorded by one person in 24 hours, need a second person, until two admins set another limit. */
  largeReturnCents: bigint
  /** Coins offered for withdrawals, in the order of the whole list. */
  withdrawalWallets: WithdrawalWallet[]
  /** How long a new withdrawal address waits before it can be used, in hours. */
  addressWaitHours: number
  /** True if earnings need a second approval (D7), until two admins decide otherwise. */
  earningsSecondApproval: boolean
  /** Length of an epoch of the public proof, in hours. */
  epochHours: number
  /** True if the public proof has salted hashes in place of transactions. */
  closedLeaves: boolean
  /** null: nobody dates its checkpoints. */
  timeAuthority: TimeAuthority | null
  /** null: nobody else has a copy of it. */
  bucket: Bucket | null
  /** Who is asked to cosign the checkpoints of the public proof; null: nobody. */
  witnesses: WitnessPolicy | null
  /** The key of who recomputes it with all lines opened; null: nobody. */
  auditor: string | null
  /** Keys of witnesses and auditors that were replaced: their cosignatures stay. */
  formerCosigners: readonly string[]
  /** null: no live chat, and nothing is loaded from a provider (D10). */
  liveChat: LiveChat | null
  /**
   * A live firm's configured profile, used until the database has a version (decision 23). null in demo mode, where the
   * sample has the firm.
   */
  firm: FirmProfile | null
}

const ENV_FILE = join(import.meta.dirname, '../.env')

/**
 * The process's environment, with values from `.env` as defaults.
 * @throws StartupError if the file cannot be read
 */
export function environment(): NodeJS.ProcessEnv {
  try {
    if (existsSync(ENV_FILE)) process.loadEnvFile(ENV_FILE)
  } catch (cause) {
    throw new StartupError(`${ENV_FILE} cannot be read: ${(cause as Error).message}`, EXIT_CONFIG, { cause })
  }
  return process.env
}

/**
 * Reads the environment; an empty variable counts as missing. In demo mode a missing TOKEN_SECRET is created in
 * DATA_DIR.
 * @param options.makesSecret false for commands that must not create an installation
 * @throws StartupError (exit 78) that lists every error at once
 */
export function loadConfig(environment: NodeJS.ProcessEnv, { makesSecret = true } = {}): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim() !== ''))
  const parsed = environmentSchema.safeParse(given)
  const errors = parsed.success ? rulesBroken(parsed.data) : validationErrors(given, parsed.error)
  if (!parsed.success || errors.length > 0) throw new StartupError(listed(errors), EXIT_CONFIG)
  return configOf(parsed.data, makesSecret)
}

/** The login that owns the tables, for what the application may not do: DATABASE_OWNER_URL, or the application's. */
export function ownerUrlOf(environment: NodeJS.ProcessEnv, { database }: Config): string | null {
  const given = environment.DATABASE_OWNER_URL?.trim() ?? ''
  return given === '' ? (database?.appUrl ?? null) : given
}

/** The variable of a configuration's `database.appUrl`. */
export function directVariable({ database }: Pick<Config, 'database'>): string {
  return database?.poolerUrl ? 'DIRECT_DATABASE_URL' : 'DATABASE_URL'
}

/**
 * A process that serves must not know the owner's login: a thief who took it over could change the rules of the books.
 * @throws StartupError (exit 78) if the environment has it
 */
export function refuseOwnerLogin(environment: NodeJS.ProcessEnv): void {
  if ((environment.DATABASE_OWNER_URL?.trim() ?? '') === '') return
  throw new StartupError(
    'DATABASE_OWNER_URL is for `node build/product/main.js migrate` alone. Run that with it first, then start this without it (not in .env either).',
    EXIT_CONFIG,
  )
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
    drainSeconds: env.DRAIN_SECONDS ?? (demo ? 0 : 5),
    logLevel: env.LOG_LEVEL,
    dataDir,
    database: databaseOf(env),
    databaseConnections: env.DATABASE_CONNECTIONS,
    tokenSecret: env.TOKEN_SECRET ?? (makesSecret ? tokenSecretOf : keptTokenSecret)(dataDir),
    formerSecrets: env.TOKEN_SECRETS_BEFORE,
    metrics:
      env.METRICS_PORT === undefined
        ? null
        : { host: env.METRICS_HOST, port: env.METRICS_PORT, token: env.METRICS_TOKEN ?? null },
    tracing:
      (env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? env.OTEL_EXPORTER_OTLP_ENDPOINT)
        ? { sampler: env.OTEL_TRACES_SAMPLER, ratio: env.OTEL_TRACES_SAMPLER_ARG }
        : null,
    pushServices: env.PUSH_SERVICES,
    clamd: env.CLAMD_ADDRESS ?? null,
    identityProvider: identityProviderOf(env),
    listAddresses: listAddressesOf(env),
    webhookPrivateHosts: env.WEBHOOK_PRIVATE_HOSTS,
    smtp:
      env.SMTP_URL && env.MAIL_FROM
        ? { url: env.SMTP_URL, from: env.MAIL_FROM, connections: env.SMTP_CONNECTIONS }
        : null,
    replies:
      env.REPLY_MAILBOX_URL && env.REPLY_ADDRESS
        ? { mailboxUrl: env.REPLY_MAILBOX_URL, address: env.REPLY_ADDRESS }
        : null,
    paymentAddresses: { ...(demo ? demoAddresses : {}), ...givenAddresses(env) },
    rails: railSettings(env),
    demoChain: env.DEMO_CHAIN ?? null,
    usdtRateE8: env.USDT_RATE,
    usdcRateE8: env.USDC_RATE,
    priceSources: env.PRICE_SOURCES ?? (demo ? [] : reachable(env.PRICE_SOURCE_URLS)),
    priceSourceUrls: env.PRICE_SOURCE_URLS,
    creditReviewCents: env.CREDIT_REVIEW_FROM,
    creditDailyCents: env.CREDIT_REVIEW_DAILY,
    creditSecondCents: env.CREDIT_SECOND_SOURCE_FROM,
    largeWithdrawalCents: env.LARGE_WITHDRAWAL_USD,
    largeReturnCents: env.LARGE_RETURN_USD,
    withdrawalWallets: withdrawalWallets.filter(wallet =>
      env.WITHDRAWAL_COINS.some(name => withdrawalCoins[name] === wallet),
    ),
    addressWaitHours: env.WITHDRAWAL_ADDRESS_WAIT_HOURS ?? (demo ? 0 : 24),
    earningsSecondApproval: env.EARNINGS_SECOND_APPROVAL,
    epochHours: env.PROOF_EPOCH_HOURS,
    closedLeaves: env.PROOF_CLOSED_LEAVES,
    timeAuthority: timeAuthorityOf(env),
    bucket: bucketOf(env),
    witnesses: witnessPolicyOf(env),
    auditor: env.PROOF_AUDITOR ?? null,
    formerCosigners: env.PROOF_COSIGNERS_BEFORE,
    liveChat:
      env.LIVE_CHAT_PROVIDER && env.LIVE_CHAT_ID
        ? liveChatOf(env.LIVE_CHAT_PROVIDER, env.LIVE_CHAT_ID)
        : null,
    firm: demo ? null : { ...firmFields.parse(firmGiven(env)), translations: {} },
  }
}

function databaseOf(env: Environment): Config['database'] {
  const { DATABASE_URL: url, DIRECT_DATABASE_URL: direct } = env
  if (url === undefined) return null
  const readUrl = env.READ_DATABASE_URL ?? null
  return direct === undefined
    ? { appUrl: url, poolerUrl: null, readUrl }
    : { appUrl: direct, poolerUrl: url, readUrl }
}

function listed(errors: string[]): string {
  return [
    'The configuration cannot be used:',
    ...errors.map(error => `  ${error}`),
    'See .env.example.',
  ].join('\n')
}
