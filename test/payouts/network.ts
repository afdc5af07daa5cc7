import { createHash } from 'node:crypto'
import {
  type Block,
  type Chain,
  type FeeEstimate,
  nonceSlot,
  type Scanned,
  type Spend,
  type Token,
  type Transfer,
  type Watched,
} from '#server/rails/chain.ts'

/** A signed transaction, read from its own bytes. */
export type Sent = {
  id: string
  /** What the network lets be used once: outpoints, a nonce, or the transaction itself. */
  slots: readonly string[]
  /** The signer, as `addressKey` writes it; null on Bitcoin. */
  sender: string | null
  /** On a network that takes a sender's nonces in their order. */
  nonce?: number
  /** What a replacement must exceed. */
  price: bigint
  /** After this, no block takes it. */
  expiresAt?: Date
  pays: readonly { address: string; token: Token; units: bigint; position: number }[]
}

type Mined = Block & { sent: Sent[] }

const hashOf = (name: string) => createHash('sha256').update(name).digest('hex')
const CONFIRMATIONS = 3
/** Blocks before a test begins, ten minutes apart. */
const PAST = 50

/**
 * A network with the rules of real ones: each slot is used once, nonces follow each other, what is spent must exist, and
 * nothing is mined after its expiry. Which of two transactions of a slot is mined, and what a reorg forgets, a test chooses.
 * @param read the transaction of what the product broadcasts
 */
export function slotNetwork({
  now,
  fees,
  read,
  outputs = new Map(),
}: {
  now: () => Date
  fees: FeeEstimate | null
  read: (raw: Uint8Array) => Sent
  /** Bitcoin: the outputs that exist from the beginning, with what they pay. */
  outputs?: ReadonlyMap<string, Omit<Transfer, 'block' | 'from'>>
}) {
  const blocks: Mined[] = Array.from({ length: PAST }, (_, height) => ({
    height,
    hash: hashOf(`past-${height}`),
    parentHash: hashOf(`past-${height - 1}`),
    time: new Date(now().getTime() - (PAST - height) * 600_000),
    sent: [],
  }))
  /** In our node's mempool. */
  let pool: Sent[] = []
  /** Every signed transaction that anybody has, for other nodes may have kept it. */
  const everything = new Map<string, Sent>()
  /** Slots and transactions that had enough confirmations at some time, also if a deep reorg removed them since. */
  const everFinal = new Set<string>()
  let serial = 0

  const mined = () => blocks.flatMap(({ sent }) => sent)
  const usedIn = (sent: readonly Sent[]) => new Set(sent.flatMap(({ slots }) => slots))
  const isExpired = ({ expiresAt }: Sent) => expiresAt !== undefined && expiresAt <= now()
  const nonceOf = (sender: string | null, sent: readonly Sent[]) =>
    sent.filter(one => one.sender === sender).length
  const exists = (slot: string, sent: readonly Sent[]) => {
    const [id, index] = slot.split(':')
    return (
      outputs.has(slot) ||
      sent.some(one => one.id === id && one.pays.some(({ position }) => `${position}` === index))
    )
  }
  /** True if a block takes it after those transactions. */
  const fits = (one: Sent, before: readonly Sent[]) => {
    const used = usedIn(before)
    if (one.slots.some(slot => used.has(slot))) return false
    if (isExpired(one)) return false
    if (one.nonce !== undefined) return one.nonce === nonceOf(one.sender, before)
    return one.sender !== null || one.slots.every(slot => exists(slot, before))
  }
  const append = (sent: Sent[]) => {
    serial += 1
    const { height, hash } = blocks.at(-1)!
    blocks.push({ height: height + 1, hash: hashOf(`block-${serial}`), parentHash: hash, time: now(), sent })
    for (const { id, slots } of blocks[blocks.length - CONFIRMATIONS]?.sent ?? []) {
      for (const name of [id, ...slots]) everFinal.add(name)
    }
    const used = usedIn(mined())
    pool = pool.filter(one => !isExpired(one) && !one.slots.some(slot => used.has(slot)))
  }
  /** The transactions of the next block: the preferred ones first, in an order that the network allows. */
  const nextBlock = (preferred: readonly Sent[]): Sent[] => {
    const taken: Sent[] = []
    let left = [...preferred, ...pool]
    for (;;) {
      const next = left.find(one => fits(one, [...mined(), ...taken]))
      if (next === undefined) return taken
      taken.push(next)
      left = left.filter(one => one !== next)
    }
  }
  const receive = (one: Sent): string | null => {
    everything.set(one.id, one)
    if ([...mined(), ...pool].some(({ id }) => id === one.id)) return null
    if (one.slots.some(slot => usedIn(mined()).has(slot))) return 'the slot is used'
    if (isExpired(one)) return 'expired'
    if (one.sender === null && !one.slots.every(slot => exists(slot, [...mined(), ...pool])))
      return 'missing inputs'
    const rivals = pool.filter(({ slots }) => slots.some(slot => one.slots.includes(slot)))
    if (rivals.some(({ price }) => price >= one.price)) return 'replacement underpriced'
    pool = [...pool.filter(rival => !rivals.includes(rival)), one]
    return null
  }

  const at = (block: Mined | null) => block && { height: block.height, hash: block.hash, time: block.time }
  const transfersIn = ({ addresses }: Watched, sent: readonly Sent[], block: Mined | null): Transfer[] =>
    sent.flatMap(({ id, pays, sender, slots }) =>
      pays
        .filter(({ address }) => addresses.has(address))
        .map(pay => ({
          ...pay,
          transactionId: id,
          from: sender === null ? slots : [sender],
          block: at(block),
        })),
    )
  const spendsIn = ({ outpoints, senders }: Watched, sent: readonly Sent[], block: Mined | null): Spend[] =>
    sent.flatMap(({ id, sender, slots }) =>
      slots
        .filter(slot => (sender === null ? outpoints.has(slot) : senders.has(sender)))
        .map(slot => ({ slot, sender, transactionId: id, block: at(block) })),
    )
  const headOf = ({ sent: _, ...block }: Mined): Block => block
  const foundBy = (watched: Watched, range: readonly Mined[]): Scanned => ({
    blocks: range.map(headOf),
    transfers: range.flatMap(block => transfersIn(watched, block.sent, block)),
    spends: range.flatMap(block => spendsIn(watched, block.sent, block)),
  })

  const chain: Chain = {
    confirmations: CONFIRMATIONS,
    maxReorgDepth: 20,
    staleMinutes: null,
    restSeconds: null,
    tip: async () => headOf(blocks.at(-1)!),
    blockAt: async height => blocks[height] && headOf(blocks[height]),
    scan: async ({ from, to }, watched) => foundBy(watched, blocks.slice(from, to + 1)),
    pending: async watched => ({
      transfers: transfersIn(watched, pool, null),
      spends: spendsIn(watched, pool, null),
    }),
    balances: async () => new Map(),
    nextNonce: async address => {
      let next = nonceOf(address, mined())
      while (pool.some(({ slots }) => slots.includes(nonceSlot(address, next)))) next += 1
      return { nonce: next, safe: null }
    },
    broadcast: async raw => ({ refused: receive(read(raw)) }),
    fees: async () => fees,
  }
  return {
    chain,
    /** @returns why our node refuses it, or null */
    receive,
    /** All transactions in blocks, the oldest first. */
    mined,
    isFinal: (id: string) => {
      const block = blocks.find(({ sent }) => sent.some(one => one.id === id))
      return block !== undefined && blocks.length - block.height >= CONFIRMATIONS
    },
    wasFinal: (idOrSlot: string) => everFinal.has(idOrSlot),
    everything: () => [...everything.values()],
    /** Unspent, in a block. */
    unspent: () => {
      const sent = mined()
      const used = usedIn(sent)
      const all = [
        ...outputs.keys(),
        ...sent.flatMap(({ id, pays }) => pays.map(({ position }) => `${id}:${position}`)),
      ]
      return all.filter(slot => !used.has(slot))
    },
    nextNonce: (sender: string) => nonceOf(sender, mined()),
    /** @param preferred other nodes' transactions, which a miner takes instead of ours */
    mine: (count = 1, preferred: readonly Sent[] = []) => {
      append(nextBlock(preferred))
      for (let more = 1; more < count; more += 1) append(nextBlock([]))
    },
    /** Replaces the last blocks by one more. @param forgets true if nobody's mempool keeps their transactions */
    reorg: (depth: number, preferred: readonly Sent[], forgets: boolean) => {
      const gone = blocks.splice(blocks.length - depth).flatMap(({ sent }) => sent)
      if (!forgets) pool.push(...gone.filter(one => !one.slots.some(slot => usedIn(pool).has(slot))))
      append(nextBlock(preferred))
      for (let more = 0; more < depth; more += 1) append([])
    },
    /** Our node's mempool loses what it has. */
    evict: () => {
      pool = []
    },
  }
}

export type SlotNetwork = ReturnType<typeof slotNetwork>
