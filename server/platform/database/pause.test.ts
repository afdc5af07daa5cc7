import { once } from 'node:events'
import { Client } from 'pg'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { notificationsOf } from '#server/platform/notifications.ts'
import { testDatabase } from '#test/support/database.ts'
import { pauseForMigrations, pauseProduct, resumeProduct } from './pause.ts'
import { openPool } from './pool.ts'

const database = await testDatabase()

/** A pool of the product that hears of migrations, and the connection of one. */
async function listening() {
  const pool = openPool({ url: database.appUrl, as: 'app', name: 'probity test' })
  const notifications = notificationsOf(pool, pino({ level: 'error' }))
  pauseForMigrations(notifications, pool)
  await notifications.open()
  const migration = new Client({ connectionString: database.ownerUrl })
  await migration.connect()
  onTestFinished(async () => {
    await Promise.all([notifications.close(), pool.end(), migration.end()])
  })
  return { pool, migration, heard: () => notifications.caughtUp() }
}

test('new work waits for the end of a pause, and a transaction goes on', async () => {
  const { pool, migration, heard } = await listening()
  const [session, ...idle] = await Promise.all([pool.connect(), pool.connect(), pool.connect()])
  for (const client of idle) client.release()
  await session.query('BEGIN; SELECT FROM app.users')
  await migration.query('LISTEN migration_pause')
  const sent = once(migration, 'notification')
  const paused = pauseProduct(migration)
  await sent
  await heard()
  const order: string[] = []
  const later = [
    pool.query('SELECT 1').then(() => order.push('query')),
    pool.connect().then(client => {
      order.push('connection')
      client.release()
    }),
  ]
  for (let statements = 0; statements < 3; statements++) await session.query('SELECT FROM app.deposits')
  await session.query('COMMIT')
  order.push('transaction')
  session.release()
  await paused
  await resumeProduct(migration)
  await Promise.all(later)
  expect(order[0]).toBe('transaction')
  expect(order).toHaveLength(3)
})

test('a pause whose migration is gone ends automatically', async () => {
  const { pool, migration, heard } = await listening()
  await pauseProduct(migration)
  await heard()
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
})
