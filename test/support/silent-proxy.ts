import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A connection to PostgreSQL that can fall silent. */
export interface SilentProxy {
  /** The connection string through it. */
  readonly url: string
  /**
   * Stops passing anything in either direction, without closing: like a host that loses power, or a firewall that
   * forgets a connection. New connections are accepted and silent too.
   */
  fallSilent(): void
  /** New connections work again; silent ones stay silent. */
  recover(): void
}

/** A proxy in front of a connection string's server, until the test ends. */
export async function silentProxy(url: string): Promise<SilentProxy> {
  const target = new URL(url)
  const { port, hostname } = target
  const sockets = new Set<Socket>()
  let links: { silent: boolean }[] = []
  let silent = false
  const server = createServer({ allowHalfOpen: true }, near => {
    const far = connect(Number(port), hostname)
    const link = { silent }
    links.push(link)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {})
      from.on('data', chunk => link.silent || to.write(chunk))
      from.on('end', () => link.silent || to.end())
      from.on('close', () => link.silent || to.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  // Not by the socket file that the parameter names.
  target.searchParams.delete('host')
  target.hostname = '127.0.0.1'
  target.port = String((server.address() as AddressInfo).port)
  return {
    url: target.href,
    fallSilent() {
      silent = true
      for (const link of links) link.silent = true
      links = []
    },
    recover() {
      silent = false
    },
  }
}
