import pino, { type DestinationStream, type Logger } from 'pino'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Fields that never reach a log line, wherever they stand one level down: secrets and personal data. */
const secretFields = [
  'password',
  'oldPassword',
  'newPassword',
  'confirmPassword',
  'otp',
  'token',
  'accessToken',
  'refreshToken',
  'authorization',
  'cookie',
  'email',
  'phone',
  'name',
  'address',
  'walletAddress',
]

/**
 * Structured logs, one JSON object a line, on standard error (standard output is for what the operator asked for).
 * @param destination where the lines go instead, in tests
 */
export function createLogger(level: LogLevel, destination: DestinationStream = pino.destination(2)): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: secretFields.flatMap(field => [field, `*.${field}`]), remove: true },
      serializers: { err: plainError },
    },
    destination,
  )
}

/** An error without its own properties: a database error carries the row's values in `detail` and `where`. */
function plainError(error: Error & { code?: string; constraint?: string }): Record<string, unknown> {
  return {
    type: error.name,
    message: error.message,
    code: error.code,
    constraint: error.constraint,
    stack: error.stack,
    ...(error.cause instanceof Error ? { cause: plainError(error.cause) } : {}),
  }
}
