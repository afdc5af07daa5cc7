import { startWorker } from '#server/jobs/runner.ts'
import { metricsPart } from '#server/metrics/part.ts'
import { requireFinished, startBeating } from '#server/restores/beat.ts'
import { startWatching } from './chain-worker.ts'
import { replicaPart } from './replica.ts'
import { startReceiving } from './reply-worker.ts'
import type { ServingRole } from './roles.ts'
import type { Part, ServeOptions } from './serve.ts'
import { webPart } from './web.ts'

const workerPart: Part = (services, life) => startWorker(services, life)
/** Not a job: it checks every second, and the queue's schedule has minutes. */
const watchPart: Part = (services, life) => life.own(startWatching(services))
/** Not a job either: a mail server that does not answer must hold up no job. */
const replyPart: Part = (services, life) => life.own(startReceiving(services))
/** Each machine keeps a mark of its own. */
const beatPart: Part = (services, life) => life.own(startBeating(services, error => life.fail(error)))

/**
 * What a process does: answer requests, do jobs, or both after preparing the database. A web process listens before its
 * database is there, so that probes and visitors learn what it waits for. A worker needs sessions: it never takes a pooler.
 */
export const partsOf = {
  web: {
    takesPooler: true,
    early: [metricsPart, replicaPart, webPart()],
    requires: requireFinished,
    parts: [beatPart],
  },
  worker: {
    early: [metricsPart],
    requires: requireFinished,
    parts: [beatPart, workerPart, watchPart, replyPart],
  },
  all: {
    early: [metricsPart],
    requires: requireFinished,
    parts: [beatPart, workerPart, watchPart, replyPart, replicaPart, webPart()],
  },
} satisfies Record<ServingRole, Pick<ServeOptions, 'takesPooler' | 'early' | 'requires' | 'parts'>>
