import type { Services } from '#server/context.ts'
import { retrying } from '#server/platform/database/retrying.ts'
import { AppError } from '#shared/errors.ts'
import { partsPerJob } from '#shared/limits.ts'
import { addPart, type Before, OutOfTurn } from './run-part.ts'
import { endRun, enqueueRun, lockRun, systemOf } from './runs.ts'

type Worker = Pick<Services, 'config' | 'clock' | 'db' | 'log'>

/**
 * Adds parts of a run, each in a transaction of its own, and queues the rest. A run that cannot go on is stopped.
 * @throws whatever fails and may pass, if nothing was added: else the rest is a new job
 */
export async function addNextParts(services: Worker, run: string, most = partsPerJob): Promise<void> {
  await retrying(async () => {
    const { added, failure } = await addAhead(services, run, most)
    if (failure === undefined) return
    if (added === 0) throw failure.reason
    services.log.warn({ err: failure.reason, run }, 'a part of earnings failed, and is tried again')
  })
  await services.db.transaction().execute(async tx => {
    if ((await lockRun(tx, run))?.status === 'running') await enqueueRun(tx, run)
  })
}

/**
 * Adds parts until one is not added. While one pays and commits, the next one is prepared in another transaction, which waits for its
 * turn before it pays, and gives up if the one before fails.
 */
async function addAhead({ db, ...services }: Worker, run: string, most: number) {
  const ends: Promise<boolean>[] = []
  let before: Before | undefined
  for (let n = 0; n < most; n += 1) {
    const { promise: begun, resolve } = Promise.withResolvers<string | null>()
    const how = { before, begun: resolve }
    const end = db
      .transaction()
      .execute(tx => addPart(tx, services, run, how))
      .catch(orNotAdded({ db, ...services }, run))
    const isAdded = end.catch(() => false)
    void isAdded.then(() => resolve(null))
    ends.push(end)
    const last = await begun
    if (last === null || (await before?.isAdded) === false) break
    before = { last, isAdded }
  }
  const ended = await Promise.allSettled(ends)
  return {
    added: ended.filter(one => one.status === 'fulfilled' && one.value).length,
    failure: ended.find(one => one.status === 'rejected'),
  }
}

/** A part that is out of turn was not added; a run without returns to pay it is stopped. */
function orNotAdded({ db, ...services }: Worker, run: string) {
  return async (error: unknown): Promise<false> => {
    if (error instanceof OutOfTurn) return false
    if (!(error instanceof AppError) || error.code !== 'insufficient_returns') throw error
    await retrying(() =>
      db.transaction().execute(async tx => {
        const found = await lockRun(tx, run)
        if (found?.status === 'running')
          await endRun(tx, systemOf(services, found), { ...found, stop: 'insufficient_returns' })
      }),
    )
    return false
  }
}
