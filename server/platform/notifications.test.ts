import pino from 'pino'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { testDatabase } from '#test/support/database.ts'
import { databaseProxy } from '#test/support/database-proxy.ts'
import { cuttableLine } from '#test/support/notifications.ts'
import { until } from '#test/support/processes.ts'
import { notificationsOf } from './notifications.ts'

const warnings: Error[] = []
const collect = (warning: Error) => void warnings.push(warning)
process.on('warning', collect)
afterAll(() => void process.off('warning', collect))

const database = await testDatabase()
const tell = (channel: string, payload: string) =>
  database.app.query('SELECT pg_notify($1, $2)', [channel, payload])

test('earlier notifications have arrived after the call, on their own channel only', async () => {
  const line = cuttableLine(database)
  const heard: string[] = []
  for (const channel of ['one', 'two']) {
    line.subscribe({ channel, heard: payload => heard.push(`${channel}: ${payload}`), begin: () => {} })
  }
  await line.open()
  await tell('one', 'a')
  await Promise.all([line.caughtUp(), line.caughtUp()])
  await tell('two', 'b')
  await tell('three', 'c')
  await line.caughtUp()
  expect(heard).toEqual(['one: a', 'two: b'])
})

test('each reconnect reads again, including changes made while disconnected', async () => {
  const line = cuttableLine(database)
  let beginnings = 0
  line.subscribe({ channel: 'one', heard: () => {}, begin: () => void beginnings++ })
  expect(line.isOpen()).toBe(false)
  await line.open()
  expect([line.isOpen(), beginnings]).toEqual([true, 1])
  await line.cut()
  await line.mend()
  expect(beginnings).toBe(2)
})

/** A connection whose other end can go silent. */
async function silenceableLine() {
  const proxy = await databaseProxy(database.appUrl)
  const options = { ...database.app.options, connectionString: proxy.url }
  const line = notificationsOf({ options }, pino({ level: 'silent' }), { pulseMs: 200 })
  onTestFinished(() => line.close())
  await line.open()
  return { ...proxy, line }
}

test('an unresponsive listener blocks nobody, counts as disconnected and reconnects', async () => {
  const { line, fallSilent, recover } = await silenceableLine()
  fallSilent()
  await line.caughtUp()
  expect(line.isOpen()).toBe(false)
  recover()
  await until(line.isOpen)
})

test('notices an unresponsive connection while idle, and still closes', async () => {
  const { line, fallSilent } = await silenceableLine()
  fallSilent()
  await until(() => !line.isOpen())
  const other = await silenceableLine()
  other.fallSilent()
  await other.line.close()
})

test('many who want to have heard everything ask one question after the other', async () => {
  const line = cuttableLine(database)
  const heard: string[] = []
  line.subscribe({ channel: 'one', heard: payload => heard.push(payload), begin: () => {} })
  await line.open()
  const payloads = Array.from({ length: 20 }, (_, index) => `${index}`)
  await Promise.all(
    payloads.map(async payload => {
      await tell('one', payload)
      await line.caughtUp()
      expect(heard).toContain(payload)
    }),
  )
  // pg warns of a query that is sent while another is under way.
  expect(warnings.map(({ message }) => message)).toEqual([])
})
