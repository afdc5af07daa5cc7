import pino, { type DestinationStream, type Logger } from 'pino'
import { databaseTrouble } from './database/trouble.ts'
import { standardError } from './log-destination.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Fields that never appear in a log line, at any depth: secrets and personal data. */
const secretFields = new Set([
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
])

/**
 * Structured logs, one JSON object per line, on standard error (standard output is for command results).
 * @param destination instead of standard error
 */
export function createLogger(level: LogLevel, destination: DestinationStream = standardError()): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { log: withoutSecrets },
      // Bindings of child loggers bypass the formatter.
      redact: { paths: [...secretFields], remove: true },
      serializers: { err: plainError },
    },
    destination,
  )
}

type Fields = Record<string, unknown>

/** Our own redaction: below the top level, pino's reaches one level only and costs more than writing the line. */
function withoutSecrets(fields: Fields): Fields {
  const safe: Fields = {}
  for (const name of Object.keys(fields)) {
    if (!secretFields.has(name)) safe[name] = safeValue(fields[name])
  }
  return safe
}

function safeValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Error) return value
  if (Array.isArray(value)) return value.map(safeValue)
  return Object.getPrototypeOf(value) === Object.prototype ? withoutSecrets(value as Fields) : value
}

/**
 * An error without its own properties: a database error has the row's values in `detail` and `where`. Known database
 * trouble becomes advice to the operator instead of a stack.
 */
function plainError(error: Error & { code?: string; constraint?: string }): Fields {
  const trouble = databaseTrouble(error)
  return {
    type: error.name,
    message: error.message,
    code: error.code,
    constraint: error.constraint,
    ...(trouble ? { advice: trouble.advice } : { stack: error.stack }),
    ...(error.cause instanceof Error ? { cause: plainError(error.cause) } : {}),
  }
}
