import { Worker } from 'node:worker_threads'
import type { Drawn, StatementDocument } from './pdf-document.ts'

/** Some ten times the memory that the longest statement needs, in MB. */
const MEMORY_MB = 512
/** How long the thread, with the fonts that it has loaded, is kept for the next statement. */
const IDLE_MS = 60_000

let thread: Worker | undefined
let idle: NodeJS.Timeout | undefined
let last: Promise<unknown> = Promise.resolve()

/**
 * Draws a statement in a thread of its own, one after the other: the processors are left to everybody else.
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
    if ('fault' in answer) throw answer.fault
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
      reject(new Error(`the thread that draws statements ended with ${code}`))
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
  // It ends with the process; what ends it shows at whoever waits for it.
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
