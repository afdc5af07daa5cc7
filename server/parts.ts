import { startWorker } from './jobs/runner.ts'
import { metricsPart } from './metrics/part.ts'
import type { Part } from './serve.ts'
import { startWatching } from './watching.ts'
import { webPart } from './web.ts'

const workerPart: Part = (services, life) => startWorker(services, life)
/** Beside the jobs and not one of them: it looks every second, and the queue's clock has minutes. */
const watchPart: Part = (services, life) => life.own(startWatching(services))

/** What a process does: answer requests, do jobs, both (after migrating), or migrate and end. */
export const partsOf = {
  web: [metricsPart, webPart()],
  worker: [metricsPart, workerPart, watchPart],
  all: [metricsPart, workerPart, watchPart, webPart()],
  migrate: [],
} satisfies Record<string, readonly Part[]>
export type Role = keyof typeof partsOf
