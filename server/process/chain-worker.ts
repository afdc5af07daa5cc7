import { setTimeout as delay } from 'node:timers/promises'
import { UnconfirmedError } from '#server/chain/sync.ts'
import type { Config } from '#server/config.ts'
import type { Services } from '#server/context.ts'
import { readHoldings } from '#server/payouts/holdings.ts'
import { startAct, traced } from '#server/platform/tracing/tracing.ts'
import { type Chain, ChainError } from '#server/rails/chain.ts'
import { chainOf, secondChainOf } from '#server/rails/chains.ts'
import { type RailName, railNames } from '#shared/coins.ts'
import { isDue, syncNetwork } from './sync-network.ts'

/** Milliseconds between two syncs. TRON has a block every three seconds, and public services limit requests. */
function pauseOf({ rails }: Config, rail: RailName): number {
  if (rail === 'usdt') return 3_000
  return rail === 'bitcoin' && rails.bitcoin.backend?.kind === 'esplora' ? 10_000 : 1_000
}

/** The longest pause after failures, in milliseconds. */
const LONGEST_PAUSE_MS = 60_000

type Watching = { chainFor?: (rail: RailName) => Chain | undefined; pauseMs?: number }

/**
 * Syncs every configured network repeatedly until stopped. Any number of processes may do so: one at a time syncs each network.
 * @returns stops it after the syncs and readings in progress
 */
export function startWatching(
  services: Services,
  { chainFor = rail => chainOf(services.config, rail), pauseMs }: Watching = {},
): () => Promise<void> {
  const stopping = new AbortController()
  const loops = railNames.flatMap(rail => {
    const chain = chainFor(rail)
    if (chain === undefined) return []
    const pause = pauseMs ?? pauseOf(services.config, rail)
    const second = secondChainOf(services.config, rail)
    const loop = { rail, chain, second, pause, signal: stopping.signal }
    return [keepSyncing(services, loop), keepReadingHoldings(services, loop)]
  })
  return async () => {
    stopping.abort()
    await Promise.all(loops)
  }
}

type Loop = {
  rail: RailName
  chain: Chain
  second: Chain | undefined
  pause: number
  signal: AbortSignal
}

async function keepSyncing(services: Services, { rail, chain, second, pause, signal }: Loop): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    let wait = pause
    try {
      await services.clock.trust?.check()
      if (await isDue(services, rail, chain)) {
        const { outcome } = await traced(startAct(`sync ${rail}`, { kind: 'INTERNAL' }), () =>
          syncNetwork(services, rail, chain, second),
        )
        if (failures > 0 && outcome === 'synced') services.log.info({ rail }, 'the network syncs again')
        failures = 0
        if (outcome === 'halted') wait = LONGEST_PAUSE_MS
      }
    } catch (err) {
      // Log the first only: the console and the metrics show how long it lasts.
      if (failures === 0) services.log.warn({ err, rail }, 'the network could not be synced')
      failures += 1
      wait = pauseAfter(err, { failures, pause })
    }
    await delay(wait, undefined, { signal }).catch(() => {})
  }
}

/** Reads what the addresses of deposits hold whenever staff ask. It can take a minute, and no sync waits for it. */
async function keepReadingHoldings(services: Services, { rail, chain, pause, signal }: Loop): Promise<void> {
  if (rail === 'bitcoin' || chain.holdings === undefined) return
  let hasFailed = false
  while (!signal.aborted) {
    try {
      await readHoldings(services, rail, chain)
      hasFailed = false
    } catch (err) {
      if (!hasFailed) services.log.error({ err, rail }, 'the balances of deposit addresses could not be read')
      hasFailed = true
    }
    await delay(pause, undefined, { signal }).catch(() => {})
  }
}

/** Doubles after each error that kept blocks from being synced, and respects the service's own wait. */
function pauseAfter(error: unknown, { failures, pause }: { failures: number; pause: number }): number {
  const asked = error instanceof ChainError ? (error.waitMs ?? 0) : 0
  if (error instanceof UnconfirmedError) return Math.max(asked, pause)
  return Math.max(asked, Math.min(LONGEST_PAUSE_MS, pause * 2 ** Math.min(failures, 10)))
}
