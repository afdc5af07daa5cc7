import { connect } from 'node:net'

/** Where ClamAV's daemon listens: its unix socket, or a host and port. */
export type ClamdAddress = { path: string } | { host: string; port: number }

/** Time limit of a scan; clamd has limits of its own for what it unpacks. */
const LIMIT_MS = 30_000
const CHUNK_BYTES = 64 * 1024
/** An answer is a line. */
const MOST_ANSWERED = 4096

/**
 * Scans a file with clamd, by its command INSTREAM (man clamd).
 * @returns the name of the malware found, or null
 * @throws Error if clamd cannot be reached, or gives any other answer
 */
export async function scan(address: ClamdAddress, content: Uint8Array): Promise<string | null> {
  const answer = await ask(address, [Buffer.from('zINSTREAM\0'), ...chunksOf(content), Buffer.alloc(4)])
  if (answer === 'stream: OK') return null
  const found = /^stream: (.+) FOUND$/.exec(answer)?.[1]
  if (found !== undefined) return found
  throw new Error(`clamd answered: ${answer.slice(0, 200)}`)
}

/** Each with its length before it. */
function* chunksOf(content: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < content.length; start += CHUNK_BYTES) {
    const chunk = content.subarray(start, start + CHUNK_BYTES)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(chunk.length)
    yield length
    yield chunk
  }
}

/** The answer without its final zero. */
function ask(address: ClamdAddress, parts: Iterable<Uint8Array>): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(address)
    let answer = ''
    const limit = setTimeout(() => socket.destroy(new Error('clamd did not answer in time')), LIMIT_MS)
    socket.on('data', chunk => {
      answer += chunk.toString('latin1')
      if (answer.includes('\0')) resolve(answer.slice(0, answer.indexOf('\0')))
      if (answer.length > MOST_ANSWERED || answer.includes('\0')) socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => {
      clearTimeout(limit)
      reject(new Error('clamd closed the connection without an answer'))
    })
    for (const part of parts) socket.write(part)
  })
}
