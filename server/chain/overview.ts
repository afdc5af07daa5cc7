import { type Kysely, sql } from 'kysely'
import { isWatched } from '#server/config/rails.ts'
import type { Config } from '#server/config.ts'
import type { Services } from '#server/context.ts'
import { booksAtAGlance, coinsReceived } from '#server/ledger/daily.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { currentRates, fixedRate, type Rate } from '#server/prices/rates.ts'
import { formatRate } from '#server/prices/reading.ts'
import { cachedForAMinute } from '#server/queries/cached-for-a-minute.ts'
import { type Token, tokenDecimals } from '#server/rails/chain.ts'
import { type CoinAsset, worthInCents } from '#server/rails/rail.ts'
import { creditableAssets, railOf } from '#server/rails/rails.ts'
import { isStablecoin, type RailName, railNames } from '#shared/coins.ts'
import type { chainOverview } from '#shared/contract/console.ts'
import type { CallData } from '#shared/contract/define.ts'
import { dayOf } from '#shared/moments.ts'
import { assetDecimals, formatDecimal, usdToJson } from '#shared/money.ts'
import { contractsOn } from '#shared/token-contracts.ts'

type Overview = CallData<typeof chainOverview>
const coinAssets: readonly CoinAsset[] = ['BTC', 'ETH', 'USDT', 'USDC']
/** The assets that payouts send on each rail: on Ethereum no USDT without its contract, as on a local chain. */
function payoutAssets({ rails }: Pick<Config, 'rails'>, rail: RailName): readonly CoinAsset[] {
  if (rail !== 'ethereum') return rail === 'bitcoin' ? ['BTC'] : ['USDT']
  const { chainId, contracts } = rails.ethereum
  return contractsOn(chainId, contracts).USDT === undefined ? ['ETH'] : ['ETH', 'USDT']
}

/** On-chain balances beside the ledger's, and the sync state of each network. */
export async function overviewOfChains(
  services: Pick<Services, 'db' | 'clock' | 'config'>,
): Promise<Overview> {
  const { db, clock, config } = services
  const now = clock.now()
  const [readings, books, etherFees, rates, rails, unassigned] = await Promise.all([
    latestReadings(db),
    coinsInBooks(services),
    etherFeesPaid(db),
    currentRates({ db, config }, now),
    railsOf(services),
    unassignedPayments(db),
  ])
  const railsOfCoin = (asset: CoinAsset) =>
    rails.filter(
      ({ rail }) => payoutAssets(config, rail).includes(asset) || creditableAssets(config, rail).has(asset),
    )
  // Skip coins that are neither offered nor in the ledger.
  const isUsed = (asset: CoinAsset) =>
    railsOfCoin(asset).length > 0 || books.received.has(asset) || books.paidOut.has(asset)
  const assets = coinAssets.filter(isUsed).map(asset => {
    const market = rates.find(({ symbol }) => symbol === asset)
    const rate = isStablecoin(asset) ? fixedRate(config, asset, now) : market
    const watched = railsOfCoin(asset).some(rail => rail.watched)
    const fees = asset === 'ETH' && watched ? formatDecimal(etherFees, assetDecimals.ETH) : null
    return { ...coverageOf(asset, readings, books, rate), fees, watched }
  })
  return {
    assets,
    stray: readings.flatMap(({ token, units, at }) =>
      token === 'USDC' && units > 0n && !isUsed(token)
        ? { token, amountCrypto: formatDecimal(units, assetDecimals.USDC), at: at.toISOString() }
        : [],
    ),
    unassigned: unassigned.map(({ seen_at, units, token, ...of }) => ({
      ...of,
      token,
      amountCrypto: formatDecimal(units, tokenDecimals[token]),
      seenAt: seen_at.toISOString(),
    })),
    paidByHand: { count: books.byHand.count, amount: usdToJson(books.byHand.cents) },
    liabilities: usdToJson(books.owedCents),
    rails,
    asOf: now.toISOString(),
  }
}

/** The most that the overview lists. */
const mostUnassigned = 20

/** Payments to receiving addresses that we gave to nobody, the newest first. */
function unassignedPayments(db: Kysely<Schema>) {
  return db
    .selectFrom('app.payment_addresses as a')
    .innerJoin('app.chain_transfers as t', join =>
      join.onRef('t.rail', '=', 'a.rail').on(sql<boolean>`t.address = app.address_key(a.address)`),
    )
    .select('t.by_contract as byContract')
    .select(['t.rail', 't.token', 't.units', 't.seen_at', 'a.address'])
    .select(['t.transaction_id as transactionId', 'a.address_index as index'])
    .where('a.branch', '=', 0)
    .where('a.user_id', 'is', null)
    .where('a.used_at', 'is not', null)
    .where('t.dropped_at', 'is', null)
    .orderBy('t.id', 'desc')
    .limit(mostUnassigned)
    .execute()
}

type ReadingRow = {
  rail: string
  token: Token
  units: bigint
  addresses: number
  at: Date
}

async function latestReadings(db: Kysely<Schema>): Promise<ReadingRow[]> {
  return db
    .selectFrom('app.coverage_readings')
    .select(['rail', 'token', 'units', 'addresses', 'at'])
    .distinctOn(['rail', 'token'])
    .orderBy('rail')
    .orderBy('token')
    .orderBy('at', 'desc')
    .execute()
}

/** In gwei: each address's balance falls by all its fees together, rounded up. */
async function etherFeesPaid(db: Kysely<Schema>): Promise<bigint> {
  const { rows } = await sql<{ gwei: bigint }>`
    SELECT coalesce(sum(ceil(wei / 1000000000)), 0)::bigint AS gwei
      FROM (SELECT sum(fee_wei) AS wei FROM app.ether_sent GROUP BY address) each`.execute(db)
  return rows[0]!.gwei
}

type Books = {
  received: Map<string, bigint>
  paidOut: Map<string, bigint>
  /** Withdrawals paid without a locked coin amount. */
  byHand: { count: number; cents: bigint }
  owedCents: bigint
}

const coinsInBooks = cachedForAMinute(async (db, now): Promise<Books> => {
  const today = dayOf(now)
  const [received, paid, { owed }] = await Promise.all([
    coinsReceived(db),
    db
      .selectFrom('app.withdrawals')
      .select(({ fn }) => [
        'payout_asset',
        fn.countAll<bigint>().as('count'),
        sql<bigint>`coalesce(sum(payout_units), 0)::bigint`.as('units'),
        sql<bigint>`sum(amount_cents)::bigint`.as('cents'),
      ])
      .where('status', '=', 'paid')
      .groupBy('payout_asset')
      .execute(),
    booksAtAGlance(db, { today, since: today }),
  ])
  const open = paid.find(({ payout_asset }) => payout_asset === null)
  return {
    received,
    paidOut: new Map(
      paid.flatMap(({ payout_asset: asset, units }) => (asset ? [[asset, units] as const] : [])),
    ),
    byHand: { count: Number(open?.count ?? 0n), cents: open?.cents ?? 0n },
    owedCents: owed.available + owed.held + owed.invested,
  }
})

/** Coins received less coins paid out, in minor units. */
export async function unitsInLedger(
  services: Pick<Services, 'db' | 'clock' | 'config'>,
  asset: CoinAsset,
): Promise<bigint> {
  const { received, paidOut } = await coinsInBooks(services)
  return (received.get(asset) ?? 0n) - (paidOut.get(asset) ?? 0n)
}

function coverageOf(
  asset: CoinAsset,
  readings: readonly ReadingRow[],
  { received, paidOut }: Books,
  rate: Rate | undefined,
): Omit<Overview['assets'][number], 'fees' | 'watched'> {
  const coins = (units: bigint) => formatDecimal(units, assetDecimals[asset])
  const read = readings.filter(({ token }) => token === asset)
  const [receivedUnits, paidUnits] = [received.get(asset) ?? 0n, paidOut.get(asset) ?? 0n]
  const onChain = read.reduce((sum, { units }) => sum + units, 0n)
  const worth = (units: bigint) => (rate ? usdToJson(worthInCents(asset, units, rate.usdE8)) : null)
  return {
    asset,
    onChain:
      read.length === 0
        ? null
        : {
            amountCrypto: coins(onChain),
            amount: worth(onChain),
            addresses: read.reduce((sum, { addresses }) => sum + addresses, 0),
            at: new Date(Math.min(...read.map(({ at }) => at.getTime()))).toISOString(),
          },
    received: coins(receivedUnits),
    paidOut: coins(paidUnits),
    inBooks: coins(receivedUnits - paidUnits),
    inBooksUsd: worth(receivedUnits - paidUnits),
    difference: read.length === 0 ? null : coins(onChain - (receivedUnits - paidUnits)),
    rate: rate
      ? {
          rate: formatRate(rate.usdE8),
          at: rate.at.toISOString(),
          source: rate.source,
          stale: rate.state !== 'good',
        }
      : null,
  }
}

async function railsOf({ db, config }: Pick<Services, 'db' | 'config'>): Promise<Overview['rails']> {
  const cursors = await db.selectFrom('app.chain_cursors').selectAll().execute()
  const unread = await db.selectFrom('app.chain_start_errors').selectAll().execute()
  const stopped = await db
    .selectFrom('app.receiving_accounts')
    .selectAll()
    .where('stopped_at', 'is not', null)
    .execute()
  const failed = await withdrawalsNamed(
    db,
    cursors.flatMap(({ failed_payouts }) => failed_payouts),
  )
  const rails = railNames.filter(
    rail => railOf(config, rail) || isWatched(config.rails, rail) || cursors.some(of => of.rail === rail),
  )
  return rails.map(rail => {
    const { network, receiving } = railOf(config, rail) ?? {}
    const cursor = cursors.find(of => of.rail === rail)
    const first = unread.find(of => of.rail === rail)
    const account = receiving?.kind === 'derived' ? receiving.account : undefined
    const stop = stopped.find(of => of.account === account)
    return {
      rail,
      network: network ?? null,
      receiving: receiving?.kind ?? null,
      watched: isWatched(config.rails, rail),
      cursor: cursor
        ? {
            syncedHeight: cursor.synced_height,
            tipHeight: cursor.tip_height,
            confirmations: cursor.confirmations,
            polledAt: cursor.polled_at.toISOString(),
            caughtUpBy: cursor.caught_up_by?.toISOString() ?? null,
            syncError: cursor.sync_error,
            syncErrorSince: cursor.sync_error_since?.toISOString() ?? null,
            syncErrorKind: cursor.sync_error === null ? null : cursor.sync_error_kind,
            failedDeposits: cursor.failed_deposits,
            failedPayouts: failed.filter(({ _id }) => cursor.failed_payouts.includes(_id)),
            halted: cursor.halted,
          }
        : null,
      stopped: stop
        ? {
            because: stop.stopped_because!,
            since: stop.stopped_at!.toISOString(),
            knownIndex: stop.known_index,
          }
        : null,
      startError: first ? { error: first.error, since: first.error_since.toISOString() } : null,
    }
  })
}

/** Their invoice numbers, the oldest first. */
async function withdrawalsNamed(
  db: Kysely<Schema>,
  ids: readonly string[],
): Promise<{ _id: string; invoiceId: string }[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('app.withdrawals')
    .select(['id', 'invoice_id'])
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()
  return rows.map(({ id, invoice_id }) => ({ _id: id, invoiceId: invoice_id }))
}
