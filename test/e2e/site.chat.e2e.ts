import { createServer, type Server } from 'node:http'
import { expect, type Page, test } from '@playwright/test'
import type { Running } from '#server/serve.ts'
import { startTemporaryProduct } from '#test/support/temporary-product.ts'
import { freePort } from '#tools/free-port.ts'
import { expectAccessible } from './support/accessible.ts'
import { desktop, logIn, phone, sample } from './support/people.ts'

/** The live chat, with a provider on this machine: a page of its own with its script, on an origin of its own. */

/** Tries whatever a chat must not be able to do, and says what came of it. */
const providersScript = `
  const attempt = act => { try { return String(act()) } catch (error) { return error.name } }
  const found = {
    token: attempt(() => localStorage.getItem('access')),
    page: attempt(() => parent.localStorage.getItem('access')),
    text: attempt(() => parent.document.body.textContent),
    referrer: attempt(() => document.referrer),
  }
  const main = document.querySelector('main')
  main.textContent = JSON.stringify(found)
  // A click is what browsers ask for before a frame may lead the page elsewhere.
  main.onclick = () => { main.textContent = attempt(() => { top.location = '/stolen' }) }
`

let provider: { server: Server; origin: string }
let product: Running
let origin: string
test.beforeAll(async () => {
  provider = await startProvider()
  const port = await freePort()
  origin = `http://127.0.0.1:${port}`
  const liveChat = { provider: 'Example Chat', frame: `${provider.origin}/chat?id=7` }
  product = await startTemporaryProduct('e2e-chat', port, {}, { liveChat })
})
test.afterAll(async () => {
  await product?.stop()
  provider?.server.close()
})

async function startProvider() {
  const port = await freePort()
  const server = createServer((request, response) => {
    const isScript = request.url?.startsWith('/widget.js')
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8')
    response.end(
      isScript
        ? providersScript
        : '<!doctype html><html lang="en"><title>Chat</title><header><h1>Chat</h1></header><main></main><script src="/widget.js"></script>',
    )
  }).listen(port, '127.0.0.1')
  return { server, origin: `http://127.0.0.1:${port}` }
}

/** Requests to anywhere but the product's own origin. */
function foreignRequests(page: Page, own: string): string[] {
  const foreign: string[] = []
  page.on('request', request => {
    if (!request.url().startsWith(own)) foreign.push(request.url())
  })
  return foreign
}

const publicPages = [
  '/',
  '/investment-plans',
  '/contact?sent=1',
  '/no/such/page',
  '/login',
  '/verify/ada@example.com',
]
const signedIn = [
  ['investor', ['/dashboard/home', '/dashboard/withdrawals', '/dashboard/profile']],
  ['administrator', ['/admin/home', '/admin/returns']],
] as const

test.describe('with a provider', () => {
  // biome-ignore lint/correctness/noEmptyPattern: Playwright wants the fixtures destructured, also where there are none.
  test.use({ baseURL: ({}, use) => use(origin), contextOptions: { reducedMotion: 'reduce' } })

  for (const path of publicPages) {
    test(`[P-13] its script is on ${path}`, async ({ page }) => {
      const foreign = foreignRequests(page, origin)
      await page.goto(path)
      await expect
        .poll(() => foreign)
        .toEqual([`${provider.origin}/chat?id=7`, `${provider.origin}/widget.js`])
    })
  }

  for (const [who, paths] of signedIn) {
    test(`[P-13, D-01] its script is on the pages of the ${who}, and gets no token, text or address of them`, async ({
      page,
    }) => {
      await logIn(page, sample(who))
      for (const path of paths) {
        const foreign = foreignRequests(page, origin)
        await page.goto(path)
        await expect.poll(() => foreign).toContain(`${provider.origin}/widget.js`)
        expect(await page.evaluate(() => localStorage.getItem('access'))).toMatch(/^ey/)
        await page.getByRole('button', { name: 'Chat' }).click()
        const chat = page.frameLocator('iframe[title="Chat by Example Chat"]').getByRole('main')
        await expect(chat).toHaveText(/token/)
        expect(JSON.parse((await chat.textContent())!)).toEqual({
          token: 'null',
          page: 'SecurityError',
          text: 'SecurityError',
          referrer: '',
        })
        await chat.click()
        await expect(chat).toHaveText('SecurityError')
        expect(page.url()).toBe(origin + path)
      }
    })
  }

  test('[P-13] the content security policy is opened for frames of the provider alone, on every kind of page', async ({
    request,
  }) => {
    for (const path of ['/', '/login', '/no/such/page', '/dashboard/home', '/admin/home']) {
      const policy = (await request.get(path)).headers()['content-security-policy']!
      expect(policy.split('; ').filter(directive => directive.includes(provider.origin))).toEqual([
        `frame-src ${provider.origin}`,
      ])
      expect(policy).toMatch(/script-src ('none'|'self' 'nonce-[^']+');/)
    }
  })

  for (const size of [phone, desktop]) {
    test(`[P-13] at ${size.width} px it opens and closes by keyboard, and is accessible`, async ({
      page,
    }) => {
      await page.setViewportSize(size)
      await page.goto('/about')
      const panel = page.getByRole('dialog', { name: 'Chat with us' })
      await expect(panel).toBeHidden()
      await page.getByRole('button', { name: 'Chat', exact: true }).press('Enter')
      await expect(panel).toBeVisible()
      await expect(panel).toContainText('By Example Chat')
      await expectAccessible(page, 'chat')
      await panel.getByRole('button', { name: 'Close' }).press('Enter')
      await expect(panel).toBeHidden()
      await page.getByRole('button', { name: 'Chat', exact: true }).click()
      await page.keyboard.press('Escape')
      await expect(panel).toBeHidden()
    })
  }
})

test('[P-13] without configuration there is no chat: nothing is asked of anybody else, and no frame may be shown', async ({
  page,
  baseURL,
}) => {
  const foreign = foreignRequests(page, baseURL!)
  const policies: string[] = []
  page.on('response', response => {
    if (response.request().isNavigationRequest())
      policies.push(response.headers()['content-security-policy'] ?? '')
  })
  // A stream would keep the network from ever being idle.
  await page.route('**/api/live', route => route.abort())
  await logIn(page, sample('investor'))
  for (const path of [...publicPages, '/dashboard/home', '/dashboard/profile']) {
    await page.goto(path, { waitUntil: 'networkidle' })
    await expect(page.getByRole('button', { name: 'Chat', exact: true })).toHaveCount(0)
    await expect(page.locator('iframe')).toHaveCount(0)
  }
  expect(foreign).toEqual([])
  for (const policy of policies) {
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/frame-src|https?:\/\//)
  }
})
