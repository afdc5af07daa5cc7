import { constants, setPriority } from 'node:os'
import { answerQuestions } from '#server/platform/thread.ts'
import { drawStatement, type StatementDocument } from './pdf-document.ts'

/** The thread that draws statements. */

// On Linux a priority is a thread's own: drawing takes what requests leave of the processor.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

answerQuestions(async (document: StatementDocument) => Uint8Array.from(await drawStatement(document)), {
  yields: true,
})
