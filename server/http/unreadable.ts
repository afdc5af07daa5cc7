import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Failure } from '#shared/contract/define.ts'

/** What Node says of a request that is none, or does not come to its end. */
const refusals: Record<string, { status: number; message: string }> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'This request took too long to arrive' },
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The headers of this request are too large' },
}
const otherwise = { status: 400, message: 'This is not a valid HTTP request' }

/** Answers what never becomes a request, and so meets no hook, like every other refusal; then ends the connection. */
export function refuseUnreadable(headers: Record<string, string>) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    const { status, message } = refusals[error.code ?? ''] ?? otherwise
    const body = JSON.stringify({ status: 'error', message, code: 'invalid_input' } satisfies Failure)
    const all = {
      ...headers,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      connection: 'close',
    }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    if (socket.writable)
      socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
    socket.destroy(error)
  }
}
