import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Browser journeys that run at the same time. Each has a product of its own, so that none meets what another does. One
 * journey keeps about one core busy: its browser, its product and its database take turns.
 */
export const journeyWorkers = 2

/** Port of the first product; the others have those after it. */
export const journeyPort = Number(process.env.E2E_PORT ?? 3210)

/** Port of the product of this Playwright worker. */
export const ownJourneyPort = journeyPort + Number(process.env.TEST_PARALLEL_INDEX ?? 0)

/** A stopped demonstration, which the products of single files copy. */
export const journeyDemonstration = join(tmpdir(), `probity-demonstration-${journeyPort}`)
