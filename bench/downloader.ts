import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { constants, setPriority } from 'node:os'
import { requestBytes } from './load.ts'

/**
 * People who download files, one after the other on each connection, and never look at them. Run as
 * `node bench/downloader.ts`, with PORT, TARGET_PORT and TOKEN; `/start?path=…&path=…` begins one connection for each
 * path and resolves once all files have begun, `/stop` ends them and answers how many bytes came.
 */
const { PORT, TARGET_PORT, TOKEN } = process.env

// Their machines are their own: here they must not take the processor from what they ask.
setPriority(constants.priority.PRIORITY_LOW)

/** The end of a chunked body; no byte of a file looks like it. */
const END = '\r\n0\r\n\r\n'

let sockets: Socket[] = []
let bytes = 0

async function start(paths: string[]): Promise<void> {
  bytes = 0
  sockets = paths.map(path => {
    const request = requestBytes('GET', path, { authorization: `Bearer ${TOKEN}` })
    const socket = connect(Number(TARGET_PORT), '127.0.0.1').setNoDelay(true)
    socket.on('error', () => {})
    socket.on('data', askAgain(socket, request))
    socket.write(request)
    return socket
  })
  await Promise.all(sockets.map(socket => once(socket, 'data')))
}

/** A file of known length, or in chunks; a refusal has a length. */
function askAgain(socket: Socket, request: Buffer): (chunk: Buffer) => void {
  let missing: number | 'chunks' | undefined
  let tail = ''
  return chunk => {
    bytes += chunk.length
    if (missing === undefined) {
      const text = chunk.toString('latin1')
      const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
      missing = length === undefined ? 'chunks' : text.indexOf('\r\n\r\n') + 4 + Number(length)
    }
    if (missing === 'chunks') {
      tail = (tail + chunk.toString('latin1', Math.max(0, chunk.length - END.length))).slice(-END.length)
      if (tail !== END) return
    } else {
      missing -= chunk.length
      if (missing > 0) return
    }
    missing = undefined
    socket.write(request)
  }
}

function stop(): void {
  for (const socket of sockets) socket.destroy()
  sockets = []
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  if (pathname === '/start') await start(searchParams.getAll('path'))
  if (pathname === '/stop') stop()
  response.end(String(bytes))
}).listen(Number(PORT), '127.0.0.1')

const end = () => {
  stop()
  server.closeAllConnections()
  server.close()
}
process.once('SIGTERM', end)
// The measuring process has ended; its channel must not keep this one alive.
process.once('disconnect', end)
process.channel?.unref()
