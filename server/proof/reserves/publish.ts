import { audit } from '#server/audit/log.ts'
import type { Services, SignedInContext, Tx } from '#server/context.ts'
import { lastKnownRate, rateAt } from '#server/prices/rates.ts'
import { publicProofKey } from '#server/proof/keys.ts'
import type { CoinAsset } from '#server/rails/rail.ts'
import { isStablecoin } from '#shared/coins.ts'
import { assetDecimals, formatDecimal } from '#shared/money.ts'
import { Invalid } from '#verifier/errors.mjs'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { checkReserves, PRICES_HEAD, RESERVES_HEAD } from '#verifier/reserves.mjs'
import { endedEpoch, newestEpoch, reserveNetworks } from './message.ts'
import { reserveRefusals } from './messages.ts'
import { openProof } from './sign.ts'
import { csvLine } from './table.ts'

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
  const { message, epoch } = await openProof(tx, id)
  const signed = await signedIn(tx, id)
  if (signed.length === 0) throw reserveRefusals.error({ reason: 'unsigned' })
  const now = services.clock.now()
  const prices = await pricesOf({ ...services, db: tx }, signed, now)
  const isTest = services.config.mode === 'demo'
  const files = {
    reserves: Buffer.from(reservesFile(signed, message, isTest)),
    prices: Buffer.from(pricesFile(prices)),
  }
  const { cents } = await verify(tx, services, epoch, files)
  await tx
    .updateTable('app.reserve_proofs')
    .set({
      published_by: caller.userId,
      published_at: now,
      ...files,
      cents,
    })
    .where('id', '=', id)
    .execute()
  const details = { addresses: [...new Set(signed.map(({ address }) => address))] }
  await audit(tx, ctx, { action: 'reserves.published', subject: { kind: 'reserves', id }, details })
}

/**
 * As every verifier will, once the open epoch has sealed these files for good.
 * @throws AppError wrong_state
 */
async function verify(
  tx: Tx,
  { pool }: Services,
  number: bigint,
  files: { reserves: Buffer; prices: Buffer },
): Promise<{ cents: bigint }> {
  const key = await publicProofKey(pool, 'log')
  const newest = await newestEpoch(tx)
  const { size, root } = await endedEpoch(tx, number)
  const heads = [{ epoch: Number(number), size: Number(size), root }]
  try {
    return checkReserves(nodeHashes, files, { origin: key!.name, epoch: Number(newest!.epoch) + 1, heads })
  } catch (error) {
    if (!(error instanceof Invalid)) throw error
    throw reserveRefusals.error({ reason: 'not_verified', why: error.message })
  }
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
  return `${RESERVES_HEAD}\n${rows.join('')}`
}

function pricesFile(prices: readonly Price[]): string {
  const rows = prices.map(({ coin, usdE8, at, source }) =>
    csvLine([coin, formatDecimal(usdE8, 8), at.toISOString(), source]),
  )
  return `${PRICES_HEAD}\n${rows.join('')}`
}
