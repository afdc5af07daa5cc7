import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, type Page } from '@playwright/test'
import type axe from 'axe-core'

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Sizes of a browser's window, by the name of the device that has it. */
export type Widths = readonly (readonly [device: string, viewport: { width: number; height: number }])[]

/**
 * The page as it stands, or the dialog that is open over it, breaks no rule of WCAG 2.2 AA that axe can see.
 * @param widths sizes at which it is checked, if not as it is: the first in dark, the others in light, because colours
 *   do not depend on the size; the last stays
 */
export async function expectAccessible(page: Page, where = page.url(), widths: Widths = []): Promise<void> {
  await page.evaluate(layOutAll)
  await page.evaluate(leaveFirstRows)
  const within = (await page.getByRole('dialog').count()) > 0 ? '[role="dialog"]' : 'html'
  await provideAxe(page)
  const everything: axe.RunOnly = { type: 'tag', values: standards }
  const colours: axe.RunOnly = { type: 'rule', values: ['color-contrast'] }
  const scheme = (colorScheme: 'dark' | 'light') =>
    page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await scheme('dark')
  const [first, ...others] = widths
  if (first) await page.setViewportSize(first[1])
  await expectNoViolations(page, `${where}, ${first?.[0] ?? ''} dark`, {
    within,
    runOnly: first ? everything : colours,
  })
  await scheme('light')
  if (!first) await expectNoViolations(page, where, { within, runOnly: everything })
  for (const [device, viewport] of others) {
    await page.setViewportSize(viewport)
    await expectNoViolations(page, `${where}, ${device}`, { within, runOnly: everything })
  }
  await page.evaluate(layOutAll)
}

/** A page that is still being made may break a rule for a moment. On a busy machine axe alone may take many seconds. */
async function expectNoViolations(page: Page, message: string, check: Check): Promise<void> {
  const found = expect.poll(() => page.evaluate(violations, check), { message, timeout: 30_000 })
  await found.toEqual([])
}

/**
 * Runs in the page. Lays out what the browser would skip until it is near the viewport (content-visibility), and scrolls to
 * the top: a control half under the sticky header is no smaller target.
 */
export function layOutAll() {
  scrollTo(0, 0)
  const all = new CSSStyleSheet()
  all.replaceSync('* { content-visibility: visible !important }')
  document.adoptedStyleSheets = [all]
}

/** Runs in the page. Further rows of a table repeat the first ones, and would take axe most of its time. */
function leaveFirstRows() {
  const fewRows = new CSSStyleSheet()
  fewRows.replaceSync('tbody > tr:nth-child(n + 6) { display: none }')
  document.adoptedStyleSheets.push(fewRows)
}

/** In the page and in each frame of it, unless it is there from the look before: it is most of what a look costs. */
async function provideAxe(page: Page): Promise<void> {
  for (const frame of page.frames()) {
    if (!(await frame.evaluate(() => 'axe' in window))) await frame.evaluate(source)
    // A frame answers the page that it is in, wherever that is from.
    await frame.evaluate(() =>
      (window as unknown as { axe: typeof axe }).axe.configure({
        allowedOrigins: ['<unsafe_all_origins>'],
      }),
    )
  }
}

/** No rule of these needs the style sheets, which axe would fetch once more. */
type Check = { within: string; runOnly: axe.RunOnly }

/** Runs in the page. What breaks a rule, as `rule: elements`. */
async function violations({ within, runOnly }: Check): Promise<string[]> {
  const { run } = (window as unknown as { axe: typeof axe }).axe
  const options: axe.RunOptions = { runOnly, resultTypes: ['violations'], preload: false }
  // To name each element that it looks at is a quarter of its work: it does so only if it has found something.
  const { violations } = await run(within, { ...options, selectors: false })
  if (violations.length === 0) return []
  const found = await run(within, options)
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.target).join(', ')}`)
}
