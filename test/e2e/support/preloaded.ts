import { expect, type Page } from '@playwright/test'

/** Waits until the script of a page, and all that were asked for in advance, have come. */
export async function preloaded(page: Page, name: string) {
  await expect(page.locator(`link[rel=modulepreload][href*="/${name}-"]`).first()).toBeAttached()
  const underWay = () =>
    page
      .locator('link[rel=modulepreload]')
      .evaluateAll(
        links =>
          links.filter(link => performance.getEntriesByName((link as HTMLLinkElement).href).length === 0)
            .length,
      )
  await expect.poll(underWay).toBe(0)
}
