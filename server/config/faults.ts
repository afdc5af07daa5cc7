import { resolve } from 'node:path'
import type { z } from 'zod'
import { dataDirFault } from '#server/platform/data-dir.ts'
import { liveChatIdFault } from '#server/site/live-chat.ts'
import { firmFields } from '#shared/contract/firm.ts'
import { firmFaults, hasReservedDomain } from '#shared/firm.ts'
import {
  type Environment,
  environmentSchema,
  isLoopback,
  mailAddressOf,
  type Variable,
} from './environment.ts'
import { firmGiven, firmVariable } from './firm.ts'
import { demoAddressFaults, liveAddressFaults } from './payment-addresses.ts'
import { addressOf } from './price-sources.ts'
import { railFaults } from './rails.ts'

/** What live mode requires of its environment (D2), each with an explanation; `firmFields` has the firm's part. */
const liveRequirements: Partial<Record<Variable, string>> = {
  PUBLIC_URL: 'the public address of the product',
  DATABASE_URL: 'an external PostgreSQL',
  TOKEN_SECRET: 'a secret of at least 32 characters (openssl rand -base64 48)',
  SMTP_URL: 'the mail server',
  MAIL_FROM: "the sender of the product's emails",
}

/** All errors: variables that cannot be parsed, and rules that parsed ones break. */
export function faultsOf(given: Record<string, string | undefined>, error: z.ZodError): string[] {
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
    return rulesBroken({ ...env, MODE: 'demo' }).filter(fault => inLive.includes(fault))
  }
  const faults = dataDirFaults(env)
  if (env.DATABASE_OWNER_URL && !env.DATABASE_URL) faults.push('DATABASE_OWNER_URL: needs DATABASE_URL')
  if (env.SMTP_URL && !env.MAIL_FROM && env.MODE !== 'live')
    faults.push('MAIL_FROM: is required with SMTP_URL')
  faults.push(...metricsFaults(env), ...liveChatFaults(env), ...railFaults(env), ...priceSourceFaults(env))
  return [...faults, ...(env.MODE === 'live' ? liveFaults(env) : demoAddressFaults(env))]
}

/** With an external database and secret, DATA_DIR is not used. */
function dataDirFaults({ DATA_DIR, DATABASE_URL, TOKEN_SECRET }: Partial<Environment>): string[] {
  if (!DATA_DIR || (DATABASE_URL !== undefined && TOKEN_SECRET !== undefined)) return []
  const fault = dataDirFault(resolve(DATA_DIR))
  return fault === undefined ? [] : [fault]
}

/** Metrics are for the operator only. */
function metricsFaults({ METRICS_PORT, METRICS_HOST, METRICS_TOKEN, PORT }: Partial<Environment>): string[] {
  if (typeof METRICS_PORT !== 'number') return []
  const faults: string[] = []
  if (METRICS_HOST && !isLoopback(METRICS_HOST) && METRICS_TOKEN === undefined)
    faults.push('METRICS_TOKEN: is required unless METRICS_HOST is this machine')
  if (METRICS_PORT !== 0 && METRICS_PORT === PORT)
    faults.push('METRICS_PORT: must differ from PORT, because metrics are not public')
  return faults
}

function liveChatFaults({ LIVE_CHAT_PROVIDER: provider, LIVE_CHAT_ID: id }: Partial<Environment>): string[] {
  if (provider === undefined && id === undefined) return []
  if (provider === undefined) return ['LIVE_CHAT_PROVIDER: is required with LIVE_CHAT_ID']
  if (id === undefined) return ['LIVE_CHAT_ID: is required with LIVE_CHAT_PROVIDER']
  const fault = provider && id && liveChatIdFault(provider, id)
  return fault ? [`LIVE_CHAT_ID: ${fault}`] : []
}

/** Anyone who can change a price in transit sets the rate, so live mode requires TLS. */
function priceSourceFaults({
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

function liveFaults(env: Partial<Environment>): string[] {
  const missing = Object.entries(liveRequirements)
    .filter(([name]) => env[name as Variable] === undefined)
    .map(([name, what]) => `${name}: ${what} is missing`)
  return [...missing, ...liveAddressFaults(env), ...firmRulesBroken(env), ...surroundingsFaults(env)]
}

/** Variables that belong together: all or none. */
const REGULATION = 'FIRM_REGULATOR and FIRM_LICENCE, or FIRM_UNREGULATED_STATEMENT'

/** Applies the console's rules for a changed profile, per field and across fields. */
function firmRulesBroken(env: Partial<Environment>): string[] {
  const given = firmGiven(env)
  const issues = firmFields.safeParse(given).error?.issues ?? []
  const faulty = new Set(issues.map(({ path }) => path[0]))
  const sound = firmFields
    .partial()
    .parse(Object.fromEntries(Object.entries(given).filter(([field]) => !faulty.has(field))))
  const together = Object.entries(firmFaults(sound, 'live', new Date().getUTCFullYear()))
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

/** Limits of a demonstration, which protect real people. */
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
  if (env.MAIL_FROM && hasReservedDomain(mailAddressOf(env.MAIL_FROM)))
    faults.push('MAIL_FROM: its domain is reserved for tests (RFC 2606) and receives no mail')
  if (Array.isArray(env.TRUSTED_PROXIES) && env.TRUSTED_PROXIES.some(range => range.endsWith('/0')))
    faults.push('TRUSTED_PROXIES: trusts everyone; list your reverse proxies')
  if (Array.isArray(env.PRICE_SOURCES) && env.PRICE_SOURCES.length === 0)
    faults.push('PRICE_SOURCES: the sample prices are for demo mode only')
  if (env.RATE_LIMIT === false) faults.push('RATE_LIMIT: can be off in demo mode only')
  return faults
}

/** Random text of 32 characters, even hexadecimal, practically always has this many different ones. */
const VARIED_CHARACTERS = 8

/** The readable part of a faulty environment, so that missing variables are reported too. */
function readable(given: Record<string, string | undefined>, error: z.ZodError): Partial<Environment> {
  const faulty = new Set(error.issues.map(issue => issue.path[0]))
  const sound = Object.fromEntries(Object.entries(given).filter(([name]) => !faulty.has(name)))
  const { data } = environmentSchema.partial().safeParse(sound)
  // A faulty variable is present; do not report it as missing as well.
  const present = Object.fromEntries([...faulty].map(name => [name, '']))
  return { ...present, ...data }
}
