import { setTimeout as delay } from 'node:timers/promises'
import { databaseTrouble } from '#server/platform/database/trouble.ts'
import { startWaiting } from '#server/platform/metrics.ts'
import { pauseAfter } from '#server/platform/outage.ts'
import { PassingError, StartupError } from '#server/platform/startup-error.ts'
import { Interrupted } from './lifetime.ts'
import type { RuntimeOptions } from './runtime.ts'

/** How often a waiting process says again what it waits for. */
const REMINDER_MS = 60_000

/**
 * Tries the database; if the process waits, until it can be used: it may start, recover, fail over or be migrated
 * meanwhile.
 * @param signal ends the wait at once
 * @throws StartupError if a person must correct something; Interrupted
 */
export async function reachDatabase(
  attempt: () => Promise<void>,
  { log, whileWaiting }: Pick<RuntimeOptions, 'log' | 'whileWaiting'>,
  signal: AbortSignal,
): Promise<void> {
  const began = performance.now()
  const said = { words: '', at: began }
  for (let failures = 1; ; failures++) {
    const error = await attempt().catch((reason: unknown) => reason ?? new Error('no reason'))
    if (error === undefined) break
    if (signal.aborted) throw new Interrupted()
    if (whileWaiting === undefined || isToMend(error)) throw error
    startWaiting.set(1)
    const words = wordsOf(error)
    const now = performance.now()
    if (words !== said.words || now - said.at > REMINDER_MS) {
      whileWaiting(`Waiting for the database. ${words}`)
      Object.assign(said, { words, at: now })
    }
    await delay(pauseAfter(failures), undefined, { signal }).catch(() => {
      throw new Interrupted()
    })
  }
  startWaiting.set(0)
  if (said.words === '') return
  log.info({ seconds: Math.round((performance.now() - began) / 1000) }, 'The database is there')
}

function isToMend(error: unknown): boolean {
  return error instanceof StartupError && !(error instanceof PassingError)
}

function wordsOf(error: unknown): string {
  if (error instanceof StartupError) return error.message
  return databaseTrouble(error)?.advice ?? String(error)
}
