import { TronWeb, type Types, utils } from 'tronweb'
import type { TronTransaction } from '#server/rails/tron/transaction.ts'

/** TRON's own library, which judges our transactions. It needs no node for that, and has none: a request would fail. */
export const tronWeb = new TronWeb({ fullHost: 'http://127.0.0.1:9' })

/** A signed transaction, as TronWeb's `trx.sign` returns it. */
export type SignedTron = TronTransaction & { signature: [string] }

type Message = { serializeBinary(): Uint8Array }
/** The part that we use of what TronWeb generates from core/Tron.proto; it has no types of its own. */
type Protobuf = Message & {
  getRawData(): Message & { getContractList(): { getType(): number }[] }
  getSignatureList_asU8(): Uint8Array[]
}
const { TronWebProto: proto } = globalThis as unknown as {
  TronWebProto: {
    Transaction: {
      deserializeBinary(bytes: Uint8Array): Protobuf
      Contract: { ContractType: Record<'TRANSFERCONTRACT' | 'TRIGGERSMARTCONTRACT', number> }
    }
  }
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/**
 * Reads a signed transaction in the network's own form.
 * @throws if TronWeb would write other bytes
 */
export function readTron(transaction: string): SignedTron {
  const read = proto.Transaction.deserializeBinary(Buffer.from(transaction, 'hex'))
  if (hex(read.serializeBinary()) !== transaction) throw new RangeError(`${transaction} has other bytes`)
  const raw = read.getRawData()
  const raw_data_hex = hex(raw.serializeBinary())
  const { TRANSFERCONTRACT } = proto.Transaction.Contract.ContractType
  const isPayment = raw.getContractList()[0]!.getType() === TRANSFERCONTRACT
  const type = isPayment ? 'TransferContract' : 'TriggerSmartContract'
  return {
    visible: false,
    txID: utils.ethersUtils.sha256(`0x${raw_data_hex}`).slice('0x'.length),
    raw_data: inLowerCase(utils.deserializeTx.deserializeTransaction(type, raw_data_hex)),
    raw_data_hex,
    signature: read.getSignatureList_asU8().map(hex) as [string],
  }
}

/**
 * Its signature by TronWeb, as a wallet makes it.
 * @param key hexadecimal
 * @throws if the id, the bytes and the content are not one, or its owner has another key
 */
export async function signByTronWeb(transaction: TronTransaction, key: string): Promise<SignedTron> {
  return (await tronWeb.trx.sign(typed(transaction), key)) as unknown as SignedTron
}

/** TronWeb writes bytes with capital letters, nodes with small ones. */
function inLowerCase<T>(content: T): T {
  const text = JSON.stringify(content, (_, value) =>
    typeof value === 'string' && /^[0-9A-F]+$/.test(value) ? value.toLowerCase() : value,
  )
  return JSON.parse(text) as T
}

/** Recipient and amount of a call of `transfer(address,uint256)`, in the token's minor units. */
export function readTransfer(data: string): { to: string; units: bigint } {
  const [to, units] = utils.abi.decodeParams([], ['address', 'uint256'], `0x${data}`, true)
  return { to: tronWeb.address.fromHex(to), units }
}

/** TronWeb has an enum of its own for the kinds of contracts. */
export const typed = (transaction: TronTransaction) => transaction as unknown as Types.SignedTransaction

/** True if the id, the bytes and the content are one, and its owner signed it. */
export function isSignedByOwner(signed: SignedTron): boolean {
  const { owner_address } = signed.raw_data.contract[0].parameter.value
  try {
    return tronWeb.trx.ecRecover(typed(signed)) === tronWeb.address.fromHex(owner_address)
  } catch {
    return false
  }
}
