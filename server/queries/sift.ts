import { AppError } from '#shared/errors.ts'

/** What was decided, in order, and the refusals by id. */
export type Sifted<T> = { decided: T[]; refused: Map<string, AppError> }

/**
 * Decides on each record of a list: a refusal of one does not affect the others.
 * @param decide throws an AppError to refuse
 */
export async function sift<T>(
  ids: readonly string[],
  decide: (id: string) => T | Promise<T>,
): Promise<Sifted<T>> {
  const decided: T[] = []
  const refused = new Map<string, AppError>()
  for (const id of ids) {
    try {
      decided.push(await decide(id))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      refused.set(id, error)
    }
  }
  return { decided, refused }
}
