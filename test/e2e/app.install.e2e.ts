import { expect, type Page, test } from '@playwright/test'
import { pushSubscription } from '#test/support/push-service.ts'
import { dashboardOf, expectSound, newInvestor, widths } from './support/investor.ts'
import { consoleOf, expectToast } from './support/people.ts'

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
  // The heading is there before what the page reads.
  await expect.poll(() => answers).toContain('api network')
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

/**
 * Chromium without a window has no notifications, and its push service is Google's, which a test does not ask. So what the browser
 * answers to permission, subscription and display is made up here; all else is real, the delivery to the worker too.
 */
async function answerAsBrowser(page: Page, permission: NotificationPermission): Promise<void> {
  await page.addInitScript(
    ({ permission, endpoint, keys }) => {
      const browser = { permission, asked: 0, ended: 0 }
      Object.assign(globalThis, { browser })
      Object.defineProperty(Notification, 'permission', { get: () => browser.permission })
      Notification.requestPermission = async () => {
        browser.asked++
        browser.permission = 'granted'
        return browser.permission
      }
      PushManager.prototype.subscribe = async options => {
        if (options?.userVisibleOnly !== true || `${options.applicationServerKey}`.length !== 87)
          throw new DOMException('refused', 'AbortError')
        const subscription = {
          toJSON: () => ({ endpoint, keys }),
          unsubscribe: async () => ++browser.ended > 0,
        } as unknown as PushSubscription
        PushManager.prototype.getSubscription = async () => subscription
        return subscription
      }
    },
    { permission, ...pushSubscription() },
  )
}

test('[L-10] a browser turns notifications on after a click, shows one, and turns them off', async ({
  browser,
  request,
}) => {
  const page = await dashboardOf(browser, request, await newInvestor(request))
  await expectInControl(page)
  await answerAsBrowser(page, 'default')
  await page.goto('/dashboard/profile')
  const section = page.getByRole('region', { name: 'Notifications on your devices' })
  const turnOn = section.getByRole('button', { name: 'Turn on in this browser' })
  await expect(turnOn).toBeVisible()
  const count = (what: 'asked' | 'ended') =>
    page.evaluate(name => (globalThis as unknown as { browser: Record<string, number> }).browser[name], what)
  expect(await count('asked')).toBe(0)
  await expectSound(page, widths)

  await turnOn.click()
  await expectToast(page, 'Notifications are on')
  expect(await count('asked')).toBe(1)
  await expect(section.getByText('This browser', { exact: true })).toBeVisible()
  await expect(section).toBeFocused()
  await expectSound(page, widths)

  const message = { title: 'Probity', body: 'A deposit was received.', path: '/dashboard/deposit', tag: 'a' }
  const { shown, opened } = await pushed(page, message)
  expect(shown).toMatchObject({ title: 'Probity', body: 'A deposit was received.', tag: 'a' })
  expect(new URL(opened).pathname).toBe('/dashboard/deposit')

  await section.getByRole('button', { name: /^Remove / }).click()
  await expectSound(page, widths)
  await page.getByRole('dialog').getByRole('button', { name: 'Remove device' }).click()
  await expectToast(page, 'Device removed')
  await expect(turnOn).toBeVisible()
  await expect(section).toBeFocused()
  await expect.poll(() => count('ended')).toBe(1)
})

test('[L-10] a browser that blocks notifications is told how to allow them', async ({ browser, request }) => {
  const page = await dashboardOf(browser, request, await newInvestor(request))
  await answerAsBrowser(page, 'denied')
  await page.goto('/dashboard/profile')
  await expect(page.getByText('This browser blocks notifications from us.')).toBeVisible()
  await expectSound(page, widths)
})

/** The worker's own view of the system, which has no windows here. */
type Scope = {
  registration: { showNotification: (title: string, options: NotificationOptions) => Promise<void> }
  clients: { openWindow: (address: string) => Promise<null> }
  dispatchEvent(event: Event): boolean
  seen: { shown?: { title: string } & NotificationOptions; opened?: string }
}

/** Delivers a message to the worker as the browser's push service would; then clicks on what it shows. */
async function pushed(page: Page, message: object) {
  const [worker] = page.context().serviceWorkers()
  await worker!.evaluate(() => {
    const scope = globalThis as unknown as Scope
    scope.seen = {}
    scope.registration.showNotification = async (title, options) => {
      scope.seen.shown = { title, ...options }
      const notification = { data: options.data, close: () => {} }
      const click = { notification, waitUntil: () => {} }
      scope.dispatchEvent(Object.assign(new Event('notificationclick'), click))
    }
    scope.clients.openWindow = async address => {
      scope.seen.opened = address
      return null
    }
  })
  const session = await page.context().newCDPSession(page)
  const registered = new Promise<string>(resolve => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [registration] }) => {
      if (registration) resolve(registration.registrationId)
    })
  })
  await session.send('ServiceWorker.enable')
  await session.send('ServiceWorker.deliverPushMessage', {
    origin: new URL(page.url()).origin,
    registrationId: await registered,
    data: JSON.stringify(message),
  })
  const seen = () => worker!.evaluate(() => (globalThis as unknown as Scope).seen)
  await expect.poll(seen).toHaveProperty('opened')
  return (await seen()) as Required<Scope['seen']>
}
