import type { Progress } from '#tools/console.ts'
import { buildProduct, isBuildStale } from '#tools/product-build.ts'
import { measureBackfill } from './backfill.ts'
import type { ChainScale } from './chain-scale.ts'
import { buildChainWorld } from './chain-world.ts'
import type { Figure } from './figure.ts'
import { currentLoad, describeMachine, type Machine } from './machine.ts'
import { untilStopped } from './until-stopped.ts'
import { measureWatching } from './watching.ts'

/**
 * Real workers on real nodes: credits, processor time and catching up.
 * @param stop ends it early; everything is still removed
 */
export function benchChain(
  scale: ChainScale,
  progress: Progress,
  stop: AbortSignal,
): Promise<{ figures: Figure[]; machine: Machine }> {
  const loadBefore = currentLoad()
  return untilStopped(stop, async closers => {
    if (isBuildStale())
      await progress.step('Building the product', 'Product built', () => buildProduct(progress.say))
    const world = await progress.step('Preparing the databases', 'Databases prepared', () =>
      buildChainWorld(closers),
    )
    const machine = await describeMachine(world.postgres.superuserUrl, loadBefore)
    const watching = await progress.step('Payments on a chain', 'Payments on a chain', () =>
      measureWatching(world, scale),
    )
    const backfill = await progress.step('Catching up', 'Catching up', () => measureBackfill(world, scale))
    return { figures: [...watching, ...backfill], machine }
  })
}
