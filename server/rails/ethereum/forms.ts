import { z } from 'zod'

/** Forms of a node's answers by the Execution API (github.com/ethereum/execution-apis), as far as we read them. */

/** A quantity: unsigned hexadecimal of any size. */
export const quantity = z
  .string()
  .regex(/^0x[0-9a-f]{1,64}$/i)
  .transform(BigInt)
/** Any bytes: code, or what a call returns. */
export const bytes = z
  .string()
  .regex(/^0x([0-9a-f]{2})*$/i)
  .transform(text => text.toLowerCase())
const hash = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/i)
  .transform(text => text.toLowerCase())
/** In lower case, as `addressKey` writes it. */
const address = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/i)
  .transform(text => text.toLowerCase())

/** A block's height. */
export const height = quantity.transform(Number).pipe(z.int())
/** An address's transaction count. */
export const count = quantity.transform(Number).pipe(z.int().max(0x7fff_ffff))
const header = { parentHash: hash, timestamp: quantity.transform(Number).pipe(z.int()) }
const nonce = quantity.transform(Number).pipe(z.int())
/** By which an account lets code act for it (EIP-7702); chain 0 is any. */
const authorization = z.object({
  chainId: quantity.transform(Number),
  address,
  nonce: quantity.transform(Number),
  yParity: quantity.transform(Number).nullish(),
  r: quantity,
  s: quantity,
})
const transaction = z.object({
  hash,
  from: address,
  nonce,
  to: address.nullish(),
  value: quantity,
  input: bytes,
  authorizationList: z.array(authorization).nullish(),
})
const transactions = z.array(transaction)

export const block = z.object({ ...header, number: height, hash }).nullable()
export const fullBlock = z.object({ ...header, number: height, hash, transactions }).nullable()
/** The pending block: without a hash, on some nodes without a number; other nodes have none. */
export const pendingBlock = z.object({ number: height.nullish(), transactions }).nullable()

/** A contract's event. */
const event = z.object({ address, topics: z.array(hash).max(4), data: bytes })
export type Event = z.output<typeof event>
export const events = z.array(event.extend({ transactionHash: hash, blockHash: hash }))
export const receipt = z
  .object({ transactionHash: hash, blockHash: hash, status: quantity, logs: z.array(event) })
  .nullable()

/** What a transaction cost its sender, in wei per gas; blobs by EIP-4844. */
export const costs = z
  .object({
    blockHash: hash,
    status: quantity,
    gasUsed: quantity,
    effectiveGasPrice: quantity,
    blobGasUsed: quantity.nullish(),
    blobGasPrice: quantity.nullish(),
  })
  .nullable()

/** A transaction that the node knows, pending or mined. */
export const known = z.object({ hash }).nullable()
/** The id of an accepted transaction. */
export const accepted = hash
/** The base fee of the newest block (EIP-1559); older chains have none. */
export const priced = z.object({ baseFeePerGas: quantity.nullish() }).nullable()

/** false, or the progress. */
export const syncing = z.union([z.literal(false), z.record(z.string(), z.unknown())])
/** One word: the answer of a token's decimals() and balanceOf(). */
export const word = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/i)
  .transform(BigInt)
/** Several words: what `balancesCode` returns. */
export const words = bytes.transform(text =>
  (text.slice(2).match(/.{64}/g) ?? []).map(part => BigInt(`0x${part}`)),
)
/** The same, or nothing for an address without a contract. */
export const maybeWord = z.union([word, z.literal('0x').transform(() => undefined)])
