import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { Transaction } from '@scure/btc-signer'
import {
  decodeFunctionData,
  erc20Abi,
  type Hex,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
} from 'viem'
import { addressOfScript } from '#server/rails/bitcoin/addresses.ts'
import { bitcoinNetworks } from '#server/rails/bitcoin/networks.ts'
import { nonceSlot, outpointOf, type Token } from '#server/rails/chain.ts'
import type { EthereumPayoutFile } from '#server/rails/ethereum/plans.ts'
import { tronAddress } from '#server/rails/tron/addresses.ts'
import type { TronPayoutFile } from '#server/rails/tron/payouts.ts'
import { addressKey } from '#shared/addresses.ts'
import { finalPsbt } from '#test/support/bitcoin-wallet.ts'
import { ethereumWallet } from '#test/support/payouts.ts'
import { tronWallet } from '#test/support/tron-grid.ts'
import { readTron } from '#test/support/tronweb.ts'
import { testRoot } from '#test/support/watched.ts'
import type { Sent } from './network.ts'

/** A signed transaction of a file: as a person pastes it, and as the network reads it. */
export type Signature = { text: string; sent: Sent }

/** A firm's wallet on one network. It signs whatever file it gets. */
export type Wallet = {
  sign(file: Buffer): Promise<Signature[]>
  /** The transaction of what the product broadcasts. */
  read(raw: Uint8Array): Sent
}

/** What a payment of USDT asks of its contract, on either network. */
function transferIn(data: Hex): { to: Hex; units: bigint } | undefined {
  if (data === '0x') return undefined
  const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data })
  return functionName === 'transfer' ? { to: args[0], units: args[1] } : undefined
}

const known = new Map<string, Sent>()

async function readEthereum(raw: Hex): Promise<Sent> {
  const transaction = parseTransaction(raw)
  const from = await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` })
  const nonce = transaction.nonce ?? 0
  const moved = transferIn(transaction.data ?? '0x')
  const token: Token = moved ? 'USDT' : 'ETH'
  const units = moved?.units ?? (transaction.value ?? 0n) / 1_000_000_000n
  const sent: Sent = {
    id: keccak256(raw),
    slots: [nonceSlot(from, nonce)],
    sender: addressKey(from),
    nonce,
    price: transaction.maxFeePerGas!,
    pays:
      units === 0n
        ? []
        : [{ address: addressKey(moved?.to ?? transaction.to!), token, units, position: moved ? 1 : 0 }],
  }
  known.set(sent.id, sent)
  return sent
}

export const ethereum: Wallet = {
  async sign(file) {
    const { transactions } = JSON.parse(file.toString()) as EthereumPayoutFile
    return Promise.all(
      transactions.map(async ({ unsigned }) => {
        const text = await ethereumWallet.signTransaction(parseTransaction(unsigned as `0x02${string}`))
        return { text, sent: await readEthereum(text) }
      }),
    )
  },
  read: raw => known.get(keccak256(raw))!,
}

function readBitcoin(transaction: Transaction): Sent {
  const inputs = Array.from({ length: transaction.inputsLength }, (_, at) => transaction.getInput(at))
  const outputs = Array.from({ length: transaction.outputsLength }, (_, at) => transaction.getOutput(at))
  return {
    id: transaction.id,
    slots: inputs.map(({ txid, index }) => outpointOf(bytesToHex(txid!), index!)),
    sender: null,
    price: transaction.fee,
    pays: outputs.map(({ script, amount }, position) => ({
      address: addressKey(addressOfScript(script!, bitcoinNetworks.regtest)!),
      token: 'BTC',
      units: amount!,
      position,
    })),
  }
}

export const bitcoin: Wallet = {
  async sign(file) {
    const transaction = finalPsbt(new Uint8Array(file), testRoot)
    const sent = readBitcoin(transaction)
    known.set(sent.id, sent)
    return [{ text: Buffer.from(transaction.toPSBT(0)).toString('base64'), sent }]
  },
  read: raw => known.get(Transaction.fromRaw(raw, { allowUnknownOutputs: true }).id)!,
}

/** TRON's addresses begin with a byte that Ethereum's lack. */
const tronKey = (hex: string) => addressKey(tronAddress(hexToBytes(hex)))

export const tron: Wallet = {
  async sign(file) {
    const { transfers } = JSON.parse(file.toString()) as TronPayoutFile
    return Promise.all(
      transfers.map(async ({ transaction }) => {
        const { value } = transaction.raw_data.contract[0]!.parameter
        if (!('data' in value)) throw new TypeError('payouts on TRON call the contract of USDT')
        const { owner_address, data } = value
        const moved = transferIn(`0x${data}`)!
        const sent: Sent = {
          id: transaction.txID,
          slots: [transaction.txID],
          sender: tronKey(owner_address.slice(2)),
          price: 1n,
          expiresAt: new Date(transaction.raw_data.expiration),
          pays: [{ address: tronKey(moved.to.slice(2)), token: 'USDT', units: moved.units, position: 1 }],
        }
        known.set(sent.id, sent)
        return { text: JSON.stringify(await tronWallet.sign(transaction)), sent }
      }),
    )
  },
  read: raw => known.get(readTron(Buffer.from(raw).toString('hex')).txID)!,
}
