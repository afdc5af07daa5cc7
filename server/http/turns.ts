import { AsyncResource } from 'node:async_hooks'
import type { FastifyInstance } from 'fastify'
import { overloaded } from '#server/platform/limited.ts'

/** Pages and files answered in one turn of the event loop: a third of a millisecond of work. */
const PER_TURN = 2
/** If more wait, there is a pause before each turn, so that calls and the database get most of the processor. */
const CROWD = 32
const PAUSE_MS = 1
/** Pages and files that may wait for their turn. */
const MOST_WAITING = 2_000

/**
 * Requests for pages and files take turns, so that however many a visitor sends, calls of the API and the probes of load
 * balancers wait for a few of them at most.
 */
export function takeTurns(app: FastifyInstance): void {
  const waiting: (() => void)[] = []
  let admitted = 0
  let isTurnPlanned = false
  const planTurn = () => {
    if (isTurnPlanned) return
    isTurnPlanned = true
    if (waiting.length > CROWD) setTimeout(takeTurn, PAUSE_MS)
    else setImmediate(takeTurn)
  }
  const takeTurn = () => {
    isTurnPlanned = false
    const next = waiting.splice(0, PER_TURN)
    admitted = next.length
    if (admitted > 0) planTurn()
    for (const admit of next) admit()
  }
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.routeOptions.config.call !== undefined) return done()
    if (waiting.length >= MOST_WAITING) return done(overloaded())
    planTurn()
    if (admitted >= PER_TURN) return void waiting.push(AsyncResource.bind(done))
    admitted++
    done()
  })
}
