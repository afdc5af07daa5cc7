import { resolve } from 'node:path'
import type { z } from 'zod'
import { dataDirError } from '#server/platform/data-dir.ts'
import { needsWrites, urlsOf } from '#server/platform/database/hosts.ts'
import { liveChatIdError } from '#server/site/live-chat.ts'
import { firmFields } from '#shared/contract/firm.ts'
import { firmErrors, hasReservedDomain } from '#shared/firm.ts'
import { bucketErrors } from './bucket.ts'
import {
  type Environment,
  environmentSchema,
  isLoopback,
  mailAddressOf,
  type Variable,
} from './environment.ts'
import { firmGiven, firmVariable } from './firm.ts'
import { identityProviderErrors } from './identity-provider.ts'
import { demoAddressErrors, liveAddressErrors } from './payment-addresses.ts'
import { addressOf } from './price-sources.ts'
import { railErrors } from './rails.ts'
import { timeAuthorityErrors } from './time-authority.ts'
import { witnessPolicyErrors } from './witness-policy.ts'

/** What live mode requires of its environment (D2), each with an explanation; `firmFields` has the firm's part. */
const liveRequirements: Partial<Record<Variable, string>> = {
  PUBLIC_URL: 'the public address of the product',
  DATABASE_URL: 'an external PostgreSQL',
  TOKEN_SECRET: 'a secret of at least 32 characters (openssl rand -base64 48)',
  SMTP_URL: 'the mail server',
  MAIL_FROM: "the sender of the product's emails",
}

/** All errors: variables that cannot be parsed, and rules that parsed ones break. */
export function validationErrors(given: Record<string, string | undefined>, error: z.ZodError): string[] {
  return [
    ...error.issues.map(issue => `${issue.path[0]?.toString()}: ${issue.message}`),
    // Reports unreadable and missing variables together.
    ...rulesBroken(readable(given, error)),
  ]
}

/** The rules between variables. */
export function rulesBroken(env: Partial<Environment>): string[] {
  if (env.MODE !== 'demo' && env.MODE !== 'live') {
    // With an unknown mode, report only what is wrong in both.
    const inLive = rulesBroken({ ...env, MODE: 'live' })
    return rulesBroken({ ...env, MODE: 'demo' }).filter(error => inLive.includes(error))
  }
  const errors = dataDirErrors(env)
  errors.push(...databaseErrors(env))
  if (env.SMTP_URL && !env.MAIL_FROM && env.MODE !== 'live')
    errors.push('MAIL_FROM: is required with SMTP_URL')
  errors.push(...replyErrors(env))
  errors.push(
    ...identityProviderErrors(env),
    ...timeAuthorityErrors(env),
    ...bucketErrors(env),
    ...witnessPolicyErrors(env),
  )
  errors.push(...metricsErrors(env), ...liveChatErrors(env), ...railErrors(env), ...priceSourceErrors(env))
  return [...errors, ...(env.MODE === 'live' ? liveErrors(env) : demoAddressErrors(env))]
}

function databaseErrors(env: Partial<Environment>): string[] {
  const errors: string[] = []
  for (const name of ['DATABASE_OWNER_URL', 'DIRECT_DATABASE_URL', 'READ_DATABASE_URL'] as const)
    if (env[name] && !env.DATABASE_URL) errors.push(`${name}: needs DATABASE_URL`)
  // A pooler tells what a server was when it connected to it.
  if (env.DIRECT_DATABASE_URL && env.DATABASE_URL && needsWrites(env.DATABASE_URL))
    errors.push(
      'DATABASE_URL: leads through a pooler (DIRECT_DATABASE_URL is set), which chooses the server; take target_session_attrs out',
    )
  if (env.READ_DATABASE_URL && needsWrites(env.READ_DATABASE_URL))
    errors.push(
      'READ_DATABASE_URL: leads to a standby, which accepts no writes; take target_session_attrs out',
    )
  return errors
}

/** Replies are to emails that reach people. */
function replyErrors(env: Partial<Environment>): string[] {
  const { REPLY_MAILBOX_URL: mailbox, REPLY_ADDRESS: address } = env
  if (mailbox === undefined && address === undefined) return []
  if (address === undefined) return ['REPLY_ADDRESS: is required with REPLY_MAILBOX_URL']
  if (mailbox === undefined) return ['REPLY_MAILBOX_URL: is required with REPLY_ADDRESS']
  return env.SMTP_URL === undefined ? ['REPLY_MAILBOX_URL: needs SMTP_URL'] : []
}

/** With an external database and secret, DATA_DIR is not used. */
function dataDirErrors({ DATA_DIR, DATABASE_URL, TOKEN_SECRET }: Partial<Environment>): string[] {
  if (!DATA_DIR || (DATABASE_URL !== undefined && TOKEN_SECRET !== undefined)) return []
  const error = dataDirError(resolve(DATA_DIR))
  return error === undefined ? [] : [error]
}

/** Metrics are for the operator only. */
function metricsErrors({ METRICS_PORT, METRICS_HOST, METRICS_TOKEN, PORT }: Partial<Environment>): string[] {
  if (typeof METRICS_PORT !== 'number') return []
  const errors: string[] = []
  if (METRICS_HOST && !isLoopback(METRICS_HOST) && METRICS_TOKEN === undefined)
    errors.push('METRICS_TOKEN: is required unless METRICS_HOST is this machine')
  if (METRICS_PORT !== 0 && METRICS_PORT === PORT)
    errors.push('METRICS_PORT: must differ from PORT, because metrics are not public')
  return errors
}

function liveChatErrors({ LIVE_CHAT_PROVIDER: provider, LIVE_CHAT_ID: id }: Partial<Environment>): string[] {
  if (provider === undefined && id === undefined) return []
  if (provider === undefined) return ['LIVE_CHAT_PROVIDER: is required with LIVE_CHAT_ID']
  if (id === undefined) return ['LIVE_CHAT_ID: is required with LIVE_CHAT_PROVIDER']
  const error = provider && id && liveChatIdError(provider, id)
  return error ? [`LIVE_CHAT_ID: ${error}`] : []
}

/** Anyone who can change a price in transit sets the rate, so live mode requires TLS. */
function priceSourceErrors({
  MODE,
  PRICE_SOURCES: named,
  PRICE_SOURCE_URLS: given,
}: Partial<Environment>): string[] {
  // An unreadable variable is still a text here.
  if (typeof given !== 'object') return []
  const homeless = Array.isArray(named) ? named.filter(source => addressOf(source, given) === null) : []
  const readable = Object.entries(given).filter(([, url]) => {
    const { protocol, hostname } = new URL(url)
    return MODE === 'live' && protocol === 'http:' && !isLoopback(hostname)
  })
  return [
    ...homeless.map(source => `PRICE_SOURCES: ${source} needs an address in PRICE_SOURCE_URLS`),
    ...readable.map(([source]) => `PRICE_SOURCE_URLS: that of ${source} must begin with https://`),
  ]
}

function liveErrors(env: Partial<Environment>): string[] {
  const missing = Object.entries(liveRequirements)
    .filter(([name]) => env[name as Variable] === undefined)
    .map(([name, what]) => `${name}: ${what} is missing`)
  return [...missing, ...liveAddressErrors(env), ...firmRulesBroken(env), ...surroundingsErrors(env)]
}

/** Variables that belong together: all or none. */
const REGULATION = 'FIRM_REGULATOR and FIRM_LICENCE, or FIRM_UNREGULATED_STATEMENT'

/** Applies the console's rules for a changed profile, per field and across fields. */
function firmRulesBroken(env: Partial<Environment>): string[] {
  const given = firmGiven(env)
  const issues = firmFields.safeParse(given).error?.issues ?? []
  const invalid = new Set(issues.map(({ path }) => path[0]))
  const sound = firmFields
    .partial()
    .parse(Object.fromEntries(Object.entries(given).filter(([field]) => !invalid.has(field))))
  const together = Object.entries(firmErrors(sound, 'live', new Date().getUTCFullYear()))
  const isRegulation = (field: string) => field === 'regulator' || field === 'licence'
  return [
    ...issues.map(({ path, message }) => `${firmVariableAt(path)}: ${message}`),
    ...together.map(([field, message]) => {
      return `${isRegulation(field) ? REGULATION : firmVariable(field)}: ${message}`
    }),
  ]
}

/** ['texts', 'values', 0, 'title'] becomes `FIRM_VALUES, entry 1, title`. */
function firmVariableAt(path: readonly PropertyKey[]): string {
  const [field, ...within] = path[0] === 'texts' ? path.slice(1) : path
  const place = within.map(step => (typeof step === 'number' ? `entry ${step + 1}` : String(step)))
  return [firmVariable(String(field)), ...place].join(', ')
}

/** Another machine's database without a verified certificate (pg also takes a host or the folder of a socket as a parameter). */
function isReadableOnTheWay({ hostname, searchParams }: URL): boolean {
  const host = searchParams.get('host') ?? hostname
  const isHere = host === '' || host.startsWith('/') || isLoopback(host)
  return !isHere && searchParams.get('sslmode') !== 'verify-full'
}

const databaseVariables = [
  'DATABASE_URL',
  'DIRECT_DATABASE_URL',
  'READ_DATABASE_URL',
  'DATABASE_OWNER_URL',
] as const

/** Readable by everyone between this machine and another one. */
function isPlainHttp({ protocol, hostname }: URL): boolean {
  return protocol !== 'https:' && !isLoopback(hostname)
}

/** What a demonstration may leave open around it, and a firm with real people may not. */
function surroundingsErrors(env: Partial<Environment>): string[] {
  const errors: string[] = []
  for (const name of databaseVariables) {
    if (env[name] && urlsOf(env[name]).some(url => isReadableOnTheWay(new URL(url))))
      errors.push(`${name}: needs sslmode=verify-full, unless PostgreSQL is on this machine`)
  }
  const url = env.PUBLIC_URL ? new URL(env.PUBLIC_URL) : null
  if (url !== null && isPlainHttp(url))
    errors.push('PUBLIC_URL: must begin with https:// (a reverse proxy brings TLS; see docs/operate.md)')
  for (const [name, value] of [
    ['TOKEN_SECRET', env.TOKEN_SECRET],
    ['METRICS_TOKEN', env.METRICS_TOKEN],
  ] as const) {
    if (value && new Set(value).size < VARIED_CHARACTERS)
      errors.push(`${name}: is easy to guess; make a random one (openssl rand -base64 48)`)
  }
  const collector = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? env.OTEL_EXPORTER_OTLP_ENDPOINT
  if (collector && env.OTEL_EXPORTER_OTLP_HEADERS && isPlainHttp(new URL(collector)))
    errors.push(
      'OTEL_EXPORTER_OTLP_HEADERS: are a secret, so the endpoint must begin with https://, unless it is on this machine',
    )
  if (env.MAIL_FROM && hasReservedDomain(mailAddressOf(env.MAIL_FROM)))
    errors.push('MAIL_FROM: its domain is reserved for tests (RFC 2606) and receives no mail')
  if (env.REPLY_ADDRESS && hasReservedDomain(env.REPLY_ADDRESS))
    errors.push('REPLY_ADDRESS: its domain is reserved for tests (RFC 2606) and receives no mail')
  if (Array.isArray(env.TRUSTED_PROXIES) && env.TRUSTED_PROXIES.some(range => range.endsWith('/0')))
    errors.push('TRUSTED_PROXIES: trusts everyone; list your reverse proxies')
  if (Array.isArray(env.PRICE_SOURCES) && env.PRICE_SOURCES.length === 0)
    errors.push('PRICE_SOURCES: the sample prices are for demo mode only')
  if (env.RATE_LIMIT === false) errors.push('RATE_LIMIT: can be off in demo mode only')
  return errors
}

/** Random text of 32 characters, even hexadecimal, practically always has this many different ones. */
const VARIED_CHARACTERS = 8

/** The readable part of an invalid environment, so that missing variables are reported too. */
function readable(given: Record<string, string | undefined>, error: z.ZodError): Partial<Environment> {
  const invalid = new Set(error.issues.map(issue => issue.path[0]))
  const sound = Object.fromEntries(Object.entries(given).filter(([name]) => !invalid.has(name)))
  const { data } = environmentSchema.partial().safeParse(sound)
  // An invalid variable is present; do not report it as missing as well.
  const present = Object.fromEntries([...invalid].map(name => [name, '']))
  return { ...present, ...data }
}
