import type { Services, Tx } from '#server/context.ts'
import { retrying } from '#server/platform/database/retrying.ts'

/** Something that the clock brings about for records of one kind. */
export type Due = {
  /** What one of them is called in the log: `deposit`. */
  what: string
  /** Ids of those that are due, in their order, above the one given; `most` at most. */
  ids: (after: string | undefined, most: number) => Promise<string[]>
  /** Does it to one, in a transaction of its own; false where it is not due any more. */
  act: (tx: Tx, id: string) => Promise<boolean>
}

/** Records looked at in one go. */
const batch = 100

/**
 * Does what is due to each of them by itself: one that fails is logged and stays for the next run, and those behind it
 * go on.
 * @returns how many it was done to
 */
export async function oneByOne(services: Pick<Services, 'db' | 'log'>, due: Due): Promise<number> {
  return (await eachByItself(services, due)).done
}

/** The same. @returns how many it was done to, and how many failed */
export async function eachByItself(
  { db, log }: Pick<Services, 'db' | 'log'>,
  { what, ids, act }: Due,
): Promise<{ done: number; failed: number }> {
  let [done, failed] = [0, 0]
  let last: string | undefined
  for (;;) {
    const due = await ids(last, batch)
    for (const id of due) {
      try {
        if (await retrying(() => db.transaction().execute(tx => act(tx, id)))) done += 1
      } catch (err) {
        failed += 1
        log.error({ err, [what]: id }, 'what is due could not be done')
      }
    }
    if (due.length < batch) return { done, failed }
    last = due.at(-1)
  }
}
