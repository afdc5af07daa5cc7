import { setTimeout as delay } from 'node:timers/promises'
import { beginReading } from '#server/contact/replies/read-at.ts'
import type { Services } from '#server/context.ts'
import { limitCall } from '#server/http/limits.ts'
import { Outage } from '#server/platform/outage.ts'
import { startAct, traced } from '#server/platform/tracing/tracing.ts'
import { replyPollSeconds } from '#shared/limits.ts'

/** The longest pause after failures, in milliseconds. */
const LONGEST_PAUSE_MS = 10 * 60_000

/**
 * Reads the mailbox of replies repeatedly until stopped, if there is one. Any number of processes may do so: one at a time reads it.
 * @returns stops it at once: a message in progress stays for the next time
 */
export function startReceiving(services: Services, pauseMs = replyPollSeconds * 1000): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const loop = services.config.replies === null ? undefined : keepReceiving(services, pauseMs, signal)
  return async () => {
    stopping.abort()
    await loop
  }
}

async function keepReceiving(services: Services, pauseMs: number, signal: AbortSignal): Promise<void> {
  const outage = new Outage(services.log, {
    began: 'replies by email could not be read',
    over: 'replies by email are read again',
  })
  // Imported only when needed.
  const { receiveReplies } = await import('#server/contact/replies/receive.ts')
  let failures = 0
  while (!signal.aborted) {
    try {
      await services.clock.trust?.check()
      await beginReading(services)
      await traced(startAct('receive replies', { kind: 'INTERNAL' }), () =>
        receiveReplies(services, limitCall, signal),
      )
      failures = 0
      outage.passed()
    } catch (error) {
      failures += 1
      if (!signal.aborted) outage.failed(error)
    }
    const pause = Math.min(LONGEST_PAUSE_MS, pauseMs * 2 ** Math.min(failures, 10))
    await delay(pause, undefined, { signal }).catch(() => {})
  }
}
