import { audit } from '#server/audit/log.ts'
import type { Services, SignedInContext, Tx } from '#server/context.ts'

import { lastKnownRate, rateAt } from '#server/prices/rates.ts'
import type { CoinAsset } from '#server/rails/rail.ts'
import { isStablecoin } from '#shared/coins.ts'
import { assetDecimals, formatDecimal, scaleOf } from '#shared/money.ts'
import { reserveNetworks } from './message.ts'
import { reserveRefusals } from './messages.ts'
import { openProof } from './sign.ts'
import { csvLine } from './table.ts'

const COLUMNS =
  'coin,Network,Snapshot Height,address,amount,message,signature1,signature2,redeem script/ public key,eoa1,eoa2'
const PRICE_COLUMNS = 'coin,price USD,read at,sources'

type Signed = {
  rail: string
  address: string
  token: string
  units: bigint
  height: number
  is_contract: boolean
  signature: string
}
type Price = { coin: CoinAsset; usdE8: bigint; at: Date; source: string }

/**
 * Fixes the files of a proof with the addresses that have signed: the end of the open epoch seals them.
 * @throws AppError not_found, wrong_state
 */
export async function publishReserves(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const { services, caller } = ctx
  await tx.selectFrom('app.reserve_proofs').select('id').where('id', '=', id).forUpdate().execute()
  const { message } = await openProof(tx, id)
  const signed = await signedIn(tx, id)
  if (signed.length === 0) throw reserveRefusals.error({ reason: 'unsigned' })
  const now = services.clock.now()
  const prices = await pricesOf({ ...services, db: tx }, signed, now)
  const isTest = services.config.mode === 'demo'
  await tx
    .updateTable('app.reserve_proofs')
    .set({
      published_by: caller.userId,
      published_at: now,
      reserves: Buffer.from(reservesFile(signed, message, isTest)),
      prices: Buffer.from(pricesFile(prices)),
      cents: centsOf(signed, prices),
    })
    .where('id', '=', id)
    .execute()
  const details = { addresses: [...new Set(signed.map(({ address }) => address))] }
  await audit(tx, ctx, { action: 'reserves.published', subject: { kind: 'reserves', id }, details })
}

async function signedIn(tx: Tx, id: string): Promise<Signed[]> {
  return await tx
    .selectFrom('app.reserve_holdings as h')
    .innerJoin('app.reserve_addresses as a', join =>
      join.onRef('a.proof', '=', 'h.proof').onRef('a.address', '=', 'h.address'),
    )
    .innerJoin('app.reserve_signatures as s', join =>
      join.onRef('s.proof', '=', 'h.proof').onRef('s.address', '=', 'h.address'),
    )
    .select(['a.rail', 'h.address', 'h.token', 'h.units', 'h.height', 'h.is_contract', 's.signature'])
    .where('h.proof', '=', id)
    .orderBy('a.rail')
    .orderBy('h.token')
    .orderBy('h.address')
    .execute()
}

/** The latest readings: a coin without one has no price, and counts nothing. */
async function pricesOf(
  reader: Pick<Services, 'db' | 'config'>,
  signed: readonly Signed[],
  now: Date,
): Promise<Price[]> {
  const coins = [...new Set(signed.map(({ token }) => token as CoinAsset))].toSorted()
  const prices: Price[] = []
  for (const coin of coins) {
    const rate = (await rateOf(reader, coin, now)) ?? (await lastKnownRate(reader, coin, now))
    if (rate !== undefined) prices.push({ coin, usdE8: rate.usdE8, at: rate.at, source: rate.source })
  }
  return prices
}

async function rateOf(reader: Pick<Services, 'db' | 'config'>, coin: CoinAsset, now: Date) {
  return isStablecoin(coin) ? undefined : await rateAt(reader, coin, now)
}

function reservesFile(signed: readonly Signed[], message: string, isTest: boolean): string {
  const rows = signed.map(({ rail, address, token, units, height, is_contract, signature }) => {
    const { inFile } = reserveNetworks.find(one => one.rail === rail)!
    const amount = formatDecimal(units, assetDecimals[token as CoinAsset])
    const script = is_contract ? 'EIP-1271' : ''
    const network = isTest ? `${inFile} test` : inFile
    return csvLine([token, network, `${height}`, address, amount, message, signature, '', script, '', ''])
  })
  return `${COLUMNS}\n${rows.join('')}`
}

function pricesFile(prices: readonly Price[]): string {
  const rows = prices.map(({ coin, usdE8, at, source }) =>
    csvLine([coin, formatDecimal(usdE8, 8), at.toISOString(), source]),
  )
  return `${PRICE_COLUMNS}\n${rows.join('')}`
}

/** For each network and coin rounded down to cents, without contracts, as the verifier does: it asks no node. */
function centsOf(signed: readonly Signed[], prices: readonly Price[]): bigint {
  const checked = signed.filter(({ is_contract }) => !is_contract)
  const sums = Map.groupBy(checked, ({ rail, token }) => `${rail} ${token}`)
  return [...sums.values()].reduce((total, rows) => {
    const coin = rows[0]!.token as CoinAsset
    const usdE8 = prices.find(price => price.coin === coin)?.usdE8 ?? 0n
    const units = rows.reduce((sum, row) => sum + row.units, 0n)
    return total + (units * usdE8) / (1_000_000n * scaleOf(assetDecimals[coin]))
  }, 0n)
}
