import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/**
 * HTTP load that costs the machine as little as possible: raw keep-alive sockets, prepared request bytes, answers read
 * for status and length only. Server and database share the processor cores with it.
 */
export type Load = {
  port: number
  /** Each sends one request after the other. */
  connections: number
  seconds: number
  /** The bytes of a connection's next request; null if there is none left. */
  request: (connection: number) => Buffer | null
}

export type Outcome = {
  /** Answers, per second. */
  perSecond: number
  /** Time to each answer in milliseconds, ascending. */
  latenciesMs: number[]
}

/**
 * Any answer but 2xx fails the run, because refusing is fast.
 * @throws Error with the first such answer, or if the server closes a connection
 */
export async function runLoad(load: Load): Promise<Outcome> {
  const connections = await Promise.all(
    Array.from({ length: load.connections }, () => Connection.open(load.port)),
  )
  const latenciesMs: number[] = []
  const start = performance.now()
  const end = start + load.seconds * 1000
  const askUntilEnd = async (connection: Connection, number: number) => {
    while (performance.now() < end) {
      const bytes = load.request(number)
      if (bytes === null) return
      latenciesMs.push(await connection.ask(bytes))
    }
  }
  try {
    await Promise.all(connections.map(askUntilEnd))
  } finally {
    for (const connection of connections) connection.close()
  }
  const seconds = (performance.now() - start) / 1000
  latenciesMs.sort((a, b) => a - b)
  return { perSecond: latenciesMs.length / seconds, latenciesMs }
}

/** One keep-alive socket for consecutive requests. */
export class Connection {
  readonly #socket: Socket
  #pending: Buffer = Buffer.alloc(0)
  #sentAt = 0
  #waiting: { answered: (tookMs: number) => void; failed: (error: unknown) => void } | undefined
  /** Why it ended; it may end between requests. */
  #failure: unknown

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('error', error => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('the server closed the connection')))
    socket.on('data', chunk => this.#read(chunk))
  }

  static async open(port: number): Promise<Connection> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return new Connection(socket)
  }

  /**
   * Sends one request and waits for its answer; the previous one must have been answered.
   * @returns milliseconds from the write to the answer's last byte
   * @throws Error for an answer other than 2xx, or if the server closes the connection
   */
  ask(bytes: Buffer): Promise<number> {
    return new Promise((answered, failed) => {
      if (this.#failure !== undefined) return failed(this.#failure)
      this.#waiting = { answered, failed }
      this.#sentAt = performance.now()
      this.#socket.write(bytes)
    })
  }

  #read(chunk: Buffer): void {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
    try {
      const bytes = answerBytes(this.#pending)
      if (bytes === null) return
      this.#pending = this.#pending.subarray(bytes)
      this.#waiting?.answered(performance.now() - this.#sentAt)
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= error
    this.#waiting?.failed(this.#failure)
  }

  close(): void {
    this.#socket.destroy()
  }
}

/** Length of the first complete answer in the buffer; null if it is incomplete. */
function answerBytes(buffer: Buffer): number | null {
  const headEnd = buffer.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const head = buffer.toString('latin1', 0, headEnd)
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`an answer without a length: ${head}`)
  const bytes = headEnd + 4 + Number(length)
  if (buffer.length < bytes) return null
  if (!head.startsWith('2', 'HTTP/1.1 '.length)) {
    throw new Error(`refused: ${head.split('\r\n')[0]} ${buffer.subarray(headEnd + 4, bytes)}`)
  }
  return bytes
}

/** An HTTP/1.1 request as bytes. */
export function requestBytes(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: object,
): Buffer {
  const payload = body === undefined ? '' : JSON.stringify(body)
  const all: Record<string, string> = { host: '127.0.0.1', ...headers }
  if (body !== undefined) {
    all['content-type'] = 'application/json'
    all['content-length'] = String(Buffer.byteLength(payload))
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${payload}`)
}
