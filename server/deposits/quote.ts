import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Config } from '#server/config.ts'
import type { Services } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import type { PlanRow } from '#server/plans/queries.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { keyFor, keyRing } from '#server/platform/encrypted.ts'
import { quotableRate } from '#server/prices/rates.ts'
import type { PaymentMethod } from '#server/rails/rail.ts'
import { paymentMethodOf } from '#server/rails/rails.ts'
import type { Settings } from '#server/staff/settings-queries.ts'
import { type DepositMethod, depositMethods, paymentMethods } from '#shared/coins.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { belowMinimum } from '#shared/payments.ts'
import { addressFor } from './addresses.ts'

/** A payment request whose rate is locked until it expires (D5). */
export type Quote = {
  paymentMethod: PaymentMethod
  address: string
  /** Minor units of the method's asset. */
  units: bigint
  /** USD for one unit, in 10^-8 USD. */
  rateE8: bigint
  rateAt: Date
  rateSource: string
  expiresAt: Date
  /** The row of the plan's version to be invested in; null for a deposit. */
  plan: string | null
}

/** The request that a quote is valid for, and no other. `plan`: the version to be invested in; none for a deposit. */
export type QuoteRequest = {
  userId: string
  method: DepositMethod
  amountCents: bigint
  plan?: Pick<PlanRow, 'id'> | undefined
}

export type Quoting = Pick<Services, 'config' | 'clock'> & {
  db: Kysely<Schema>
  settings: Pick<Settings, 'paymentWindowMinutes'>
}

/**
 * The minimum applies to every crypto payment, also one for an investment (D5, D6).
 * @throws AppError invalid_input
 */
export function requireMinimum(amountCents: bigint, purpose: { forInvestment?: boolean } = {}): void {
  const message = belowMinimum(amountCents, purpose)
  if (message) throw new AppError('invalid_input', message, { fields: { amount: message } })
}

/**
 * Quotes a payment at the current rate, for the payment window.
 * @throws AppError rate_unavailable if the coin's rate is stale; method_paused; invalid_input if the method is not offered
 */
export async function makeQuote(
  quoting: Quoting,
  { userId, method, amountCents, plan }: QuoteRequest,
): Promise<Quote> {
  const now = quoting.clock.now()
  const paymentMethod = offeredMethod(quoting.config, method)
  const rate = await quotableRate(quoting, paymentMethod.asset, now)
  return {
    paymentMethod,
    address: await addressFor(quoting, paymentMethod.rail, userId),
    units: paymentMethod.amountFor(amountCents, rate.usdE8),
    rateE8: rate.usdE8,
    rateAt: rate.at,
    rateSource: rate.source,
    expiresAt: new Date(now.getTime() + quoting.settings.paymentWindowMinutes * 60_000),
    plan: plan?.id ?? null,
  }
}

function offeredMethod(config: Config, method: DepositMethod): PaymentMethod {
  const offered = paymentMethodOf(config, method)
  if (offered) return offered
  const message = t('Payments by {method} are currently not available', {
    method: paymentMethods[method].label,
  })
  throw new AppError('invalid_input', message, { fields: { method: message } })
}

/** The payment URI for wallets: address, amount and payee. */
export async function paymentUri(
  { db, config }: Pick<Quoting, 'db' | 'config'>,
  { paymentMethod, address, units }: Quote,
): Promise<string> {
  const { productName } = await currentFirm(db, config)
  return paymentMethod.paymentUri({ address, units, label: productName })
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
  // The version of the plan, by its row.
  z.string().nullable(),
])

/** Signs a quote: sent back with the request, it locks the figures that were shown. */
export function sealQuote(
  config: Config,
  { userId, method, amountCents }: QuoteRequest,
  quote: Quote,
): string {
  const { address, units, rateE8, rateAt, rateSource, expiresAt, plan } = quote
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
    plan,
  ]
  const body = Buffer.from(JSON.stringify(content)).toString('base64url')
  return `${body}.${sealOf(keyFor(config, 'payment quote'), body).toString('base64url')}`
}

/**
 * Verifies a signed quote against the request.
 * @throws AppError invalid_input if we did not sign it or it is for another request; quote_expired after the payment window, or if the
 *   fixed payment address has changed
 */
export function openQuote(
  { config, clock }: Pick<Quoting, 'config' | 'clock'>,
  asked: QuoteRequest,
  sealed: string,
): Quote {
  const content = readSealed(config, sealed)
  if (content === undefined) throw wrongQuote(t('This quote is not valid'))
  const [userId, method, amountCents, address, units, rateE8, rateAt, rateSource, expiresAt, plan] = content
  const isSame = userId === asked.userId && method === asked.method && amountCents === asked.amountCents
  if (!isSame || (asked.plan === undefined && plan !== null)) throw wrongQuote()
  const paymentMethod = offeredMethod(config, method)
  const { receiving } = paymentMethod.rail
  // `takeAddress` finds out whether a derived address is still free.
  const hasMoved = receiving.kind === 'fixed' && receiving.address !== address
  if (expiresAt <= clock.now() || hasMoved) {
    throw new AppError('quote_expired', t('This quote has expired. Start a new deposit.'))
  }
  return { paymentMethod, address, units, rateE8, rateAt, rateSource, expiresAt, plan }
}

/** The quote that was shown, or a new one. */
export async function quoteFor(
  quoting: Quoting,
  asked: QuoteRequest,
  sealed: string | undefined,
): Promise<Quote> {
  return sealed === undefined ? makeQuote(quoting, asked) : openQuote(quoting, asked, sealed)
}

function readSealed(config: Config, sealed: string): z.output<typeof signedQuote> | undefined {
  const [body = '', seal = ''] = sealed.split('.')
  const given = Buffer.from(seal, 'base64url')
  const isOurs = keyRing(config, 'payment quote').some(key => {
    const expected = sealOf(key, body)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  if (!isOurs) return undefined
  return signedQuote.parse(JSON.parse(Buffer.from(body, 'base64url').toString()))
}

function sealOf(key: Buffer, body: string): Buffer {
  return createHmac('sha256', key).update(body).digest()
}

/** The refusal of a quote that was made for another payment. */
export function wrongQuote(message = t('This quote is for another payment')): AppError {
  return new AppError('invalid_input', message, { fields: { quote: message } })
}
