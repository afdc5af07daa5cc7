import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary as common } from '@zxcvbn-ts/language-common'
import { dictionary as english } from '@zxcvbn-ts/language-en'
import type { Question } from './password-strength.ts'
import { answerQuestions } from './thread.ts'

/** The thread that estimates passwords: a hostile one takes a tenth of a second. */

/** In characters. A longer password is at least as strong as its beginning, and takes much longer to estimate. */
const LONGEST_ESTIMATED = 32

const estimator = new ZxcvbnFactory({
  dictionary: { ...common, ...english },
  graphs: adjacencyGraphs,
  maxLength: LONGEST_ESTIMATED,
})

answerQuestions(({ password, words }: Question) => estimator.check(password, words).guesses)
