import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A connection to PostgreSQL that can be cut at a statement. */
export interface CuttingProxy {
  /** The connection string through it. */
  readonly url: string
  /**
   * Cuts the next connection that sends these words, once.
   * @param when `before` PostgreSQL gets them, or `after` it has answered: the answer is lost
   */
  cutAt(words: string, when: 'before' | 'after'): void
}

/** A proxy in front of a connection string's server, until the test ends. */
export async function cuttingProxy(url: string): Promise<CuttingProxy> {
  const target = new URL(url)
  const { port, hostname } = target
  const sockets = new Set<Socket>()
  let cut: { words: string; when: 'before' | 'after' } | undefined
  const server = createServer(near => {
    const far = connect(Number(port), hostname)
    const end = () => {
      near.destroy()
      far.destroy()
    }
    let isLost = false
    near.on('data', chunk => {
      if (cut === undefined || !chunk.includes(cut.words)) return far.write(chunk)
      const { when } = cut
      cut = undefined
      if (when === 'before') return end()
      isLost = true
      far.write(chunk)
    })
    far.on('data', chunk => (isLost ? end() : near.write(chunk)))
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', end)
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
    cutAt(words, when) {
      cut = { words, when }
    },
  }
}
