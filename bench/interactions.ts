import type { Page } from '@playwright/test'
import { type Figure, figure } from './figure.ts'
import { percentile } from './measure.ts'
import type { BrowserScale } from './scale.ts'
import { openBarePage, press, type Visit } from './visit.ts'

/** A mid-range phone compared with this machine. */
const slowdown = 4
/** Maximum interaction to next paint, in milliseconds. */
const mostMs = 150
/** The share of outliers that INP leaves out. */
const almostAll = 0.98
/** Time for an interaction's effects before the next one, in milliseconds. */
const settlesMs = 150

/**
 * Interactions as the browser reports them (Event Timing, as in INP), on the page with the most rows: an investor's
 * very long statement, with a slowed-down processor. A bare page shows the least that an interaction costs.
 */
export async function measureInteractions(visit: Visit, scale: BrowserScale): Promise<Figure[]> {
  const { page, context } = visit
  const bare = { ...visit, page: await context.newPage() }
  const least = await interactionsOf(
    bare,
    () => openBarePage(bare),
    (there, n) => pressBare(there, n),
    scale,
  )
  const open = async () => {
    await page.goto('/dashboard/statement')
    await page.getByRole('table').getByRole('row').nth(50).waitFor()
  }
  const counted = await interactionsOf(visit, open, useStatement, scale)
  await context.close()
  const unit = 'milliseconds' as const
  const worst = counted.at(-1) ?? Number.NaN
  const p98 = { unit, rounds: [percentile(counted, almostAll)] }
  return [
    figure(
      'interactionP98',
      { atMost: 1 },
      { what: `p98 of ${counted.length} interactions, the worst ${worst} ms`, ...p98 },
      { what: 'at most', unit, rounds: [mostMs] },
    ),
    figure(
      'interactionPerBare',
      null,
      { what: 'p98 of the interactions', ...p98 },
      { what: 'of a bare page', unit, rounds: [percentile(least, almostAll)] },
    ),
  ]
}

/** @returns each interaction's time to the next paint in milliseconds, ascending */
async function interactionsOf(
  { page, context }: Visit,
  open: () => Promise<void>,
  use: (page: Page, n: number) => Promise<void>,
  { interactions }: BrowserScale,
): Promise<number[]> {
  await open()
  await page.bringToFront()
  const cdp = await context.newCDPSession(page)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  await page.evaluate(observe)
  for (let n = 0; n < interactions; n++) await use(page, n)
  await page.waitForTimeout(settlesMs)
  const found = await page.evaluate(() => (globalThis as unknown as Observed).interactions)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  await cdp.detach()
  return Object.values(found).toSorted((a, b) => a - b)
}

type Observed = { interactions: Record<number, number> }

/** Runs in the page: the longest event of each interaction. */
function observe() {
  const interactions: Observed['interactions'] = {}
  Object.assign(globalThis, { interactions })
  const observer = new PerformanceObserver(list => {
    for (const { interactionId, duration } of list.getEntries() as PerformanceEventTiming[]) {
      if (!interactionId) continue
      interactions[interactionId] = Math.max(interactions[interactionId] ?? 0, duration)
    }
  })
  observer.observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit)
}

async function pressBare(page: Page, n: number) {
  await press(page.locator('nav a').nth(n % 2))
  await page.waitForTimeout(settlesMs)
}

/** A reader of a statement: filters it, reads on, opens a record and closes it. */
async function useStatement(page: Page, n: number) {
  const rows = page.getByRole('table').getByRole('row')
  await press(page.getByRole('button', { name: 'Load more' }))
  await rows.nth(60).waitFor()
  await page.waitForTimeout(settlesMs)
  await press(
    rows
      .nth(1 + (n % 40))
      .getByRole('link')
      .first(),
  )
  await page.getByRole('dialog').waitFor()
  await page.waitForTimeout(settlesMs)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  const kind = page.getByLabel('Kind')
  await kind.focus()
  for (const key of ['ArrowDown', 'ArrowUp']) {
    await page.keyboard.press(key)
    await page.waitForTimeout(settlesMs)
  }
  const period = page.locator('search fieldset label')
  for (const at of [1, 0]) {
    await press(period.nth(at))
    await page.waitForTimeout(settlesMs)
  }
}
