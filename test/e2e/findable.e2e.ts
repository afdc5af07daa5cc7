import { type APIRequestContext, expect, type Page, test } from '@playwright/test'
import type { Running } from '#server/process/serve.ts'
import { languageCodes } from '#shared/i18n/languages.ts'
import { startLiveProduct } from '#test/support/live-product.ts'
import { freePort } from '#tools/free-port.ts'
import { inLanguagePath } from '#web/language.ts'
import { expectSound } from './support/investor.ts'
import { callApi, signIn, stranger } from './support/people.ts'

/** What search engines, chats and phones read of the pages: none of it shows on them. */

const publicPages = ['/', '/about', '/investment-plans', '/services', '/contact', '/proof', '/faq']
const findablePages = [...publicPages, '/login', '/register', '/forgot-password']

/** The elements of a document's head, as a browser without JavaScript reads them. */
async function headOf(page: Page, address: string) {
  await page.goto(address)
  const content = (selector: string, attribute = 'content') =>
    page
      .locator(`head ${selector}`)
      .evaluateAll((all, name) => all.map(one => one.getAttribute(name)), attribute)
  const one = async (selector: string, attribute?: string) => {
    const all = await content(selector, attribute)
    expect(all, selector).toHaveLength(1)
    return all[0]!
  }
  return { one, content }
}

/** Width and height of a PNG picture, from its first chunk. */
function sizeOf(png: Buffer): [number, number] {
  expect(png.subarray(1, 4).toString()).toBe('PNG')
  return [png.readUInt32BE(16), png.readUInt32BE(20)]
}

async function picture(request: APIRequestContext, address: string): Promise<Buffer> {
  const response = await request.get(address)
  expect(response.status(), address).toBe(200)
  expect(response.headers()['content-type']).toBe('image/png')
  return response.body()
}

test.describe('a demonstration', () => {
  test.use({ javaScriptEnabled: false })

  test('[R-01] every page says in its own words what it is', async ({ page }) => {
    const said: string[] = []
    for (const path of findablePages) {
      const { one } = await headOf(page, path)
      const description = await one('meta[name="description"]')
      expect(description.length, description).toBeGreaterThanOrEqual(50)
      expect(description.length, description).toBeLessThanOrEqual(160)
      said.push(await page.title(), description)
    }
    expect(new Set(said).size).toBe(2 * findablePages.length)
  })

  test('a page has one address, however it was asked for', async ({ page, request, baseURL }) => {
    for (const [asked, path] of [
      ['/?utm_source=x', '/'],
      ['/About/', '/about'],
      ['/contact?sent=1', '/contact'],
      ['/register?ref=ABC', '/register'],
    ] as const) {
      const { one } = await headOf(page, asked)
      expect(await one('link[rel="canonical"]', 'href')).toBe(baseURL + path)
      expect(await one('meta[property="og:url"]')).toBe(baseURL + path)
      const elsewhere = await request.get(asked, { headers: { host: 'elsewhere.example' } })
      expect(await elsewhere.text()).not.toContain('elsewhere.example')
    }
    for (const path of ['/no/such/page', '/verify/ada@example.com', '/mailbox', '/dashboard/home']) {
      const { content } = await headOf(page, path)
      expect(await content('link[rel="canonical"]', 'href')).toEqual([])
      expect(await content('meta[property^="og:"]')).toEqual([])
    }
  })

  test('[P-14] a link to it shows what it is, and that it is none of a real firm', async ({
    page,
    request,
    baseURL,
  }) => {
    for (const path of findablePages) {
      const { one } = await headOf(page, path)
      const title = await one('meta[property="og:title"]')
      expect(title).toMatch(/^Demonstration: .+/)
      expect(await one('meta[property="og:site_name"]')).toBe('Probity')
      expect(await one('meta[property="og:description"]')).toBe(await one('meta[name="description"]'))
      expect(await one('meta[name="twitter:card"]')).toBe('summary_large_image')
      const address = await one('meta[property="og:image"]')
      expect(address).toMatch(new RegExp(`^${baseURL}/assets/card-demonstration-`))
      expect(await one('meta[name="twitter:image"]')).toBe(address)
      const png = await picture(request, address)
      expect(sizeOf(png)).toEqual([1200, 630])
      // What the pickiest of chats takes.
      expect(png.length).toBeLessThan(300_000)
    }
  })

  test('[P-14] search engines are kept out of all of it', async ({ page, request }) => {
    expect(await (await request.get('/robots.txt')).text()).toBe('User-agent: *\nDisallow: /\n')
    for (const path of [...findablePages, '/no/such/page', '/dashboard/home']) {
      const { one } = await headOf(page, path)
      expect(await one('meta[name="robots"]')).toBe('noindex')
    }
    for (const path of ['/sitemap.xml', '/manifest.webmanifest', '/login'])
      expect((await request.get(path)).headers()['x-robots-tag']).toBe('noindex')
  })

  test('browsers and phones find an icon of their size, of one mark', async ({ page, request }) => {
    const { one } = await headOf(page, '/')
    const small = await one('link[rel="icon"][type="image/png"]', 'href')
    expect(sizeOf(await picture(request, small))).toEqual([32, 32])
    const touch = await one('link[rel="apple-touch-icon"]', 'href')
    expect(sizeOf(await picture(request, touch))).toEqual([180, 180])
    const drawn = await request.get(await one('link[rel="icon"][type="image/svg+xml"]', 'href'))
    expect(await drawn.text()).toContain('prefers-color-scheme:dark')

    const ico = await (await request.get('/favicon.ico')).body()
    expect(ico.readUInt16LE(2)).toBe(1)
    const sizes = Array.from({ length: ico.readUInt16LE(4) }, (_, place) => {
      const entry = 6 + 16 * place
      const [length, offset] = [ico.readUInt32LE(entry + 8), ico.readUInt32LE(entry + 12)]
      return sizeOf(ico.subarray(offset, offset + length))
    })
    expect(sizes).toEqual([16, 32, 48].map(side => [side, side]))
  })

  test('the manifest is one that a browser accepts', async ({ page, request }) => {
    const refused: string[] = []
    page.on('console', message => message.type() === 'error' && refused.push(message.text()))
    await page.goto('/')
    const session = await page.context().newCDPSession(page)
    const { url, errors, data } = await session.send('Page.getAppManifest')
    expect(url).toMatch(/\/manifest\.webmanifest$/)
    expect(errors).toEqual([])
    const manifest = JSON.parse(data!)
    expect(manifest).toMatchObject({
      name: 'Probity (demonstration)',
      short_name: 'Probity',
      start_url: '/dashboard/home',
      display: 'standalone',
    })
    const png = manifest.icons.filter((icon: { type: string }) => icon.type === 'image/png')
    expect(png.map(({ sizes, purpose }: Record<string, string>) => `${sizes} ${purpose}`)).toEqual([
      '192x192 any',
      '512x512 any',
      '192x192 maskable',
      '512x512 maskable',
    ])
    for (const { src, sizes } of png) expect(sizeOf(await picture(request, src)).join('x')).toBe(sizes)
    expect(refused).toEqual([])
  })
})

test.describe('a live product', () => {
  const publicUrl = 'https://invest.example.com'
  const legalName = 'Example & Sons </script><script>document.title="x"</script> Pty Ltd'
  let product: Running | undefined
  let origin: string

  test.beforeAll(async () => {
    const port = await freePort()
    origin = `http://127.0.0.1:${port}`
    product = await startLiveProduct('e2e-live', port, { PUBLIC_URL: publicUrl, FIRM_LEGAL_NAME: legalName })
  })
  test.afterAll(() => product?.stop())

  test('[P-14] search engines see the public pages and no private ones', async ({ page, request }) => {
    const robots = await (await request.get(`${origin}/robots.txt`)).text()
    expect(robots).toMatch(/^User-agent: \*\nDisallow: \/api\/\n/)
    for (const closed of ['/dashboard', '/admin', '/mailbox', '/verify/', '/reset-password', '/invitation'])
      expect(robots).toContain(`\nDisallow: ${closed}\n`)
    expect(robots).not.toContain('Disallow: /\n')
    expect(robots).toContain(`\nSitemap: ${publicUrl}/sitemap.xml\n`)
    for (const path of findablePages) {
      const { one, content } = await headOf(page, origin + path)
      expect(await content('meta[name="robots"]')).toEqual([])
      expect((await request.get(origin + path)).headers()).not.toHaveProperty('x-robots-tag')
      expect(await one('link[rel="canonical"]', 'href')).toBe(publicUrl + path)
      expect(await one('meta[property="og:title"]')).not.toContain('Demonstration')
      expect(await one('meta[property="og:image"]')).toMatch(
        /^https:\/\/invest\.example\.com\/assets\/card-\w/,
      )
      expect(await one('meta[property="og:image"]')).not.toContain('demonstration')
    }
    for (const path of ['/no/such/page', '/verify/ada@example.com', '/dashboard/home']) {
      const { one } = await headOf(page, origin + path)
      expect(await one('meta[name="robots"]')).toBe('noindex')
    }
  })

  test('the sitemap names the public pages, with the days on which they changed', async ({ request }) => {
    const response = await request.get(`${origin}/sitemap.xml`)
    expect(response.headers()['content-type']).toBe('application/xml; charset=utf-8')
    const entries = [...(await response.text()).matchAll(/<loc>(.+?)<\/loc>(?:<lastmod>(.+?)<\/lastmod>)?/g)]
    const addresses = publicPages.flatMap(path =>
      languageCodes.map(code => publicUrl + inLanguagePath(path, code)),
    )
    expect(entries.map(([, address]) => address)).toEqual(addresses)
    for (const [, , day] of entries) {
      if (day === undefined) continue
      expect(day).toMatch(/^\d{4}-\d\d-\d\d$/)
      expect(Date.parse(day)).toBeLessThanOrEqual(Date.now())
    }
  })

  test('structured data names the firm to search engines and runs no script', async ({ page }) => {
    await page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', event => {
        if (event.blockedURI === 'inline') document.documentElement.dataset.refused = event.violatedDirective
      })
    })
    await page.goto(origin)
    const data = page.locator('script')
    await expect(data).toHaveAttribute('type', 'application/ld+json')
    expect(JSON.parse((await data.textContent())!)).toEqual({
      '@context': 'https://schema.org',
      '@type': 'Organization',
      name: 'Example Capital',
      legalName,
      identifier: 'ACN 000 000 000',
      url: `${publicUrl}/`,
      logo: expect.stringMatching(/^https:\/\/invest\.example\.com\/assets\/icon-512-[\w-]+\.png$/),
      email: 'support@example.com',
      address: '1 Example Street, Sydney NSW 2000, Australia',
      areaServed: 'Australia',
      foundingDate: '2019',
      mainEntityOfPage: { '@type': 'WebPage', url: `${publicUrl}/`, inLanguage: 'en' },
    })
    await expect(page).toHaveTitle('Home · Example Capital')
    await expect(page.locator('html')).not.toHaveAttribute('data-refused')
  })

  test.describe('without any plan', () => {
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants the fixtures destructured, also where there are none.
    test.use({ baseURL: ({}, use) => use(origin) })

    test('[D-23] the plans page and the first step of an investment say so, with a next step', async ({
      page,
      request,
    }) => {
      await page.goto('/investment-plans')
      await expect(page.getByRole('heading', { name: 'No plans are open right now' })).toBeVisible()
      await page.getByRole('link', { name: 'Ask us about upcoming plans' }).click()
      await expect(page).toHaveURL('/contact')
      const { name, email, password } = stranger()
      const body = { name, email, password, phone: '+61 400 123 456', country: 'Australia' }
      await callApi(request, 'POST', '/auth/signup', { body })
      await signIn(request, page, { name, email, password })
      await page.goto('/dashboard/new-investment')
      await expect(page.getByText('No plans are open right now.')).toBeVisible()
      await expectSound(page)
      await page.getByRole('link', { name: 'Ask us about upcoming plans' }).click()
      await expect(page).toHaveURL('/contact')
    })
  })
})
