import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { atEnd } from './clean-up.ts'

/** The network between a program and PostgreSQL, with the failures that a test asks for. */
export interface DatabaseProxy {
  /** The connection string through it. */
  readonly url: string
  /** Breaks every connection and refuses new ones, like a server that was killed. */
  cut(): Promise<void>
  /** Accepts connections again after `cut`. */
  mend(): Promise<void>
  /** Breaks every connection; new ones work. */
  breakConnections(): void
  /**
   * Breaks the next connection that sends these words, once.
   * @param when `before` PostgreSQL gets them, or `after` it has answered: the answer is lost. `never`: it is not broken, but
   * no answer arrives any more
   */
  cutAt(words: string, when: Cut['when']): void
  /**
   * Stops passing anything in either direction, without closing: like a host that loses power, or a firewall that
   * forgets a connection. New connections are accepted and silent too.
   */
  fallSilent(): void
  /** New connections work again; silent ones stay silent. */
  recover(): void
  /** Delays everything by so many milliseconds in each direction; 0 ends it. */
  slow(ms: number): void
}

type Cut = { words: string; when: 'before' | 'after' | 'never' }

type State = {
  isSilent: boolean
  delayMs: number
  cutAt: Cut | undefined
}

/** A proxy in front of a connection string's server, until the end of the test file. It accepts connections. */
export async function databaseProxy(url: string): Promise<DatabaseProxy> {
  const target = new URL(url)
  const { port: farPort, hostname } = target
  const state: State = { isSilent: false, delayMs: 0, cutAt: undefined }
  const links = new Set<Link>()
  const breakConnections = () => {
    for (const link of links) link.destroy()
  }
  let server: Server | undefined
  const listen = async (port: number) => {
    server = createServer({ allowHalfOpen: true, noDelay: true }, near => {
      const far = connect({ port: Number(farPort), host: hostname, allowHalfOpen: true, noDelay: true })
      const link = new Link(near, far, state)
      links.add(link)
      link.onClose(() => links.delete(link))
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const cut = async () => {
    const closed = server && once(server, 'close')
    server?.close()
    server = undefined
    breakConnections()
    await closed
  }
  const port = await listen(0)
  atEnd(cut)
  // Not by the socket file that the parameter names.
  target.searchParams.delete('host')
  target.hostname = '127.0.0.1'
  target.port = String(port)
  return {
    url: target.href,
    cut,
    async mend() {
      await listen(port)
    },
    breakConnections,
    cutAt(words, when) {
      state.cutAt = { words, when }
    },
    fallSilent() {
      state.isSilent = true
      for (const link of links) link.isSilent = true
    },
    recover() {
      state.isSilent = false
    },
    slow(ms) {
      state.delayMs = ms
    },
  }
}

/** One connection through the proxy: to the program, `near`, and to PostgreSQL, `far`. */
class Link {
  isSilent: boolean
  #isAnswerLost = false
  #isAnswered = true
  readonly near: Socket
  readonly far: Socket
  readonly state: State

  constructor(near: Socket, far: Socket, state: State) {
    this.near = near
    this.far = far
    this.state = state
    this.isSilent = state.isSilent
    this.#pass(near, far)
    this.#pass(far, near)
  }

  destroy(): void {
    this.near.destroy()
    this.far.destroy()
  }

  onClose(close: () => void): void {
    let open = 2
    for (const socket of [this.near, this.far]) {
      socket.on('close', () => {
        open -= 1
        if (open === 0) close()
      })
    }
  }

  #pass(from: Socket, to: Socket): void {
    // Each piece waits for the one before it too: a delay that ends must not change their order.
    let before = Promise.resolve()
    const inTurn = (act: () => void) => {
      const due = this.state.delayMs > 0 ? delay(this.state.delayMs) : undefined
      before = before
        .then(() => due)
        .then(() => {
          if (!this.isSilent) act()
        })
    }
    from.on('error', () => {})
    from.on('data', chunk => {
      if (this.#isAnswerLost || (from === this.near && this.#isCutBefore(chunk))) return this.destroy()
      if (from === this.near || this.#isAnswered) inTurn(() => to.write(chunk))
    })
    from.on('end', () => inTurn(() => to.end()))
    from.on('close', () => this.isSilent || to.destroy())
  }

  #isCutBefore(sent: Buffer): boolean {
    const { cutAt } = this.state
    if (cutAt === undefined || !sent.includes(cutAt.words)) return false
    this.state.cutAt = undefined
    this.#isAnswerLost = cutAt.when === 'after'
    if (cutAt.when === 'never') this.#isAnswered = false
    return cutAt.when === 'before'
  }
}
