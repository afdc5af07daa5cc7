import pino, { type DestinationStream, type Logger } from 'pino'
import { databaseTrouble } from './database/trouble.ts'
import { standardError } from './log-destination.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Fields that never reach a log line, however deep they stand: secrets and personal data. */
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
 * Structured logs, one JSON object a line, on standard error (standard output is for what the operator asked for).
 * @param destination where the lines go instead
 */
export function createLogger(level: LogLevel, destination: DestinationStream = standardError()): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { log: withoutSecrets },
      // The bindings of child loggers do not come by the formatter.
      redact: { paths: [...secretFields], remove: true },
      serializers: { err: plainError },
    },
    destination,
  )
}

type Fields = Record<string, unknown>

/** By hand: pino's redaction below the top level costs more than writing the line, and reaches one level only. */
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
 * An error without its own properties: a database error carries the row's values in `detail` and `where`. Known trouble of
 * the database is advice to the operator instead of a stack.
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
