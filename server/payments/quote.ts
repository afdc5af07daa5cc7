import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Config } from '#server/config.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { allSecrets } from '#server/platform/sealed.ts'
import { quotableRate } from '#server/prices/rates.ts'
import type { Rail } from '#server/rails/rail.ts'
import { railOf } from '#server/rails/rails.ts'
import { currentFirm } from '#server/records/firm.ts'
import { type DepositMethod, depositMethods, paymentMethods } from '#shared/coins.ts'
import { AppError } from '#shared/errors.ts'
import { paymentWindowMinutes } from '#shared/limits.ts'
import { belowMinimum } from '#shared/payments.ts'
import { addressFor } from './addresses.ts'

/** What a payment must be, with its rate locked until it expires (D5). */
export type Quote = {
  rail: Rail
  address: string
  /** Minor units of the rail's asset. */
  units: bigint
  /** USD for one unit, in 10^-8 USD. */
  rateE8: bigint
  rateAt: Date
  rateSource: string
  expiresAt: Date
}

/** What is asked for, and by whom: a quote is good for nothing else. */
export type Asked = { userId: string; method: DepositMethod; amountCents: bigint }

export type Quoting = { db: Kysely<Schema>; config: Config; clock: Clock }

/**
 * Every payment by coin has a deposit's minimum, also one for an investment (D5, D6).
 * @throws AppError invalid_input
 */
export function requireMinimum(amountCents: bigint, purpose: { forInvestment?: boolean } = {}): void {
  const message = belowMinimum(amountCents, purpose)
  if (message) throw new AppError('invalid_input', message, { fields: { amount: message } })
}

/**
 * Quotes a payment at the rate of this moment, for fifteen minutes.
 * @throws AppError rate_unavailable when the coin's rate is stale; invalid_input when the method is not offered
 */
export async function makeQuote(quoting: Quoting, { userId, method, amountCents }: Asked): Promise<Quote> {
  const now = quoting.clock.now()
  const rail = offeredRail(quoting.config, method)
  const rate = await quotableRate(quoting, method, now)
  return {
    rail,
    address: await addressFor(quoting.db, rail, { userId, now }),
    units: rail.amountFor(amountCents, rate.usdE8),
    rateE8: rate.usdE8,
    rateAt: rate.at,
    rateSource: rate.source,
    expiresAt: new Date(now.getTime() + paymentWindowMinutes * 60_000),
  }
}

function offeredRail(config: Config, method: DepositMethod): Rail {
  const rail = railOf(config, method)
  if (rail) return rail
  const message = `Payments by ${paymentMethods[method].label} are not offered at the moment`
  throw new AppError('invalid_input', message, { fields: { method: message } })
}

/** What the payment request says for wallets: address, amount and who is paid. */
export async function paymentUri(
  { db, config }: Pick<Quoting, 'db' | 'config'>,
  { rail, address, units }: Quote,
): Promise<string> {
  const { productName } = await currentFirm(db, config)
  return rail.paymentUri({ address, units, label: productName })
}

const integer = z
  .string()
  .regex(/^\d{1,30}$/)
  .transform(BigInt)
const moment = z.int().transform(milliseconds => new Date(milliseconds))
const signedQuote = z.tuple([
  z.string(),
  z.enum(depositMethods),
  integer,
  z.string(),
  integer,
  integer,
  moment,
  z.string(),
  moment,
])

/** A quote as text that only this server can have written; sent back, it locks the figures that were shown. */
export function sealQuote(config: Config, { userId, method, amountCents }: Asked, quote: Quote): string {
  const { address, units, rateE8, rateAt, rateSource, expiresAt } = quote
  const content: z.input<typeof signedQuote> = [
    userId,
    method,
    `${amountCents}`,
    address,
    `${units}`,
    `${rateE8}`,
    rateAt.getTime(),
    rateSource,
    expiresAt.getTime(),
  ]
  const body = Buffer.from(JSON.stringify(content)).toString('base64url')
  return `${body}.${sealOf(config.tokenSecret, body).toString('base64url')}`
}

/**
 * Opens a sealed quote for the request that it was made for.
 * @throws AppError invalid_input when it is not ours or for another request; quote_expired when its fifteen minutes
 *   have passed, or payments go to another address by now
 */
export function openQuote({ config, clock }: Omit<Quoting, 'db'>, asked: Asked, sealed: string): Quote {
  const content = readSealed(config, sealed)
  if (content === undefined) throw wrongQuote('This quote is not valid')
  const [userId, method, amountCents, address, units, rateE8, rateAt, rateSource, expiresAt] = content
  if (userId !== asked.userId || method !== asked.method || amountCents !== asked.amountCents) {
    throw wrongQuote('This quote is for another payment')
  }
  const rail = offeredRail(config, method)
  const { receiving } = rail
  // Whether an address of an account is free still is known once it is taken.
  const isElsewhere = receiving.kind === 'fixed' && receiving.address !== address
  if (expiresAt <= clock.now() || isElsewhere) {
    throw new AppError('quote_expired', 'This quote has expired. Ask for a new one.')
  }
  return { rail, address, units, rateE8, rateAt, rateSource, expiresAt }
}

/** The quote that was shown, where there is one, else one of this moment. */
export async function quoteFor(quoting: Quoting, asked: Asked, sealed: string | undefined): Promise<Quote> {
  return sealed === undefined ? makeQuote(quoting, asked) : openQuote(quoting, asked, sealed)
}

function readSealed(config: Config, sealed: string): z.output<typeof signedQuote> | undefined {
  const [body = '', seal = ''] = sealed.split('.')
  const given = Buffer.from(seal, 'base64url')
  const isOurs = allSecrets(config).some(secret => {
    const expected = sealOf(secret, body)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  if (!isOurs) return undefined
  return signedQuote.parse(JSON.parse(Buffer.from(body, 'base64url').toString()))
}

/** HMAC-SHA256 with a key of this purpose alone, derived from the process's secret. */
function sealOf(secret: string, body: string): Buffer {
  const key = createHmac('sha256', secret).update('payment quote').digest()
  return createHmac('sha256', key).update(body).digest()
}

function wrongQuote(message: string): AppError {
  return new AppError('invalid_input', message, { fields: { quote: message } })
}
