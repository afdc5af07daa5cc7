import { workerThread } from '#server/platform/thread.ts'
import type { StatementDocument } from './pdf-document.ts'

const thread = workerThread<StatementDocument, Uint8Array<ArrayBuffer>>(
  new URL('./pdf-worker.ts', import.meta.url),
  // About ten times what the longest statement needs.
  { purpose: 'draws statements', memoryMb: 512, mostWaiting: 10, limitMs: 60_000 },
)

/**
 * Draws a statement in a thread of its own.
 * @returns the PDF
 */
export async function draw(document: StatementDocument): Promise<Buffer> {
  return Buffer.from((await thread.ask(document)).buffer)
}
