import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, type Page } from '@playwright/test'
import type axe from 'axe-core'

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * The page as it stands, or the dialog that is open over it, breaks no rule of WCAG 2.2 AA that axe can see. Dark has
 * the same structure: there the test checks only its colours.
 */
export async function expectAccessible(page: Page, where = page.url()): Promise<void> {
  await page.evaluate(layOutAll)
  const within = (await page.getByRole('dialog').count()) > 0 ? '[role="dialog"]' : 'html'
  await provideAxe(page)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const runOnly: axe.RunOnly =
      colorScheme === 'light'
        ? { type: 'tag', values: standards }
        : { type: 'rule', values: ['color-contrast'] }
    // A page that is still being made may break one for a moment.
    const found = expect.poll(() => page.evaluate(violations, { within, runOnly }), {
      message: `${where}, ${colorScheme}`,
    })
    await found.toEqual([])
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
}

/** Runs in the page. Lays out what the browser would skip until it is near the viewport (content-visibility). */
function layOutAll() {
  const all = new CSSStyleSheet()
  all.replaceSync('* { content-visibility: visible !important }')
  document.adoptedStyleSheets = [all]
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

/** Runs in the page. What breaks a rule, as `rule: elements`. */
async function violations({ within, runOnly }: { within: string; runOnly: axe.RunOnly }): Promise<string[]> {
  const { run } = (window as unknown as { axe: typeof axe }).axe
  const found = await run(within, { runOnly, resultTypes: ['violations'] })
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.target).join(', ')}`)
}
