import { expect, test } from 'vitest'
import type { History } from '../clients.ts'
import { startProduct } from '../product.ts'
import { actWhile, keepTable, SECONDS, SEED } from '../run.ts'
import { longestSilence, table } from '../table.ts'
import { startCluster } from './cluster.ts'
import { failoversOf } from './failovers.ts'

/** More than the election may take, in seconds: what the product and its clients need to go on. */
const RECONNECT_SECONDS = 2

/** How soon acts go on once a primary accepts writes: an elected one, or one that has started again. */
function reconnects(promotions: readonly number[], { acknowledged }: History): string {
  const during = promotions.filter(at => at > acknowledged[0]! && at < acknowledged.at(-1)!)
  const waits = during.map(at => acknowledged.find(moment => moment > at)! - at)
  if (waits.length === 0) return 'No other primary began to accept writes.'
  const longest = (Math.max(...waits) / 1000).toFixed(1)
  return `${during.length} times a primary began to accept writes; the next acknowledged act: at most ${longest} s later.`
}

/**
 * The same people, on deploy/patroni's three database machines, while these fail. `npm run chaos -- --patroni` runs it, with
 * `--unfenced` without watchdogs; `npm test` does not, since a round takes over four minutes.
 */
test(
  `[B-06] nothing acknowledged is lost or doubled by failovers (seed ${SEED})`,
  async () => {
    const isFenced = process.env.CHAOS_PATRONI === 'fenced'
    const cluster = await startCluster({ isFenced })
    const product = await startProduct(cluster)
    const { injected, history } = await actWhile(product, failoversOf(cluster, { isFenced }))
    const promotions = cluster.machines.flatMap(machine => machine.promotions())
    keepTable(`${table(injected, history, SEED)}\n${reconnects(promotions, history)}\n`)
    const mostMs = (cluster.electionSeconds + RECONNECT_SECONDS) * 1000
    expect(injected.filter(one => longestSilence(history.acknowledged, one) > mostMs)).toEqual([])
  },
  (SECONDS + 900) * 1000,
)
