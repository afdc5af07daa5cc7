import type { z } from 'zod'
import type { Services } from '#server/context.ts'
import type { SettledPayment } from '#server/ledger/events.ts'
import { rateAt } from '#server/prices/rates.ts'
import { formatRate, highestRateE8, parseRate } from '#server/prices/reading.ts'
import { worthInCents, worthInUnits } from '#server/rails/rail.ts'
import type { arrivedBody } from '#shared/contract/deposits.ts'
import type { Deviation } from '#shared/contract/entities.ts'
import { AppError } from '#shared/errors.ts'
import { blockClockMinutes, priceStaleMinutes } from '#shared/limits.ts'
import { utcMinute } from '#shared/moments.ts'
import {
  assetDecimals,
  formatDecimal,
  formatUsd,
  maxUsdCents,
  parseDecimal,
  tooLarge,
} from '#shared/money.ts'
import { canonicalTransactionId, transactionFault } from '#shared/transactions.ts'
import type { Deposit } from './locks.ts'

/** What somebody who has looked says has arrived; what he leaves out was as it was asked for. */
export type Told = z.output<typeof arrivedBody>

/** What came of a payment, and what it is credited with. */
export type Weighed = {
  /** In what it differs from what was asked for; null where it does not, to the cent. */
  deviation: Deviation | null
  receivedUnits: bigint
  creditedCents: bigint
  /** The rate that it is credited at: the locked one or, of a late payment, that of its arrival. */
  rateE8: bigint
  rateSource: string
  /** Of a late one only. */
  arrivedAt: Date | null
  /** Of a late one that came in parts, what of it came late; null: all. */
  latePart: { units: bigint; cents: bigint } | null
  /** What `creditedCents` are worth in the coin; the rest of it is the rounding account's. */
  exchangedUnits: bigint
}

/** The same with the transaction that brought it, where that is known. */
export type Arrived = { weighed: Weighed; transactionId: string | null }

type Weighing = Pick<Services, 'config' | 'clock'> & { db: Services['db'] }

/**
 * What has arrived, in dollars (D5). In time it counts at the locked rate: exactly what was asked for is exactly the amount
 * asked for, and less of the coin is never more than that, more of it never less. Late it counts at the rate of its
 * arrival. Dollars are rounded half to even, in nobody's favour; what that leaves of the coin is the rounding account's.
 * @throws AppError invalid_input, also where no rate of the arrival is on record and none is told
 */
export async function weigh(weighing: Weighing, deposit: Deposit, told: Told): Promise<Weighed> {
  const receivedUnits = unitsOf(deposit, told.received)
  const arrivedAt = lateArrival(deposit, told.arrivedAt, weighing.clock.now())
  if (arrivedAt !== null) {
    const rate = await rateOfArrival(weighing, deposit, arrivedAt, told)
    const creditedCents = creditable(worthInCents(deposit.asset, receivedUnits, rate.rateE8))
    const exchangedUnits = worthInUnits(deposit.asset, creditedCents, rate.rateE8)
    const whole = { receivedUnits, creditedCents, exchangedUnits }
    return { deviation: 'late', ...whole, arrivedAt, latePart: null, ...rate }
  }
  const rate = { rateE8: deposit.rate_e8, rateSource: deposit.rate_source }
  const creditedCents = creditable(atLockedRate(deposit, receivedUnits))
  const exchangedUnits = worthInUnits(deposit.asset, creditedCents, rate.rateE8)
  const deviation = differenceOf(deposit, creditedCents)
  return { deviation, receivedUnits, creditedCents, exchangedUnits, arrivedAt: null, latePart: null, ...rate }
}

/** In what something that came in time differs from what was asked for. */
function differenceOf({ amount_cents }: Deposit, creditedCents: bigint): 'underpaid' | 'overpaid' | null {
  const difference = creditedCents - amount_cents
  return difference < 0n ? 'underpaid' : difference > 0n ? 'overpaid' : null
}

/** One transfer of a payment that was seen on its network. */
export type Part = { units: bigint; arrivedAt: Date }

/**
 * When a transfer came, by which its rate is found. The locked rate holds for what is seen in time and is in a block while it is waited
 * for: who has a transaction wait for weeks does not choose between two rates by that.
 */
export function arrivalOf(
  { watch_until }: Deposit,
  { seen_at, block_time }: { seen_at: Date; block_time: Date | null },
): Date {
  return block_time !== null && block_time > watch_until ? block_time : seen_at
}

/** What a part is credited with. Parts in time count together at the locked rate, each late one at the rate of its arrival. */
export type WeighedPart = Part & Rate & { late: boolean; creditedCents: bigint; exchangedUnits: bigint }

/** What a deposit was credited with so far. */
export type Before = { units: bigint; cents: bigint; late: { units: bigint; cents: bigint } }

export function creditedBefore(deposit: Deposit): Before {
  const { received_units, credited_cents, late_units, late_cents, deviation } = deposit
  const all = { units: received_units ?? 0n, cents: credited_cents ?? 0n }
  if (deviation !== 'late') return { ...all, late: { units: 0n, cents: 0n } }
  return { ...all, late: { units: late_units ?? all.units, cents: late_cents ?? all.cents } }
}

/** The rate of one moment, as somebody says it. */
export type ToldRate = { rate?: string | undefined; rateSource?: string | undefined }

/**
 * What the network has shown of a payment, in dollars, transfer by transfer (D5): in whatever order and in how many parts it comes, what is
 * in time comes to the same together. A late part of whose moment no rate is on record is left out, and keeps none of the others back.
 * @param told by somebody who wants it credited: it counts for the first of those parts, and for what came while it was not stale
 * @throws AppError invalid_input where nothing can be weighed before a rate is told
 */
export async function weighParts<P extends Part>(
  weighing: Weighing,
  deposit: Deposit,
  parts: readonly P[],
  told?: ToldRate,
): Promise<(WeighedPart & P)[]> {
  const rated = await ratedParts(weighing, deposit, parts)
  const rateless = rated.filter(({ rate }) => rate === undefined)
  if (told !== undefined && rateless.length > 0) {
    const first = new Date(Math.min(...rateless.map(({ part }) => part.arrivedAt.getTime())))
    // What can be weighed without a word needs none.
    const isNeeded = rateless.length === rated.length || told.rate !== undefined
    const rate = isNeeded ? rateTold(told, first) : undefined
    for (const one of rateless) {
      if (one.part.arrivedAt.getTime() <= first.getTime() + priceStaleMinutes * 60_000) one.rate = rate
    }
  }
  const before = creditedBefore(deposit)
  const inTime = { units: before.units - before.late.units, cents: before.cents - before.late.cents }
  return rated.flatMap(({ part, late, rate }) => {
    if (rate === undefined) return []
    const creditedCents = late
      ? worthInCents(deposit.asset, part.units, rate.rateE8)
      : addedInTime(deposit, inTime, part)
    return [weighedPart(deposit, part, { creditedCents, late, ...rate })]
  })
}

type RatedPart<P> = { part: P; late: boolean; rate: Rate | undefined }

async function ratedParts<P extends Part>(
  weighing: Weighing,
  deposit: Deposit,
  parts: readonly P[],
): Promise<RatedPart<P>[]> {
  const rated: RatedPart<P>[] = []
  for (const part of parts) {
    const late = !isInTime(deposit, part.arrivedAt)
    const locked = { rateE8: deposit.rate_e8, rateSource: deposit.rate_source }
    rated.push({ part, late, rate: late ? await recordedRate(weighing, deposit, part.arrivedAt) : locked })
  }
  return rated
}

/** What a part in time adds to those before it, which it is counted among from now on. */
function addedInTime(deposit: Deposit, inTime: { units: bigint; cents: bigint }, { units }: Part): bigint {
  inTime.units += units
  const added = atLockedRate(deposit, inTime.units) - inTime.cents
  const creditedCents = added > 0n ? added : 0n
  inTime.cents += creditedCents
  return creditedCents
}

function weighedPart<P extends Part>(
  { asset }: Deposit,
  part: P,
  credit: Omit<WeighedPart, keyof Part | 'exchangedUnits'>,
): WeighedPart & P {
  return { ...part, ...credit, exchangedUnits: worthInUnits(asset, credit.creditedCents, credit.rateE8) }
}

/** Parts, and what was credited before them, as one; what is exchanged is of the parts alone. */
export function together(deposit: Deposit, parts: readonly WeighedPart[]): Weighed {
  const before = creditedBefore(deposit)
  const late = parts.filter(part => part.late)
  const whole = {
    receivedUnits: before.units + sum(parts, part => part.units),
    creditedCents: before.cents + sum(parts, part => part.creditedCents),
    exchangedUnits: sum(parts, part => part.exchangedUnits),
  }
  const latePart = {
    units: before.late.units + sum(late, part => part.units),
    cents: before.late.cents + sum(late, part => part.creditedCents),
  }
  if (latePart.units === 0n) {
    const rate = { rateE8: deposit.rate_e8, rateSource: deposit.rate_source }
    const deviation = differenceOf(deposit, whole.creditedCents)
    return { deviation, ...whole, arrivedAt: null, latePart: null, ...rate }
  }
  const last = late.at(-1)
  return {
    deviation: 'late',
    ...whole,
    arrivedAt: last?.arrivedAt ?? deposit.arrived_at,
    latePart: latePart.units === whole.receivedUnits ? null : latePart,
    rateE8: last?.rateE8 ?? deposit.credited_rate_e8!,
    rateSource: last?.rateSource ?? deposit.credited_rate_source!,
  }
}

function sum(parts: readonly WeighedPart[], of: (part: WeighedPart) => bigint): bigint {
  return parts.reduce((total, part) => total + of(part), 0n)
}

/** Within the window; also somewhat before it, since the clocks of blocks are not those of quotes. */
function isInTime({ rate_at, expires_at }: Deposit, at: Date): boolean {
  return at <= expires_at && at.getTime() >= rate_at.getTime() - blockClockMinutes * 60_000
}

async function recordedRate(weighing: Weighing, deposit: Deposit, at: Date): Promise<Rate | undefined> {
  if (deposit.method === 'usdt') return { rateE8: deposit.rate_e8, rateSource: deposit.rate_source }
  const known = await rateAt(weighing, deposit.method, at)
  return known && { rateE8: known.usdE8, rateSource: known.source }
}

/** What the ledger posts of it. */
export function paymentOf(
  { asset }: Deposit,
  { receivedUnits, exchangedUnits }: Pick<Weighed, 'receivedUnits' | 'exchangedUnits'>,
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
    throw faulty('received', `Its network has shown ${seen} of ${asked} ${asset} so far. Enter what arrived.`)
  }
  const units = parseDecimal(received, assetDecimals[asset])
  if (units !== undefined && units > 0n) return units
  throw faulty(
    'received',
    `What arrived must be an amount of ${asset} with at most ${assetDecimals[asset]} decimals`,
  )
}

function creditable(cents: bigint): bigint {
  if (cents > maxUsdCents) throw faulty('received', tooLarge('What arrived'))
  if (cents > 0n) return cents
  throw faulty('received', 'This is worth less than a cent, and cannot be credited')
}

/** The moment of its arrival where that is after the window; null where it was in time. */
function lateArrival(deposit: Deposit, text: string | undefined, now: Date): Date | null {
  if (text === undefined) return null
  const { created_at, rate_at, expires_at, flags } = deposit
  const at = new Date(text)
  if (at > now) throw faulty('arrivedAt', 'The arrival cannot be in the future')
  // What nobody had asked for came before it was written down.
  if (at < (flags.includes('unsolicited') ? rate_at : created_at))
    throw faulty('arrivedAt', 'The arrival cannot be before the deposit was asked for')
  return at > expires_at ? at : null
}

type Rate = Pick<Weighed, 'rateE8' | 'rateSource'>

async function rateOfArrival(weighing: Weighing, deposit: Deposit, at: Date, told: Told): Promise<Rate> {
  return (await recordedRate(weighing, deposit, at)) ?? rateTold(told, at)
}

function rateTold({ rate, rateSource }: ToldRate, at: Date): Rate {
  if (rate !== undefined && rateSource !== undefined) return { rateE8: toldRate(rate), rateSource }
  throw faulty(
    rate === undefined ? 'rate' : 'rateSource',
    `There is no rate of ${utcMinute(at)} on record. Enter the rate of that moment and where it is from.`,
  )
}

function toldRate(text: string): bigint {
  const rateE8 = parseRate(text)
  if (rateE8 !== undefined && rateE8 <= highestRateE8) return rateE8
  throw faulty('rate', 'The rate must be a number of dollars for one coin, such as 96500.25')
}

function faulty(field: string, message: string): AppError {
  return new AppError('invalid_input', message, { fields: { [field]: message } })
}

/**
 * What has come by an admin's word: weighed, with the transaction in the form that it is kept in.
 * @throws AppError invalid_input
 */
export async function arrivedAs(weighing: Weighing, deposit: Deposit, told: Told): Promise<Arrived> {
  const { transactionId } = told
  return {
    weighed: await weigh(weighing, deposit, told),
    transactionId: transactionId === undefined ? null : transactionOf(deposit, transactionId),
  }
}

/** The wallet whose transactions bring a payment. */
const walletOf = { bitcoin: 'Bitcoin (BTC)', usdt: 'USDT TRC-20', ethereum: 'Ethereum (ETH)' } as const

function transactionOf({ method }: Deposit, typedId: string): string {
  const fault = transactionFault(walletOf[method], typedId)
  if (fault !== undefined) throw faulty('transactionId', fault)
  return canonicalTransactionId(typedId)
}

/** What the audit log keeps of it. */
export function detailsOf({ asset, amount_cents }: Deposit, { weighed, transactionId }: Arrived) {
  const { deviation, receivedUnits, creditedCents, rateE8, rateSource, arrivedAt } = weighed
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
