import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { testDatabase } from '#test/support/database.ts'
import { cuttableLine } from '#test/support/notifications.ts'
import { until } from '#test/support/processes.ts'
import { notificationsOf } from './notifications.ts'

const database = await testDatabase()
const tell = (channel: string, payload: string) =>
  database.app.query('SELECT pg_notify($1, $2)', [channel, payload])

test('what was told before the call has been heard after it, on its own channel only', async () => {
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

test('each line begins with a reading, which sees what was told while there was none', async () => {
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

test('a line that does not answer any more counts as cut, and is made anew', async () => {
  const path = await silenceable(database.appUrl)
  const options = { ...database.app.options, connectionString: path.url }
  const line = notificationsOf({ options }, pino({ level: 'silent' }), { pulseMs: 200 })
  onTestFinished(() => line.close())
  await line.open()
  path.silence()
  await until(() => !line.isOpen())
  await until(line.isOpen)
})

/** A way to the database on which what is sent can get lost without either end being told. */
async function silenceable(databaseUrl: string) {
  const target = new URL(databaseUrl)
  const folder = target.searchParams.get('host') ?? target.hostname
  const port = Number(target.port || 5432)
  const pairs: [Socket, Socket][] = []
  const server = createServer(near => {
    const far = folder.startsWith('/')
      ? connect(`${folder}/.s.PGSQL.${port}`)
      : connect({ host: folder, port })
    pairs.push([near, far])
    for (const end of [near, far]) end.on('error', () => {})
    near.pipe(far).pipe(near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const end of pairs.flat()) end.destroy()
    server.close()
  })
  target.searchParams.delete('host')
  target.hostname = '127.0.0.1'
  target.port = String((server.address() as AddressInfo).port)
  return {
    url: target.href,
    silence: () => {
      for (const [near, far] of pairs) near.unpipe(far) && far.unpipe(near)
    },
  }
}
