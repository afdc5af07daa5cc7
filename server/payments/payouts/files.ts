import type { Kysely } from 'kysely'
import type { Config } from '#server/config.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { bitcoinNetworks } from '#server/rails/bitcoin/networks.ts'
import { ethereumPayoutFile } from '#server/rails/ethereum/payouts.ts'
import { ethereumNetworkName } from '#server/rails/ethereum.ts'
import { parseAccountKey } from '#server/rails/hd.ts'
import { railOf } from '#server/rails/rails.ts'
import { tronPayoutFile } from '#server/rails/tron/payouts.ts'
import { tronNetwork } from '#server/rails/tron.ts'
import type { DepositMethod, PayoutWallet } from '#shared/coins.ts'
import { ethereumTokens } from '#shared/token-contracts.ts'
import { noncesFor } from './nonces.ts'
import { tronTerms } from './tron.ts'

/** One withdrawal of a batch. */
export type Payout = { reference: string; to: string; units: bigint }

/** A batch's unsigned file, and what it spends. */
export type Funded = {
  file: { name: string; type: 'application/octet-stream' | 'application/json'; content: Buffer }
  /** The address that pays; null: the outpoints. */
  sender: string | null
  inputs: readonly { outpoint: string; units: bigint }[]
  fee: { rate: number; units: bigint } | null
  change: { address: string; units: bigint; index: number } | null
  /** Ethereum: of each withdrawal. */
  nonces: readonly number[] | null
  /** TRON: when none of its transactions can be sent any more. */
  expiresAt: Date | null
}

type AccountBatch = {
  id: string
  number: string
  createdAt: Date
  payouts: readonly Payout[]
  /** Ids, as `payouts`. */
  withdrawals: readonly string[]
}

/**
 * Of the networks on which one address pays: each withdrawal is a transaction of its own, whose fee the signing wallet sets.
 * @throws AppError as `noncesFor` and `tronTerms`
 */
export async function accountFile(
  db: Kysely<Schema>,
  config: Config,
  wallet: Exclude<PayoutWallet, 'Bitcoin (BTC)'>,
  batch: AccountBatch,
): Promise<Funded> {
  const sender = senderOf(config, wallet)
  if (sender === null) throw new TypeError(`no address pays ${wallet}`)
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

/** The configured address that a coin's payouts are sent from; null where there is none, and of Bitcoin. */
export function senderOf({ rails }: Pick<Config, 'rails'>, wallet: PayoutWallet): string | null {
  if (wallet === 'Bitcoin (BTC)') return null
  return wallet === 'USDT TRC-20' ? rails.usdt.payoutAddress : rails.ethereum.payoutAddress
}

/** The addresses that payouts of a method's network are sent from. */
export function sendersOf({ rails }: Pick<Config, 'rails'>, method: DepositMethod): string[] {
  if (method === 'bitcoin') return []
  return rails[method].payoutAddress === null ? [] : [rails[method].payoutAddress]
}

/** Why no batch can be made of a coin, as staff read it; null where one can. */
export function unavailability(config: Config, wallet: PayoutWallet): string | null {
  const { bitcoin, ethereum, usdt } = config.rails
  const byHand = 'Pay these withdrawals by hand, and mark each as paid.'
  if (wallet === 'Bitcoin (BTC)') {
    if (railOf(config, 'bitcoin')?.receiving.kind !== 'derived') {
      return `No extended public key of Bitcoin is configured (BITCOIN_XPUB), so it is not known what a payout could spend. ${byHand}`
    }
    if (bitcoin.backend === null) {
      return `Bitcoin is not watched (BITCOIN_RPC_URL or BITCOIN_ESPLORA_URL), so a payout would not be recognised. ${byHand}`
    }
    return bitcoin.xpub !== null && parseAccountKey(bitcoin.xpub).origin === undefined
      ? `BITCOIN_XPUB has no origin, so no hardware wallet would know the inputs of a payout as its own. Enter it as wpkh([fingerprint/84h/0h/0h]xpub…/<0;1>/*), as the wallet exports it. ${byHand}`
      : null
  }
  if (senderOf(config, wallet) === null) {
    const variable = wallet === 'USDT TRC-20' ? 'TRON_PAYOUT_ADDRESS' : 'ETHEREUM_PAYOUT_ADDRESS'
    return `No address is configured that payouts are sent from (${variable}). ${byHand}`
  }
  const [network, url] = wallet === 'USDT TRC-20' ? ['TRON', usdt.url] : ['Ethereum', ethereum.rpcUrl]
  if (url === null) {
    return `${network} is not watched, so a payout would not be recognised. ${byHand}`
  }
  if (wallet === 'USDT ERC-20' && usdtContract(config) === undefined) {
    return `The contract of USDT on this network is not known (ETHEREUM_USDT_CONTRACT). ${byHand}`
  }
  return null
}

function usdtContract({ rails: { ethereum } }: Pick<Config, 'rails'>): string | undefined {
  return (ethereumTokens.get(ethereum.chainId) ?? ethereum.contracts).USDT
}

/** The network that a coin's payouts go over, for people. */
export function networkName(config: Config, wallet: PayoutWallet): string {
  if (wallet === 'USDT TRC-20') return tronNetwork({ testNetwork: config.mode === 'demo' }).name
  if (wallet === 'Bitcoin (BTC)') return bitcoinNetworks[config.rails.bitcoin.network].name
  return ethereumNetworkName(config.rails.ethereum.chainId)
}
