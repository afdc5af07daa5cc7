import type { Kysely } from 'kysely'
import type { Config } from '#server/config.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { bitcoinKeys } from '#server/rails/bitcoin/addresses.ts'
import { bitcoinNetworks } from '#server/rails/bitcoin/networks.ts'
import { ethereumPayoutFile } from '#server/rails/ethereum/payouts.ts'
import { ethereumNetworkName } from '#server/rails/ethereum.ts'
import { railOf } from '#server/rails/rails.ts'
import { tronPayoutFile } from '#server/rails/tron/payouts.ts'
import { tronNetwork } from '#server/rails/tron.ts'
import type { DepositMethod, PayoutWallet } from '#shared/coins.ts'
import { ethereumTokens } from '#shared/token-contracts.ts'
import type { PayoutRefusal } from './messages.ts'
import { noncesFor } from './nonces.ts'
import { tronTerms } from './tron.ts'

/** A withdrawal of a batch. */
export type Payout = { reference: string; to: string; units: bigint }

/** A batch's unsigned file, and the money it spends. */
export type Funded = {
  file: { name: string; type: 'application/octet-stream' | 'application/json'; content: Buffer }
  /** The paying address; null on Bitcoin, where `inputs` pay. */
  sender: string | null
  inputs: readonly { outpoint: string; units: bigint }[]
  fee: { rate: number; units: bigint } | null
  change: { address: string; units: bigint; index: number } | null
  /** Ethereum: one for each withdrawal. */
  nonces: readonly number[] | null
  /** TRON: after this, none of its transactions can be broadcast. */
  expiresAt: Date | null
}

type AccountBatch = {
  id: string
  number: string
  createdAt: Date
  payouts: readonly Payout[]
  /** Ids, in the order of `payouts`. */
  withdrawals: readonly string[]
}

/**
 * The file on networks where one address pays. Each withdrawal is a transaction of its own, whose fee the signing wallet sets.
 * @throws AppError as `noncesFor` and `tronTerms`
 */
export async function accountFile(
  db: Kysely<Schema>,
  config: Config,
  wallet: Exclude<PayoutWallet, 'Bitcoin (BTC)'>,
  batch: AccountBatch,
): Promise<Funded> {
  const sender = senderOf(config, wallet)
  if (sender === null) throw new TypeError(`no payout address for ${wallet}`)
  const make =
    wallet === 'USDT TRC-20'
      ? tronFile(db, config, sender, batch)
      : ethereumFile(db, config, wallet, sender, batch)
  const { content, nonces, expiresAt } = await make
  return {
    file: {
      name: `${batch.number}.json`,
      type: 'application/json',
      content: Buffer.from(`${JSON.stringify(content, null, 2)}\n`),
    },
    sender,
    inputs: [],
    fee: null,
    change: null,
    nonces,
    expiresAt,
  }
}

async function tronFile(
  db: Kysely<Schema>,
  config: Config,
  from: string,
  { id, createdAt, payouts, withdrawals }: AccountBatch,
) {
  const { name: network, contract } = tronNetwork({ testNetwork: config.mode === 'demo' })
  const terms = await tronTerms(db, withdrawals, createdAt)
  const content = tronPayoutFile({ id, createdAt, network, from, contract, payouts, ...terms })
  return { content, nonces: null, expiresAt: terms.expiresAt }
}

async function ethereumFile(
  db: Kysely<Schema>,
  config: Config,
  wallet: PayoutWallet,
  from: string,
  { id, createdAt, payouts, withdrawals }: AccountBatch,
) {
  const nonces = await noncesFor(db, from, withdrawals, createdAt)
  const token = wallet === 'USDT ERC-20' ? 'USDT' : 'ETH'
  const content = ethereumPayoutFile({
    id,
    createdAt,
    chainId: config.rails.ethereum.chainId,
    from,
    usdtContract: usdtContract(config),
    payouts: payouts.map((payout, place) => ({ ...payout, token, nonce: nonces[place]! })),
  })
  return { content, nonces, expiresAt: null }
}

/** The configured payout address of a coin; null if there is none, and for Bitcoin. */
export function senderOf({ rails }: Pick<Config, 'rails'>, wallet: PayoutWallet): string | null {
  if (wallet === 'Bitcoin (BTC)') return null
  return wallet === 'USDT TRC-20' ? rails.usdt.payoutAddress : rails.ethereum.payoutAddress
}

/** The payout addresses on a method's network. */
export function sendersOf({ rails }: Pick<Config, 'rails'>, method: DepositMethod): string[] {
  if (method === 'bitcoin') return []
  return rails[method].payoutAddress === null ? [] : [rails[method].payoutAddress]
}

/** Why batches of a coin are unavailable, or null. */
export function unavailability(config: Config, wallet: PayoutWallet): PayoutRefusal | null {
  const { bitcoin, ethereum, usdt } = config.rails
  if (wallet === 'Bitcoin (BTC)') {
    if (railOf(config, 'bitcoin')?.receiving.kind !== 'derived') return { reason: 'xpub_missing' }
    if (bitcoin.backend === null) {
      return notMonitored('Bitcoin', 'BITCOIN_RPC_URL or BITCOIN_ESPLORA_URL')
    }
    const keys = bitcoin.xpub === null ? [] : bitcoinKeys(bitcoin.xpub).keys
    const hasOrigin = keys.every(({ origin }) => origin !== undefined)
    return hasOrigin ? null : { reason: 'xpub_origin_missing' }
  }
  const isTron = wallet === 'USDT TRC-20'
  if (senderOf(config, wallet) === null) {
    return {
      reason: 'payout_address_missing',
      variable: isTron ? 'TRON_PAYOUT_ADDRESS' : 'ETHEREUM_PAYOUT_ADDRESS',
    }
  }
  if (isTron) return usdt.url === null ? notMonitored('TRON', 'TRONGRID_URL') : null
  if (ethereum.rpcUrl === null) return notMonitored('Ethereum', 'ETHEREUM_RPC_URL')
  const isUnknown = wallet === 'USDT ERC-20' && usdtContract(config) === undefined
  return isUnknown ? { reason: 'usdt_contract_unknown' } : null
}

function notMonitored(network: string, variables: string): PayoutRefusal {
  return { reason: 'not_monitored', network, variables }
}

function usdtContract({ rails: { ethereum } }: Pick<Config, 'rails'>): string | undefined {
  return (ethereumTokens.get(ethereum.chainId) ?? ethereum.contracts).USDT
}

/** Name of the network that carries a coin's payouts. */
export function networkName(config: Config, wallet: PayoutWallet): string {
  if (wallet === 'USDT TRC-20') return tronNetwork({ testNetwork: config.mode === 'demo' }).name
  if (wallet === 'Bitcoin (BTC)') return bitcoinNetworks[config.rails.bitcoin.network].name
  return ethereumNetworkName(config.rails.ethereum.chainId)
}
