import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { freePort } from '#tools/free-port.ts'

/** A connection to PostgreSQL that can be cut. */
export interface CuttableDatabase {
  /** The connection string through it. */
  readonly url: string
  /** Breaks every connection and refuses new ones, like a server that was killed. */
  cut(): Promise<void>
  /** Accepts connections. */
  mend(): Promise<void>
}

/** A way to a connection string's server, cut until `mend` is called and after the test. */
export async function cuttableDatabase(url: string): Promise<CuttableDatabase> {
  const target = new URL(url)
  const { port: farPort, hostname } = target
  const nearPort = await freePort()
  const sockets = new Set<Socket>()
  let server: Server | undefined
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }
  const cut = async () => {
    const closed = server && once(server, 'close')
    server?.close()
    server = undefined
    for (const socket of sockets) socket.destroy()
    await closed
  }
  onTestFinished(cut)
  // Not by the socket file that the parameter names.
  target.searchParams.delete('host')
  target.hostname = '127.0.0.1'
  target.port = String(nearPort)
  return {
    url: target.href,
    cut,
    async mend() {
      server = createServer(near => {
        const far = connect(Number(farPort), hostname)
        keep(near)
        keep(far)
        near.pipe(far).pipe(near)
      })
      server.listen(nearPort, '127.0.0.1')
      await once(server, 'listening')
    },
  }
}
