import { workerThread } from './thread.ts'

export type Question = { password: string; words: string[] }

const thread = workerThread<Question, number>(new URL('./password-strength-worker.ts', import.meta.url), {
  purpose: 'estimates passwords',
  memoryMb: 256,
  // Five seconds of hostile passwords, at a tenth of a second each.
  mostWaiting: 50,
  limitMs: 10_000,
})

/**
 * How many guesses an attacker needs, who knows common passwords, words, names, keyboards, dates and repetitions.
 * @param words that this attacker also knows: the owner's and the site's
 * @throws AppError not_ready if too many estimates wait
 */
export function guessesFor(password: string, words: readonly string[]): Promise<number> {
  return thread.ask({ password, words: [...words] })
}
