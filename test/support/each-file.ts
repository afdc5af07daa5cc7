import { afterAll } from 'vitest'
import { checkAnswers } from './answers.ts'
import { closeAll } from './clean-up.ts'

/** Vitest's setup file: runs before each file of tests. */

afterAll(closeAll)
checkAnswers()
