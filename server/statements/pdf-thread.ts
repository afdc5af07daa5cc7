import { Worker } from 'node:worker_threads'
import type { Drawn, StatementDocument } from './pdf-document.ts'

/** About ten times what the longest statement needs. */
const MEMORY_MB = 512
/** Keeps the thread and its loaded fonts for the next statement. */
const IDLE_MS = 60_000

let thread: Worker | undefined
let idle: NodeJS.Timeout | undefined
let last: Promise<unknown> = Promise.resolve()

/**
 * Draws statements in one worker thread, one at a time, so that drawing never blocks requests.
 * @returns the PDF
 */
export function draw(document: StatementDocument): Promise<Buffer> {
  const drawn = last.then(() => drawNow(document))
  last = drawn.catch(() => {})
  return drawn
}

async function drawNow(document: StatementDocument): Promise<Buffer> {
  clearTimeout(idle)
  try {
    const answer = await ask(openThread(), document)
    if ('error' in answer) throw answer.error
    return Buffer.from(answer.file.buffer)
  } finally {
    idle = setTimeout(closeThread, IDLE_MS).unref()
  }
}

function ask(worker: Worker, document: StatementDocument): Promise<Drawn> {
  return new Promise((resolve, reject) => {
    const answered = (drawn: Drawn) => {
      worker.off('exit', ended)
      resolve(drawn)
    }
    const ended = (code: number) => {
      worker.off('message', answered)
      reject(new Error(`the thread that draws statements exited with code ${code}`))
    }
    worker.once('message', answered).once('exit', ended)
    worker.postMessage(document)
  })
}

function openThread(): Worker {
  if (thread) return thread
  const opened = new Worker(new URL('./pdf-worker.ts', import.meta.url), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  })
  // The thread ends with the process; its failure rejects the pending drawing through 'exit'.
  opened.unref()
  opened.on('error', () => {})
  opened.on('exit', () => {
    if (thread === opened) thread = undefined
  })
  thread = opened
  return opened
}

function closeThread(): void {
  void thread?.terminate()
  thread = undefined
}
