import { once } from 'node:events'
import { createServer as createProxy } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect, type Server } from 'node:net'
import { expect, type Page, test } from '@playwright/test'
import { selfSignedCertificate } from '#test/support/certificate.ts'
import { expectAccessible } from './support/accessible.ts'
import { widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { logIn, sample } from './support/people.ts'

/**
 * The live chat of each provider, with the addresses and the embed code that it documents. A server on this machine stands
 * for all of its hosts, behind a proxy that the browser reaches everything but the product by.
 */

/** Tries what a chat may do and what it must not, and reports the results. */
const providersScript = `const tryAll = () => {
  const attempt = act => { try { return String(act()) } catch (error) { return error.name } }
  const found = {
    id: window.CRISP_WEBSITE_ID ?? typeof window.Tawk_LoadStart,
    token: attempt(() => localStorage.getItem('access')),
    page: attempt(() => parent.localStorage.getItem('access')),
    text: attempt(() => parent.document.body.textContent),
    referrer: attempt(() => document.referrer),
  }
  const main = document.querySelector('main')
  main.textContent = JSON.stringify(found)
  // A click is what browsers ask for before a frame may lead the page elsewhere.
  main.onclick = () => { main.textContent = attempt(() => { top.location = '/stolen' }) }
}
if (document.readyState === 'loading') addEventListener('DOMContentLoaded', tryAll)
else tryAll()`

const crispId = 'e93e073a-1f69-4cbc-8934-f9e1611e65bb'
const tawkId = '5a1b2c3d4e5f60718293a4b5/1fuoet6bd'

const providers = [
  {
    name: 'Crisp',
    settings: { LIVE_CHAT_PROVIDER: 'crisp', LIVE_CHAT_ID: crispId },
    frame: `https://go.crisp.chat/chat/embed/?website_id=${crispId}`,
    script: 'https://client.crisp.chat/l.js',
    embed: `window.$crisp=[];window.CRISP_WEBSITE_ID="${crispId}";(function(){d=document;s=d.createElement("script");s.src="https://client.crisp.chat/l.js";s.async=1;d.getElementsByTagName("head")[0].appendChild(s);})();`,
    id: crispId,
  },
  {
    name: 'tawk.to',
    settings: { LIVE_CHAT_PROVIDER: 'tawk', LIVE_CHAT_ID: tawkId },
    frame: `https://tawk.to/chat/${tawkId}`,
    script: `https://embed.tawk.to/${tawkId}`,
    embed: `var Tawk_API=Tawk_API||{}, Tawk_LoadStart=new Date();(function(){var s1=document.createElement("script"),s0=document.getElementsByTagName("script")[0];s1.async=true;s1.src='https://embed.tawk.to/${tawkId}';s1.charset='UTF-8';s1.setAttribute('crossorigin','*');s0.parentNode.insertBefore(s1,s0);})();`,
    id: 'object',
  },
] as const

/** The hosts of a provider, each of which answers what it documents, and the proxy that leads to them. */
async function startProvider({ frame, script, embed }: (typeof providers)[number]) {
  const { key, certificate } = selfSignedCertificate()
  const documentOfChat = `<!doctype html><html lang="en"><head><title>Chat</title><script type="text/javascript">${embed}</script></head><body><header><h1>Chat</h1></header><main></main></body></html>`
  const answers: Record<string, [type: string, content: string]> = {
    [frame]: ['text/html; charset=utf-8', documentOfChat],
    [script]: ['text/javascript', providersScript],
  }
  const hosts = createServer({ key, cert: certificate }, ({ headers, url }, response) => {
    const [type, content] = answers[`https://${headers.host}${url}`] ?? ['text/plain', '']
    response.writeHead(content === '' ? 404 : 200, {
      'content-type': type,
      'access-control-allow-origin': '*',
    })
    response.end(content)
  }).listen(0, '127.0.0.1')
  await once(hosts, 'listening')
  const portOf = (server: Server) => (server.address() as AddressInfo).port
  const proxy = createProxy().listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  proxy.on('connect', (_request, socket) => {
    const there = connect(portOf(hosts), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(there).pipe(socket)
    })
    for (const end of [socket, there]) end.on('error', () => {})
  })
  return {
    server: `http://127.0.0.1:${portOf(proxy)}`,
    stop() {
      for (const server of [proxy, hosts]) {
        server.close()
        server.closeAllConnections()
      }
    },
  }
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

for (const provider of providers) {
  test.describe(provider.name, () => {
    ownProduct(`chat-${provider.settings.LIVE_CHAT_PROVIDER}`, { settings: provider.settings })
    test.use({
      // biome-ignore lint/correctness/noEmptyPattern: Playwright wants the fixtures destructured, also where there are none.
      proxy: async ({}, use) => {
        const hosts = await startProvider(provider)
        await use({ server: hosts.server, bypass: '127.0.0.1' })
        hosts.stop()
      },
      ignoreHTTPSErrors: true,
      contextOptions: { reducedMotion: 'reduce' },
    })
    const { origin: frameOrigin } = new URL(provider.frame)

    test('[P-13] its script is on every public and account page', async ({ page, baseURL }) => {
      for (const path of publicPages) {
        const foreign = foreignRequests(page, baseURL!)
        await page.goto(path)
        await expect.poll(() => foreign, path).toEqual([provider.frame, provider.script])
        page.removeAllListeners('request')
      }
    })

    for (const [who, paths] of signedIn) {
      test(`[P-13, D-01] it runs for the ${who}, and gets no token, text or address`, async ({
        page,
        baseURL,
      }) => {
        await logIn(page, sample(who))
        for (const path of paths) {
          const foreign = foreignRequests(page, baseURL!)
          await page.goto(path)
          await expect.poll(() => foreign).toContain(provider.script)
          expect(await page.evaluate(() => localStorage.getItem('access'))).toMatch(/^ey/)
          await page.getByRole('button', { name: 'Chat' }).click()
          const chat = page.frameLocator(`iframe[title="Chat by ${provider.name}"]`).getByRole('main')
          await expect(chat).toHaveText(/token/)
          expect(JSON.parse((await chat.textContent())!)).toEqual({
            id: provider.id,
            // Of its own origin it has no token; a browser may refuse it that storage, too, as a private window does.
            token: expect.stringMatching(/^(null|SecurityError)$/),
            page: 'SecurityError',
            text: 'SecurityError',
            referrer: '',
          })
          await chat.click()
          await expect(chat).toHaveText('SecurityError')
          expect(page.url()).toBe(baseURL + path)
        }
      })
    }

    test('[P-13] the security policy of every kind of page is opened for its frame alone', async ({
      request,
    }) => {
      for (const path of ['/', '/login', '/no/such/page', '/dashboard/home', '/admin/home']) {
        const policy = (await request.get(path)).headers()['content-security-policy']!
        expect(policy.split('; ').filter(directive => directive.includes('https:'))).toEqual([
          `frame-src ${frameOrigin}`,
        ])
        expect(policy).toMatch(/script-src '(none|self)';/)
      }
    })

    if (provider.name !== 'Crisp') return
    test('[P-13] it opens and closes by keyboard, and is accessible', async ({ page }) => {
      await page.goto('/about')
      const panel = page.getByRole('dialog', { name: 'Chat with us' })
      await expect(panel).toBeHidden()
      await page.getByRole('button', { name: 'Chat', exact: true }).press('Enter')
      await expect(panel).toBeVisible()
      await expect(panel).toContainText(`By ${provider.name}`)
      await expectAccessible(page, 'chat', widths)
      await panel.getByRole('button', { name: 'Close' }).press('Enter')
      await expect(panel).toBeHidden()
      await page.getByRole('button', { name: 'Chat', exact: true }).click()
      await page.keyboard.press('Escape')
      await expect(panel).toBeHidden()
    })
  })
}

test('[P-13] without configuration there is no chat, no outside request and no frame', async ({
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
