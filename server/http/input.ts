import type { z } from 'zod'
import type { CallDefinition } from '#shared/contract/define.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'

/** Maximum nesting of a request body; the contract needs three levels. */
const DEEPEST = 8

/** A handler's input: each declared part, parsed by its schema. */
export type Input = { params?: unknown; query?: unknown; body?: unknown }

/**
 * Parses a request by the call's schemas. Drops unknown fields of a body; refuses unknown query parameters.
 * @throws AppError invalid_input with a message per field; the first is also the answer's message
 */
export function parseInput(
  call: CallDefinition,
  sent: { params: unknown; query: unknown; body: unknown },
): Input {
  // A Map, because in an object a field such as `constructor` would find the prototype's.
  const errors = new Map<string, string>()
  const input: Input = {}
  if (call.upload) input.body = fileIn(sent.body)
  for (const part of ['params', 'query', 'body'] as const) {
    if (part === 'body' && call.upload) continue
    const given = sent[part] === undefined ? {} : sent[part]
    // A call without a payload accepts any object and ignores it, but no list, text or null.
    refuseNonObject(given)
    refuseUnstorable(given, 0)
    const schema = call[part]
    if (part === 'query') refuseUnknown(given, schema)
    if (schema === undefined) continue
    const parsed = schema.safeParse(given, { error: inWords })
    if (parsed.success) input[part] = parsed.data
    else collect(parsed.error, errors)
  }
  const [first] = errors.values()
  if (first !== undefined) throw new AppError('invalid_input', first, { fields: Object.fromEntries(errors) })
  return input
}

/** The caller's reason, if the call takes one. */
export function reasonIn({ body }: Input): string | null {
  const { reason } = (body ?? {}) as { reason?: unknown }
  return typeof reason === 'string' ? reason : null
}

/** The parsed upload (uploads.ts), if there is one. */
function fileIn(body: unknown): unknown {
  if (body !== undefined && body !== null) return body
  throw new AppError('invalid_input', t('Send the file as the body of the request'))
}

function collect(error: z.ZodError, errors: Map<string, string>): void {
  for (const issue of error.issues) {
    const [unknown] = issue.code === 'unrecognized_keys' ? issue.keys : []
    const name = [...issue.path, ...(unknown === undefined ? [] : [unknown])].map(String).join('.')
    if (!errors.has(name)) errors.set(name, issue.message)
  }
}

/** Messages for schema errors without their own. */
function inWords({ path = [], input, code, ...issue }: z.core.$ZodRawIssue): string {
  if (code === 'unrecognized_keys')
    return t('There is no field {names}', { names: (issue.keys as string[]).join(', ') })
  const name = String(path.at(-1) ?? 'request').replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
  const field = name.charAt(0).toUpperCase() + name.slice(1)
  if (input === undefined) return t('{field} is required', { field })
  return code === 'invalid_type' && issue.expected === 'string'
    ? t('{field} must be a text', { field })
    : t('{field} is not valid', { field })
}

/** An ignored filter would show or export more than was requested (decision 60). */
function refuseUnknown(given: object, schema: z.ZodObject | undefined): void {
  const known = Object.keys(schema?.shape ?? {})
  const unknown = Object.keys(given).find(name => !known.includes(name))
  if (unknown === undefined) return
  const name = unknown.slice(0, 40)
  const message =
    known.length === 0
      ? t('There is no parameter {name}; this call takes none', { name })
      : t('There is no parameter {name}; this call takes {names}', { name, names: known.join(', ') })
  throw new AppError('invalid_input', message, { fields: { [unknown]: message } })
}

function refuseNonObject(value: unknown): asserts value is object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return
  throw new AppError('invalid_input', t('Send an object with the fields of this call'))
}

/** Refuses text that PostgreSQL cannot store, and excessive nesting, anywhere in a request. */
function refuseUnstorable(value: unknown, depth: number): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) {
      throw new AppError('invalid_input', t('The request has characters that cannot be used'))
    }
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (depth >= DEEPEST) throw new AppError('invalid_input', t('The request is nested too deeply'))
  for (const [key, item] of Object.entries(value)) {
    refuseUnstorable(key, depth)
    refuseUnstorable(item, depth + 1)
  }
}
