import { constants, setPriority } from 'node:os'
import { parentPort, Worker } from 'node:worker_threads'
import { limited } from './limited.ts'

type Answer<A> = { answer: A } | { error: unknown }

/** Keeps an unused thread and what it has loaded for the next question. */
const IDLE_MS = 60_000

type Limits = {
  /** Of the thread's heap. */
  memoryMb: number
  /** Questions that may wait for their turn. */
  mostWaiting: number
  /** Time for one answer, the thread's start included. */
  limitMs: number
}

/** `failure`: why the thread ended, if it ended by an error. */
type Thread = { worker: Worker; failure?: unknown }

/**
 * A worker thread that answers one question at a time, so that long computing never blocks requests. It starts with the
 * first question and ends a while after the last.
 * @param file its module, which calls `answerQuestions`
 * @param purpose for the error if it exits
 */
export function workerThread<Q, A>(file: URL, { purpose, ...limits }: Limits & { purpose: string }) {
  let thread: Thread | undefined
  let idle: NodeJS.Timeout | undefined
  const inTurn = limited(1, limits.mostWaiting)

  async function askNow(question: Q): Promise<A> {
    clearTimeout(idle)
    try {
      thread ??= openThread()
      const answer = await answerOf<Q, A>(thread, question, purpose, limits.limitMs)
      if ('error' in answer) throw answer.error
      return answer.answer
    } finally {
      idle = setTimeout(closeThread, IDLE_MS).unref()
    }
  }

  function openThread(): Thread {
    const worker = new Worker(file, {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb },
    })
    const opened: Thread = { worker }
    // The thread ends with the process.
    worker.unref()
    worker.on('error', error => {
      opened.failure = error
    })
    worker.on('exit', () => {
      if (thread === opened) thread = undefined
    })
    return opened
  }

  function closeThread(): void {
    void thread?.worker.terminate()
    thread = undefined
  }

  return {
    /** @throws AppError not_ready if too many questions wait; Error if the thread fails or takes too long */
    ask: (question: Q): Promise<A> => inTurn(() => askNow(question)),
  }
}

function answerOf<Q, A>(thread: Thread, question: Q, purpose: string, limitMs: number): Promise<Answer<A>> {
  const { worker } = thread
  return new Promise((resolve, reject) => {
    const giveUp = setTimeout(() => {
      thread.failure = new Error(`no answer within ${limitMs} ms`)
      void worker.terminate()
    }, limitMs)
    const answered = (answer: Answer<A>) => {
      clearTimeout(giveUp)
      worker.off('exit', ended)
      resolve(answer)
    }
    const ended = (code: number) => {
      clearTimeout(giveUp)
      worker.off('message', answered)
      const cause = thread.failure
      reject(new Error(`the thread that ${purpose} exited with code ${code}`, { cause }))
    }
    worker.once('message', answered).once('exit', ended)
    worker.postMessage(question)
  })
}

/**
 * The thread's side.
 * @param options.yields requests, which wait for none of its answers, have the processor first
 */
export function answerQuestions<Q, A>(
  answer: (question: Q) => A | Promise<A>,
  { yields = false } = {},
): void {
  // Elsewhere the priority belongs to the whole process.
  if (yields && process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)
  parentPort!.on('message', async (question: Q) => {
    try {
      parentPort!.postMessage({ answer: await answer(question) } satisfies Answer<A>)
    } catch (error) {
      parentPort!.postMessage({ error } satisfies Answer<A>)
    }
  })
}
