import fc, { type Arbitrary } from 'fast-check'
import { hostileJson, prototypeNames } from '#test/hostile/values.ts'

/** Random values for JSON schemas of the OpenAPI document, as JSON text: most fit, some are at a limit, some hostile. */

export type JsonSchema = {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  items?: JsonSchema
  minItems?: number
  maxItems?: number
  properties?: Record<string, JsonSchema>
  required?: string[]
}

/** Longest random text and list; limits above it are tried at the limit itself. */
const LONGEST = 20

const hostile = fc.constantFrom(...hostileJson)

/** Two in three fit the schema. */
export function anyJson(schema: JsonSchema): Arbitrary<string> {
  return fc.oneof({ weight: 2, arbitrary: fittingJson(schema) }, { weight: 1, arbitrary: hostile })
}

function fittingJson(schema: JsonSchema): Arbitrary<string> {
  if (schema.const !== undefined) return fc.constant(JSON.stringify(schema.const))
  if (schema.enum) return fc.constantFrom(...schema.enum.map(value => JSON.stringify(value)))
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return fc.oneof(...alternatives.map(fittingJson))
  if (schema.allOf) return fittingJson(Object.assign({}, schema, ...schema.allOf, { allOf: undefined }))
  if (schema.type === 'string') return text(schema).map(value => JSON.stringify(value))
  if (schema.type === 'number' || schema.type === 'integer') return number(schema)
  if (schema.type === 'boolean') return fc.constantFrom('true', 'false')
  if (schema.type === 'null') return fc.constant('null')
  if (schema.type === 'array') return list(schema)
  if (schema.type === 'object') return object(schema)
  return fc.json({ maxDepth: 2 })
}

function text({ pattern, minLength = 0, maxLength = 200 }: JsonSchema): Arbitrary<string> {
  const between = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, LONGEST)) }
  const free = fc.oneof(
    fc.string({ unit: 'grapheme', ...between }),
    fc.string({ unit: 'binary', ...between }),
    fc.string(between),
    fc.constantFrom('a\0b', '\ud800', "' OR 1=1 --", '%00', '\u202e\u200b', '$1 %s {0}'),
    fc.constantFrom('x'.repeat(maxLength), 'x'.repeat(maxLength + 1), 'x'.repeat(Math.max(0, minLength - 1))),
  )
  if (pattern === undefined) return free
  const matching = fc.stringMatching(new RegExp(pattern, pattern.includes('\\p') ? 'u' : ''))
  return fc.oneof({ weight: 4, arbitrary: matching }, { weight: 1, arbitrary: free })
}

function number({ type, minimum, exclusiveMinimum, maximum }: JsonSchema): Arbitrary<string> {
  const low = minimum ?? exclusiveMinimum ?? -1_000
  const high = Math.max(low, Math.min(maximum ?? 1_000_000, Number.MAX_SAFE_INTEGER))
  const whole = fc.integer({
    min: Math.ceil(Math.max(low, -(2 ** 31))),
    max: Math.floor(Math.min(high, 2 ** 31)),
  })
  const values: Arbitrary<number>[] = [whole, fc.constantFrom(low, low - 1, high, high + 1)]
  if (type === 'number') values.push(whole.map(value => value / 100))
  return fc.oneof(...values).map(value => JSON.stringify(value))
}

function list({ items = {}, minItems = 0, maxItems = LONGEST }: JsonSchema): Arbitrary<string> {
  const lengths = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 4)) }
  return fc.array(fittingJson(items), lengths).map(parts => `[${parts.join(',')}]`)
}

function object({ properties = {}, required = [] }: JsonSchema): Arbitrary<string> {
  const fields = Object.entries(properties).map(([name, schema]) =>
    fc
      .tuple(anyJson(schema), required.includes(name) ? fc.constant(true) : fc.boolean())
      .map(([json, isThere]) => (isThere ? [`${JSON.stringify(name)}:${json}`] : [])),
  )
  const others = fc.array(fc.constantFrom(...prototypeNames), { maxLength: 1 })
  return fc
    .tuple(others, ...fields)
    .map(([names, ...parts]) => `{${[...parts.flat(), ...names.map(name => `"${name}":{"a":1}`)].join(',')}}`)
}

/** The same for a parameter of the path or query, where everything is text. */
export function anyText(schema: JsonSchema): Arbitrary<string> {
  return anyJson(schema).map(json => {
    const value: unknown = JSON.parse(json)
    return typeof value === 'string' ? value : json
  })
}
