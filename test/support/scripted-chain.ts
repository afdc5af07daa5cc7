import { createHash } from 'node:crypto'
import {
  type Block,
  type Chain,
  ChainError,
  nonceSlot,
  type Scanned,
  type Spend,
  type Token,
  type Transfer,
  type Watched,
} from '#server/rails/chain.ts'
import { addressKey } from '#shared/addresses.ts'

/** A payment as a test sends it. */
export type Payment = {
  to: string
  units: bigint
  token?: Token
  /** The name of its transaction, default: the next number; payments with the same name share a transaction. */
  id?: string
  position?: number
  /** What it spends, or the sender. */
  from?: readonly string[]
  /** On a network that counts them; otherwise the transaction id is the slot. */
  nonce?: number
}

type Sent = { transactionId: string; nonce: number | undefined; outputs: Omit<Transfer, 'block'>[] }
type Mined = Block & { sent: Sent[] }

/** Blocks before a test begins, ten minutes apart. */
const PAST = 100

/** An id in the form of the networks, made from a name. */
const hashOf = (name: string) => createHash('sha256').update(name).digest('hex')

function pastOf(now: Date): Mined[] {
  return Array.from({ length: PAST }, (_, height) => ({
    height,
    hash: hashOf(`past-${height}`),
    parentHash: hashOf(`past-${height - 1}`),
    time: new Date(now.getTime() - (PAST - height) * 600_000),
    sent: [],
  }))
}

/**
 * A network that a test controls: its blocks, forks, mempool, and whether it answers. It knows nothing of the product.
 */
export function scriptedChain({
  confirmations = 2,
  maxReorgDepth = 20,
  staleMinutes = null as number | null,
  restSeconds = null as number | null,
  token = 'USDT' as Token,
  now = () => new Date(),
} = {}) {
  const blocks: Mined[] = pastOf(now())
  let pool: Sent[] = []
  let away = false
  let serial = 0
  let refused: string | null = null
  const broadcast: Uint8Array[] = []
  /** Called before each answer, to change the chain during a read. */
  let before: ((asked: string) => void | Promise<void>) | undefined
  const asked: string[] = []

  const top = () => blocks.at(-1)!
  const mine = (sent: Sent[]) => {
    serial += 1
    const { height, hash } = top()
    blocks.push({
      height: height + 1,
      hash: hashOf(`block-${height + 1}-${serial}`),
      parentHash: hash,
      time: now(),
      sent,
    })
  }
  const answer = async <Result>(what: string, work: () => Result): Promise<Result> => {
    await before?.(what)
    asked.push(what)
    if (away) throw new ChainError('the node is away')
    return work()
  }
  const seenBy = ({ addresses }: Watched, sent: readonly Sent[], block: Mined | null): Transfer[] =>
    sent.flatMap(({ outputs }) =>
      outputs
        .filter(({ address }) => addresses.has(address))
        .map(output => ({
          ...output,
          block: block && { height: block.height, hash: block.hash, time: block.time },
        })),
    )
  const spentIn = ({ outpoints, senders }: Watched, sent: readonly Sent[], block: Mined | null): Spend[] =>
    sent.flatMap(({ transactionId, nonce, outputs }) =>
      [...new Set(outputs.flatMap(({ from }) => from))]
        .filter(from => outpoints.has(from) || senders.has(from))
        .map(from => ({
          ...(outpoints.has(from)
            ? { slot: from, sender: null }
            : { slot: nonce === undefined ? transactionId : nonceSlot(from, nonce), sender: from }),
          transactionId,
          block: block && { height: block.height, hash: block.hash, time: block.time },
        })),
    )
  const headOf = ({ sent: _, ...block }: Mined): Block => block

  const chain: Chain = {
    confirmations,
    maxReorgDepth,
    staleMinutes,
    restSeconds,
    tip: () => answer('tip', () => headOf(top())),
    blockAt: height =>
      answer('blockAt', () => {
        const block = blocks.find(candidate => candidate.height === height)
        return block && headOf(block)
      }),
    scan: ({ from, to }, watched) =>
      answer('scan', (): Scanned => {
        const range = blocks.filter(({ height }) => height >= from && height <= to)
        return {
          blocks: range.map(headOf),
          transfers: range.flatMap(block => seenBy(watched, block.sent, block)),
          spends: range.flatMap(block => spentIn(watched, block.sent, block)),
        }
      }),
    pending: watched =>
      answer('pending', () => ({
        transfers: seenBy(watched, pool, null),
        spends: spentIn(watched, pool, null),
      })),
    balances: () => answer('balances', () => new Map()),
    broadcast: raw =>
      answer('broadcast', () => {
        broadcast.push(raw)
        return { refused }
      }),
    fees: () => answer('fees', () => null),
  }
  return {
    chain,
    /** The product's requests, in order. */
    asked,
    /** What the product has broadcast, in order; it is not sent until the test sends it. */
    broadcast,
    /** Refuses what is broadcast from now on. */
    setRefused: (words: string | null) => {
      refused = words
    },
    height: () => top().height,
    /**
     * An unconfirmed transaction.
     * @returns its id
     */
    send: (...payments: Payment[]): string => {
      serial += 1
      const transactionId = payments[0]?.id ?? `${serial}`.padStart(64, '0')
      pool.push({
        transactionId,
        nonce: payments[0]?.nonce,
        outputs: payments.map((payment, index) => ({
          transactionId,
          position: payment.position ?? index,
          address: addressKey(payment.to),
          token: payment.token ?? token,
          units: payment.units,
          from: payment.from ?? ['sender'],
        })),
      })
      return transactionId
    },
    /** True if the transaction is in a block. */
    isMined: (id: string) =>
      blocks.some(({ sent }) => sent.some(({ transactionId }) => transactionId === id)),
    /** Mines blocks; unconfirmed transactions go into the first one, unless excluded. */
    mine: (count = 1, { without = [] as string[] } = {}) => {
      for (let n = 0; n < count; n += 1) {
        mine(pool.filter(({ transactionId }) => !without.includes(transactionId)))
        pool = pool.filter(({ transactionId }) => without.includes(transactionId))
      }
    },
    /** Replaces the last blocks by one more empty ones; their transactions become unconfirmed. */
    reorg: (depth: number, { longer = 1, drop = [] as string[] } = {}) => {
      const gone = blocks.splice(blocks.length - depth)
      pool.push(
        ...gone.flatMap(({ sent }) => sent).filter(({ transactionId }) => !drop.includes(transactionId)),
      )
      for (let n = 0; n < depth + longer; n += 1) mine([])
    },
    /** Removes the last blocks without replacing them yet. */
    cut: (depth: number) => {
      const gone = blocks.splice(blocks.length - depth)
      pool.push(...gone.flatMap(({ sent }) => sent))
    },
    /** Drops an unconfirmed transaction, as after a replacement (RBF). */
    drop: (transactionId: string) => {
      pool = pool.filter(sent => sent.transactionId !== transactionId)
    },
    setAway: (isAway: boolean) => {
      away = isAway
    },
    setBefore: (work: typeof before) => {
      before = work
    },
  }
}

export type ScriptedChain = ReturnType<typeof scriptedChain>
