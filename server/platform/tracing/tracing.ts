import { AsyncLocalStorage } from 'node:async_hooks'
import type * as OpenTelemetry from '@opentelemetry/api'
import type { Attributes, Context, Span, SpanKind, Tracer } from '@opentelemetry/api'

/**
 * Spans of OpenTelemetry (decision 146). Only types are imported: while tracing is off, nothing of OpenTelemetry is
 * loaded for it (start-tracing.ts), and nothing below starts a span.
 */
export type Tracing = { readonly api: typeof OpenTelemetry; readonly tracer: Tracer }

let tracing: Tracing | null = null
const activeSpan = new AsyncLocalStorage<Span>()

/** @param given null: tracing ends */
export function setTracing(given: Tracing | null): void {
  tracing = given
}

export function isTracing(): boolean {
  return tracing !== null
}

/** True within an act that is sampled and has not ended. */
export function isInTrace(): boolean {
  return tracing !== null && activeSpan.getStore()?.isRecording() === true
}

export type SpanStart = { kind: keyof typeof SpanKind; attributes?: Attributes }

/**
 * The span of a request, a job or a sync. Only a `traceparent` that we wrote ourselves (`currentTraceparent`) makes it part of
 * a trace that exists; without one it begins a trace.
 * @returns undefined while tracing is off
 */
export function startAct(
  name: string,
  start: SpanStart,
  traceparent: string | null = null,
): Span | undefined {
  if (tracing === null) return undefined
  return startIn(tracing, contextOf(tracing.api, traceparent), { name, ...start })
}

/**
 * The span of a statement or an outgoing request, within that of an act.
 * @returns undefined outside of acts, after their end, and in acts that are not sampled
 */
export function startStep(name: string, start: SpanStart): Span | undefined {
  const parent = activeSpan.getStore()
  if (tracing === null || !parent?.isRecording()) return undefined
  const { ROOT_CONTEXT, trace } = tracing.api
  return startIn(tracing, trace.setSpan(ROOT_CONTEXT, parent), { name, ...start })
}

type Named = SpanStart & { name: string }

function startIn({ api, tracer }: Tracing, context: Context, { name, kind, attributes = {} }: Named): Span {
  return tracer.startSpan(name, { kind: api.SpanKind[kind], attributes }, context)
}

/** Ends a span. @param errorType what failed, from a closed set: never an error's message, which can have anything in it */
export function endSpan(span: Span, errorType?: string): void {
  if (errorType !== undefined && tracing !== null) {
    span.setAttribute('error.type', errorType)
    span.setStatus({ code: tracing.api.SpanStatusCode.ERROR })
  }
  span.end()
}

/** Runs work within a span, so that its steps become part of it. */
export function within<T>(span: Span | undefined, work: () => T): T {
  return span === undefined ? work() : activeSpan.run(span, work)
}

/** Runs work within a span, and ends that with it. */
export async function traced<T>(span: Span | undefined, work: () => Promise<T>): Promise<T> {
  if (span === undefined) return work()
  try {
    const result = await within(span, work)
    endSpan(span)
    return result
  } catch (error) {
    endSpan(span, errorTypeOf(error))
    throw error
  }
}

/** A callback that runs within the current span, wherever it is called from. */
export function keepingSpan<Given extends unknown[]>(
  callback: (...given: Given) => void,
): (...given: Given) => void {
  return tracing === null ? callback : AsyncLocalStorage.bind(callback)
}

/** An error's code (SQLSTATE, errno, our own) or else its class. */
export function errorTypeOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown }
  const isType = (type: unknown) => typeof type === 'string' && /^\w{1,64}$/.test(type)
  return ([code, name].find(isType) as string | undefined) ?? '_OTHER'
}

/** For work that comes after the current act (W3C Trace Context, 3.2); null outside of one. */
export function currentTraceparent(): string | null {
  const span = tracing === null ? undefined : activeSpan.getStore()
  if (span === undefined) return null
  const { traceId, spanId, traceFlags } = span.spanContext()
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

const traceparentForm = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/

function contextOf({ ROOT_CONTEXT, trace }: typeof OpenTelemetry, traceparent: string | null): Context {
  const [, traceId = '', spanId = '', flags = ''] = traceparentForm.exec(traceparent ?? '') ?? []
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  return trace.isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
}
