import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/**
 * The page as it stands, or the dialog that is open over it, breaks no rule of WCAG 2.2 AA that axe can see. Dark has
 * the same structure: there only its colours are looked at.
 */
export async function expectAccessible(page: Page, where = page.url()): Promise<void> {
  await page.evaluate(layOutAll)
  const dialog = (await page.getByRole('dialog').count()) > 0
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const axe = new AxeBuilder({ page })
    if (dialog) axe.include('[role="dialog"]')
    if (colorScheme === 'light') axe.withTags(standards)
    else axe.withRules(['color-contrast'])
    const { violations } = await axe.analyze()
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.target).join(', ')}`)
    expect(found, `${where}, ${colorScheme}`).toEqual([])
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
}

/** Runs in the page. What waits to be laid out until one gets near it is looked at, too (content-visibility). */
function layOutAll() {
  const all = new CSSStyleSheet()
  all.replaceSync('* { content-visibility: visible !important }')
  document.adoptedStyleSheets = [all]
}
