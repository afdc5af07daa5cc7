import { z } from 'zod'

/** The forms of a node's answers, as the Execution API writes them (github.com/ethereum/execution-apis), as far as they are read. */

/** A quantity: hexadecimal without a sign, of any size. */
export const quantity = z
  .string()
  .regex(/^0x[0-9a-f]{1,64}$/i)
  .transform(BigInt)
const bytes = z
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

const height = quantity.transform(Number).pipe(z.int())
/** Of an address's transactions. */
export const count = quantity.transform(Number).pipe(z.int().max(0x7fff_ffff))
const header = { parentHash: hash, timestamp: quantity.transform(Number).pipe(z.int()) }
const transaction = z.object({ hash, from: address, to: address.nullish(), value: quantity, input: bytes })
const transactions = z.array(transaction)

export const block = z.object({ ...header, number: height, hash }).nullable()
export const fullBlock = z.object({ ...header, number: height, hash, transactions }).nullable()
/** What would be the next block: it has no hash yet, with some nodes no number either; others have no such block. */
export const pendingBlock = z.object({ number: height.nullish(), transactions }).nullable()

/** An event that a contract wrote down. */
const event = z.object({ address, topics: z.array(hash).max(4), data: bytes })
export type Event = z.output<typeof event>
export const events = z.array(event.extend({ transactionHash: hash }))
export const receipt = z
  .object({ transactionHash: hash, blockHash: hash, status: quantity, logs: z.array(event) })
  .nullable()

/** false, or how far it is. */
export const syncing = z.union([z.literal(false), z.record(z.string(), z.unknown())])
/** One word: what decimals() and balanceOf() of a token answer. */
export const word = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/i)
  .transform(BigInt)
/** The same, or nothing: what an address without a contract answers. */
export const maybeWord = z.union([word, z.literal('0x').transform(() => undefined)])
