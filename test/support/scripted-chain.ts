import { createHash } from 'node:crypto'
import {
  type Block,
  type Chain,
  ChainFault,
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
  /** Another name of its transaction than the next number; two payments of one name are one transaction. */
  id?: string
  position?: number
  /** What it spends. */
  from?: readonly string[]
}

type Sent = { transactionId: string; outputs: Omit<Transfer, 'block'>[] }
type Mined = Block & { sent: Sent[] }

/** Blocks there are before a test begins, ten minutes apart. */
const PAST = 100

/** In the form of every network's, of a name. */
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
 * A network that a test plays: its blocks, its forks, what waits for a block, and whether it answers. It keeps what it is told and
 * knows nothing of the product.
 */
export function scriptedChain({
  confirmations = 2,
  maxReorgDepth = 20,
  token = 'USDT' as Token,
  now = () => new Date(),
} = {}) {
  const blocks: Mined[] = pastOf(now())
  let pool: Sent[] = []
  let away = false
  let serial = 0
  /** Called before each answer, to change the chain while it is read. */
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
    if (away) throw new ChainFault('the node is away')
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
  const spentIn = ({ outpoints }: Watched, sent: readonly Sent[], block: Mined | null): Spend[] =>
    sent.flatMap(({ transactionId, outputs }) =>
      [...new Set(outputs.flatMap(({ from }) => from))]
        .filter(outpoint => outpoints.has(outpoint))
        .map(outpoint => ({
          outpoint,
          transactionId,
          block: block && { height: block.height, hash: block.hash, time: block.time },
        })),
    )
  const headOf = ({ sent: _, ...block }: Mined): Block => block

  const chain: Chain = {
    confirmations,
    maxReorgDepth,
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
  }
  return {
    chain,
    /** What the product has asked for, in order. */
    asked,
    height: () => top().height,
    /** A transaction that waits for a block. @returns its id */
    send: (...payments: Payment[]): string => {
      serial += 1
      const transactionId = payments[0]?.id ?? `${serial}`.padStart(64, '0')
      pool.push({
        transactionId,
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
    /** Whether a transaction is in a block now. */
    isMined: (id: string) =>
      blocks.some(({ sent }) => sent.some(({ transactionId }) => transactionId === id)),
    /** Blocks; what waits goes into the first one, unless it is to stay. */
    mine: (count = 1, { without = [] as string[] } = {}) => {
      for (let n = 0; n < count; n += 1) {
        mine(pool.filter(({ transactionId }) => !without.includes(transactionId)))
        pool = pool.filter(({ transactionId }) => without.includes(transactionId))
      }
    },
    /** The last blocks are replaced by as many others and one more, with nothing in them; what was in them waits again. */
    reorg: (depth: number, { longer = 1, drop = [] as string[] } = {}) => {
      const gone = blocks.splice(blocks.length - depth)
      pool.push(
        ...gone.flatMap(({ sent }) => sent).filter(({ transactionId }) => !drop.includes(transactionId)),
      )
      for (let n = 0; n < depth + longer; n += 1) mine([])
    },
    /** The last blocks are gone, and no other blocks replace them yet. */
    cut: (depth: number) => {
      const gone = blocks.splice(blocks.length - depth)
      pool.push(...gone.flatMap(({ sent }) => sent))
    },
    /** A waiting transaction is forgotten: replaced by another one (RBF), or dropped. */
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
