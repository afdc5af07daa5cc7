import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { AppError } from '#shared/errors.ts'
import { failureOf } from './errors.ts'

/** Node's errors for an invalid or incomplete request. */
function refusalOf(code: string | undefined): AppError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new AppError('request_timeout', 'This request took too long to arrive')
  }
  // Node counts address and headers together, so we cannot tell which is too long.
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new AppError('headers_too_large', 'The address or the headers of this request are too large')
  }
  return new AppError('invalid_input', 'This is not a valid HTTP request')
}

/** Answers an unreadable request, which reaches no hook, like every other refusal; then closes the connection. */
export function refuseUnreadable(headers: Record<string, string>) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    const refusal = refusalOf(error.code)
    const body = JSON.stringify(failureOf(refusal))
    const all = {
      ...headers,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      connection: 'close',
    }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    if (socket.writable)
      socket.write(
        `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n${body}`,
      )
    socket.destroy(error)
  }
}
