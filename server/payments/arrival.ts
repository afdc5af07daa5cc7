import type { z } from 'zod'
import type { Services } from '#server/context.ts'
import type { SettledPayment } from '#server/ledger/events.ts'
import { rateAt } from '#server/prices/rates.ts'
import { formatRate, highestRateE8, parseRate } from '#server/prices/reading.ts'
import { worthInCents, worthInUnits } from '#server/rails/rail.ts'
import type { arrivedBody } from '#shared/contract/deposits.ts'
import type { Arrival } from '#shared/contract/entities.ts'
import { AppError } from '#shared/errors.ts'
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
  arrival: Arrival | null
  receivedUnits: bigint
  creditedCents: bigint
  /** The rate that it is credited at: the locked one or, of a late payment, that of its arrival. */
  rateE8: bigint
  rateSource: string
  /** Of a late one only. */
  arrivedAt: Date | null
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
    return { arrival: 'late', receivedUnits, creditedCents, arrivedAt, ...rate }
  }
  const rate = { rateE8: deposit.rate_e8, rateSource: deposit.rate_source }
  const creditedCents = creditable(atLockedRate(deposit, receivedUnits))
  const difference = creditedCents - deposit.amount_cents
  const arrival = difference < 0n ? 'short' : difference > 0n ? 'over' : null
  return { arrival, receivedUnits, creditedCents, arrivedAt: null, ...rate }
}

/** What the ledger posts of it. */
export function paymentOf(
  { asset }: Deposit,
  { receivedUnits, creditedCents, rateE8 }: Weighed,
): SettledPayment {
  return { asset, receivedUnits, exchangedUnits: worthInUnits(asset, creditedCents, rateE8) }
}

function atLockedRate({ asset, crypto_units, amount_cents, rate_e8 }: Deposit, units: bigint): bigint {
  const worth = worthInCents(asset, units, rate_e8)
  if (units < crypto_units) return worth < amount_cents ? worth : amount_cents
  if (units > crypto_units) return worth > amount_cents ? worth : amount_cents
  return amount_cents
}

function unitsOf({ asset, crypto_units }: Deposit, received: string | undefined): bigint {
  if (received === undefined) return crypto_units
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
function lateArrival({ created_at, expires_at }: Deposit, text: string | undefined, now: Date): Date | null {
  if (text === undefined) return null
  const at = new Date(text)
  if (at > now) throw faulty('arrivedAt', 'The arrival cannot be in the future')
  if (at < created_at) throw faulty('arrivedAt', 'The arrival cannot be before the deposit was asked for')
  return at > expires_at ? at : null
}

type Rate = Pick<Weighed, 'rateE8' | 'rateSource'>

async function rateOfArrival(weighing: Weighing, deposit: Deposit, at: Date, told: Told): Promise<Rate> {
  if (deposit.method === 'usdt') return { rateE8: deposit.rate_e8, rateSource: deposit.rate_source }
  const known = await rateAt(weighing, deposit.method, at)
  if (known) return { rateE8: known.usdE8, rateSource: known.source }
  const { rate, rateSource } = told
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
  const { arrival, receivedUnits, creditedCents, rateE8, rateSource, arrivedAt } = weighed
  return {
    asked: formatUsd(amount_cents),
    credited: formatUsd(creditedCents),
    received: `${formatDecimal(receivedUnits, assetDecimals[asset])} ${asset}`,
    ...(arrival === null ? {} : { arrival }),
    ...(arrivedAt === null
      ? {}
      : { arrivedAt: arrivedAt.toISOString(), rate: formatRate(rateE8), rateSource }),
    ...(transactionId === null ? {} : { transactionId }),
  }
}
