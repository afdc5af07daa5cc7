import { setTimeout as delay } from 'node:timers/promises'
import * as api from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import type { TracingConfig } from '#server/config.ts'
import { setTracing } from './tracing.ts'

/** service.name without OTEL_SERVICE_NAME. */
const SERVICE_NAME = 'probity'
/** Time between two lines about failures, in milliseconds. */
const REPORT_MS = 60_000
/** Time for what is queued at the end, in milliseconds: a part of what a process has to stop. */
const FLUSH_MS = 3_000

type Report = (words: string, err?: unknown) => void

/**
 * Starts tracing. Spans are exported in the background; a collector that is down costs a line a minute, and their loss. The
 * exporter and the resource read their variables of the environment themselves.
 * @returns ends it, after sending what is queued
 */
export function startTracing({ sampler, ratio }: TracingConfig, log: Logger): () => Promise<void> {
  const report = atMostEachMinute(log)
  // Spans that are dropped. Failed exports come from the exporter, with their error.
  const silent = () => {}
  const warn = (words: string) => report(`tracing: ${words}`)
  const logger = { error: silent, warn, info: silent, debug: silent, verbose: silent }
  api.diag.setLogger(logger, { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true })
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': SERVICE_NAME }))
      .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] })),
    sampler: samplers[sampler](ratio),
    spanProcessors: [new BatchSpanProcessor({ exporter: reporting(new OTLPTraceExporter(), report) })],
  })
  setTracing({ api, tracer: provider.getTracer('probity') })
  return async () => {
    setTracing(null)
    // A failure is reported already.
    const flushed = provider.shutdown().catch(silent)
    await Promise.race([flushed, delay(FLUSH_MS, undefined, { ref: false })])
    api.diag.disable()
  }
}

/** By the names of OTEL_TRACES_SAMPLER. A job takes the decision of the act that queued it, if it is `parentbased`. */
const samplers: Record<TracingConfig['sampler'], (ratio: number) => Sampler> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: ratio => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: ratio => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
}

function reporting(exporter: SpanExporter, report: Report): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, result => {
        if (result.error !== undefined) report('traces could not be exported', result.error)
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  }
}

function atMostEachMinute(log: Logger): Report {
  let next = 0
  return (words, err) => {
    const now = performance.now()
    if (now < next) return
    next = now + REPORT_MS
    log.warn({ err }, words)
  }
}
