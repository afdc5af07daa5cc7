import { chromium } from '@playwright/test'
import { chromiumFlags, findChromium, installChromium } from '#tools/chromium.ts'
import type { Figure } from './figure.ts'
import { measureInteractions } from './interactions.ts'
import { measureRouteChanges } from './route-changes.ts'
import type { Scale } from './scale.ts'
import { measureScripts } from './scripts.ts'
import type { Visit } from './visit.ts'
import type { World } from './world.ts'

/** The size of a laptop's window, with the menu at the side. */
const viewport = { width: 1440, height: 900 }

/** Loading and interacting in an investor's browser, on the large ledger. */
export async function measureBrowser(world: World, { browser: scale }: Scale): Promise<Figure[]> {
  if (scale === undefined) return []
  const executablePath = findChromium() ?? (await installChromium())
  const browser = await chromium.launch({ executablePath, args: chromiumFlags })
  const { server, oneOfMany } = world.large
  const origin = `http://127.0.0.1:${server.port}`
  const visit = async (): Promise<Visit> => {
    // Reduced motion: no start overlay covers the page.
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce', baseURL: origin })
    return { context, page: await context.newPage(), origin }
  }
  const signedIn = async (): Promise<Visit> => {
    const visiting = await visit()
    await visiting.context.addInitScript(access => {
      localStorage.setItem('access', access)
      localStorage.setItem('refresh', 'none')
    }, world.tokenOf(oneOfMany))
    return visiting
  }
  try {
    return [
      ...(await measureScripts(visit, signedIn)),
      ...(await measureRouteChanges(await signedIn(), scale)),
      ...(await measureInteractions(await signedIn(), scale)),
    ]
  } finally {
    await browser.close()
  }
}
