import fc, { type Arbitrary } from 'fast-check'
import { roles } from '#shared/roles.ts'
import { hostileBodies } from '#test/hostile/values.ts'
import type { Sample } from '#test/support/whole-api.ts'
import { anyJson, anyText, type JsonSchema } from './schema.ts'

/** Random requests for the calls of the OpenAPI document. */

type Parameter = { name: string; in: 'path' | 'query' | 'header'; required?: boolean; schema: JsonSchema }
export type Operation = {
  operationId: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, { content: Record<string, unknown> }>
}
type Paths = Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>

export function operationsOf(document: { paths: Paths }): Operation[] {
  return Object.entries(document.paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase() as Operation['method'],
    })),
  )
}

export const callers = ['nobody', 'forged', 'investor', 'other', ...roles] as const
export type CallerName = (typeof callers)[number]

/** The value of the call's sample, one of its own, or none. */
type Part = 'sample' | 'none' | { is: string }
export type FuzzedRequest = {
  call: string
  by: CallerName
  params: Record<string, Part>
  query: Record<string, Part>
  headers: Record<string, string>
  /** Fields as JSON text, or the whole body. */
  body: { fields: Record<string, Part> } | { type: string | null; whole: string | Buffer } | null
}

function part(own: Arbitrary<string>): Arbitrary<Part> {
  return fc.oneof(
    // One or two in a request, so that it is not refused for the first before it reaches the second.
    { weight: 8, arbitrary: fc.constant<Part>('sample') },
    { weight: 3, arbitrary: own.map<Part>(is => ({ is })) },
    { weight: 1, arbitrary: fc.constant<Part>('none') },
  )
}

function parameters(all: Parameter[], place: Parameter['in']): Arbitrary<Record<string, Part>> {
  const here = all.filter(parameter => parameter.in === place)
  return fc.record(Object.fromEntries(here.map(({ name, schema }) => [name, part(anyText(schema))])))
}

const headers = fc.record(
  {
    'idempotency-key': fc.oneof(fc.uuid(), fc.constantFrom('key', '', 'x'.repeat(201), 'a b', '\u00e9')),
    'x-request-id': fc.constantFrom('trace-1', '__proto__', 'x'.repeat(300)),
    'if-none-match': fc.constantFrom('*', '"x"', ',,'),
    range: fc.constantFrom('bytes=0-1', 'bytes=9-1', 'x'),
    accept: fc.constantFrom('text/html', '*/*;q=0', ''),
    'accept-encoding': fc.constantFrom('br', 'gzip;q=NaN', ''),
    'user-agent': fc.constantFrom('', 'x'.repeat(3000), '\u00ff'),
    'x-forwarded-for': fc.constantFrom('1.2.3.4', 'x', ','),
  },
  { requiredKeys: [] },
)

const wholes = hostileBodies.map(({ type, body }) => ({ type, whole: body }))
const files = [
  { type: 'application/pdf', whole: '%PDF-1.7\ntrailer <<>>\n%%EOF\n' },
  { type: 'application/pdf', whole: 'no file of this type' },
  { type: 'image/png', whole: Buffer.from('89504e470d0a1a0a', 'hex') },
  { type: 'image/png', whole: '' },
]

function body({ requestBody, method }: Operation): Arbitrary<FuzzedRequest['body']> {
  const other = fc.constantFrom<FuzzedRequest['body']>(null, ...wholes, ...(requestBody ? files : []))
  const schema = requestBody?.content['application/json']?.schema
  if (schema === undefined) return method === 'GET' ? fc.constant(null) : other
  const fields = Object.entries(schema.properties ?? {}).map(
    ([name, own]) => [name, part(anyJson(own))] as const,
  )
  return fc.oneof(
    { weight: 9, arbitrary: fc.record({ fields: fc.record(Object.fromEntries(fields)) }) },
    { weight: 1, arbitrary: anyJson(schema).map(whole => ({ type: 'application/json', whole })) },
    { weight: 1, arbitrary: other },
  )
}

/** Of an operation, by somebody who may make it in most cases. */
export function requestFor(operation: Operation, usual: readonly CallerName[]): Arbitrary<FuzzedRequest> {
  const all = operation.parameters ?? []
  return fc.record({
    call: fc.constant(operation.operationId),
    by: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...usual) },
      { weight: 1, arbitrary: fc.constantFrom(...callers) },
    ),
    params: parameters(all, 'path'),
    query: parameters(all, 'query'),
    headers: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: headers }),
    body: body(operation),
  })
}

/** The address of a request, its parts taken from the sample where it says so. */
export function addressIn({ params, query }: FuzzedRequest, { path }: Operation, sample: Sample): string {
  // Without a value the address would be another one.
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encode(chosen(params[name], sample.params?.[name]) || ' '),
  )
  const pairs = Object.entries(query).flatMap(([name, given]) => {
    const value = chosen(given, sample.query?.[name])
    return value === undefined ? [] : [`${name}=${encode(value)}`]
  })
  return `/api${filled}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`
}

/** The body of a request, with its content type. */
export function payloadIn({ body: given }: FuzzedRequest, sample: Sample) {
  if (given === null) return undefined
  if ('whole' in given) return { type: given.type, content: given.whole }
  const own = (sample.body ?? {}) as Record<string, unknown>
  const fields = Object.entries(given.fields).flatMap(([name, field]) => {
    const json = chosen(field, name in own ? JSON.stringify(own[name]) : undefined)
    return json === undefined ? [] : [`${JSON.stringify(name)}:${json}`]
  })
  return { type: 'application/json', content: `{${fields.join(',')}}` }
}

function chosen(given: Part | undefined, ofSample: string | undefined): string | undefined {
  if (given === 'sample') return ofSample
  return given === undefined || given === 'none' ? undefined : given.is
}

/** Half a surrogate pair has no encoding. */
function encode(value: string): string {
  return value.isWellFormed() ? encodeURIComponent(value) : '%ED%A0%80'
}
