import type { Page } from '@playwright/test'
import { type Figure, figure } from './figure.ts'
import { alternate, percentile } from './measure.ts'
import type { BrowserScale } from './scale.ts'
import { openBarePage, type Visit } from './visit.ts'

/** Maximum time from pressing a link to the painting of the new page's heading, in milliseconds. */
const mostMs = 80
/** How long people point at a link before they press it, in milliseconds; a short time. */
const pointsMs = 100
const slow = 0.95

/** In the order of the menu, and back to the start. */
const menu = [
  'profile',
  'investments',
  'new-investment',
  'deposit',
  'withdrawals',
  'history',
  'statement',
  'home',
]

/**
 * Page changes in the dashboard's menu, with all data read and each link pointed at before the press, against changes
 * of a bare page in the same browser.
 */
export async function measureRouteChanges(visit: Visit, { rounds }: BrowserScale): Promise<Figure[]> {
  const { page, context } = visit
  const bare = { ...visit, page: await context.newPage() }
  await page.goto('/dashboard/home')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await openBarePage(bare)
  const all: number[] = []
  const measured = await alternate(rounds, {
    product: {
      prepare: () => page.bringToFront(),
      async round() {
        const times: number[] = []
        for (const name of menu) times.push(await change(page, `/dashboard/${name}`))
        all.push(...times)
        return middle(times)
      },
    },
    bare: {
      prepare: () => bare.page.bringToFront(),
      async round() {
        const times: number[] = []
        for (let n = 0; n < menu.length; n++) times.push(await change(bare.page, `/bare/${'ab'[n % 2]}`))
        return middle(times)
      },
    },
  })
  await context.close()
  // The first round warms up.
  const counted = all.slice(menu.length).toSorted((a, b) => a - b)
  const unit = 'milliseconds' as const
  return [
    figure(
      'routeChangeP95',
      { atMost: 1 },
      { what: `p95 of ${counted.length} changes of route`, unit, rounds: [percentile(counted, slow)] },
      { what: 'at most', unit, rounds: [mostMs] },
    ),
    figure(
      'routeChangePerBare',
      null,
      { what: 'median of the changes', unit, rounds: measured.product },
      { what: 'of a bare page', unit, rounds: measured.bare },
    ),
  ]
}

function middle(times: number[]): number {
  return percentile(
    times.toSorted((a, b) => a - b),
    0.5,
  )
}

/**
 * Points at a link, presses it, and waits for the next heading.
 * @returns milliseconds from the press to the painting
 */
async function change(page: Page, path: string): Promise<number> {
  const link = page.locator(`nav a[href="${path}"]`).filter({ visible: true })
  await link.hover()
  await page.waitForTimeout(pointsMs)
  const painted = await page.evaluateHandle(watchHeading, path)
  await link.click()
  return painted.evaluate(watch => watch.painted)
}

/** Runs in the page: `painted` resolves after the first frame in which this path's page has a new heading. */
function watchHeading(path: string): { painted: Promise<number> } {
  const before = document.querySelector('h1')?.textContent
  const painted = new Promise<number>(resolve => {
    addEventListener(
      'click',
      press => {
        const look = () => {
          const heading = document.querySelector('h1')?.textContent
          const isThere = location.pathname === path && heading && heading !== before
          if (!isThere) return requestAnimationFrame(look)
          // A message event runs after the current frame has been painted.
          const { port1, port2 } = new MessageChannel()
          port1.onmessage = () => resolve(performance.now() - press.timeStamp)
          port2.postMessage(null)
        }
        requestAnimationFrame(look)
      },
      { once: true, capture: true },
    )
  })
  return { painted }
}
