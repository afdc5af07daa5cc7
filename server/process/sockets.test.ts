import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { freeAddress, Sockets } from './sockets.ts'

const host = '127.0.0.1'

async function listening({ port = 0, isOpening = false } = {}) {
  const server = createServer((_request, answer) => answer.end('yes'))
  server.listen(await freeAddress({ host, port }))
  await once(server, 'listening')
  const sockets = new Sockets(server)
  const opened = sockets.openMore()
  const stop = async () => {
    sockets.close()
    server.closeAllConnections()
    await opened
    await sockets.ended()
  }
  if (!isOpening) await opened
  return { server, port: (server.address() as AddressInfo).port, stop }
}

/** Turns of the event loop until this many connections, which the system has already made, are let in. */
async function turnsUntilLetIn(server: Server, port: number, count: number): Promise<number> {
  let missing = count
  server.on('connection', () => missing--)
  const clients = Array.from({ length: count }, () => connect(port, host))
  onTestFinished(() => clients.forEach(client => void client.destroy()))
  let turns = 0
  for (; missing > 0; turns++) await turn()
  return turns
}

test.runIf(process.platform === 'linux')('many connections at once come in by several sockets', async () => {
  const { server, port, stop } = await listening()
  onTestFinished(stop)
  expect(await turnsUntilLetIn(server, port, 64)).toBeLessThan(48)
})

const many = (port: number) =>
  Promise.allSettled(Array.from({ length: 64 }, async () => (await fetch(`http://${host}:${port}`)).text()))

test('requests are answered on all sockets, until a stop closes all', async () => {
  const { port, stop } = await listening()
  const yes = { status: 'fulfilled', value: 'yes' }
  expect(await many(port)).toEqual(Array(64).fill(yes))
  await stop()
  expect((await many(port)).every(({ status }) => status === 'rejected')).toBe(true)
})

test('sockets that a stop finds opening are closed, too', async () => {
  const { port, stop } = await listening({ isOpening: true })
  await stop()
  expect((await many(port)).every(({ status }) => status === 'rejected')).toBe(true)
})

test('a second server cannot listen on the address of the first', async () => {
  const { port, stop } = await listening()
  onTestFinished(stop)
  await expect(listening({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
})
