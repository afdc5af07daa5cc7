import type { z } from 'zod'
import type { Services } from '#server/context.ts'
import { rateAt } from '#server/prices/rates.ts'
import { formatRate, highestRateE8, parseRate } from '#server/prices/reading.ts'
import { worthInCents, worthInUnits } from '#server/rails/rail.ts'
import { isStablecoin, paymentMethods, type RailName, type WithdrawalWallet } from '#shared/coins.ts'
import type { manualReceiptBody } from '#shared/contract/deposits.ts'
import type { Deviation } from '#shared/contract/entities.ts'
import { invalidField } from '#shared/errors.ts'
import { localUsd } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
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

/** A rate, the time that it is of, and where it comes from. */
type Rate = { rateE8: bigint; rateAt: Date; rateSource: string }

/** A transfer, or a manual receipt: without an arrival, it was in time. `capped`: never credited at more than the locked rate. */
export type Part = { units: bigint; arrivedAt: Date | null; capped?: boolean }

/** A valued part: those in time are valued together at the locked rate, each late one at the rate of its arrival. */
export type ValuedPart = Rate & {
  units: bigint
  cents: bigint
  /** The worth of `cents` in the coin; the remainder goes to the rounding account. */
  exchangedUnits: bigint
  /** When it arrived, if late. */
  lateAt: Date | null
}

/** What a deposit is credited with, and how that deviates from the request; null if it matches to the cent. */
export type Whole = { units: bigint; cents: bigint; deviation: Deviation | null }

type ValuationContext = Pick<Services, 'config' | 'clock'> & { db: Services['db'] }

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

/** A rate that staff enter, with its source. */
export type ManualRate = { rate?: string | undefined; rateSource?: string | undefined }

/**
 * Values a payment part by part in dollars (D5): in time at the locked rate, where exactly the requested coins are exactly the requested
 * dollars, whatever their order or number; late at the rate of their arrival. Dollars are rounded half to even. A late one without a
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
    const first = new Date(Math.min(...rateless.map(({ lateAt }) => lateAt!.getTime())))
    // A rate is required only if no transfer can be valued without it.
    const isNeeded = rateless.length === rated.length || manualRate.rate !== undefined
    const rate = isNeeded ? requireManualRate(manualRate, first) : undefined
    for (const one of rateless) {
      if (one.lateAt!.getTime() <= first.getTime() + priceStaleMinutes * 60_000) one.rate = rate
    }
  }
  const { received_units, credited_cents, late_units, late_cents, asset } = deposit
  const inTime = {
    units: (received_units ?? 0n) - (late_units ?? 0n),
    cents: (credited_cents ?? 0n) - (late_cents ?? 0n),
  }
  return rated.flatMap(({ part, lateAt, rate }) => {
    if (rate === undefined) return []
    const cents =
      lateAt === null ? addedInTime(deposit, inTime, part) : worthInCents(asset, part.units, rate.rateE8)
    return [{ ...part, ...rate, lateAt, cents, exchangedUnits: worthInUnits(asset, cents, rate.rateE8) }]
  })
}

type RatedPart<P> = { part: P; lateAt: Date | null; rate: Rate | undefined }

async function ratedParts<P extends Part>(
  context: ValuationContext,
  deposit: Deposit,
  parts: readonly P[],
): Promise<RatedPart<P>[]> {
  const rated: RatedPart<P>[] = []
  for (const part of parts) {
    const locked = lockedRate(deposit)
    const lateAt = part.arrivedAt === null || isInTime(deposit, part.arrivedAt) ? null : part.arrivedAt
    const ofArrival = lateAt === null ? undefined : await recordedRate(context, deposit, lateAt)
    const isAbove = part.capped && ofArrival !== undefined && ofArrival.rateE8 > locked.rateE8
    rated.push({ part, lateAt, rate: lateAt !== null && !isAbove ? ofArrival : locked })
  }
  return rated
}

/** The cents that a transfer in time adds; updates the running total `inTime`. */
function addedInTime(
  deposit: Deposit,
  inTime: { units: bigint; cents: bigint },
  { units }: { units: bigint },
): bigint {
  inTime.units += units
  const added = atLockedRate(deposit, inTime.units) - inTime.cents
  const cents = added > 0n ? added : 0n
  inTime.cents += cents
  return cents
}

/** The deposit once these parts are credited too. */
export function wholeWith(deposit: Deposit, parts: readonly ValuedPart[]): Whole {
  const added = sumOf(parts)
  const cents = (deposit.credited_cents ?? 0n) + added.cents
  const isLate = (deposit.late_units ?? 0n) > 0n || parts.some(({ lateAt }) => lateAt !== null)
  const difference = cents - deposit.amount_cents
  const inTime = difference < 0n ? 'underpaid' : difference > 0n ? 'overpaid' : null
  return { units: (deposit.received_units ?? 0n) + added.units, cents, deviation: isLate ? 'late' : inTime }
}

export function sumOf(parts: readonly ValuedPart[]): {
  units: bigint
  cents: bigint
  exchangedUnits: bigint
} {
  const sum = (of: (part: ValuedPart) => bigint) => parts.reduce((total, part) => total + of(part), 0n)
  return {
    units: sum(part => part.units),
    cents: sum(part => part.cents),
    exchangedUnits: sum(part => part.exchangedUnits),
  }
}

/** Within the payment window, with tolerance before it because block clocks differ from ours. */
function isInTime({ rate_at, expires_at }: Deposit, at: Date): boolean {
  return at <= expires_at && at.getTime() >= rate_at.getTime() - blockClockMinutes * 60_000
}

function lockedRate({ rate_e8, rate_at, rate_source }: Deposit): Rate {
  return { rateE8: rate_e8, rateAt: rate_at, rateSource: rate_source }
}

async function recordedRate(
  context: ValuationContext,
  deposit: Deposit,
  at: Date,
): Promise<Rate | undefined> {
  if (isStablecoin(deposit.asset)) return lockedRate(deposit)
  const known = await rateAt(context, deposit.asset, at)
  return known && { rateE8: known.usdE8, rateAt: known.at, rateSource: known.source }
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
    throw invalidField(
      'received',
      t('The network shows {seen} of {asked} {asset} so far. Enter the amount received.', {
        seen: formatDecimal(seen_units, assetDecimals[asset]),
        asked: formatDecimal(crypto_units, assetDecimals[asset]),
        asset,
      }),
    )
  }
  const units = parseDecimal(received, assetDecimals[asset])
  if (units !== undefined && units > 0n) return units
  throw invalidField(
    'received',
    t('Enter the amount received in {asset}, with at most {maximum} decimals.', {
      asset,
      maximum: assetDecimals[asset],
    }),
  )
}

function requireCreditable({ cents }: ValuedPart): void {
  if (cents > maxUsdCents) throw invalidField('received', tooLarge(t('The amount received'), localUsd))
  if (cents > 0n) return
  throw invalidField('received', t('This is worth less than one cent and cannot be credited.'))
}

/** The arrival time if it is after the payment window; null if it was in time. */
function lateArrival(deposit: Deposit, text: string | undefined, now: Date): Date | null {
  if (text === undefined) return null
  const { created_at, rate_at, expires_at, flags } = deposit
  const at = new Date(text)
  if (at > now) throw invalidField('arrivedAt', t('The arrival time cannot be in the future.'))
  // An unsolicited payment arrived before its deposit was created.
  if (at < (flags.includes('unsolicited') ? rate_at : created_at))
    throw invalidField('arrivedAt', t('The arrival time cannot be before the deposit was requested.'))
  return at > expires_at ? at : null
}

function requireManualRate({ rate, rateSource }: ManualRate, at: Date): Rate {
  if (rate !== undefined && rateSource !== undefined)
    return { rateE8: parseManualRate(rate), rateAt: at, rateSource }
  throw invalidField(
    rate === undefined ? 'rate' : 'rateSource',
    t('No rate is on record for {time}. Enter the rate at that time and its source.', {
      time: utcMinute(at),
    }),
  )
}

function parseManualRate(text: string): bigint {
  const rateE8 = parseRate(text)
  if (rateE8 !== undefined && rateE8 <= highestRateE8) return rateE8
  throw invalidField('rate', t('The rate must be dollars for one coin, such as 96500.25.'))
}

/** A receipt that staff entered, valued; the transaction id is normalised. */
export type ValuedReceipt = { part: ValuedPart; transactionId: string | null }

/**
 * Values a manual receipt: in time unless it states a later arrival.
 * @throws AppError invalid_input, also if no rate is on record and staff entered none
 */
export async function valueReceipt(
  context: ValuationContext,
  deposit: Deposit,
  receipt: ManualReceipt,
): Promise<ValuedReceipt> {
  const units = unitsOf(deposit, receipt.received)
  const arrivedAt = lateArrival(deposit, receipt.arrivedAt, context.clock.now())
  const [part] = await valueParts(context, deposit, [{ units, arrivedAt }], receipt)
  requireCreditable(part!)
  const { transactionId } = receipt
  return {
    part: part!,
    transactionId: transactionId === undefined ? null : transactionOf(deposit, transactionId),
  }
}

/** The wallet of each rail, by which a transaction id is validated. */
const walletOf = {
  bitcoin: 'Bitcoin (BTC)',
  usdt: 'USDT TRC-20',
  ethereum: 'Ethereum (ETH)',
} as const satisfies Record<RailName, WithdrawalWallet>

function transactionOf({ method }: Deposit, typedId: string): string {
  const error = transactionIdError(walletOf[paymentMethods[method].rail], typedId)
  if (error !== undefined) throw invalidField('transactionId', error)
  return canonicalTransactionId(typedId)
}

/** Details of a manual credit for the audit log. */
export function detailsOf(deposit: Deposit, { part, transactionId }: ValuedReceipt) {
  const { lateAt, rateE8, rateSource } = part
  return {
    ...amountDetails(deposit, [part]),
    ...(lateAt === null ? {} : { arrivedAt: lateAt.toISOString(), rate: formatRate(rateE8), rateSource }),
    ...(transactionId === null ? {} : { transactionId }),
  }
}

/** The amounts of a credit for the audit log, and the deviation of the whole deposit. */
export function amountDetails(deposit: Deposit, parts: readonly ValuedPart[]) {
  const { units, cents } = sumOf(parts)
  const { deviation } = wholeWith(deposit, parts)
  const { asset, amount_cents } = deposit
  return {
    asked: formatUsd(amount_cents),
    credited: formatUsd(cents),
    received: `${formatDecimal(units, assetDecimals[asset])} ${asset}`,
    ...(deviation === null ? {} : { deviation }),
  }
}
