import { limited } from '#server/platform/limited.ts'
import { workerThread } from '#server/platform/thread.ts'

/** A name of a list, and the number of its entry there. */
export type ListedName = { list: string; entry: string; name: string }

/** @property score 0 to 1, how alike the names are */
export type NameHit = ListedName & { score: number }

/** `listed`: all names of the lists, which the thread keeps under this key until it gets others. */
export type Question = { key: string } & ({ listed: ListedName[] } | { names: string[] })

/** The hits of each name, or why it cannot be compared. null: the thread has other names. */
export type Answer = (NameHit[] | Error)[] | null

/** Lists of one kind are compared together: how rare a word is on the other kind says nothing about these. */
export type ListKind = 'sanctions' | 'pep'

const MOST_WAITING = 10

function matcher(memoryMb: number) {
  return {
    thread: workerThread<Question, Answer>(new URL('./thread.ts', import.meta.url), {
      purpose: 'compares names',
      memoryMb,
      mostWaiting: 1,
      limitMs: 120_000,
    }),
    /** The lists that one search has loaded are not replaced before its answer. */
    inTurn: limited(1, MOST_WAITING),
  }
}

const matchers: Record<ListKind, ReturnType<typeof matcher>> = {
  sanctions: matcher(1_024),
  // So many names as a file may have, `maximumPepNames`, of four words each, need most of it.
  pep: matcher(2_048),
}

/**
 * The listed names that each of these names is like, the most alike first.
 * @param key of the lists in force; `load` reads them if the thread does not have them yet, null if there are newer ones
 * @returns of each name its hits, or why it cannot be compared; null if there are newer lists
 * @throws AppError not_ready if too many questions wait; Error if the thread fails or takes too long
 */
export function hitsOf(
  key: string,
  names: string[],
  load: () => Promise<ListedName[] | null>,
  kind: ListKind,
): Promise<Answer> {
  const { thread, inTurn } = matchers[kind]
  return inTurn(async () => {
    const known = await thread.ask({ key, names })
    if (known !== null) return known
    const listed = await load()
    if (listed === null) return null
    await thread.ask({ key, listed })
    return thread.ask({ key, names })
  })
}
