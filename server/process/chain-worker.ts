import { setTimeout as delay } from 'node:timers/promises'
import { UnconfirmedError } from '#server/chain/sync.ts'
import type { Config } from '#server/config.ts'
import type { Services } from '#server/context.ts'
import { type Chain, ChainError } from '#server/rails/chain.ts'
import { chainOf, secondChainOf } from '#server/rails/chains.ts'
import { type DepositMethod, depositMethods } from '#shared/coins.ts'
import { isDue, syncNetwork } from './sync-network.ts'

/** Milliseconds between two syncs. TRON has a block every three seconds, and public services limit requests. */
function pauseOf({ rails }: Config, method: DepositMethod): number {
  if (method === 'usdt') return 3_000
  return method === 'bitcoin' && rails.bitcoin.backend?.kind === 'esplora' ? 10_000 : 1_000
}

/** The longest pause after failures, in milliseconds. */
const LONGEST_PAUSE_MS = 60_000

type Watching = { chainFor?: (method: DepositMethod) => Chain | undefined; pauseMs?: number }

/**
 * Syncs every configured network repeatedly until stopped. Any number of processes may do so: one at a time syncs each network.
 * @returns stops it after the syncs in progress
 */
export function startWatching(
  services: Services,
  { chainFor = method => chainOf(services.config, method), pauseMs }: Watching = {},
): () => Promise<void> {
  const stopping = new AbortController()
  const loops = depositMethods.flatMap(method => {
    const chain = chainFor(method)
    if (chain === undefined) return []
    const pause = pauseMs ?? pauseOf(services.config, method)
    const second = secondChainOf(services.config, method)
    return [keepSyncing(services, { method, chain, second, pause, signal: stopping.signal })]
  })
  return async () => {
    stopping.abort()
    await Promise.all(loops)
  }
}

type Loop = {
  method: DepositMethod
  chain: Chain
  second: Chain | undefined
  pause: number
  signal: AbortSignal
}

async function keepSyncing(
  services: Services,
  { method, chain, second, pause, signal }: Loop,
): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    let wait = pause
    try {
      if (await isDue(services, method, chain)) {
        const { outcome } = await syncNetwork(services, method, chain, second)
        if (failures > 0 && outcome === 'synced') services.log.info({ method }, 'the network syncs again')
        failures = 0
        if (outcome === 'halted') wait = LONGEST_PAUSE_MS
      }
    } catch (err) {
      // Log the first only: the console and the metrics show how long it lasts.
      if (failures === 0) services.log.warn({ err, method }, 'the network could not be synced')
      failures += 1
      wait = pauseAfter(err, { failures, pause })
    }
    await delay(wait, undefined, { signal }).catch(() => {})
  }
}

/** Doubles after each error that kept blocks from being synced, and respects the service's own wait. */
function pauseAfter(error: unknown, { failures, pause }: { failures: number; pause: number }): number {
  const asked = error instanceof ChainError ? (error.waitMs ?? 0) : 0
  if (error instanceof UnconfirmedError) return Math.max(asked, pause)
  return Math.max(asked, Math.min(LONGEST_PAUSE_MS, pause * 2 ** Math.min(failures, 10)))
}
