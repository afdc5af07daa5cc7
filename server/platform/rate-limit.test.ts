import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { testDatabase } from '#test/support/database.ts'
import { countAgainst, countWithin, forget, giveBack } from './rate-limit.ts'

const database = await testDatabase()
const limited = { pool: database.app, config: { rateLimit: true } }
const twice = { points: 2, seconds: 3_600 }

let key: string
beforeEach(() => {
  key = crypto.randomUUID()
})
afterEach(() => {
  vi.useRealTimers()
})
const count = () => countAgainst(limited, key, twice)

test('counts to the limit, and says when to come back', async () => {
  await count()
  await database.db
    .transaction()
    .execute(tx => countWithin(tx, limited.config, key, { ...twice, what: 'Codes' }))
  await expect(count()).rejects.toMatchObject({
    code: 'rate_limited',
    message: 'Too many requests. Please try again in 60 minutes.',
    retryAfterSeconds: expect.closeTo(3_600, -2),
  })
})

test('one that is uncounted can be used again, and a reset frees all', async () => {
  await count()
  await count()
  await giveBack(limited, key, twice)
  await count()
  await expect(count()).rejects.toMatchObject({ code: 'rate_limited' })
  await forget(limited, key)
  await count()
  await count()
})

test('begins again once it has ended', async () => {
  await count()
  await database.owner.query('UPDATE app.rate_limits SET points = 9, expire = 0')
  await count()
  await count()
  await expect(count()).rejects.toMatchObject({ code: 'rate_limited' })
})

test('neither a clock that is ahead nor one that is behind ends or prolongs it', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await count()
  vi.setSystemTime(Date.now() + 86_400_000)
  await count()
  await expect(count()).rejects.toMatchObject({ retryAfterSeconds: expect.closeTo(3_600, -2) })
  vi.setSystemTime(Date.now() - 2 * 86_400_000)
  await expect(count()).rejects.toMatchObject({ retryAfterSeconds: expect.closeTo(3_600, -2) })
})

test('one that a clock ahead has begun ends no later than one that begins now', async () => {
  await count()
  await database.owner.query('UPDATE app.rate_limits SET points = 9, expire = expire + 86400000')
  await expect(count()).rejects.toMatchObject({ retryAfterSeconds: expect.closeTo(3_600, -2) })
})
