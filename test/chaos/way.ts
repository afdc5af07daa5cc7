import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { atEnd } from '#test/support/clean-up.ts'

/** The network between the product and PostgreSQL. */
export type Way = {
  /** The connection string through it. */
  readonly url: string
  /** Breaks every connection; new ones are taken again at once. */
  cut(): void
  /** Carries nothing until it is called with false, like a network that swallows packets. */
  freeze(isFrozen: boolean): void
  /** Delays everything by so many milliseconds each way. */
  slow(ms: number): void
}

/** A proxy in front of a connection string's server, until the end of the test file. */
export async function openWay(url: string): Promise<Way> {
  const target = new URL(url)
  const { port, hostname } = target
  const pairs = new Set<[Socket, Socket]>()
  let isFrozen = false
  let delayMs = 0
  const server = createServer({ noDelay: true }, near => {
    const far = connect({ port: Number(port), host: hostname, noDelay: true })
    const pair: [Socket, Socket] = [near, far]
    const end = () => {
      near.destroy()
      far.destroy()
      pairs.delete(pair)
    }
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('error', end)
      from.on('close', end)
      from.on('data', chunk => {
        if (delayMs === 0) to.write(chunk)
        else setTimeout(() => to.write(chunk), delayMs)
      })
      if (isFrozen) from.pause()
    }
    pairs.add(pair)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
  }
  atEnd(() => {
    server.close()
    cut()
  })
  // Not by the socket file that the parameter names.
  target.searchParams.delete('host')
  target.hostname = '127.0.0.1'
  target.port = String((server.address() as AddressInfo).port)
  return {
    url: target.href,
    cut,
    freeze(frozen) {
      isFrozen = frozen
      for (const socket of [...pairs].flat()) frozen ? socket.pause() : socket.resume()
    },
    slow(ms) {
      delayMs = ms
    },
  }
}
