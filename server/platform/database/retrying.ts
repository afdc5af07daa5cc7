import { isOutdatedPlan } from './statement-names.ts'

/** Serialization failure and deadlock: the transaction was rolled back and can simply run again. */
const againStates = new Set(['40001', '40P01'])
/** Above the deposits that one account may have open: each of its concurrent requests takes the address that another reserved. */
const TRIES = 12

/** The data that a transaction relied on has changed: roll back and run again. */
export class Outdated extends Error {
  readonly code = '40001'
}

/**
 * Runs work with its own transaction, repeatedly if concurrent ones interfere.
 * @param most attempts
 * @throws any other error, or that of the last attempt
 */
export async function retrying<T>(attempt: () => Promise<T>, most: number = TRIES): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (tries === most || !canRunAgain(error)) throw error
      await new Promise(resolve => setTimeout(resolve, Math.random() * 10 * tries))
    }
  }
}

/** True if only concurrent transactions, or a migration, stood in the way. */
export function canRunAgain(error: unknown): boolean {
  return againStates.has((error as { code?: string }).code ?? '') || isOutdatedPlan(error)
}
