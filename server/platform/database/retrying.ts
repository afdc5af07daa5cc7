/** Serialization failure and deadlock: the transaction was undone as a whole and may simply be run again. */
const againStates = new Set(['40001', '40P01'])
const TRIES = 8

/** What a transaction has read is not so any more: it is undone, and run again. */
export class Outdated extends Error {
  readonly code = '40001'
}

/**
 * Does what runs in a transaction of its own, several times where others are in its way.
 * @throws whatever is thrown otherwise, or at the last try
 */
export async function retrying<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (tries === TRIES || !againStates.has((error as { code?: string }).code ?? '')) throw error
      await new Promise(resolve => setTimeout(resolve, Math.random() * 10 * tries))
    }
  }
}
