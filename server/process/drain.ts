import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import type { Sockets } from './sockets.ts'

/** Time in which open connections may send what is under way, in milliseconds. */
const LINGER_MS = 500
/** Longer than any statement of a request may take, in milliseconds. */
const ANSWER_LIMIT_MS = 17_000
/** Time for a moment without new connections, in milliseconds. */
const ACCEPT_LIMIT_MS = 1_000
/** In a longer turn of the event loop new connections may have come, in milliseconds. */
const SHORT_TURN_MS = 1
const SWEEP_MS = 50

/** Stops a server without resetting connections whose requests have arrived or are under way. */
export class Drain {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /**
   * Those under way, each in a place of its own. A Set would replace its table again and again, and each old table keeps what
   * was in it, and the next table, from quick collections.
   */
  readonly #answers: (ServerResponse | undefined)[] = []
  readonly #freePlaces: number[] = []
  #isEnding = false

  /** @param server before it listens */
  constructor(server: Server) {
    this.#server = server
    server.on('connection', socket => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    server.prependListener('request', (_request, answer) => {
      if (this.#isEnding) answer.setHeader('connection', 'close')
      this.#keep(answer)
    })
  }

  #keep(answer: ServerResponse): void {
    const place = this.#freePlaces.pop() ?? this.#answers.length
    this.#answers[place] = answer
    answer.once('close', () => {
      this.#answers[place] = undefined
      this.#freePlaces.push(place)
    })
  }

  /** From now on each answer closes its connection, so that clients open the next one elsewhere. */
  closeWithAnswers(): void {
    this.#isEnding = true
    for (const answer of this.#answers)
      if (answer?.headersSent === false) answer.setHeader('connection', 'close')
  }

  /** Accepts every connection made before this call, then no more; gives open ones time for what is under way. */
  async stopAccepting(sockets: Sockets): Promise<void> {
    await this.#acceptWaiting()
    sockets.close()
    const deadline = performance.now() + LINGER_MS
    while (this.#sockets.size > 0 && performance.now() < deadline) await delay(SWEEP_MS)
  }

  /**
   * Waits for all answers under way while `close` closes the server, and closes connections without a request. What
   * takes too long is cut off.
   */
  async finish(close: () => Promise<unknown>): Promise<void> {
    // Server.close ends idle connections only. Node counts a connection as in use until its answer, and also if it
    // has never sent a byte, as browsers open them in advance.
    const sweep = setInterval(() => {
      this.#server.closeIdleConnections()
      for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
    }, SWEEP_MS)
    const limit = setTimeout(() => this.#server.closeAllConnections(), ANSWER_LIMIT_MS)
    try {
      await close()
    } finally {
      clearInterval(sweep)
      clearTimeout(limit)
    }
  }

  /**
   * Closing a listening socket resets connections that wait to be accepted, so it is closed after a short turn of the event
   * loop in which none was.
   */
  async #acceptWaiting(): Promise<void> {
    let isQuiet = false
    this.#server.on('connection', () => {
      isQuiet = false
    })
    const deadline = performance.now() + ACCEPT_LIMIT_MS
    while (!isQuiet && performance.now() < deadline) {
      isQuiet = true
      const began = performance.now()
      await turn()
      isQuiet &&= performance.now() - began < SHORT_TURN_MS
    }
  }
}
