import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { browser, failure, type Responder, success, tokenFor } from '#test/support/browser.ts'

let respond: Responder
let parts: ReturnType<typeof browser>

beforeEach(() => {
  parts = browser(request => respond(request))
  vi.resetModules()
})
afterEach(() => {
  vi.unstubAllGlobals()
})

/** Where the guard sends a visit; undefined where it lets it go on. */
async function ledTo(area: 'dashboard' | 'admin', path = `/${area}/home`): Promise<string | undefined> {
  const { sentAway } = await import('./guard.ts')
  return sentAway(area, path)
}

function stored(accessSeconds: number) {
  parts.storage.setItem('access', tokenFor('ada', accessSeconds))
  parts.storage.setItem('refresh', 'refresh-1')
}

test('[R-04] without an access token a protected page leads to /login', async () => {
  expect(await ledTo('dashboard')).toBe('/login')
  expect(await ledTo('admin')).toBe('/login')
  expect(parts.sent).toEqual([])
})

test('[R-02] with a good one the visit goes on, and nothing is asked', async () => {
  stored(900)
  expect(await ledTo('dashboard')).toBeUndefined()
  expect(parts.sent).toEqual([])
})

test('[R-05] an expired token that cannot be renewed is removed, and the visit leads to /login', async () => {
  stored(-1)
  respond = () => failure(401, 'The session has ended', { code: 'token_invalid' })
  expect(await ledTo('dashboard')).toBe('/login')
  expect(parts.storage.getItem('access')).toBeNull()
  expect(parts.storage.getItem('refresh')).toBeNull()
})

test('[R-06] an expired token that can be renewed lets the visit go on', async () => {
  stored(-1)
  const accessToken = tokenFor('ada', 900)
  respond = () => success({ token: { accessToken, refreshToken: 'refresh-2' } })
  expect(await ledTo('dashboard')).toBeUndefined()
  expect(parts.storage.getItem('access')).toBe(accessToken)
})

test('[F-08] an admin who has to show a second factor first is sent to where he sets one up, from everywhere else', async () => {
  stored(900)
  parts.storage.setItem('access', tokenFor('ada', 900, { type: 'admin', setup: true }))
  respond = () => success({ type: 'admin' })
  expect(await ledTo('admin')).toBe('/admin/security')
  expect(await ledTo('admin', '/admin/security')).toBeUndefined()
})

test('[R-03, R-07] the admin area is for admins; an investor is sent to his own pages', async () => {
  stored(900)
  respond = () => success({ type: 'investor' })
  expect(await ledTo('admin')).toBe('/dashboard/home')
  vi.resetModules()
  respond = () => success({ type: 'admin' })
  expect(await ledTo('admin')).toBeUndefined()
})
