import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { browser, success } from '#test/support/browser.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('[K-05] the stored state is restored before a page is shown', async () => {
  const { storage } = browser(() => success({}))
  storage.setItem('root', JSON.stringify({ state: { name: 'Ada', balance: 12.5 }, version: 0 }))
  vi.resetModules()
  const { restoreRoot, rootStore } = await import('./root-state.ts')
  await restoreRoot()
  expect(rootStore.getState()).toMatchObject({ name: 'Ada', balance: 12.5, referrer: null })
})

test('[K-05] a page waits at most 5000 ms for the stored state', async () => {
  browser(() => success({}))
  vi.resetModules()
  const { restoreRoot, rootStore } = await import('./root-state.ts')
  vi.spyOn(rootStore, 'restore').mockReturnValue(new Promise(() => {}))
  let shown = false
  const restored = restoreRoot().then(() => {
    shown = true
  })
  await vi.advanceTimersByTimeAsync(4999)
  expect(shown).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  await restored
  expect(shown).toBe(true)
})

test('[A-12] an answer that arrives after a logout is not kept', async () => {
  const { storage } = browser(() => success({}))
  vi.resetModules()
  const { rememberRoot } = await import('./root-state.ts')
  const { storeTokens, removeTokens } = await import('./tokens.ts')
  const none = { total: 0, list: [] }
  const user = { name: 'Ada', email: 'ada@example.com', balance: 12.5, referralCode: 'ABC', referrer: null }
  const overview = { user, investments: none, withdrawals: none, earnings: none } as never
  storeTokens({ accessToken: 'a', refreshToken: 'r' })
  rememberRoot(overview)
  expect(storage.getItem('root')).toContain('Ada')
  removeTokens()
  storage.removeItem('root')
  rememberRoot(overview)
  expect(storage.getItem('root')).toBeNull()
})
