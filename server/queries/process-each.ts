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
}

const BATCH_SIZE = 100

/**
 * Acts on each due record separately: a failure is logged, and the record stays for the next run.
 * @returns how many records were done, and how many failed
 */
export async function processEach(
  { db, log }: Pick<Services, 'db' | 'log'>,
  { what, ids, act }: Due,
): Promise<{ done: number; failed: number }> {
  let [done, failed] = [0, 0]
  let last: string | undefined
  for (;;) {
    const due = await ids(last, BATCH_SIZE)
    for (const id of due) {
      try {
        if (await retrying(() => db.transaction().execute(tx => act(tx, id)))) done += 1
      } catch (err) {
        failed += 1
        log.error({ err, [what]: id }, 'due action failed; retried at the next run')
      }
    }
    if (due.length < BATCH_SIZE) return { done, failed }
    last = due.at(-1)
  }
}
