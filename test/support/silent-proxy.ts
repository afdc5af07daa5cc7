import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A way to PostgreSQL on which everything can fall silent. */
export interface SilentProxy {
  /** The connection string through it. */
  readonly url: string
  /**
   * From now on nothing is passed on in either direction, and nothing is closed: so it looks when a host loses its power
   * or a firewall forgets a connection. New connections are accepted and as silent.
   */
  fallSilent(): void
  /** New connections are passed on again; those that fell silent stay so. */
  recover(): void
}

/** Stands in front of the server of a connection string until the test is finished. */
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
  // Not by the socket in the file system, which the parameter names.
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
