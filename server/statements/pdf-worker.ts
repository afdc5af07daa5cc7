import { parentPort } from 'node:worker_threads'
import { type Drawn, drawStatement, type StatementDocument } from './pdf-document.ts'

/** The thread that draws statements. */

parentPort!.on('message', async (document: StatementDocument) => {
  const answer: Drawn = await drawStatement(document).then(
    file => ({ file: Uint8Array.from(file) }),
    error => ({ error }),
  )
  parentPort!.postMessage(answer)
})
