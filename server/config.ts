import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { EXIT_CONFIG, StartupFault } from '#server/platform/startup-fault.ts'
import { phonePattern } from '#shared/account-rules.ts'
import { addressKey, addressNetwork, extendedKeyKind, type Network } from '#shared/addresses.ts'
import { type DepositMethod, depositMethods, type WithdrawalWallet } from '#shared/coins.ts'
import type { FirmProfile } from '#shared/contract/site.ts'
import { parseDecimal, parseUsd } from '#shared/money.ts'
import { productName } from '#shared/product.ts'
import { type LiveChat, liveChatIdFault, liveChatOf, liveChatProviders } from './live-chat.ts'
import { tokenSecretOf } from './platform/token-secret.ts'

/** Where prices can be read; server/prices knows how. */
export const priceSources = ['coinbase', 'kraken', 'bitstamp'] as const
export type PriceSource = (typeof priceSources)[number]

const onOff = z.enum(['on', 'off'], 'must be on or off').transform(value => value === 'on')
const text = z.string().trim().min(1)
const year = z
  .string()
  .regex(/^(19|20)\d\d$/, 'must be a year')
  .transform(Number)
const postgresUrl = z
  .url({
    protocol: /^postgres(ql)?$/,
    error: 'must look like postgres://user:password@host:5432/database',
  })
  .refine(value => new URL(value).pathname.length > 1, 'names no database (…@host:5432/database)')
const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must look like https://invest.example.com' })
  .transform(value => value.replace(/\/+$/, ''))
  .refine(
    value => new URL(value).origin === value.toLowerCase(),
    'must be an origin alone, without path or user',
  )
const commaList = z.string().transform(value =>
  value
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== ''),
)
const wholePort = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a whole number from 0 to 65535')
  .transform(Number)
  .refine(port => port <= 65_535, 'must be a whole number from 0 to 65535')
/** Shortest secret: 32 characters of base64 are 192 bits. */
const SECRET_LENGTH = 32
const secret = z
  .string()
  .min(SECRET_LENGTH, `must have at least ${SECRET_LENGTH} characters (openssl rand -base64 48)`)

/** Every variable that is read, with its default. `.env.example` documents each one; a test holds the two together. */
export const environmentSchema = z.object({
  MODE: z.enum(['demo', 'live'], 'must be demo or live').default('demo'),
  HOST: text.default('127.0.0.1'),
  PORT: wholePort.default(3000),
  PUBLIC_URL: httpUrl.optional(),
  TRUSTED_PROXIES: commaList
    .refine(list => list.every(isNetwork), 'must be IP addresses or CIDR ranges, like 10.0.0.0/8')
    .default([]),
  RATE_LIMIT: onOff.default(true),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error'], 'must be debug, info, warn or error').default('info'),
  DATA_DIR: text.default('./data'),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_OWNER_URL: postgresUrl.optional(),
  DATABASE_CONNECTIONS: z
    .string()
    .regex(/^\d{1,3}$/, 'must be a whole number from 2 to 200')
    .transform(Number)
    .refine(count => count >= 2 && count <= 200, 'must be a whole number from 2 to 200')
    .default(20),
  TOKEN_SECRET: secret.optional(),
  TOKEN_SECRETS_BEFORE: commaList.pipe(z.array(secret)).default([]),
  METRICS_PORT: wholePort.optional(),
  METRICS_HOST: text.default('127.0.0.1'),
  METRICS_TOKEN: secret.optional(),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must look like smtps://user:password@mail.example.com:465' })
    .optional(),
  MAIL_FROM: text
    .refine(
      value => z.email().safeParse(mailAddressOf(value)).success,
      'must be an e-mail address, like Example Capital <noreply@example.com>',
    )
    .optional(),
  PAYMENT_ADDRESS_BITCOIN: text.optional(),
  PAYMENT_ADDRESS_USDT: text.optional(),
  PAYMENT_ADDRESS_ETHEREUM: text.optional(),
  USDT_RATE: z
    .string()
    .transform((value, context) =>
      positive(parseDecimal(value, 8), context, 'must be a positive decimal number, like 0.99'),
    )
    .default(99_000_000n),
  PRICE_SOURCES: commaList
    .pipe(z.array(z.enum(priceSources, `must name sources among ${priceSources.join(', ')}`)))
    .optional(),
  LARGE_WITHDRAWAL_USD: z
    .string()
    .transform((value, context) => positive(parseUsd(value), context, 'must be an amount in USD, like 10000'))
    .default(1_000_000n),
  WITHDRAWAL_ADDRESS_WAIT_HOURS: z
    .string()
    .regex(/^\d{1,3}$/, 'must be a whole number of hours from 0 to 720')
    .transform(Number)
    .refine(hours => hours <= 720, 'must be a whole number of hours from 0 to 720')
    .optional(),
  EARNINGS_SECOND_APPROVAL: onOff.default(false),
  LIVE_CHAT_PROVIDER: z.enum(liveChatProviders, `must be ${liveChatProviders.join(' or ')}`).optional(),
  LIVE_CHAT_ID: text.optional(),
  FIRM_LEGAL_NAME: text.optional(),
  FIRM_REGISTRATION_NUMBER: text.optional(),
  FIRM_REGULATOR: text.optional(),
  FIRM_LICENCE: text.optional(),
  FIRM_UNREGULATED_STATEMENT: text.optional(),
  FIRM_STREET_ADDRESS: text.optional(),
  FIRM_SUPPORT_EMAIL: z.email('must be an e-mail address').optional(),
  FIRM_PHONES: commaList
    .pipe(z.array(z.string().regex(phonePattern, 'must be phone numbers, separated by commas')).max(5))
    .default([]),
  FIRM_JURISDICTIONS: text.optional(),
  FIRM_RISK_STATEMENT: text.optional(),
  FIRM_FOUNDED_YEAR: year.optional(),
  FIRM_ONLINE_SINCE: year.optional(),
})
type Environment = z.output<typeof environmentSchema>
type Variable = keyof Environment

/** An address of its own, never that of the product. Every request must show the token, where there is one. */
export type MetricsAddress = { host: string; port: number; token: string | null }

/** The configuration of one process, parsed once at its start. */
export type Config = {
  mode: 'demo' | 'live'
  host: string
  port: number
  /** Origin under which people reach the product, without a slash at its end; links in e-mails start with it. */
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
  /** Null in demo mode without SMTP_URL: e-mail goes to the built-in mailbox. */
  smtp: { url: string; from: string } | null
  /** Where deposits are paid to. A method without an address is not offered. */
  paymentAddresses: Partial<Record<DepositMethod, string>>
  /** USD for one USDT, in 10^-8 (D5). */
  usdtRateE8: bigint
  /** Empty in demo mode: the bundled sample series. */
  priceSources: PriceSource[]
  /** A withdrawal above this many cents needs two approvals (D7), until two admins have set another limit. */
  largeWithdrawalCents: bigint
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

/**
 * Addresses of the demonstration: regtest and legacy testnet forms of a hash, so that no main network accepts them.
 * Ethereum has one form on all its networks; nobody holds this one's key.
 */
const demoAddresses: Record<DepositMethod, string> = {
  bitcoin: 'bcrt1qs79nvks8m8g4pqqvaplmyeawnxqtpehwmzvx5l',
  usdt: '27bSCXuu9gKokvhitwouRnFzzDgqp27Fu5A',
  ethereum: '0x878b365a07d9d150800Ce87Fb267Ae9980b0E6Ee',
}

const ENV_FILE = join(import.meta.dirname, '../.env')

/** The process' environment, with the file `.env` behind it where there is one. */
export function environment(): NodeJS.ProcessEnv {
  if (existsSync(ENV_FILE)) process.loadEnvFile(ENV_FILE)
  return process.env
}

/**
 * Reads the environment; an empty variable counts as missing. In demo mode a missing TOKEN_SECRET is made in DATA_DIR.
 * @throws StartupFault (exit 78) that lists everything that is wrong or missing, at once
 */
export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim() !== ''))
  const parsed = environmentSchema.safeParse(given)
  const faults = parsed.success
    ? rulesBroken(parsed.data)
    : [
        ...parsed.error.issues.map(issue => `${issue.path[0]?.toString()}: ${issue.message}`),
        // What cannot be read is reported together with what is missing.
        ...rulesBroken(readable(given, parsed.error)),
      ]
  if (!parsed.success || faults.length > 0) throw new StartupFault(listed(faults), EXIT_CONFIG)
  return configOf(parsed.data)
}

function configOf(env: Environment): Config {
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
    tokenSecret: env.TOKEN_SECRET ?? tokenSecretOf(dataDir),
    formerSecrets: env.TOKEN_SECRETS_BEFORE,
    metrics:
      env.METRICS_PORT === undefined
        ? null
        : { host: env.METRICS_HOST, port: env.METRICS_PORT, token: env.METRICS_TOKEN ?? null },
    smtp: env.SMTP_URL && env.MAIL_FROM ? { url: env.SMTP_URL, from: env.MAIL_FROM } : null,
    paymentAddresses: { ...(demo ? demoAddresses : {}), ...givenAddresses(env) },
    usdtRateE8: env.USDT_RATE,
    priceSources: env.PRICE_SOURCES ?? (demo ? [] : [...priceSources]),
    largeWithdrawalCents: env.LARGE_WITHDRAWAL_USD,
    addressWaitHours: env.WITHDRAWAL_ADDRESS_WAIT_HOURS ?? (demo ? 0 : 24),
    earningsSecondApproval: env.EARNINGS_SECOND_APPROVAL,
    liveChat:
      env.LIVE_CHAT_PROVIDER && env.LIVE_CHAT_ID
        ? liveChatOf(env.LIVE_CHAT_PROVIDER, env.LIVE_CHAT_ID)
        : null,
    firm: demo ? null : firmOf(env),
  }
}

function firmOf(env: Environment): FirmProfile {
  const required = (name: Variable): string => String(env[name])
  return {
    productName,
    legalName: required('FIRM_LEGAL_NAME'),
    registrationNumber: required('FIRM_REGISTRATION_NUMBER'),
    regulator: env.FIRM_REGULATOR ?? null,
    licence: env.FIRM_LICENCE ?? null,
    unregulatedStatement: env.FIRM_UNREGULATED_STATEMENT ?? null,
    streetAddress: required('FIRM_STREET_ADDRESS'),
    supportEmail: required('FIRM_SUPPORT_EMAIL'),
    phones: env.FIRM_PHONES,
    jurisdictions: required('FIRM_JURISDICTIONS'),
    riskStatement: required('FIRM_RISK_STATEMENT'),
    foundedYear: Number(env.FIRM_FOUNDED_YEAR),
    onlineSince: Number(env.FIRM_ONLINE_SINCE),
  }
}

function givenAddresses(env: Partial<Environment>): Partial<Record<DepositMethod, string>> {
  return {
    ...(env.PAYMENT_ADDRESS_BITCOIN ? { bitcoin: env.PAYMENT_ADDRESS_BITCOIN } : {}),
    ...(env.PAYMENT_ADDRESS_USDT ? { usdt: env.PAYMENT_ADDRESS_USDT } : {}),
    ...(env.PAYMENT_ADDRESS_ETHEREUM ? { ethereum: env.PAYMENT_ADDRESS_ETHEREUM } : {}),
  }
}

/** What live mode needs of the firm and its surroundings (D2), with what each is. */
const liveRequirements: Partial<Record<Variable, string>> = {
  PUBLIC_URL: 'the address under which people reach the product',
  DATABASE_URL: 'an external PostgreSQL',
  TOKEN_SECRET: 'a secret of at least 32 characters (openssl rand -base64 48)',
  SMTP_URL: 'the mail server',
  MAIL_FROM: "the sender of the product's e-mails",
  FIRM_LEGAL_NAME: "the firm's legal name",
  FIRM_REGISTRATION_NUMBER: "the firm's registration number",
  FIRM_STREET_ADDRESS: "the firm's street address",
  FIRM_SUPPORT_EMAIL: "the firm's support e-mail",
  FIRM_JURISDICTIONS: 'the jurisdictions it serves',
  FIRM_RISK_STATEMENT: 'its risk statement',
  FIRM_FOUNDED_YEAR: 'the year it was founded',
  FIRM_ONLINE_SINCE: 'the year it went online',
}

/** The coin whose format and checksum a payment address must have: a mistyped one would lose what is paid to it. */
const paymentCoins = {
  bitcoin: 'Bitcoin (BTC)',
  usdt: 'USDT TRC-20',
  ethereum: 'Ethereum (ETH)',
} as const satisfies Record<DepositMethod, WithdrawalWallet>

/** The rules between variables. */
function rulesBroken(env: Partial<Environment>): string[] {
  const faults: string[] = []
  if (env.DATABASE_OWNER_URL && !env.DATABASE_URL) faults.push('DATABASE_OWNER_URL: needs DATABASE_URL')
  if (env.SMTP_URL && !env.MAIL_FROM && env.MODE !== 'live')
    faults.push('MAIL_FROM: is missing beside SMTP_URL')
  faults.push(...metricsFaults(env), ...liveChatFaults(env))
  return [...faults, ...(env.MODE === 'live' ? liveFaults(env) : demoFaults(env))]
}

/** What a process does and how much is nobody's business but the operator's. */
function metricsFaults({ METRICS_PORT, METRICS_HOST, METRICS_TOKEN, PORT }: Partial<Environment>): string[] {
  if (typeof METRICS_PORT !== 'number') return []
  const faults: string[] = []
  if (METRICS_HOST && !isLoopback(METRICS_HOST) && METRICS_TOKEN === undefined)
    faults.push('METRICS_TOKEN: is missing, and METRICS_HOST is not this machine alone')
  if (METRICS_PORT !== 0 && METRICS_PORT === PORT)
    faults.push('METRICS_PORT: must be another one than PORT: metrics are not for everybody')
  return faults
}

function liveChatFaults({ LIVE_CHAT_PROVIDER: provider, LIVE_CHAT_ID: id }: Partial<Environment>): string[] {
  if (provider === undefined && id === undefined) return []
  if (provider === undefined) return ['LIVE_CHAT_PROVIDER: is missing beside LIVE_CHAT_ID']
  if (id === undefined) return ['LIVE_CHAT_ID: is missing beside LIVE_CHAT_PROVIDER']
  const fault = provider && id && liveChatIdFault(provider, id)
  return fault ? [`LIVE_CHAT_ID: ${fault}`] : []
}

function demoFaults(env: Partial<Environment>): string[] {
  return addressFaults(
    env,
    // Ethereum's addresses look the same on all its networks.
    (method, network) => network === 'test' || method === 'ethereum',
    'must be an address of a test network (bcrt1…, tb1…, 27…) in demo mode',
  )
}

/** What is wrong with the payment addresses that are given. */
function addressFaults(
  env: Partial<Environment>,
  fits: (method: DepositMethod, network: Network) => boolean,
  message: string,
): string[] {
  return depositMethods.flatMap(method => {
    const name = `PAYMENT_ADDRESS_${method.toUpperCase()}` as Variable
    const address = env[name]
    if (typeof address !== 'string' || address === '') return []
    const network = addressNetwork(paymentCoins[method], address)
    if (network === undefined) return [`${name}: ${notAnAddress(method, address)}`]
    return fits(method, network) ? [] : [`${name}: ${message}`]
  })
}

/** Never with the value itself: it may be a private key. */
function notAnAddress(method: DepositMethod, value: string): string {
  const key = extendedKeyKind(value)
  if (key === 'private') return 'is a private key. None belongs on this server; move what it guards at once'
  if (key === 'public') return 'is an extended public key; one address is needed, to which every deposit goes'
  return `is not a valid ${paymentCoins[method]} address`
}

function liveFaults(env: Partial<Environment>): string[] {
  const faults = Object.entries(liveRequirements)
    .filter(([name]) => env[name as Variable] === undefined)
    .map(([name, what]) => `${name}: ${what} is missing`)
  if (depositMethods.every(method => givenAddresses(env)[method] === undefined)) {
    faults.push('PAYMENT_ADDRESS_BITCOIN, …_USDT or …_ETHEREUM: at least one wallet is missing')
  }
  faults.push(
    ...addressFaults(
      env,
      (_method, network) => network === 'main',
      'must be an address of the main network in live mode',
    ),
    ...sampleAddressFaults(env),
    ...regulationFaults(env),
    ...firmFaults(env),
    ...surroundingsFaults(env),
  )
  return faults
}

/** Ethereum's addresses look the same on all networks, so the demonstration's could be copied: nobody could spend from it. */
function sampleAddressFaults(env: Partial<Environment>): string[] {
  return depositMethods
    .filter(method => {
      const address = givenAddresses(env)[method]
      return address !== undefined && addressKey(address) === addressKey(demoAddresses[method])
    })
    .filter(method => addressNetwork(paymentCoins[method], demoAddresses[method]) === 'main')
    .map(method => `PAYMENT_ADDRESS_${method.toUpperCase()}: is the demonstration's; nobody holds its key`)
}

/** Regulated, by whom and under which licence, or not: one of them, said plainly (D2). */
function regulationFaults(env: Partial<Environment>): string[] {
  const [regulator, licence, statement] = [
    env.FIRM_REGULATOR,
    env.FIRM_LICENCE,
    env.FIRM_UNREGULATED_STATEMENT,
  ].map(value => value !== undefined)
  if (statement && (regulator || licence))
    return [
      'FIRM_UNREGULATED_STATEMENT: contradicts FIRM_REGULATOR and FIRM_LICENCE; leave out one or the other',
    ]
  return statement || (regulator && licence)
    ? []
    : ['FIRM_REGULATOR and FIRM_LICENCE: both, or FIRM_UNREGULATED_STATEMENT, must be set']
}

/** Longest text of the firm: it stands at the end of every page. */
const FIRM_TEXT_LENGTH = 1000

function firmFaults(env: Partial<Environment>): string[] {
  const faults = Object.keys(environmentSchema.shape)
    .filter(name => name.startsWith('FIRM_') && String(env[name as Variable] ?? '').length > FIRM_TEXT_LENGTH)
    .map(name => `${name}: is longer than ${FIRM_TEXT_LENGTH} characters`)
  if (env.FIRM_REGISTRATION_NUMBER && !/\d/.test(env.FIRM_REGISTRATION_NUMBER))
    faults.push('FIRM_REGISTRATION_NUMBER: has no digit')
  for (const name of ['FIRM_SUPPORT_EMAIL', 'MAIL_FROM'] as const) {
    if (reservedDomain.test(mailAddressOf(env[name] ?? '')))
      faults.push(`${name}: no mail can reach a name that is reserved for tests (RFC 2606)`)
  }
  const thisYear = new Date().getUTCFullYear()
  const { FIRM_FOUNDED_YEAR: founded, FIRM_ONLINE_SINCE: online } = env
  if (online && online > thisYear) faults.push('FIRM_ONLINE_SINCE: is in the future')
  if (founded && founded > thisYear) faults.push('FIRM_FOUNDED_YEAR: is in the future')
  else if (founded && online && online < founded)
    faults.push('FIRM_ONLINE_SINCE: is before FIRM_FOUNDED_YEAR')
  return faults
}

/** What a demonstration may do, and what it would cost real people. */
function surroundingsFaults(env: Partial<Environment>): string[] {
  const faults: string[] = []
  const url = env.PUBLIC_URL ? new URL(env.PUBLIC_URL) : null
  if (url !== null && url.protocol !== 'https:' && !isLoopback(url.hostname))
    faults.push('PUBLIC_URL: must begin with https:// (a reverse proxy brings TLS; see docs/operate.md)')
  for (const [name, value] of [
    ['TOKEN_SECRET', env.TOKEN_SECRET],
    ['METRICS_TOKEN', env.METRICS_TOKEN],
  ] as const) {
    if (value && new Set(value).size < VARIED_CHARACTERS)
      faults.push(`${name}: is easy to guess; make a random one (openssl rand -base64 48)`)
  }
  if (Array.isArray(env.TRUSTED_PROXIES) && env.TRUSTED_PROXIES.some(range => range.endsWith('/0')))
    faults.push('TRUSTED_PROXIES: believes everybody; name your reverse proxies')
  if (Array.isArray(env.PRICE_SOURCES) && env.PRICE_SOURCES.length === 0)
    faults.push('PRICE_SOURCES: the sample prices are for demo mode only')
  if (env.RATE_LIMIT === false) faults.push('RATE_LIMIT: can be off in demo mode only')
  return faults
}

/** Random text of 32 characters, hexadecimal included, practically always has so many different ones. */
const VARIED_CHARACTERS = 8
/** Top-level names that are in nobody's hands. */
const reservedDomain = /[@.](test|invalid|example|localhost)$/i

/** `Example Capital <noreply@example.com>` or the address alone. */
function mailAddressOf(sender: string): string {
  return /^[^<>]*<([^<>\s]+)>$/.exec(sender)?.[1] ?? sender
}

/** Whether a host's name or address is this machine itself. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(host)
}

/** An IP address, alone or with the length of its prefix. */
function isNetwork(range: string): boolean {
  const [address = '', length, more] = range.split('/')
  const version = isIP(address)
  if (version === 0 || more !== undefined) return false
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (version === 4 ? 32 : 128))
}

/** The part of a faulty environment that can be read, so that what is missing is reported too. */
function readable(given: Record<string, string | undefined>, error: z.ZodError): Partial<Environment> {
  const faulty = new Set(error.issues.map(issue => issue.path[0]))
  const sound = Object.fromEntries(Object.entries(given).filter(([name]) => !faulty.has(name)))
  const { data } = environmentSchema.partial().safeParse(sound)
  // A faulty variable is there, only wrong: it must not be reported as missing as well.
  const present = Object.fromEntries([...faulty].map(name => [name, '']))
  return { ...present, ...data }
}

function positive(value: bigint | undefined, context: z.RefinementCtx, message: string): bigint {
  if (value !== undefined && value > 0n) return value
  context.addIssue({ code: 'custom', message })
  return z.NEVER
}

function listed(faults: string[]): string {
  return [
    'The configuration cannot be used:',
    ...faults.map(fault => `  ${fault}`),
    'See .env.example.',
  ].join('\n')
}
