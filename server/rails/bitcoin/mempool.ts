import { ChainFault, type Watched } from '#server/rails/chain.ts'
import { addressOfScript } from './addresses.ts'
import type { BitcoinNetwork } from './networks.ts'
import type { Source } from './source.ts'
import { parseTransaction, type Transaction } from './wire.ts'

/** Transactions that are asked for in one go. */
const AT_ONCE = 200
/** How long one look may read transactions that it has not seen before, in milliseconds; the rest waits for the next look. */
const READING_MS = 10_000
/** A node keeps 300 MB of them by default (-maxmempool), which is about 300,000. */
const MOST = 600_000

/**
 * The transactions that are in no block yet. Nodes have no index of them by address, so each is read once and remembered by a few
 * bytes until it has left: what a look costs is what is new since the last one, whatever number of addresses is watched.
 *
 * The first look of a process meets all of them: about a second for each 10,000 at a node of one's own. A look that is not done within
 * `READING_MS` throws a ChainFault that says how far it is, and the next one goes on from there: an answer that leaves out
 * what has not been read yet would look as if a payment had been dropped.
 */
export function mempool(source: Source, network: BitcoinNetwork) {
  /** What each of them pays and spends, as 32-bit marks. */
  const known = new Map<string, Int32Array>()
  /** Those that were about something watched, whole. */
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
        throw new ChainFault(
          `it is still reading what is unconfirmed: ${from} of ${ids.length} new transactions`,
        )
      for (const transaction of await read(ids.slice(from, from + AT_ONCE)))
        known.set(transaction.id, marksOf(transaction, network))
    }
  }
  return {
    /** All that pay a watched address or spend a watched outpoint, and perhaps others. @throws ChainFault */
    async about({ addresses, outpoints }: Watched): Promise<Transaction[]> {
      const ids = await source.unconfirmed()
      if (ids.length > MOST) throw new ChainFault(`more than ${MOST} transactions are unconfirmed`)
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

/** FNV-1a, 32 bits. Two texts may have one mark: each match is compared whole. */
function mark(text: string): number {
  let state = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193)
  return state
}
