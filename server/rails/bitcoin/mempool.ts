import { ChainError, type Watched } from '#server/rails/chain.ts'
import { addressOfScript } from './addresses.ts'
import type { BitcoinNetwork } from './networks.ts'
import type { Source } from './source.ts'
import { parseTransaction, type Transaction } from './wire.ts'

/** Transactions per request. */
const AT_ONCE = 200
/** How long one sync may read new transactions, in milliseconds; the rest waits for the next one. */
const READING_MS = 10_000
/** By default a node keeps 300 MB of them (-maxmempool), about 300,000. */
const MOST = 600_000

/**
 * The unconfirmed transactions. Nodes do not index them by address, so each is read once and remembered by a few bytes
 * until it leaves: the cost depends on new transactions, not on the number of addresses.
 *
 * A process's first sync reads all of them, at about 10,000 a second from a local node. If that takes longer than
 * `READING_MS`, it throws a ChainError with its progress, and the next sync continues: an incomplete answer would make
 * payments look dropped.
 */
export function mempool(source: Source, network: BitcoinNetwork) {
  /** What each of them pays and spends, as 32-bit hashes. */
  const known = new Map<string, Int32Array>()
  /** Whole transactions that matched something watched. */
  const whole = new Map<string, Transaction>()

  const forget = (present: ReadonlySet<string>) => {
    for (const id of known.keys()) if (!present.has(id)) known.delete(id)
    for (const id of whole.keys()) if (!known.has(id)) whole.delete(id)
  }
  const read = async (ids: readonly string[]): Promise<Transaction[]> => {
    const answers = await source.transactions(ids)
    return answers.flatMap((bytes, at) => (bytes ? [parseTransaction(bytes, ids[at]!)] : []))
  }
  const learn = async (ids: readonly string[]) => {
    const deadline = performance.now() + READING_MS
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      if (performance.now() > deadline)
        throw new ChainError(`still reading the mempool: ${from} of ${ids.length} new transactions`)
      for (const transaction of await read(ids.slice(from, from + AT_ONCE)))
        known.set(transaction.id, marksOf(transaction, network))
    }
  }
  return {
    /**
     * All that pay a watched address or spend a watched outpoint, and perhaps others.
     * @throws ChainError
     */
    async about({ addresses, outpoints }: Watched): Promise<Transaction[]> {
      const ids = await source.unconfirmed()
      if (ids.length > MOST) throw new ChainError(`more than ${MOST} transactions are unconfirmed`)
      forget(new Set(ids))
      await learn(ids.filter(id => !known.has(id)))
      const wanted = new Set<number>()
      for (const texts of [addresses, outpoints]) for (const text of texts) wanted.add(mark(text))
      const about: string[] = []
      for (const [id, marks] of known) if (marks.some(each => wanted.has(each))) about.push(id)
      for (const transaction of await read(about.filter(id => !whole.has(id))))
        whole.set(transaction.id, transaction)
      return about.flatMap(id => whole.get(id) ?? [])
    },
  }
}

function marksOf({ inputs, outputs }: Transaction, network: BitcoinNetwork): Int32Array {
  const paid = outputs.flatMap(({ script }) => addressOfScript(script, network) ?? [])
  return Int32Array.from([...paid, ...inputs], mark)
}

/** FNV-1a, 32 bits. Two texts may share a hash, so each match is compared in full. */
function mark(text: string): number {
  let state = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193)
  return state
}
