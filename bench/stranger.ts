import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { constants, setPriority } from 'node:os'
import { requestBytes } from './load.ts'

/**
 * Somebody who wants the product to stop answering: many connections, each asking for the same page again as soon as it
 * is answered. Run as `node bench/stranger.ts`, with PORT and TARGET_PORT; `/flood?page=…&connections=…` starts it, `/stop` ends it.
 */
const { PORT, TARGET_PORT } = process.env
/** What a browser accepts. */
const headers = { 'accept-encoding': 'gzip, deflate, br, zstd' }

// A stranger is on a machine of their own: here they must not take the processor from what they ask.
setPriority(constants.priority.PRIORITY_LOW)

let sockets: Socket[] = []

/** Resolves once every connection has its first answer. */
async function flood(page: string, connections: number): Promise<void> {
  const bytes = requestBytes('GET', page, headers)
  const first: Promise<unknown>[] = []
  sockets = Array.from({ length: connections }, () => {
    const socket = connect(Number(TARGET_PORT), '127.0.0.1').setNoDelay(true)
    socket.on('error', () => {})
    socket.on('data', askAgain(socket, bytes))
    socket.write(bytes)
    first.push(once(socket, 'data'))
    return socket
  })
  await Promise.all(first)
}

/** Counts the bytes of each answer, whatever its status. */
function askAgain(socket: Socket, bytes: Buffer): (chunk: Buffer) => void {
  let missing = 0
  return chunk => {
    if (missing === 0) {
      const headEnd = chunk.indexOf('\r\n\r\n')
      const length = /\r\ncontent-length: *(\d+)/i.exec(chunk.toString('latin1', 0, headEnd))?.[1]
      missing = headEnd + 4 + Number(length)
    }
    missing -= chunk.length
    if (missing === 0) socket.write(bytes)
  }
}

async function stop(): Promise<void> {
  const closed = sockets.filter(socket => !socket.destroyed).map(socket => once(socket, 'close'))
  for (const socket of sockets) socket.destroy()
  sockets = []
  await Promise.all(closed)
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const [page, connections] = ['page', 'connections'].map(name => searchParams.get(name))
  if (pathname === '/flood') await flood(page ?? '/', Number(connections))
  if (pathname === '/stop') await stop()
  response.end()
}).listen(Number(PORT), '127.0.0.1')

const end = async () => {
  await stop()
  server.closeAllConnections()
  server.close()
}
process.once('SIGTERM', end)
// The measuring process has ended; its channel must not keep this one alive.
process.once('disconnect', end)
process.channel?.unref()
