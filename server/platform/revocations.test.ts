import { expect, test } from 'vitest'
import { testDatabase } from '#test/support/database.ts'
import { cuttableLine } from '#test/support/notifications.ts'
import { newId } from './id.ts'
import { watchRevocations } from './revocations.ts'

const database = await testDatabase()
/** When the tokens were issued, in seconds since 1970. */
const now = Math.floor(Date.now() / 1000)
const userId = newId(new Date())
await database.app.query(
  `INSERT INTO app.users (id, name, email, phone, country, password_hash, referral_code)
   VALUES ($1, 'Uma', 'uma@example.com', '1', 'Australia', '', 'UMA')`,
  [userId],
)

async function openSession(): Promise<string> {
  const id = newId(new Date())
  await database.app.query(
    "INSERT INTO app.sessions (id, user_id, refresh_hash, expires_at) VALUES ($1, $2, '', now() + '1 day')",
    [id, userId],
  )
  return id
}

const revoke = (id: string) =>
  database.app.query('UPDATE app.sessions SET revoked_at = now() WHERE id = $1', [id])

async function watch() {
  const line = cuttableLine(database)
  const revocations = watchRevocations(line, database.app)
  await line.open()
  return { ...line, ...revocations }
}

test('knows revocations from before the start and receives later ones', async () => {
  const [before, later, open] = [await openSession(), await openSession(), await openSession()]
  await revoke(before)
  const watched = await watch()
  expect([before, later, open].map(id => watched.has(id, now))).toEqual([true, false, false])
  await revoke(later)
  await watched.caughtUp()
  expect([before, later, open].map(id => watched.has(id, now))).toEqual([true, true, false])
})

test('asks the database while disconnected and catches up on reconnect', async () => {
  const [missed, open] = [await openSession(), await openSession()]
  const watched = await watch()
  await watched.cut()
  await revoke(missed)
  await watched.caughtUp()
  expect([await watched.has(missed, now), await watched.has(open, now)]).toEqual([true, false])
  await watched.mend()
  expect([watched.has(missed, now), watched.has(open, now)]).toEqual([true, false])
})

test('refuses tokens of before the latest restore, also while disconnected', async () => {
  const id = await openSession()
  const { rows } = await database.owner.query<{ at: number }>(
    `INSERT INTO app.restores (id, found_at, machine, number, number_lost, finished_at)
     VALUES (uuidv7(), now(), uuidv7(), 1, 1, now()) RETURNING floor(extract(epoch FROM finished_at))::float8 AS at`,
  )
  const { at } = rows[0]!
  const watched = await watch()
  expect([watched.has(id, at - 1), watched.has(id, at)]).toEqual([true, false])
  await watched.cut()
  expect([await watched.has(id, at - 1), await watched.has(id, at)]).toEqual([true, false])
})
