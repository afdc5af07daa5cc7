import { parentPort, Worker } from 'node:worker_threads'

type Answer<A> = { answer: A } | { error: unknown }

/** Keeps an unused thread and what it has loaded for the next question. */
const IDLE_MS = 60_000

/**
 * A worker thread that answers one question at a time, so that long computing never blocks requests. It starts with the
 * first question and ends a while after the last.
 * @param file its module, which calls `answerQuestions`
 * @param purpose for the error if it exits
 */
export function workerThread<Q, A>(file: URL, { purpose, memoryMb }: { purpose: string; memoryMb: number }) {
  let thread: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function askNow(question: Q): Promise<A> {
    clearTimeout(idle)
    try {
      const answer = await answerOf<Q, A>(openThread(), question, purpose)
      if ('error' in answer) throw answer.error
      return answer.answer
    } finally {
      idle = setTimeout(closeThread, IDLE_MS).unref()
    }
  }

  function openThread(): Worker {
    if (thread) return thread
    const opened = new Worker(file, {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    })
    // The thread ends with the process; its failure rejects the pending answer through 'exit'.
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

  return {
    ask(question: Q): Promise<A> {
      const answered = last.then(() => askNow(question))
      last = answered.catch(() => {})
      return answered
    },
  }
}

function answerOf<Q, A>(worker: Worker, question: Q, purpose: string): Promise<Answer<A>> {
  return new Promise((resolve, reject) => {
    const answered = (answer: Answer<A>) => {
      worker.off('exit', ended)
      resolve(answer)
    }
    const ended = (code: number) => {
      worker.off('message', answered)
      reject(new Error(`the thread that ${purpose} exited with code ${code}`))
    }
    worker.once('message', answered).once('exit', ended)
    worker.postMessage(question)
  })
}

/** The thread's side. */
export function answerQuestions<Q, A>(answer: (question: Q) => A | Promise<A>): void {
  parentPort!.on('message', async (question: Q) => {
    try {
      parentPort!.postMessage({ answer: await answer(question) } satisfies Answer<A>)
    } catch (error) {
      parentPort!.postMessage({ error } satisfies Answer<A>)
    }
  })
}
