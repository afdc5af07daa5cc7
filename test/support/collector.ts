import type { IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listening } from './listening.ts'

type Value = string | number | boolean | Value[]
export type ReceivedSpan = {
  traceId: string
  spanId: string
  /** Empty for the first span of a trace. */
  parentId: string
  name: string
  kind: 'INTERNAL' | 'SERVER' | 'CLIENT' | 'CONSUMER'
  attributes: Record<string, Value>
  isError: boolean
  /** Attributes of what sent it. */
  resource: Record<string, Value>
}

/** A collector of traces: OTLP over HTTP, in protobuf. */
export type Collector = {
  readonly origin: string
  readonly spans: readonly ReceivedSpan[]
  /** Everything that it received, as text. */
  text(): string
  readonly requests: readonly { url: string; headers: IncomingHttpHeaders }[]
}

/** @param status what it answers; it keeps only what it answers with 200 */
export async function startCollector(status = 200): Promise<Collector> {
  const spans: ReceivedSpan[] = []
  const bodies: Buffer[] = []
  const requests: { url: string; headers: IncomingHttpHeaders }[] = []
  const origin = await listening(async (request, response) => {
    const body = await buffer(request)
    if (status === 200) {
      bodies.push(body)
      spans.push(...spansIn(body))
    }
    requests.push({ url: request.url!, headers: request.headers })
    response.writeHead(status, { 'content-type': 'application/x-protobuf' }).end()
  })
  return { origin, spans, requests, text: () => Buffer.concat(bodies).toString('latin1') }
}

type Field = Buffer | bigint
type Message = Map<number, Field[]>

/** The fields of a protobuf message, by number (protobuf's documentation, Encoding). */
function messageOf(bytes: Field): Message {
  if (typeof bytes === 'bigint') throw new Error('a number is no message')
  const fields: Message = new Map()
  let at = 0
  const varint = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]!
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const take = (length: number) => {
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const field = fieldOf(tag & 7, varint, take)
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), field])
  }
  return fields
}

function fieldOf(wireType: number, varint: () => bigint, take: (length: number) => Buffer): Field {
  if (wireType === 0) return varint()
  if (wireType === 2) return take(Number(varint()))
  if (wireType === 1) return take(8)
  if (wireType === 5) return take(4)
  throw new Error(`unknown wire type ${wireType}`)
}

const all = (message: Message, field: number) => (message.get(field) ?? []).map(messageOf)
const textOf = (message: Message, field: number) => String(message.get(field)?.[0] ?? '')
const hexOf = (message: Message, field: number) => (message.get(field)?.[0] as Buffer)?.toString('hex') ?? ''

/** Of an ExportTraceServiceRequest (opentelemetry-proto 1.x, trace.proto). */
function spansIn(body: Buffer): ReceivedSpan[] {
  return all(messageOf(body), 1).flatMap(ofResource => {
    const resource = Object.assign({}, ...all(ofResource, 1).map(one => attributesOf(one, 1)))
    return all(ofResource, 2).flatMap(ofScope => all(ofScope, 2).map(span => ({ ...spanOf(span), resource })))
  })
}

const kinds = { 1: 'INTERNAL', 2: 'SERVER', 3: 'CLIENT', 5: 'CONSUMER' } as const
const ERROR = 2n

function spanOf(span: Message): Omit<ReceivedSpan, 'resource'> {
  const [status = new Map<number, Field[]>()] = all(span, 15)
  return {
    traceId: hexOf(span, 1),
    spanId: hexOf(span, 2),
    parentId: hexOf(span, 4),
    name: textOf(span, 5),
    kind: kinds[Number(span.get(6)?.[0]) as keyof typeof kinds],
    attributes: attributesOf(span, 9),
    isError: status.get(3)?.[0] === ERROR,
  }
}

function attributesOf(message: Message, field: number): Record<string, Value> {
  return Object.fromEntries(all(message, field).map(one => [textOf(one, 1), attributeValue(all(one, 2)[0]!)]))
}

function attributeValue(value: Message): Value {
  if (value.has(1)) return textOf(value, 1)
  if (value.has(2)) return value.get(2)![0] === 1n
  if (value.has(3)) return Number(value.get(3)![0])
  if (value.has(5)) return all(all(value, 5)[0]!, 1).map(attributeValue)
  throw new Error('unknown kind of value')
}
