import { answerQuestions } from '#server/platform/thread.ts'
import { drawStatement, type StatementDocument } from './pdf-document.ts'

/** The thread that draws statements. */

answerQuestions(async (document: StatementDocument) => Uint8Array.from(await drawStatement(document)))
