import { type Browser, expect, type Page, test } from '@playwright/test'
import { type Language, languages, translatedLanguages } from '#shared/i18n/languages.ts'
import { messageIn } from '#shared/i18n/message.ts'
import { consolePaths } from '#web/console-paths.ts'
import { paths } from '#web/paths.ts'
import { expectSound, widths } from './support/investor.ts'
import { expectPagesIn } from './support/languages.ts'
import { browserOf, expectToast, sample, signIn } from './support/people.ts'

/** The admin console in other languages. */

const lists = Object.values(consolePaths)
  .filter(path => typeof path === 'string')
  .filter(path => !/[?#]/.test(path))
const pages = [...Object.values(paths.admin).filter(path => typeof path === 'string'), ...lists]

/** An administrator's console in a language. */
async function consoleIn(language: Language, browser: Browser, baseURL: string): Promise<Page> {
  const page = await browserOf(browser)
  await page.context().addCookies([{ name: 'language', value: language, url: baseURL }])
  await signIn(page.request, page, sample('administrator'))
  return page
}

/** Of each kind of record to which the page links, one. */
async function recordsOf(page: Page): Promise<[kind: string, href: string][]> {
  const links = await page
    .locator('main a[href^="/admin/"][href*="?id="]')
    .evaluateAll(all => all.map(link => link.getAttribute('href')!))
  return links.map(href => [href.split('?')[0]!, href])
}

/** Opens pages of the console, and then a record of each kind that is linked from them. @returns how many kinds */
async function expectConsoleIn(
  language: Language,
  page: Page,
  paths: readonly string[],
  look = async () => {},
): Promise<number> {
  const records = new Map<string, string>()
  await expectPagesIn(language, page, paths, async () => {
    for (const [kind, href] of await recordsOf(page)) records.set(kind, href)
    await look()
  })
  await expectPagesIn(language, page, [...records.values()])
  return records.size
}

for (const language of translatedLanguages) {
  const { name, direction } = languages[language]

  if (direction === 'ltr') {
    test(`every page of the console is in ${name}`, async ({ browser, baseURL }) => {
      test.slow() // forty pages
      const page = await consoleIn(language, browser, baseURL!)
      expect(await expectConsoleIn(language, page, pages)).toBeGreaterThanOrEqual(4)
    })
  }

  test(`a deposit is declined in the console in ${name}`, async ({ browser, baseURL }) => {
    const words = (text: string) => messageIn(language, text)
    const page = await consoleIn(language, browser, baseURL!)
    await page.goto(`${consolePaths.deposits}?status=pending`)
    await expect(page.locator('html')).toHaveAttribute('dir', direction)
    await page
      .getByRole('table')
      .getByRole('button', { name: words('Decline') })
      .first()
      .click()
    const dialog = page.getByRole('dialog')
    await expectSound(page, widths)
    await dialog.getByLabel(words('Reason')).fill('Nothing has arrived')
    await dialog.getByRole('button', { name: words('Decline deposit') }).click()
    await expectToast(page, words('Deposit declined'))
  })
}

for (const part of [0, 1, 2]) {
  test(`pages of the console are in Arabic, and sound, part ${part + 1}`, async ({ browser, baseURL }) => {
    test.slow() // axe checks a dozen pages, at both widths and in the dark
    const page = await consoleIn('ar', browser, baseURL!)
    const some = pages.filter((_, n) => n % 3 === part)
    await expectConsoleIn('ar', page, some, () => expectSound(page, widths))
  })
}

test('the names of plans break between words alone beside long words', async ({ browser, baseURL }) => {
  const page = await consoleIn('es', browser, baseURL!)
  for (const [name, size] of widths) {
    await page.setViewportSize(size)
    await page.goto(consolePaths.plans)
    const names = page.getByText(/^Enthusiast$/)
    await expect(names).toHaveCount(1)
    // A word that is broken has a box on each line.
    const boxes = await names.evaluate(name => {
      const range = document.createRange()
      range.selectNodeContents(name)
      return range.getClientRects().length
    })
    expect(boxes, name).toBe(1)
  }
})
