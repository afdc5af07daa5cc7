import type { z } from 'zod'
import type { Services } from '#server/context.ts'
import type { SettledPayment } from '#server/ledger/events.ts'
import { rateAt } from '#server/prices/rates.ts'
import { formatRate, highestRateE8, parseRate } from '#server/prices/reading.ts'
import { worthInCents, worthInUnits } from '#server/rails/rail.ts'
import type { manualReceiptBody } from '#shared/contract/deposits.ts'
import type { Deviation } from '#shared/contract/entities.ts'
import { invalidField } from '#shared/errors.ts'
import { blockClockMinutes, confirmationMinutes, priceStaleMinutes } from '#shared/limits.ts'
import { utcMinute } from '#shared/moments.ts'
import {
  assetDecimals,
  formatDecimal,
  formatUsd,
  maxUsdCents,
  parseDecimal,
  tooLarge,
} from '#shared/money.ts'
import { canonicalTransactionId, transactionIdError } from '#shared/transactions.ts'
import type { Deposit } from './locks.ts'

/** A receipt as staff enter it; an omitted field is as requested. */
export type ManualReceipt = z.output<typeof manualReceiptBody>

/** A received payment and its worth. */
export type Valuation = {
  /** Null if it matches the request to the cent. */
  deviation: Deviation | null
  receivedUnits: bigint
  creditedCents: bigint
  /** The locked rate or, for a late payment, the rate at its arrival. */
  rateE8: bigint
  rateSource: string
  /** Set for late payments only. */
  arrivedAt: Date | null
  /** The late share of a payment that is late in part; null: all of it. */
  lateShare: { units: bigint; cents: bigint } | null
  /** The worth of `creditedCents` in the coin; the remainder goes to the rounding account. */
  exchangedUnits: bigint
}

/** A valuation with its transaction id, where known. */
export type ValuedReceipt = { valuation: Valuation; transactionId: string | null }

type ValuationContext = Pick<Services, 'config' | 'clock'> & { db: Services['db'] }

/**
 * Values a receipt in dollars (D5): in time at the locked rate, where exactly the requested coins are exactly the requested dollars; late
 * at the rate of its arrival. Dollars are rounded half to even; the coin's remainder goes to the rounding account.
 * @throws AppError invalid_input, also if no rate is on record and staff entered none
 */
export async function valueReceipt(
  context: ValuationContext,
  deposit: Deposit,
  receipt: ManualReceipt,
): Promise<Valuation> {
  const receivedUnits = unitsOf(deposit, receipt.received)
  const arrivedAt = lateArrival(deposit, receipt.arrivedAt, context.clock.now())
  if (arrivedAt !== null) {
    const rate = await rateOfArrival(context, deposit, arrivedAt, receipt)
    const creditedCents = creditable(worthInCents(deposit.asset, receivedUnits, rate.rateE8))
    const exchangedUnits = worthInUnits(deposit.asset, creditedCents, rate.rateE8)
    const whole = { receivedUnits, creditedCents, exchangedUnits }
    return { deviation: 'late', ...whole, arrivedAt, lateShare: null, ...rate }
  }
  const rate = { rateE8: deposit.rate_e8, rateSource: deposit.rate_source }
  const creditedCents = creditable(atLockedRate(deposit, receivedUnits))
  const exchangedUnits = worthInUnits(deposit.asset, creditedCents, rate.rateE8)
  const deviation = differenceOf(deposit, creditedCents)
  return {
    deviation,
    receivedUnits,
    creditedCents,
    exchangedUnits,
    arrivedAt: null,
    lateShare: null,
    ...rate,
  }
}

/** The deviation of a payment in time. */
function differenceOf({ amount_cents }: Deposit, creditedCents: bigint): 'underpaid' | 'overpaid' | null {
  const difference = creditedCents - amount_cents
  return difference < 0n ? 'underpaid' : difference > 0n ? 'overpaid' : null
}

/** One transfer of a payment. `capped`: never credited at more than the locked rate. */
export type Part = { units: bigint; arrivedAt: Date; capped?: boolean }

/**
 * The arrival time that decides a transfer's rate: when it was seen, or its block's time if it confirmed long after the window. Otherwise an
 * investor could hold back a transaction, or pay too low a fee and raise it later, and choose between two rates.
 */
export function arrivalOf(
  { expires_at }: Pick<Deposit, 'expires_at'>,
  { seen_at, block_time }: { seen_at: Date; block_time: Date | null },
): Date {
  const confirmBy = expires_at.getTime() + confirmationMinutes * 60_000
  return block_time !== null && block_time.getTime() > confirmBy ? block_time : seen_at
}

/** A valued transfer. Transfers in time are valued together at the locked rate, each late one at the rate of its arrival. */
export type ValuedPart = Part & Rate & { late: boolean; creditedCents: bigint; exchangedUnits: bigint }

/** The amounts credited to a deposit so far. */
export type CreditedSoFar = { units: bigint; cents: bigint; late: { units: bigint; cents: bigint } }

export function creditedSoFar(deposit: Deposit): CreditedSoFar {
  const { received_units, credited_cents, late_units, late_cents, deviation } = deposit
  const all = { units: received_units ?? 0n, cents: credited_cents ?? 0n }
  if (deviation !== 'late') return { ...all, late: { units: 0n, cents: 0n } }
  return { ...all, late: { units: late_units ?? all.units, cents: late_cents ?? all.cents } }
}

/** A rate that staff enter, with its source. */
export type ManualRate = { rate?: string | undefined; rateSource?: string | undefined }

/**
 * Values a payment transfer by transfer (D5); the total of those in time does not depend on their order or number. A late one without a
 * recorded rate is left out.
 * @param manualRate entered by staff: used for the first of those, and for others while it is not stale
 * @throws AppError invalid_input if nothing can be valued before a rate is entered
 */
export async function valueParts<P extends Part>(
  context: ValuationContext,
  deposit: Deposit,
  parts: readonly P[],
  manualRate?: ManualRate,
): Promise<(ValuedPart & P)[]> {
  const rated = await ratedParts(context, deposit, parts)
  const rateless = rated.filter(({ rate }) => rate === undefined)
  if (manualRate !== undefined && rateless.length > 0) {
    const first = new Date(Math.min(...rateless.map(({ part }) => part.arrivedAt.getTime())))
    // A rate is required only if no transfer can be valued without it.
    const isNeeded = rateless.length === rated.length || manualRate.rate !== undefined
    const rate = isNeeded ? requireManualRate(manualRate, first) : undefined
    for (const one of rateless) {
      if (one.part.arrivedAt.getTime() <= first.getTime() + priceStaleMinutes * 60_000) one.rate = rate
    }
  }
  const before = creditedSoFar(deposit)
  const inTime = { units: before.units - before.late.units, cents: before.cents - before.late.cents }
  return rated.flatMap(({ part, late, rate }) => {
    if (rate === undefined) return []
    const creditedCents = late
      ? worthInCents(deposit.asset, part.units, rate.rateE8)
      : addedInTime(deposit, inTime, part)
    return [valuedPart(deposit, part, { creditedCents, late, ...rate })]
  })
}

type RatedPart<P> = { part: P; late: boolean; rate: Rate | undefined }

async function ratedParts<P extends Part>(
  context: ValuationContext,
  deposit: Deposit,
  parts: readonly P[],
): Promise<RatedPart<P>[]> {
  const rated: RatedPart<P>[] = []
  for (const part of parts) {
    const late = !isInTime(deposit, part.arrivedAt)
    const locked = { rateE8: deposit.rate_e8, rateSource: deposit.rate_source }
    const ofArrival = late ? await recordedRate(context, deposit, part.arrivedAt) : undefined
    const isAbove = part.capped && ofArrival !== undefined && ofArrival.rateE8 > locked.rateE8
    rated.push({ part, late, rate: late && !isAbove ? ofArrival : locked })
  }
  return rated
}

/** The cents that a transfer in time adds; updates the running total `inTime`. */
function addedInTime(deposit: Deposit, inTime: { units: bigint; cents: bigint }, { units }: Part): bigint {
  inTime.units += units
  const added = atLockedRate(deposit, inTime.units) - inTime.cents
  const creditedCents = added > 0n ? added : 0n
  inTime.cents += creditedCents
  return creditedCents
}

function valuedPart<P extends Part>(
  { asset }: Deposit,
  part: P,
  credit: Omit<ValuedPart, keyof Part | 'exchangedUnits'>,
): ValuedPart & P {
  return { ...part, ...credit, exchangedUnits: worthInUnits(asset, credit.creditedCents, credit.rateE8) }
}

/** Combines the parts with the earlier credits; `exchangedUnits` covers the parts alone. */
export function aggregate(deposit: Deposit, parts: readonly ValuedPart[]): Valuation {
  const before = creditedSoFar(deposit)
  const late = parts.filter(part => part.late)
  const whole = {
    receivedUnits: before.units + sum(parts, part => part.units),
    creditedCents: before.cents + sum(parts, part => part.creditedCents),
    exchangedUnits: sum(parts, part => part.exchangedUnits),
  }
  const lateShare = {
    units: before.late.units + sum(late, part => part.units),
    cents: before.late.cents + sum(late, part => part.creditedCents),
  }
  if (lateShare.units === 0n) {
    const rate = { rateE8: deposit.rate_e8, rateSource: deposit.rate_source }
    const deviation = differenceOf(deposit, whole.creditedCents)
    return { deviation, ...whole, arrivedAt: null, lateShare: null, ...rate }
  }
  const last = late.at(-1)
  return {
    deviation: 'late',
    ...whole,
    arrivedAt: last?.arrivedAt ?? deposit.arrived_at,
    lateShare: lateShare.units === whole.receivedUnits ? null : lateShare,
    rateE8: last?.rateE8 ?? deposit.credited_rate_e8!,
    rateSource: last?.rateSource ?? deposit.credited_rate_source!,
  }
}

function sum(parts: readonly ValuedPart[], of: (part: ValuedPart) => bigint): bigint {
  return parts.reduce((total, part) => total + of(part), 0n)
}

/** Within the payment window, with tolerance before it because block clocks differ from ours. */
function isInTime({ rate_at, expires_at }: Deposit, at: Date): boolean {
  return at <= expires_at && at.getTime() >= rate_at.getTime() - blockClockMinutes * 60_000
}

async function recordedRate(
  context: ValuationContext,
  deposit: Deposit,
  at: Date,
): Promise<Rate | undefined> {
  if (deposit.method === 'usdt') return { rateE8: deposit.rate_e8, rateSource: deposit.rate_source }
  const known = await rateAt(context, deposit.method, at)
  return known && { rateE8: known.usdE8, rateSource: known.source }
}

/** The payment as the ledger posts it. */
export function paymentOf(
  { asset }: Deposit,
  { receivedUnits, exchangedUnits }: Pick<Valuation, 'receivedUnits' | 'exchangedUnits'>,
): SettledPayment {
  return { asset, receivedUnits, exchangedUnits }
}

function atLockedRate({ asset, crypto_units, amount_cents, rate_e8 }: Deposit, units: bigint): bigint {
  const worth = worthInCents(asset, units, rate_e8)
  if (units < crypto_units) return worth < amount_cents ? worth : amount_cents
  if (units > crypto_units) return worth > amount_cents ? worth : amount_cents
  return amount_cents
}

function unitsOf({ asset, crypto_units, seen_units }: Deposit, received: string | undefined): bigint {
  if (received === undefined) {
    if (seen_units === 0n || seen_units >= crypto_units) return crypto_units
    const [seen, asked] = [seen_units, crypto_units].map(units => formatDecimal(units, assetDecimals[asset]))
    throw invalidField(
      'received',
      `The network shows ${seen} of ${asked} ${asset} so far. Enter the amount received.`,
    )
  }
  const units = parseDecimal(received, assetDecimals[asset])
  if (units !== undefined && units > 0n) return units
  throw invalidField(
    'received',
    `Enter the amount received in ${asset}, with at most ${assetDecimals[asset]} decimals.`,
  )
}

function creditable(cents: bigint): bigint {
  if (cents > maxUsdCents) throw invalidField('received', tooLarge('The amount received'))
  if (cents > 0n) return cents
  throw invalidField('received', 'This is worth less than one cent and cannot be credited.')
}

/** The arrival time if it is after the payment window; null if it was in time. */
function lateArrival(deposit: Deposit, text: string | undefined, now: Date): Date | null {
  if (text === undefined) return null
  const { created_at, rate_at, expires_at, flags } = deposit
  const at = new Date(text)
  if (at > now) throw invalidField('arrivedAt', 'The arrival time cannot be in the future.')
  // An unsolicited payment arrived before its deposit was created.
  if (at < (flags.includes('unsolicited') ? rate_at : created_at))
    throw invalidField('arrivedAt', 'The arrival time cannot be before the deposit was requested.')
  return at > expires_at ? at : null
}

type Rate = Pick<Valuation, 'rateE8' | 'rateSource'>

async function rateOfArrival(
  context: ValuationContext,
  deposit: Deposit,
  at: Date,
  receipt: ManualReceipt,
): Promise<Rate> {
  return (await recordedRate(context, deposit, at)) ?? requireManualRate(receipt, at)
}

function requireManualRate({ rate, rateSource }: ManualRate, at: Date): Rate {
  if (rate !== undefined && rateSource !== undefined) return { rateE8: parseManualRate(rate), rateSource }
  throw invalidField(
    rate === undefined ? 'rate' : 'rateSource',
    `No rate is on record for ${utcMinute(at)}. Enter the rate at that time and its source.`,
  )
}

function parseManualRate(text: string): bigint {
  const rateE8 = parseRate(text)
  if (rateE8 !== undefined && rateE8 <= highestRateE8) return rateE8
  throw invalidField('rate', 'The rate must be dollars for one coin, such as 96500.25.')
}

/**
 * Values a manual receipt and normalises its transaction id.
 * @throws AppError invalid_input
 */
export async function valueManualReceipt(
  context: ValuationContext,
  deposit: Deposit,
  receipt: ManualReceipt,
): Promise<ValuedReceipt> {
  const { transactionId } = receipt
  return {
    valuation: await valueReceipt(context, deposit, receipt),
    transactionId: transactionId === undefined ? null : transactionOf(deposit, transactionId),
  }
}

/** The wallet of each method, by which a transaction id is validated. */
const walletOf = { bitcoin: 'Bitcoin (BTC)', usdt: 'USDT TRC-20', ethereum: 'Ethereum (ETH)' } as const

function transactionOf({ method }: Deposit, typedId: string): string {
  const error = transactionIdError(walletOf[method], typedId)
  if (error !== undefined) throw invalidField('transactionId', error)
  return canonicalTransactionId(typedId)
}

/** Details for the audit log. */
export function detailsOf({ asset, amount_cents }: Deposit, { valuation, transactionId }: ValuedReceipt) {
  const { deviation, receivedUnits, creditedCents, rateE8, rateSource, arrivedAt } = valuation
  return {
    asked: formatUsd(amount_cents),
    credited: formatUsd(creditedCents),
    received: `${formatDecimal(receivedUnits, assetDecimals[asset])} ${asset}`,
    ...(deviation === null ? {} : { deviation }),
    ...(arrivedAt === null
      ? {}
      : { arrivedAt: arrivedAt.toISOString(), rate: formatRate(rateE8), rateSource }),
    ...(transactionId === null ? {} : { transactionId }),
  }
}
