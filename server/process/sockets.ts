import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, createServer, type ListenOptions, Server as NetServer } from 'node:net'

/**
 * Sockets that listen on one address. libuv lets in one connection of each in a turn of its event loop, so that the last of 200
 * that come at once would wait for 200 turns. Only Linux spreads connections over several sockets.
 */
const SOCKETS = process.platform === 'linux' ? 8 : 1

/**
 * With the option that several sockets of an address need, a second process of the same user would listen beside the first, unnoticed.
 * @returns how to listen on the address, once it is known to be free
 * @throws the system's error, such as EADDRINUSE
 */
export async function freeAddress(address: { host: string; port: number }): Promise<ListenOptions> {
  if (SOCKETS === 1) return address
  const probe = createServer()
  probe.listen(address)
  await once(probe, 'listening')
  probe.close()
  await once(probe, 'close')
  return { ...address, reusePort: true }
}

export type Sockets = {
  /** Lets no more connections in; open ones stay. */
  close: () => void
  /** Resolves once all connections have ended, after `close`. */
  closed: Promise<unknown>
}

/** Lets the connections of a listening server in by more sockets. */
export async function listenMore(server: Server): Promise<Sockets> {
  const { address: host, port } = server.address() as AddressInfo
  const more = Array.from({ length: SOCKETS - 1 }, () =>
    // As Node's HTTP server opens its connections.
    createServer({ allowHalfOpen: true, noDelay: true }, socket => server.emit('connection', socket)),
  )
  await Promise.all(
    more.map(async one => {
      one.listen({ host, port, reusePort: true })
      await once(one, 'listening')
    }),
  )
  const all = [server, ...more]
  return {
    // Not http's close, which also closes idle connections at once.
    close: () => all.forEach(one => void NetServer.prototype.close.call(one)),
    closed: Promise.all(all.map(one => once(one, 'close'))),
  }
}
