import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, createServer, type ListenOptions, Server as NetServer } from 'node:net'

/**
 * Sockets that listen on one address. libuv lets in one connection of each in a turn of its event loop, so that the last of 200
 * that come at once would wait for 200 turns. Only Linux spreads connections over several sockets.
 */
const SOCKETS = process.platform === 'linux' ? 8 : 1

/**
 * How to listen on a free address by several sockets. A second process of the same user would listen beside the first one, unnoticed,
 * so the address is first listened on without sharing it.
 * @param host a name is resolved to one address
 * @throws the system's error, such as EADDRINUSE
 */
export async function freeAddress({ host, port }: { host: string; port: number }): Promise<ListenOptions> {
  const { address } = await lookup(host)
  if (SOCKETS === 1) return { host: address, port }
  const probe = createServer()
  probe.listen({ host: address, port })
  await once(probe, 'listening')
  probe.close()
  await once(probe, 'close')
  return { host: address, port, reusePort: true }
}

/** A server's sockets: its own, and more that give it their connections. */
export class Sockets {
  readonly #server: Server
  readonly #more: NetServer[] = []
  readonly #ends: Promise<unknown>[] = []
  #isClosed = false

  /** @param server which will listen on what `freeAddress` returns */
  constructor(server: Server) {
    this.#server = server
  }

  /** Adds the others, once the server listens. */
  async openMore(): Promise<void> {
    const { address: host, port } = this.#server.address() as AddressInfo
    await Promise.all(Array.from({ length: SOCKETS - 1 }, () => this.#open({ host, port, reusePort: true })))
  }

  async #open(address: ListenOptions): Promise<void> {
    // As Node's HTTP server opens its connections.
    const one = createServer({ allowHalfOpen: true, noDelay: true }, socket =>
      this.#server.emit('connection', socket),
    )
    one.listen(address)
    await once(one, 'listening')
    this.#more.push(one)
    this.#ends.push(once(one, 'close'))
    if (this.#isClosed) one.close()
  }

  /** Lets no more connections in; open ones stay. */
  close(): void {
    this.#isClosed = true
    // Not http's close, which also closes idle connections at once.
    for (const one of [this.#server, ...this.#more]) NetServer.prototype.close.call(one)
  }

  /** Resolves once all connections of the other sockets have ended, after `close`. */
  async ended(): Promise<void> {
    await Promise.all(this.#ends)
  }
}
