import { sql } from 'kysely'
import type { Services } from '#server/context.ts'
import { sendersOf } from '#server/payouts/wallets.ts'
import { chainOf } from '#server/rails/chains.ts'
import type { CoinAsset } from '#server/rails/rail.ts'
import type { RailName } from '#shared/coins.ts'
import { railNames } from '#shared/coins.ts'
import type { ReserveDocument, ReserveList, ReserveProof } from '#shared/contract/reserves.ts'
import { t } from '#shared/i18n/t.ts'
import { assetDecimals, formatDecimal, usdToJson } from '#shared/money.ts'
import { isTooOld } from './message.ts'

const MOST_PROOFS = 5
const MOST_KNOWN = 100

export async function listReserves(services: Services): Promise<ReserveList> {
  return {
    known: await knownAddresses(services),
    proofs: await proofs(services),
    documents: await documents(services),
  }
}

/** Payout addresses, and addresses of deposits with coins that were never spent. */
async function knownAddresses({ db, config }: Services): Promise<ReserveList['known']> {
  const rails = railNames.filter(rail => chainOf(config, rail)?.reserves !== undefined)
  const payout = rails.flatMap(rail =>
    sendersOf(config, rail).map(address => ({
      rail,
      address,
      about: t('Payout address', {}, 'in brackets'),
    })),
  )
  const { rows } = await sql<{ rail: RailName; address: string }>`
    SELECT a.rail, a.address FROM app.payment_addresses a
      JOIN app.chain_transfers t ON t.rail = a.rail AND t.address = app.address_key(a.address)
     WHERE a.rail = ANY (${rails}) AND t.own AND t.block_height IS NOT NULL AND t.dropped_at IS NULL
       AND t.spent_height IS NULL AND t.ignored_reason IS NULL
     GROUP BY a.rail, a.address ORDER BY sum(t.units) DESC, a.address LIMIT ${MOST_KNOWN}`.execute(db)
  return [...payout, ...rows.map(row => ({ ...row, about: t('Deposit address', {}, 'in brackets') }))]
}

type ProofRow = {
  id: string
  asked_at: Date
  epoch: bigint | null
  message: string | null
  failure: string | null
  psbt: Buffer | null
  published_at: Date | null
  cents: bigint | null
  sealed_epoch: bigint | null
  newest: bigint | null
}

async function proofs({ db }: Services): Promise<ReserveProof[]> {
  const { rows } = await sql<ProofRow>`
    SELECT id, asked_at, epoch, message, failure, psbt, published_at, cents, sealed_epoch,
           (SELECT max(number) FROM ledger.epochs) AS newest
      FROM app.reserve_proofs ORDER BY asked_at DESC, id DESC LIMIT ${MOST_PROOFS}`.execute(db)
  return await Promise.all(
    rows.map(async row => ({
      _id: row.id,
      status: statusOf(row),
      askedAt: row.asked_at.toISOString(),
      epoch: row.epoch === null ? null : Number(row.epoch),
      message: row.message,
      failure: row.failure,
      psbt: row.psbt?.toString('base64') ?? null,
      addresses: await addressesOf(db, row.id),
      value: row.cents === null ? null : usdToJson(row.cents),
      sealedEpoch: row.sealed_epoch === null ? null : Number(row.sealed_epoch),
    })),
  )
}

function statusOf({
  message,
  failure,
  epoch,
  published_at,
  sealed_epoch,
  newest,
}: ProofRow): ReserveProof['status'] {
  if (failure !== null) return 'failed'
  if (message === null) return 'reading'
  if (sealed_epoch !== null) return 'sealed'
  if (isTooOld(epoch!, newest!)) return 'expired'
  return published_at === null ? 'open' : 'published'
}

async function addressesOf(db: Services['db'], proof: string): Promise<ReserveProof['addresses']> {
  const { rows } = await sql<{
    rail: RailName
    address: string
    tokens: CoinAsset[]
    units: string[]
    is_contract: boolean
    is_signed: boolean
  }>`
    SELECT a.rail, a.address, coalesce(array_agg(h.token ORDER BY h.token) FILTER (WHERE h.token IS NOT NULL), '{}') AS tokens,
           coalesce(array_agg(h.units::text ORDER BY h.token) FILTER (WHERE h.token IS NOT NULL), '{}') AS units,
           coalesce(bool_or(h.is_contract), false) AS is_contract,
           EXISTS (SELECT FROM app.reserve_signatures s WHERE s.proof = a.proof AND s.address = a.address) AS is_signed
      FROM app.reserve_addresses a LEFT JOIN app.reserve_holdings h ON h.proof = a.proof AND h.address = a.address
     WHERE a.proof = ${proof} GROUP BY a.proof, a.rail, a.address ORDER BY a.rail, a.address`.execute(db)
  return rows.map(({ rail, address, tokens, units, is_contract, is_signed }) => ({
    rail,
    address,
    holdings: tokens.map((coin, at) => ({
      coin,
      amount: formatDecimal(BigInt(units[at]!), assetDecimals[coin]),
    })),
    isContract: is_contract,
    isSigned: is_signed,
  }))
}

async function documents({ db }: Services): Promise<ReserveDocument[]> {
  const rows = await db
    .selectFrom('app.reserve_documents as d')
    .innerJoin('app.users as u', 'u.id', 'd.stated_by')
    .select(['d.id', 'd.title', 'd.amount_cents', 'd.sha256', 'd.source', 'd.stated_by', 'u.name'])
    .select(['d.confirmed_at', 'd.withdrawn_at', sql<string>`d.as_of::text`.as('as_of')])
    .orderBy('d.stated_at', 'desc')
    .limit(100)
    .execute()
  return rows.map(row => ({
    _id: row.id,
    title: row.title,
    amount: usdToJson(row.amount_cents),
    asOf: row.as_of,
    sha256: row.sha256.toString('hex'),
    source: row.source,
    status: row.withdrawn_at !== null ? 'withdrawn' : row.confirmed_at !== null ? 'confirmed' : 'stated',
    statedBy: row.stated_by,
    statedByName: row.name,
  }))
}
