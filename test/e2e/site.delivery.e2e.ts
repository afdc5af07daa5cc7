import { expect, type Page, test } from '@playwright/test'
import type { Plan } from '#shared/contract/entities.ts'
import { translatedLanguages } from '#shared/i18n/languages.ts'
import { inLanguagePath } from '#web/language.ts'
import { callApi, sample, tokenOf } from './support/people.ts'

/** How the public pages reach the browser: kept as bytes by the server, and the next one in advance. */

test.use({ contextOptions: { reducedMotion: 'reduce' } })

const publicPaths = ['/', '/about', '/investment-plans', '/services', '/contact', '/proof', '/faq']

test('an open page is asked for again and not sent again, whatever the query says', async ({ request }) => {
  for (const path of [...publicPaths, '/contact?sent=1']) {
    await request.get(path)
    const first = await request.get(path)
    expect(first.headers()).toMatchObject({ 'content-encoding': 'br', 'cache-control': 'private, no-cache' })
    const version = { 'If-None-Match': first.headers().etag! }
    const tracked = `${path}${path.includes('?') ? '&' : '?'}utm_source=letter`
    for (const again of [path, tracked]) {
      expect((await request.get(again, { headers: version })).status(), again).toBe(304)
    }
  }
  const thanks = await request.get('/contact?sent=1')
  expect(await thanks.text()).toContain('Your message has reached us')
  expect(await (await request.get('/contact?sender=1')).text()).toContain('Send message')
})

test('an address in another letter case, or with a slash at its end, is the same page', async ({
  request,
}) => {
  await request.get('/')
  const { etag } = (await request.get('/about')).headers()
  expect(etag).toBeTruthy()
  for (const path of ['/About', '/about/']) expect((await request.get(path)).headers().etag, path).toBe(etag)
  for (const path of ['/no/such/page', '/*', '/about.html', '/about/us']) {
    const missing = await request.get(path)
    expect(missing.status(), path).toBe(404)
    expect(await missing.text()).toContain('Page not found')
  }
})

test('[P-08, N-14] a plan that an admin changes is on the public page at once', async ({ request }) => {
  const token = await tokenOf(request, sample('administrator'))
  const [plan] = await callApi<Plan[]>(request, 'GET', '/plan/get-all')
  const { _id: id, percentage, minimum, maximum, duration, durationDays, name } = plan!
  const change = async (note: string | null) => {
    const body = { name, percentage, minimum, maximum, duration, durationDays, note }
    await callApi(request, 'PUT', `/plan/${id}`, { token, body })
    return await (await request.get('/investment-plans')).text()
  }
  const note = `Changed ${crypto.randomUUID()}`
  expect(await change(note)).toContain(note)
  expect(await change(plan!.note)).not.toContain(note)
})

test('the next public page is preloaded, and no other page is', async ({ page }) => {
  const inAdvance: string[] = []
  page.on('request', request => {
    if (request.headers()['sec-purpose']) inAdvance.push(new URL(request.url()).pathname)
  })
  const prepared = await preparedLinks(page)
  await page.goto('/')
  // The home page in other languages is a public page, too.
  const inLanguages = translatedLanguages.map(language => inLanguagePath('/', language))
  await expect.poll(() => [...prepared()].sort()).toEqual([...publicPaths, ...inLanguages].sort())
  const about = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'About us' })
  await about.hover()
  await expect.poll(() => inAdvance).toEqual(['/about'])
  await about.click()
  await expect(page).toHaveURL('/about')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const delivery = await page.evaluate(() => {
    const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
    return (navigation as PerformanceNavigationTiming & { deliveryType: string }).deliveryType
  })
  expect(delivery).toBe('navigational-prefetch')
})

test('[O-02] a prerendered page does not use up the overlay', async ({ page, request }) => {
  const advance = await request.get('/', { headers: { 'Sec-Purpose': 'prefetch;prerender' } })
  expect(advance.status()).toBe(503)
  expect(advance.headers()).not.toHaveProperty('set-cookie')
  await page.goto('/')
  await expect(page.locator('.start-overlay')).toHaveCount(1)
  await page.goto('/about')
  await expect(page.locator('.start-overlay')).toHaveCount(0)
})

/** The paths that the browser itself says it would load in advance, by the rules of the page that is open. */
async function preparedLinks(page: Page): Promise<() => Set<string>> {
  let paths = new Set<string>()
  const session = await page.context().newCDPSession(page)
  await session.send('Preload.enable')
  session.on('Preload.preloadingAttemptSourcesUpdated', ({ preloadingAttemptSources }) => {
    paths = new Set(preloadingAttemptSources.map(({ key }) => new URL(key.url).pathname))
  })
  return () => paths
}
