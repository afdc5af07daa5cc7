import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { login, me } from '#shared/contract/accounts.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { browser, failure, type Responder, success, tokenFor } from '#test/support/browser.ts'

const withdrawal = { body: { amount: 10, wallet: 'Bitcoin (BTC)', walletAddress: 'x' } } as const

/** One tab: its own copy of the client over the browser's storage. */
async function openTab() {
  vi.resetModules()
  const [{ call }, session, { rootStore }] = await Promise.all([
    import('./call.ts'),
    import('./session.ts'),
    import('./root-state.ts'),
  ])
  return { call, session, rootStore }
}

let respond: Responder
let parts: ReturnType<typeof browser>

beforeEach(() => {
  parts = browser(request => respond(request))
})
afterEach(() => {
  vi.unstubAllGlobals()
})

function signIn(accessSeconds: number, refreshToken = 'refresh-1') {
  const access = tokenFor('ada', accessSeconds)
  parts.storage.setItem('access', access)
  parts.storage.setItem('refresh', refreshToken)
  return access
}

/** A server that renews once for each refresh token, and refuses a used one as the real one does (D9). */
function renewingServer(): { respond: Responder; renewals: () => number } {
  let current = 'refresh-1'
  let renewals = 0
  return {
    renewals: () => renewals,
    respond: ({ url, body, headers }) => {
      if (url === '/api/auth/refresh') {
        if ((body as { refreshToken: string }).refreshToken !== current) {
          return failure(401, 'The session has ended', { code: 'token_invalid' })
        }
        renewals += 1
        current = `refresh-${renewals + 1}`
        return success({ token: { accessToken: tokenFor('ada', 900), refreshToken: current } })
      }
      const good = headers.get('Authorization')?.includes(parts.storage.getItem('access') ?? 'none')
      return good
        ? success({ name: 'Ada' })
        : failure(401, 'The access token has expired', { code: 'token_expired' })
    },
  }
}

test('[C-28] reads send Token, writes Bearer, money calls their key', async () => {
  const access = signIn(900)
  respond = () => success({})
  const { call } = await openTab()
  await call(me, {})
  await call(newWithdrawal, withdrawal, { idempotencyKey: 'key-1' })
  const [read, write] = parts.sent
  expect(read?.headers.get('Authorization')).toBe(`Token ${access}`)
  expect(write?.headers.get('Authorization')).toBe(`Bearer ${access}`)
  expect(write?.headers.get('Idempotency-Key')).toBe('key-1')
  expect(write?.url).toBe('/api/withdrawal/new')
  expect(write?.body).toEqual(withdrawal.body)
})

test('[R-06] an expired access token is renewed before the call', async () => {
  signIn(-1)
  const server = renewingServer()
  respond = server.respond
  const { call } = await openTab()
  await expect(call(me, {})).resolves.toMatchObject({ data: { name: 'Ada' } })
  expect(parts.sent.map(({ url }) => url)).toEqual(['/api/auth/refresh', '/api/auth/me'])
  expect(parts.storage.getItem('refresh')).toBe('refresh-2')
})

test('ten calls of one tab renew an expired token once', async () => {
  signIn(-1)
  const server = renewingServer()
  respond = server.respond
  const { call } = await openTab()
  await Promise.all(Array.from({ length: 10 }, () => call(me, {})))
  expect(server.renewals()).toBe(1)
})

test('two tabs renew an expired token once between them', async () => {
  signIn(-1)
  const server = renewingServer()
  respond = server.respond
  const [first, second] = [await openTab(), await openTab()]
  await Promise.all([first.call(me, {}), second.call(me, {}), first.call(me, {})])
  expect(server.renewals()).toBe(1)
})

test('[B-06] a call refused for an expired token is resent with its key', async () => {
  signIn(900)
  const server = renewingServer()
  let refused = false
  respond = request => {
    if (request.url !== '/api/withdrawal/new' || refused) return server.respond(request)
    refused = true
    return failure(401, 'The access token has expired', { code: 'token_expired' })
  }
  const { call } = await openTab()
  await call(newWithdrawal, withdrawal, { idempotencyKey: 'key-1' })
  const tries = parts.sent.filter(({ url }) => url === '/api/withdrawal/new')
  expect(tries.map(({ headers }) => headers.get('Idempotency-Key'))).toEqual(['key-1', 'key-1'])
})

test('[X-02, R-05] a session that cannot be renewed is cleared with the specified words', async () => {
  signIn(-1, 'used-up')
  parts.storage.setItem('root', '{}')
  respond = renewingServer().respond
  const { call, session } = await openTab()
  const ended = vi.fn()
  session.sessionEnded.on(ended)
  await expect(call(me, {})).rejects.toThrow(
    'Your session has expired, you will be redirected to the login page',
  )
  expect(ended).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ isStaleToken: true }))
  expect(parts.storage.keys()).toEqual([])
})

test('[R-09] a read without a token is not sent and leads to the login page', async () => {
  respond = () => success({})
  const { call, session } = await openTab()
  const ended = vi.fn()
  session.sessionEnded.on(ended)
  await expect(call(me, {})).rejects.toThrow('Please log in to continue')
  expect(ended).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ isStaleToken: false }))
  expect(parts.sent).toEqual([])
})

test('an expired session is kept while the server is unavailable', async () => {
  signIn(-1)
  respond = () => 'no answer'
  const { call } = await openTab()
  await expect(call(me, {})).rejects.toMatchObject({ status: 0 })
  expect(parts.storage.getItem('refresh')).toBe('refresh-1')
})

test('a public call neither waits for nor needs a session', async () => {
  signIn(-1)
  respond = () => failure(401, 'Email or password is wrong', { code: 'invalid_credentials' })
  const { call } = await openTab()
  await expect(call(login, { body: { email: 'a@b.co', password: 'wrong' } })).rejects.toThrow(
    'Email or password is wrong',
  )
  expect(parts.sent.map(({ url }) => url)).toEqual(['/api/auth/login'])
  expect(parts.sent[0]?.headers.get('Authorization')).toBeNull()
})

const overview = {
  user: {
    _id: 'u1',
    name: 'Ada',
    email: 'ada@probity.test',
    country: 'Australia',
    phone: '+61400000000',
    type: 'investor',
    role: null,
    emailVerified: true,
    referralCode: 'ADA123',
    referrer: null,
    balance: 12.5,
    invested: 0,
    held: 0,
    createdAt: '2026-11-21T00:00:00Z',
  },
  investments: { total: 0, list: [] },
  withdrawals: { total: 0, list: [] },
  earnings: { total: 0, list: [] },
} as const

test('[A-02, K-05] logging in stores the tokens and the specified state', async () => {
  const { session } = await openTab()
  session.beginSession({
    ...structuredClone(overview),
    token: { accessToken: 'a', refreshToken: 'r' },
  } as never)
  expect(parts.storage.getItem('access')).toBe('a')
  expect(parts.storage.getItem('refresh')).toBe('r')
  const { state } = JSON.parse(parts.storage.getItem('root') ?? '{}')
  expect(Object.keys(state).sort()).toEqual(
    ['balance', 'earnings', 'email', 'investments', 'name', 'referralCode', 'referrer', 'withdrawals'].sort(),
  )
})

test('[A-12] logging out clears everything, even without the server', async () => {
  for (const answer of [success({}), 'no answer' as const]) {
    signIn(900)
    for (const key of ['device', 'amounts', 'console-columns']) parts.storage.setItem(key, 'kept')
    respond = () => answer
    const { session, rootStore } = await openTab()
    session.beginSession({
      ...structuredClone(overview),
      token: { accessToken: tokenFor('ada', 900), refreshToken: 'r' },
    } as never)
    await session.leave()
    expect(parts.sent.at(-1)?.url).toBe('/api/auth/logout')
    expect(parts.storage.keys()).toEqual([])
    expect(rootStore.getState().email).toBe('')
  }
})
