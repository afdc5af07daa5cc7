import { setTimeout as delay } from 'node:timers/promises'
import { look, UnconfirmedFault } from '#server/chain/sync.ts'
import type { Config } from '#server/config.ts'
import type { Services } from '#server/context.ts'
import { type Chain, ChainFault } from '#server/rails/chain.ts'
import { chainOf } from '#server/rails/chains.ts'
import { type DepositMethod, depositMethods } from '#shared/coins.ts'

/**
 * Time between two looks at a network, in milliseconds: a node of one's own is asked often; TRON has a block every three seconds, and
 * services of others count requests.
 */
function pauseOf({ rails }: Config, method: DepositMethod): number {
  if (method === 'usdt') return 3_000
  return method === 'bitcoin' && rails.bitcoin.backend?.kind === 'esplora' ? 10_000 : 1_000
}

/** The longest pause after faults, in milliseconds. */
const LONGEST_PAUSE_MS = 60_000

type Watching = { chainFor?: (method: DepositMethod) => Chain | undefined; pauseMs?: number }

/**
 * Looks at every network that a node or service is configured for, one look after the other, until it is stopped. Any number of
 * processes may do so: for each network one of them looks at a time.
 * @returns stops it: looks under way are ended first
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
    return [keepLooking(services, { method, chain, pause, signal: stopping.signal })]
  })
  return async () => {
    stopping.abort()
    await Promise.all(loops)
  }
}

type Loop = { method: DepositMethod; chain: Chain; pause: number; signal: AbortSignal }

async function keepLooking(services: Services, { method, chain, pause, signal }: Loop): Promise<void> {
  let faults = 0
  while (!signal.aborted) {
    let wait = pause
    try {
      const { outcome } = await look(services, method, chain)
      if (faults > 0 && outcome === 'alone') services.log.info({ method }, 'the network answers again')
      faults = 0
      if (outcome === 'stopped') wait = LONGEST_PAUSE_MS
    } catch (err) {
      // One line for all that follow: the console and the metrics tell how long it lasts.
      if (faults === 0) services.log.warn({ err, method }, 'the network could not be looked at')
      faults += 1
      wait = pauseAfter(err, { faults, pause })
    }
    await delay(wait, undefined, { signal }).catch(() => {})
  }
}

/** Twice as long after each fault that has kept blocks from being read, and as long as the service has said. */
function pauseAfter(fault: unknown, { faults, pause }: { faults: number; pause: number }): number {
  const asked = fault instanceof ChainFault ? (fault.waitMs ?? 0) : 0
  if (fault instanceof UnconfirmedFault) return Math.max(asked, pause)
  return Math.max(asked, Math.min(LONGEST_PAUSE_MS, pause * 2 ** Math.min(faults, 10)))
}
