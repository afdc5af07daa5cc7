import type { Services, Tx } from '#server/context.ts'
import { retrying } from '#server/platform/database/retrying.ts'

/** Records of one kind for which an action is due. */
export type Due = {
  /** Name of one record in the log: `deposit`. */
  what: string
  /** At most `most` due ids in their order, after the one given. */
  ids: (after: string | undefined, most: number) => Promise<string[]>
  /** Acts on one record in its own transaction; false if nothing is due any more. */
  act: (tx: Tx, id: string) => Promise<boolean>
  /** Acts on several in one transaction and returns how many were due. If it fails, each is acted on alone. */
  actOnAll?: (tx: Tx, ids: readonly string[]) => Promise<number>
}

const BATCH_SIZE = 100

type Outcome = { done: number; failed: number }

/**
 * Acts on each due record: a failure is logged and does not affect the others, and the record stays for the next run.
 * @returns how many records were done, and how many failed
 */
export async function processEach(services: Pick<Services, 'db' | 'log'>, due: Due): Promise<Outcome> {
  const total = { done: 0, failed: 0 }
  let last: string | undefined
  for (;;) {
    const ids = await due.ids(last, BATCH_SIZE)
    const { done, failed } = (await together(services, due, ids)) ?? (await oneByOne(services, due, ids))
    total.done += done
    total.failed += failed
    if (ids.length < BATCH_SIZE) return total
    last = ids.at(-1)
  }
}

/** Null if they must be done one by one. */
async function together(
  { db, log }: Pick<Services, 'db' | 'log'>,
  { what, actOnAll }: Due,
  ids: readonly string[],
): Promise<Outcome | null> {
  if (actOnAll === undefined || ids.length < 2) return null
  try {
    return { done: await retrying(() => db.transaction().execute(tx => actOnAll(tx, ids))), failed: 0 }
  } catch (err) {
    log.warn({ err, what, count: ids.length }, 'due actions failed together; each is tried alone')
    return null
  }
}

async function oneByOne(
  { db, log }: Pick<Services, 'db' | 'log'>,
  { what, act }: Due,
  ids: readonly string[],
): Promise<Outcome> {
  const outcome = { done: 0, failed: 0 }
  for (const id of ids) {
    try {
      if (await retrying(() => db.transaction().execute(tx => act(tx, id)))) outcome.done += 1
    } catch (err) {
      outcome.failed += 1
      log.error({ err, [what]: id }, 'due action failed; retried at the next run')
    }
  }
  return outcome
}
