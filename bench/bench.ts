import type { Progress } from '#tools/console.ts'
import { measureActs } from './acts.ts'
import { measureBacklog } from './backlog.ts'
import { measureBrowser } from './browser.ts'
import { measureDocuments } from './documents.ts'
import type { Figure } from './figure.ts'
import { measureFiles } from './files.ts'
import { measureFlood } from './flood.ts'
import { measureHot } from './hot.ts'
import { currentLoad, describeMachine, type Machine } from './machine.ts'
import { measurePages } from './pages.ts'
import { measurePlanEarnings } from './plan-earnings.ts'
import { measurePrices } from './prices.ts'
import { measureReads } from './reads.ts'
import type { Scale } from './scale.ts'
import { measureSeals } from './seals.ts'
import { measureTransfers } from './transfers.ts'
import { untilStopped } from './until-stopped.ts'
import { buildWorld } from './world.ts'

/**
 * Sets up everything, measures it, and removes it.
 * @param stop ends it early; everything is still removed
 */
export function bench(
  scale: Scale,
  progress: Progress,
  stop: AbortSignal,
): Promise<{ figures: Figure[]; machine: Machine }> {
  const loadBefore = currentLoad()
  return untilStopped(stop, async closers => {
    const world = await buildWorld(scale, progress, closers)
    const machine = await describeMachine(world.postgres.superuserUrl, loadBefore)
    const pages = await progress.step('Statements', 'Statements', () => measurePages(world, scale))
    const reads = await progress.step('Reads', 'Reads', () => measureReads(world, scale))
    const documents = await progress.step('Public pages', 'Public pages', () =>
      measureDocuments(world, scale),
    )
    const flood = await progress.step('Floods', 'Floods', () => measureFlood(world, scale))
    const files = await progress.step('Files', 'Files', () => measureFiles(world, scale))
    const backlog = await progress.step('Emails', 'Emails', () => measureBacklog(world, scale))
    const browser = await progress.step('Pages in a browser', 'Pages in a browser', () =>
      measureBrowser(world, scale),
    )
    const prices = await progress.step('Prices', 'Prices', () => measurePrices(world, scale))
    const transfers = await progress.step('Transfers', 'Transfers', () => measureTransfers(world, scale))
    const seals = await progress.step('Seals', 'Seals', () => measureSeals(world, scale))
    const hot = await progress.step('Hot accounts', 'Hot accounts', () => measureHot(world, scale))
    const acts = await progress.step('Acts of staff', 'Acts of staff', () => measureActs(world, scale))
    const plan = await progress.step('Earnings of a plan', 'Earnings of a plan', () =>
      measurePlanEarnings(world, scale),
    )
    return {
      figures: [
        ...transfers,
        ...acts,
        ...plan,
        ...seals,
        ...hot,
        ...reads,
        ...documents,
        ...flood,
        ...files,
        ...backlog,
        ...pages,
        ...prices,
        ...browser,
      ],
      machine,
    }
  })
}
