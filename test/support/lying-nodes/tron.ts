import { randomBytes } from 'node:crypto'
import { tronAddress } from '#server/rails/tron/addresses.ts'
import {
  blockAnswer,
  blockId,
  type TronBlock,
  type TronEvent,
  type TronGrid,
  type TronTransaction,
  tronTransaction,
} from '#test/support/tron-grid.ts'
import {
  type Answering,
  agedBlocks,
  aheadBlocks,
  type Invented,
  type LyingNode,
  openLyingNode,
} from './proxy.ts'

/**
 * - old blocks: it knows nothing of the last ones
 * - false fork: it has other blocks than the network, more of them, without the true payments and with invented ones
 * - invented payments: the next true block has some, under its true hash
 * - hidden payments: the next true blocks have none
 * - changed amounts: payments in the next true blocks are twice as high
 * - changed receivers: they go to somebody else
 */
export type TronLie =
  | 'old blocks'
  | 'false fork'
  | 'invented payments'
  | 'hidden payments'
  | 'changed amounts'
  | 'changed receivers'

/** The chain as a lie shows it. */
type View = (blocks: readonly TronBlock[]) => readonly TronBlock[]

/** @param usdt the contract of USDT there */
export function openLyingTron(grid: TronGrid, usdt: string): Promise<LyingNode<TronLie>> {
  const honest: Answering = async (path, body) =>
    (await fetch(grid.url + path, { method: 'POST', body })).text()
  const showing =
    (viewOf: (tip: number, invented: readonly Invented[]) => View) =>
    async (invented: readonly Invented[]): Promise<Answering> => {
      const view = viewOf(grid.tip.number, invented)
      return async (path, body) => {
        const lie = blockAnswer(usdt, view(grid.blocks), { path, body: JSON.parse(body) })
        return lie === undefined ? honest(path, body) : JSON.stringify(lie)
      }
    }
  return openLyingNode<TronLie>(honest, {
    'old blocks': showing(tip => blocks => blocks.filter(({ number }) => number <= tip - agedBlocks)),
    'false fork': showing((tip, invented) => falseFork(tip, transactionsOf(invented))),
    'invented payments': showing((tip, invented) => {
      const transactions = transactionsOf(invented)
      return after(tip, payments => [...payments, ...transactions], tip + 1)
    }),
    'hidden payments': showing(tip => after(tip, () => [])),
    'changed amounts': showing(tip =>
      after(
        tip,
        changed(event => ({ ...event, units: event.units * 2n })),
      ),
    ),
    'changed receivers': showing((tip, [other]) =>
      after(
        tip,
        changed(event => ({ ...event, to: other!.to })),
      ),
    ),
  })
}

function transactionsOf(invented: readonly Invented[]): TronTransaction[] {
  const from = tronAddress(randomBytes(20))
  return invented.map(({ to, value }) => tronTransaction([{ from, to, units: value }]))
}

/** Other transactions in the true blocks after the tip: no other answer of a node proves which ones are true. */
function after(
  tip: number,
  lie: (transactions: TronTransaction[]) => TronTransaction[],
  last = Number.POSITIVE_INFINITY,
): View {
  return blocks =>
    blocks.map(block =>
      block.number > tip && block.number <= last
        ? { ...block, transactions: lie(block.transactions) }
        : block,
    )
}

const changed = (lie: (event: TronEvent) => TronEvent) => (transactions: TronTransaction[]) =>
  transactions.map(one => ({ ...one, events: one.events.map(lie) }))

/** The last true block is another one, with only the invented payments, and enough blocks follow to confirm them. */
function falseFork(trueTip: number, transactions: TronTransaction[]): View {
  const ids = new Map<number, string>()
  const idAt = (number: number) => {
    const id = ids.get(number) ?? blockId(number, randomBytes(32).toString('hex'))
    ids.set(number, id)
    return id
  }
  return blocks => {
    const before = blocks.filter(({ number }) => number < trueTip)
    const last = before.at(-1)!
    const length = blocks.length - before.length + aheadBlocks
    const others = Array.from({ length }, (_, at): TronBlock => {
      const number = trueTip + at
      const parent = at === 0 ? last.id : idAt(number - 1)
      const timestamp = blocks.find(block => block.number === number)?.timestamp ?? blocks.at(-1)!.timestamp
      return { id: idAt(number), number, parent, timestamp, transactions: at === 0 ? transactions : [] }
    })
    return [...before, ...others]
  }
}
