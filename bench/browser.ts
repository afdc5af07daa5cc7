import { type BrowserContext, chromium, type Page } from '@playwright/test'
import { chromiumFlags, findChromium, installChromium } from '#tools/chromium.ts'
import type { Figure } from './figure.ts'
import { measureInteractions } from './interactions.ts'
import { measureRouteChanges } from './route-changes.ts'
import type { Scale } from './scale.ts'
import { measureScripts } from './scripts.ts'
import type { World } from './world.ts'

/** How much is done in the browser. */
export type BrowserScale = {
  /** Times that each page of the menu is gone to, once a round. */
  rounds: number
  /** Times that each of the typical interactions is made. */
  interactions: number
}

/** The investor with many lines, in a browser of his own. */
export type Visit = { page: Page; context: BrowserContext; origin: string }

/** As large as a laptop's: the menu is at the side. */
const viewport = { width: 1440, height: 900 }

/** What an investor's browser has to load and to do, on the large ledger. */
export async function measureBrowser(world: World, { browser: scale }: Scale): Promise<Figure[]> {
  if (scale === undefined) return []
  const executablePath = findChromium() ?? (await installChromium())
  const browser = await chromium.launch({ executablePath, args: chromiumFlags })
  const { server, oneOfMany } = world.large
  const origin = `http://127.0.0.1:${server.port}`
  const visit = async (): Promise<Visit> => {
    // Reduced motion: the start overlay does not stand before the page.
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

/** Where the bare page is, which the browser gets instead of an answer of the server. */
const barePath = '/bare'

/**
 * A page with no more in it than it takes to change from one static state to another, as the least that a change can cost in
 * this browser on this machine: its links change the address, the heading and fifty rows.
 */
export async function openBarePage({ context, page }: Visit): Promise<void> {
  await context.route(`**${barePath}`, route =>
    route.fulfill({
      contentType: 'text/html',
      body: `<!doctype html><title>Bare</title>
        <nav><a href="/bare/a">A</a> <a href="/bare/b">B</a></nav><h1>Bare</h1><table></table>
        <script>
          for (const link of document.querySelectorAll('a')) link.addEventListener('click', event => {
            event.preventDefault()
            history.pushState(null, '', link.href)
            document.querySelector('h1').textContent = link.textContent
            document.querySelector('table').innerHTML =
              Array.from({ length: 50 }, (_, row) => '<tr><td>' + link.textContent + '<td>' + row).join('')
          })
        </script>`,
    }),
  )
  await page.goto(barePath)
}
