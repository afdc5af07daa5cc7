import type { z } from 'zod'
import type { CallDefinition } from '#shared/contract/define.ts'
import { AppError, type FieldErrors } from '#shared/errors.ts'

/** Deepest nesting of a request body; the contract's own are three deep at most. */
const DEEPEST = 8

/** What a handler receives: each declared part parsed by its schema, nothing else. */
export type Input = { params?: unknown; query?: unknown; body?: unknown }

/**
 * Parses what was sent by the call's schemas. Unknown keys are dropped.
 * @throws AppError invalid_input with a message for each faulty field; the answer's message is the first of them
 */
export function parseInput(
  call: CallDefinition,
  sent: { params: unknown; query: unknown; body: unknown },
): Input {
  const fields: FieldErrors = {}
  const input: Input = {}
  if (call.upload) input.body = fileIn(sent.body)
  for (const part of ['params', 'query', 'body'] as const) {
    if (part === 'body' && call.upload) continue
    const given = sent[part] === undefined ? {} : sent[part]
    // A call without a payload takes an empty one, and anything else that is an object; but no list, no text, no null.
    refuseNonObject(given)
    refuseUnstorable(given, 0)
    const schema = call[part]
    if (schema === undefined) continue
    const parsed = schema.safeParse(given, { error: inWords })
    if (parsed.success) input[part] = parsed.data
    else collect(parsed.error, fields)
  }
  const [first] = Object.values(fields)
  if (first !== undefined) throw new AppError('invalid_input', first, { fields })
  return input
}

/** Why the caller acts, where the call takes a reason. */
export function reasonIn({ body }: Input): string | null {
  const { reason } = (body ?? {}) as { reason?: unknown }
  return typeof reason === 'string' ? reason : null
}

/** What the parser of uploads has made of the body (uploads.ts), where there was one. */
function fileIn(body: unknown): unknown {
  if (body !== undefined && body !== null) return body
  throw new AppError('invalid_input', 'Send the file as the body of the request')
}

function collect(error: z.ZodError, fields: FieldErrors): void {
  for (const issue of error.issues) {
    const [unknown] = issue.code === 'unrecognized_keys' ? issue.keys : []
    fields[[...issue.path, ...(unknown === undefined ? [] : [unknown])].map(String).join('.')] ??=
      issue.message
  }
}

/** Words for what a schema refuses without words of its own. */
function inWords({ path = [], input, code, ...issue }: z.core.$ZodRawIssue): string {
  if (code === 'unrecognized_keys') return `There is no field ${(issue.keys as string[]).join(', ')}`
  const name = String(path.at(-1) ?? 'request').replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
  const field = name.charAt(0).toUpperCase() + name.slice(1)
  if (input === undefined) return `${field} is required`
  return code === 'invalid_type' && issue.expected === 'string'
    ? `${field} must be a text`
    : `${field} is not valid`
}

function refuseNonObject(value: unknown): void {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return
  throw new AppError('invalid_input', 'Send an object with the fields of this call')
}

/** Text that PostgreSQL cannot store, and nesting that no call has, are refused wherever they stand. */
function refuseUnstorable(value: unknown, depth: number): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) {
      throw new AppError('invalid_input', 'The request has characters that cannot be used')
    }
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (depth >= DEEPEST) throw new AppError('invalid_input', 'The request is nested too deeply')
  for (const [key, item] of Object.entries(value)) {
    refuseUnstorable(key, depth)
    refuseUnstorable(item, depth + 1)
  }
}
