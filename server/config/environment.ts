import { isIP } from 'node:net'
import { z } from 'zod'
import type { ClamdAddress } from '#server/platform/clamd.ts'
import { hostsOf, targetSessionAttrs, urlsOf } from '#server/platform/database/hosts.ts'
import { isPushService, knownPushServices } from '#server/platform/push-services.ts'
import { bitcoinNetworkNames } from '#server/rails/bitcoin/networks.ts'
import { liveChatProviders } from '#server/site/live-chat.ts'
import { withdrawalCoinNames } from '#shared/coins.ts'
import { longestReplyName } from '#shared/limits.ts'
import { parseDecimal, parseUsd } from '#shared/money.ts'
import { paymentTokenNames } from '#shared/payment-tokens.ts'
import { isCosigner } from './cosigner.ts'
import { priceSources, priceSourceUrls } from './price-sources.ts'

const onOff = z.enum(['on', 'off'], 'must be on or off').transform(value => value === 'on')
const text = z.string().trim().min(1)
/**
 * Some service managers cannot pass line breaks, so \
 *  stands for one.
 */
const textBlock = text.transform(value => value.replaceAll('\\n', '\n'))
const json = text.transform((value, context): unknown => {
  try {
    return JSON.parse(value)
  } catch {
    context.addIssue({ code: 'custom', message: 'must be JSON (see .env.example)' })
    return z.NEVER
  }
})
/** @param form the expected form, in words */
function urlWith(protocol: RegExp, form: string) {
  return z
    .string()
    .trim()
    .refine(value => isUrl(value, protocol), { error: form, abort: true })
    .refine(isDecodable, 'has an invalid % escape; write a % itself as %25')
}
/** pg ignores an unknown mode and would then send the password unencrypted. */
const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']
const postgresForm =
  'must look like postgres://user:password@host:5432/database; several hosts: host1:5432,host2:5432'
const postgresUrl = z
  .string()
  .trim()
  .refine(isPostgresUrl, { error: postgresForm, abort: true })
  .refine(isDecodable, 'has an invalid % escape; write a % itself as %25')
  .refine(value => firstOf(value).pathname.length > 1, 'names no database (…@host:5432/database)')
  .refine(
    value => sslModes.includes(firstOf(value).searchParams.get('sslmode') ?? 'disable'),
    `has an unknown sslmode; use one of ${sslModes.join(', ')}`,
  )
  .refine(namesHostsOnce, 'has its hosts in two places; write several as host1:5432,host2:5432/database only')
  .refine(
    value => targetSessionAttrs.includes(firstOf(value).searchParams.get('target_session_attrs') ?? 'any'),
    'has a target_session_attrs that the product cannot use; write read-write, or any',
  )
const httpUrl = urlWith(/^https?:$/, 'must look like https://invest.example.com')
  .transform(value => value.replace(/\/+$/, ''))
  .refine(
    value => new URL(value).origin === value.toLowerCase(),
    'must be an origin alone, without path or user',
  )
/** Of a node or a service: it may have a path, a user and a password. */
const nodeUrl = urlWith(/^https?:$/, 'must look like http://user:password@127.0.0.1:8332').transform(value =>
  value.replace(/\/+$/, ''),
)
const listForm = 'must look like https://lists.example.com/file.xml, without a user or a password'
/** Of a published file: it may have a query. */
const listUrl = urlWith(/^https:$/, listForm).refine(value => {
  const { username, password, hash } = new URL(value)
  return username + password + hash === ''
}, listForm)
/** It may be logged and published. */
export const isOpen = (url: string) => !/[@?#]/.test(url)
const smtpForm = 'must look like smtps://user:password@mail.example.com:465'
const smtpUrl = urlWith(/^smtps?:$/, smtpForm).refine(value => new URL(value).hostname !== '', smtpForm)
const imapForm = 'must look like imaps://user:password@mail.example.com:993, without a folder'
const imapUrl = urlWith(/^imaps?:$/, imapForm).refine(namesMailbox, imapForm)
const replyAddressForm = `must be an email address like replies@example.com, with at most ${longestReplyName} characters before the @ and no +`
const listenHost = text.refine(isHost, 'must be an IP address or a host name of this machine')
const clamdForm =
  'must be the path of a socket, like /run/clamav/clamd.ctl, or a host and port, like 127.0.0.1:3310'
const clamdAddress = text.transform((value, context): ClamdAddress => {
  if (value.startsWith('/')) return { path: value }
  const [, host = '', port = ''] = /^\[?(.+?)\]?:([1-9]\d{0,4})$/.exec(value) ?? []
  if (isHost(host) && Number(port) <= 65_535) return { host, port: Number(port) }
  context.addIssue({ code: 'custom', message: clamdForm })
  return z.NEVER
})
/** Characters that a header can carry. */
const headerText = z.string().regex(/^[\x20-\x7e]+$/, 'must be printable ASCII characters')
const confirmations = z
  .string()
  .regex(/^[1-9]\d{0,2}$/, 'must be a whole number from 1 to 999')
  .transform(Number)
const rate = z.string().transform((value, context) =>
  positive(parseDecimal(value, 8), {
    context,
    below: 10n ** 16n,
    message: 'must be a positive decimal number, like 0.99',
  }),
)
const commaList = z.string().transform(value =>
  value
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== ''),
)
const urlHostForm =
  'must be hosts as addresses write them, in lower case and without the ports 80 and 443, like books.internal:8443'
const isUrlHost = (host: string) =>
  ['http:', 'https:'].every(protocol => URL.parse(`${protocol}//${host}`)?.host === host)
const wholePort = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a whole number from 0 to 65535')
  .transform(Number)
  .refine(port => port <= 65_535, 'must be a whole number from 0 to 65535')
const connections = z
  .string()
  .regex(/^\d{1,3}$/, 'must be a whole number from 2 to 200')
  .transform(Number)
  .refine(count => count >= 2 && count <= 200, 'must be a whole number from 2 to 200')
/** Minimum length of a secret: 32 characters of base64 have 192 bits. */
const SECRET_LENGTH = 32
const secret = z
  .string()
  .min(SECRET_LENGTH, `must have at least ${SECRET_LENGTH} characters (openssl rand -base64 48)`)

const dollars = z
  .string()
  .regex(/^[1-9]\d{0,9}$/, 'must be a whole number of US dollars from 1 to 9999999999')
  .transform(number => BigInt(number) * 100n)
const usdLimit = z.string().transform((value, context) =>
  positive(parseUsd(value), {
    context,
    below: 10n ** 12n,
    message: 'must be an amount in USD below 10000000000, like 10000',
  }),
)

/** Of OTEL_TRACES_SAMPLER (OpenTelemetry's specification, Environment Variables). */
export const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/** key=value,key=value, as OpenTelemetry's variables have them. */
const keyValues = z
  .string()
  .regex(
    /^\s*[^\s=,]+\s*=[\x20-\x2b\x2d-\x7e]*(,\s*[^\s=,]+\s*=[\x20-\x2b\x2d-\x7e]*)*$/,
    'must look like key=value,key=value',
  )

/** Every variable, with its default. `.env.example` documents each; a test compares the two. */
export const environmentSchema = z.object({
  MODE: z.enum(['demo', 'live'], 'must be demo or live').default('demo'),
  HOST: listenHost.default('127.0.0.1'),
  PORT: wholePort.default(3000),
  PUBLIC_URL: httpUrl.optional(),
  TRUSTED_PROXIES: commaList
    .refine(list => list.every(isNetwork), 'must be IP addresses or CIDR ranges, like 10.0.0.0/8')
    .default([]),
  RATE_LIMIT: onOff.default(true),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error'], 'must be debug, info, warn or error').default('info'),
  DATA_DIR: text.default('./data'),
  DATABASE_URL: postgresUrl.optional(),
  DIRECT_DATABASE_URL: postgresUrl.optional(),
  READ_DATABASE_URL: postgresUrl.optional(),
  DATABASE_OWNER_URL: postgresUrl.optional(),
  DATABASE_CONNECTIONS: connections.default(20),
  DRAIN_SECONDS: z
    .string()
    .regex(/^\d{1,2}$/, 'must be a whole number of seconds from 0 to 10')
    .transform(Number)
    .refine(seconds => seconds <= 10, 'must be a whole number of seconds from 0 to 10')
    .optional(),
  TOKEN_SECRET: secret.optional(),
  TOKEN_SECRETS_BEFORE: commaList.pipe(z.array(secret)).default([]),
  METRICS_PORT: wholePort.optional(),
  METRICS_HOST: listenHost.default('127.0.0.1'),
  METRICS_TOKEN: secret.pipe(headerText).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: nodeUrl.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: nodeUrl.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: keyValues.optional(),
  OTEL_SERVICE_NAME: text.regex(/^[\w.-]{1,64}$/, 'must be a name, like probity-web').optional(),
  OTEL_RESOURCE_ATTRIBUTES: keyValues.optional(),
  OTEL_TRACES_SAMPLER: z
    .enum(samplerNames, `must be ${samplerNames.join(', ')}`)
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d{1,9})?|\.\d{1,9}|1(\.0{1,9})?)$/, 'must be a number from 0 to 1, like 0.1')
    .transform(Number)
    .default(1),
  CLAMD_ADDRESS: clamdAddress.optional(),
  VERIFF_URL: nodeUrl.refine(isOpen, 'has no place for a user, a password or a query').optional(),
  VERIFF_API_KEY: text.regex(/^[\x21-\x7e]+$/, 'must be the key of a Veriff integration').optional(),
  VERIFF_SECRET: text.regex(/^[\x21-\x7e]+$/, 'must be the shared secret of a Veriff integration').optional(),
  SANCTIONS_OFAC_URL: listUrl.optional(),
  SANCTIONS_UN_URL: listUrl.optional(),
  SANCTIONS_EU_URL: listUrl.optional(),
  PEP_LIST_URL: listUrl.optional(),
  WEBHOOK_PRIVATE_HOSTS: commaList.refine(list => list.every(isUrlHost), urlHostForm).default([]),
  SMTP_URL: smtpUrl.optional(),
  SMTP_CONNECTIONS: connections.default(36),
  REPLY_MAILBOX_URL: imapUrl.optional(),
  REPLY_ADDRESS: text.refine(canBeExtended, replyAddressForm).optional(),
  PUSH_SERVICES: commaList
    .refine(
      list => list.every(isPushService),
      'must be hosts like push.example.com, or .example.com, or whole origins like https://push.example.com:8443',
    )
    .default([...knownPushServices]),
  MAIL_FROM: text
    .refine(
      value => z.email().safeParse(mailAddressOf(value)).success,
      'must be an email address, like Example Capital <noreply@example.com>',
    )
    .optional(),
  PAYMENT_ADDRESS_BITCOIN: text.optional(),
  PAYMENT_ADDRESS_USDT: text.optional(),
  PAYMENT_ADDRESS_ETHEREUM: text.optional(),
  BITCOIN_XPUB: text.optional(),
  BITCOIN_NETWORK: z.enum(bitcoinNetworkNames, `must be ${bitcoinNetworkNames.join(', ')}`).optional(),
  BITCOIN_RPC_URL: nodeUrl.optional(),
  BITCOIN_ESPLORA_URL: nodeUrl.optional(),
  BITCOIN_SECOND_RPC_URL: nodeUrl.optional(),
  BITCOIN_SECOND_ESPLORA_URL: nodeUrl.optional(),
  BITCOIN_CONFIRMATIONS: confirmations.default(2),
  ETHEREUM_XPUB: text.optional(),
  ETHEREUM_CHAIN_ID: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'must be the number of a chain (EIP-155), like 1')
    .transform(Number)
    .optional(),
  ETHEREUM_RPC_URL: nodeUrl.optional(),
  ETHEREUM_SECOND_RPC_URL: nodeUrl.optional(),
  ETHEREUM_CONFIRMATIONS: confirmations.default(12),
  ETHEREUM_PAYOUT_ADDRESS: text.optional(),
  ETHEREUM_USDT_CONTRACT: text.optional(),
  ETHEREUM_USDC_CONTRACT: text.optional(),
  TRON_XPUB: text.optional(),
  TRONGRID_URL: nodeUrl.optional(),
  TRONGRID_API_KEY: headerText.optional(),
  TRON_SECOND_URL: nodeUrl.optional(),
  TRON_SECOND_API_KEY: headerText.optional(),
  TRONGRID_REQUESTS_PER_SECOND: z
    .string()
    .regex(/^\d{1,5}$/, 'must be a whole number from 0 to 10000; 0: no limit')
    .transform(Number)
    .refine(number => number <= 10_000, 'must be a whole number from 0 to 10000; 0: no limit')
    .optional(),
  TRON_CONFIRMATIONS: confirmations.default(20),
  TRON_PAYOUT_ADDRESS: text.optional(),
  DEMO_CHAIN: z.enum(['anvil'], 'must be anvil').optional(),
  USDT_RATE: rate.default(99_000_000n),
  PRICE_SOURCES: commaList
    .pipe(z.array(z.enum(priceSources, `must name sources among ${priceSources.join(', ')}`)))
    // A source named twice would count twice.
    .transform(named => [...new Set(named)])
    .optional(),
  PRICE_SOURCE_URLS: commaList.pipe(priceSourceUrls).default({}),
  LARGE_WITHDRAWAL_USD: usdLimit.default(1_000_000n),
  LARGE_RETURN_USD: usdLimit.default(1_000_000n),
  CREDIT_REVIEW_FROM: dollars.default(1_000_000n),
  CREDIT_REVIEW_DAILY: dollars.default(10_000_000n),
  CREDIT_SECOND_SOURCE_FROM: dollars.default(100_000n),
  USDC_RATE: rate.default(100_000_000n),
  PAYMENT_TOKENS: commaList
    .pipe(z.array(z.enum(paymentTokenNames, `must name tokens among ${paymentTokenNames.join(', ')}`)))
    .transform(named => [...new Set(named)])
    .default([]),
  WITHDRAWAL_COINS: commaList
    .pipe(
      z
        .array(z.enum(withdrawalCoinNames, `must name coins among ${withdrawalCoinNames.join(', ')}`))
        .min(1, 'must name at least one coin'),
    )
    .default([...withdrawalCoinNames]),
  PROOF_EPOCH_HOURS: z
    .enum(['1', '2', '3', '4', '6', '8', '12', '24'], 'must divide a day: 1, 2, 3, 4, 6, 8, 12 or 24')
    .transform(Number)
    .default(24),
  PROOF_CLOSED_LEAVES: onOff.default(false),
  PROOF_BUCKET_URL: nodeUrl
    .refine(
      url => /^\/[\w.-]+(\/[\w.-]+)*$/.test(new URL(url).pathname),
      'must name a bucket: https://s3.example.com/bucket',
    )
    .refine(isOpen, 'has no place for a user or a password: use PROOF_BUCKET_KEY_ID')
    .optional(),
  PROOF_BUCKET_REGION: text.regex(/^[a-z0-9-]+$/, 'must be a region, like eu-central-1').optional(),
  PROOF_BUCKET_KEY_ID: text.regex(/^[\x21-\x7e]+$/, 'must be the id of an access key').optional(),
  PROOF_BUCKET_SECRET: text.regex(/^[\x21-\x7e]+$/, 'must be the secret of an access key').optional(),
  PROOF_WITNESS_POLICY: text.optional(),
  PROOF_AUDITOR: text
    .refine(isCosigner, 'must be the key that the auditor told you: <name>+<id>+<base64>')
    .optional(),
  PROOF_COSIGNERS_BEFORE: commaList
    .pipe(z.array(z.string().refine(isCosigner, 'must be keys of cosigners: <name>+<id>+<base64>')))
    .default([]),
  PROOF_TSA_URL: nodeUrl
    .refine(isOpen, 'has no place for a user, a password or a query')
    .refine(
      url => /^[a-z0-9][a-z0-9.-]{0,62}$/.test(new URL(url).hostname),
      'must have a host name or an IPv4 address',
    )
    .optional(),
  PROOF_TSA_CERTIFICATES: text.optional(),
  PROOF_TSA_POLICY: text
    .regex(/^[0-2](\.(0|[1-9]\d*))+$/, 'must be an object identifier, like 1.3.6.1.4.1.99999.1')
    .optional(),
  WITHDRAWAL_ADDRESS_WAIT_HOURS: z
    .string()
    .regex(/^\d{1,3}$/, 'must be a whole number of hours from 0 to 720')
    .transform(Number)
    .refine(hours => hours <= 720, 'must be a whole number of hours from 0 to 720')
    .optional(),
  EARNINGS_SECOND_APPROVAL: onOff.default(false),
  LIVE_CHAT_PROVIDER: z.enum(liveChatProviders, `must be ${liveChatProviders.join(' or ')}`).optional(),
  LIVE_CHAT_ID: text.optional(),
  // Their forms are checked by the console's rules (validation.ts).
  FIRM_PRODUCT_NAME: text.optional(),
  FIRM_LEGAL_NAME: text.optional(),
  FIRM_REGISTRATION_NUMBER: text.optional(),
  FIRM_REGULATOR: text.optional(),
  FIRM_LICENCE: text.optional(),
  FIRM_UNREGULATED_STATEMENT: text.optional(),
  FIRM_STREET_ADDRESS: text.optional(),
  FIRM_SUPPORT_EMAIL: text.optional(),
  FIRM_PHONES: commaList.default([]),
  FIRM_JURISDICTIONS: text.optional(),
  FIRM_RISK_STATEMENT: text.optional(),
  FIRM_FOUNDED_YEAR: text.optional(),
  FIRM_ONLINE_SINCE: text.optional(),
  FIRM_HEADING: text.optional(),
  FIRM_INTRODUCTION: textBlock.optional(),
  FIRM_FOOTER_LINE: text.optional(),
  FIRM_DESCRIPTION: text.optional(),
  FIRM_TEASER_HEADING: text.optional(),
  FIRM_TEASER: textBlock.optional(),
  FIRM_ABOUT_HEADING: text.optional(),
  FIRM_ABOUT_LEAD: textBlock.optional(),
  FIRM_STORY_HEADING: text.optional(),
  FIRM_STORY: textBlock.optional(),
  FIRM_VALUES: json.optional(),
  FIRM_SERVICES: json.optional(),
  FIRM_SECTORS_HEADING: text.optional(),
  FIRM_SECTORS_LEAD: textBlock.optional(),
  FIRM_SERVICES_LEAD: textBlock.optional(),
  FIRM_SECTORS: json.optional(),
  FIRM_PROCESS_LEAD: textBlock.optional(),
  FIRM_QUESTIONS: json.optional(),
  FIRM_CONTACT_LEAD: textBlock.optional(),
})
export type Environment = z.output<typeof environmentSchema>
export type Variable = keyof Environment

/** `Example Capital <noreply@example.com>` or the address alone. */
export function mailAddressOf(sender: string): string {
  return /^[^<>]*<([^<>\s]+)>$/.exec(sender)?.[1] ?? sender
}

/** A token after a + must still fit before the @ (RFC 5321, 4.5.3.1.1). */
function canBeExtended(address: string): boolean {
  const name = address.slice(0, address.lastIndexOf('@'))
  return z.email().safeParse(address).success && name.length <= longestReplyName && !name.includes('+')
}

/** True if the host name or address is this machine. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(host)
}

/** An IP address, alone or with a prefix length. */
function isNetwork(range: string): boolean {
  const [address = '', length, more] = range.split('/')
  const version = isIP(address)
  if (version === 0 || more !== undefined) return false
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (version === 4 ? 32 : 128))
}

type Bounds = { context: z.RefinementCtx; below: bigint; message: string }

function positive(value: bigint | undefined, { context, below, message }: Bounds): bigint {
  if (value !== undefined && value > 0n && value < below) return value
  context.addIssue({ code: 'custom', message })
  return z.NEVER
}

function isUrl(value: string, protocol: RegExp): boolean {
  const url = URL.parse(value)
  return url !== null && protocol.test(url.protocol) && url.port !== '0'
}

/** A whole mailbox with its login. */
function namesMailbox(value: string): boolean {
  const { hostname, username, password, pathname, search, hash } = new URL(value)
  const isAll = ['', '/'].includes(pathname) && search === '' && hash === ''
  return hostname !== '' && username !== '' && password !== '' && isAll
}

/** One host may be missing, for a socket; several may not. */
function isPostgresUrl(connectionString: string): boolean {
  const urls = urlsOf(connectionString)
  return urls.every(
    url => isUrl(url, /^postgres(ql)?:$/) && (urls.length === 1 || new URL(url).hostname !== ''),
  )
}

/** The parameters of a connection string are the same for all its hosts. */
function firstOf(connectionString: string): URL {
  return new URL(urlsOf(connectionString)[0]!)
}

/** pg takes one host, and the folder of a socket, also as a parameter. */
function namesHostsOnce(connectionString: string): boolean {
  const { searchParams } = firstOf(connectionString)
  const named = ['host', 'port'].filter(name => searchParams.has(name))
  if (hostsOf(connectionString).length > 1) return named.length === 0
  return !named.some(name => searchParams.get(name)!.includes(','))
}

/** True if the escapes can be decoded; decoding others throws. */
function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url)
    return true
  } catch {
    return false
  }
}

/** An IP address, or a host name (RFC 1123); its last label is not a number, which would make it an address. */
function isHost(host: string): boolean {
  if (isIP(host) !== 0) return true
  return (
    host.split('.').every(label => /^[a-z\d]([\w-]{0,61}[a-z\d])?$/i.test(label)) && !/(^|\.)\d+$/.test(host)
  )
}
