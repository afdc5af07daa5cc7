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
  for (const part of ['params', 'query', 'body'] as const) {
    const schema = call[part]
    if (schema === undefined) continue
    refuseUnstorable(sent[part], 0)
    const parsed = schema.safeParse(sent[part] ?? {})
    if (parsed.success) input[part] = parsed.data
    else collect(parsed.error, fields)
  }
  const [first] = Object.values(fields)
  if (first !== undefined) throw new AppError('invalid_input', first, { fields })
  return input
}

function collect(error: z.ZodError, fields: FieldErrors): void {
  for (const issue of error.issues) {
    const field = issue.path.map(String).join('.') || 'body'
    fields[field] ??= field === 'body' ? 'Send an object with the fields of this call' : issue.message
  }
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
