import { startWorker } from './jobs/runner.ts'
import { metricsPart } from './metrics/part.ts'
import type { Part } from './serve.ts'
import { webPart } from './web.ts'

const workerPart: Part = services => startWorker(services)

/** What a process does: answer requests, do jobs, both (after migrating), or migrate and end. */
export const partsOf = {
  web: [metricsPart, webPart()],
  worker: [metricsPart, workerPart],
  all: [metricsPart, workerPart, webPart()],
  migrate: [],
} satisfies Record<string, readonly Part[]>
export type Role = keyof typeof partsOf
