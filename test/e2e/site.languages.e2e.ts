import { type APIRequestContext, expect, type Page, test } from '@playwright/test'
import { languageCodes, languages, translatedLanguages } from '#shared/i18n/languages.ts'
import { policyKinds, policyPaths } from '#shared/policies.ts'
import { inLanguagePath } from '#web/language.ts'
import { expectSound, widths } from './support/investor.ts'

/** The public pages in every language, which their address names. */

test.use({ contextOptions: { reducedMotion: 'reduce' } })

const paths = ['/', '/about', '/investment-plans', '/services', '/contact', '/proof', '/faq']
const policies = policyKinds.map(kind => policyPaths[kind])

/** The addresses of a page in other languages, by code. */
async function alternatesOf(page: Page): Promise<Map<string, string>> {
  const links = await page
    .locator('head link[rel="alternate"][hreflang]')
    .evaluateAll(all => all.map(one => [one.getAttribute('hreflang')!, one.getAttribute('href')!] as const))
  return new Map(links)
}

async function expectThere(request: APIRequestContext, address: string): Promise<void> {
  expect((await request.get(address)).status(), address).toBe(200)
}

for (const language of translatedLanguages) {
  const { name, direction } = languages[language]

  test(`every public page is in ${name} at an address of its own`, async ({ page, request, baseURL }) => {
    const scripts: string[] = []
    page.on('request', asked => {
      if (asked.resourceType() === 'script') scripts.push(asked.url())
    })
    for (const path of [...paths, ...policies]) {
      const address = inLanguagePath(path, language)
      const response = await page.goto(address)
      if (policies.includes(path) && response?.status() === 404) continue
      expect(response?.status(), address).toBe(200)
      const html = page.locator('html')
      await expect(html).toHaveAttribute('lang', language)
      await expect(html).toHaveAttribute('dir', direction)
      const canonical = page.locator('head link[rel="canonical"]')
      await expect(canonical).toHaveAttribute('href', baseURL + address)
      const alternates = await alternatesOf(page)
      expect([...alternates.keys()]).toEqual([...languageCodes, 'x-default'])
      for (const other of alternates.values()) await expectThere(request, other)
    }
    expect(scripts).toEqual([])
  })

  test(`the public pages in ${name} are sound on a phone and a desktop`, async ({ page }) => {
    for (const path of paths) {
      await page.goto(inLanguagePath(path, language))
      await expectSound(page, widths)
    }
  })
}

test('a language chosen on a public page is that of the login page', async ({ page }) => {
  await page.goto('/about')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Deutsch' }).click()
  await expect(page).toHaveURL('/de/about')
  await page.getByRole('banner').getByRole('link', { name: 'Anmelden' }).click()
  await expect(page).toHaveURL('/login')
  await expect(page.locator('html')).toHaveAttribute('lang', 'de')
})

test('/en leads back to the English page', async ({ page }) => {
  await page.goto('/ar/about')
  await page.goto('/en/about')
  await expect(page).toHaveURL('/about')
  await expect(page.locator('html')).toHaveAttribute('lang', 'en')
})

test('an address with a language leads to no other site', async ({ request }) => {
  for (const address of [
    '/en//example.com/',
    '/de//example.com/',
    '/en/%5Cexample.com',
    '/ar/dashboard//example.com',
  ]) {
    const { headers, status } = await request
      .get(address, { maxRedirects: 0 })
      .then(answer => ({ headers: answer.headers(), status: answer.status() }))
    if (status !== 302) expect(status, address).toBe(404)
    expect(headers.location ?? '/', address).toMatch(/^\/(?!\/)/)
  }
})

test('the firm’s own texts are in the page’s language, and its address is marked', async ({ page }) => {
  await page.goto('/ar/faq')
  const answer = page.getByText('كيف أتحقق من دفاتركم؟').locator('xpath=ancestor::details')
  await expect(answer).not.toHaveAttribute('lang')
  await expect(page.getByText('هذا النص باللغة الإنجليزية كما كتبته الشركة.')).toHaveCount(0)
  const address = page.getByRole('contentinfo').getByText('1 Sample Street', { exact: false }).first()
  await expect(address).toHaveAttribute('lang', 'en')
  await expect(address).toHaveAttribute('dir', 'ltr')
})

test('the sitemap names each page in each language', async ({ request, baseURL }) => {
  const sitemap = await (await request.get('/sitemap.xml')).text()
  for (const path of paths) {
    for (const code of languageCodes) {
      const address = baseURL + inLanguagePath(path, code)
      expect(sitemap).toContain(`<loc>${address}</loc>`)
      expect(sitemap).toContain(`<xhtml:link rel="alternate" hreflang="${code}" href="${address}"/>`)
    }
  }
})
