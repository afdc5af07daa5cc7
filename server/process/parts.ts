import { startWorker } from '#server/jobs/runner.ts'
import { metricsPart } from '#server/metrics/part.ts'
import { startBeating } from '#server/restores/beat.ts'
import { startWatching } from './chain-worker.ts'
import type { Part } from './serve.ts'
import { webPart } from './web.ts'

const workerPart: Part = (services, life) => startWorker(services, life)
/** Not a job: it checks every second, and the queue's schedule has minutes. */
const watchPart: Part = (services, life) => life.own(startWatching(services))
/** Each machine keeps a mark of its own. */
const beatPart: Part = (services, life) => life.own(startBeating(services))

/** What a process does: answer requests, do jobs, or both after preparing the database. */
export const partsOf = {
  web: [metricsPart, beatPart, webPart()],
  worker: [metricsPart, beatPart, workerPart, watchPart],
  all: [metricsPart, beatPart, workerPart, watchPart, webPart()],
} satisfies Record<string, readonly Part[]>
export type Role = keyof typeof partsOf
