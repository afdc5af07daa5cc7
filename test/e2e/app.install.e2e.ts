import { expect, type Page, test } from '@playwright/test'
import { dashboardOf, expectSound, newInvestor, widths } from './support/investor.ts'
import { consoleOf } from './support/people.ts'

/** The product as an app on a phone: installed, without a connection, and notified. */
test.use({ serviceWorkers: 'allow' })

async function expectInControl(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller?.state)).toBe('activated')
}

test('[P-19] the dashboard is an app that browsers install', async ({ browser, request }) => {
  const page = await dashboardOf(browser, request, await newInvestor(request))
  const session = await page.context().newCDPSession(page)
  const { url, errors, data } = await session.send('Page.getAppManifest')
  expect(url).toMatch(/\/manifest\.webmanifest$/)
  expect(errors).toEqual([])
  const { start_url, scope, display, shortcuts } = JSON.parse(data!)
  expect({ start_url, scope, display }).toEqual({
    start_url: '/dashboard/home',
    scope: '/',
    display: 'standalone',
  })
  for (const { url: shortcut } of shortcuts) {
    await page.goto(shortcut)
    await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('Page not found')
  }
})

test('[P-19] without a connection no balance shows; it goes on once there is one', async ({
  browser,
  request,
}) => {
  const page = await dashboardOf(browser, request, await newInvestor(request))
  await expectInControl(page)
  const stored = await page.evaluate(async () => {
    const stores = await Promise.all((await caches.keys()).map(name => caches.open(name)))
    const requests = await Promise.all(stores.map(cache => cache.keys()))
    return requests.flat().map(({ url }) => new URL(url).pathname.replace(/-[\w-]+\./, '-HASH.'))
  })
  expect(stored.sort()).toEqual([
    '/assets/app-HASH.css',
    '/assets/inter-HASH.woff2',
    '/assets/newsreader-HASH.woff2',
    '/offline',
  ])

  await page.context().setOffline(true)
  await page.goto('/dashboard/statement')
  await expect(page.getByRole('heading', { level: 1, name: 'No connection' })).toBeVisible()
  await expect(page).toHaveURL(/\/dashboard\/statement$/)
  await expect(page.locator('main')).not.toContainText('$')
  await expectSound(page, widths)
  await page.getByRole('link', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'No connection' })).toBeVisible()

  await page.context().setOffline(false)
  await page.getByRole('link', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Statement' })).toBeVisible()
  await page.context().close()
})

test('calls to the API never pass the service worker', async ({ browser, request }) => {
  const page = await dashboardOf(browser, request, await newInvestor(request))
  await expectInControl(page)
  const answers: string[] = []
  page.on('response', answer => {
    const how = answer.fromServiceWorker() ? 'worker' : 'network'
    answers.push(`${new URL(answer.url()).pathname.split('/')[1]} ${how}`)
  })
  await page.goto('/dashboard/history')
  await expect(page.getByRole('heading', { level: 1, name: 'Earnings history' })).toBeVisible()
  expect(new Set(answers)).toContain('api network')
  expect(new Set(answers)).not.toContain('api worker')
  expect(new Set(answers)).toContain('dashboard worker')
})

test('a new version replaces the old one under open pages, which stay', async ({ browser, request }) => {
  const page = await dashboardOf(browser, request, await newInvestor(request))
  await expectInControl(page)
  await page.evaluate(() => Object.assign(globalThis, { stayed: true }))
  await page.evaluate(() => navigator.serviceWorker.register('/sw.js?next').then(() => {}))
  const inControl = () => page.evaluate(() => navigator.serviceWorker.controller?.scriptURL)
  await expect.poll(inControl).toMatch(/\?next$/)
  expect(await page.evaluate(() => 'stayed' in globalThis)).toBe(true)
})

test('the console has it, too; public pages bring none', async ({ browser, page }) => {
  await page.goto('/')
  const registrations = () => navigator.serviceWorker.getRegistrations().then(all => all.length)
  expect(await page.evaluate(registrations)).toBe(0)
  const admin = await consoleOf(browser)
  await expectInControl(admin)
  await admin.context().close()
})
