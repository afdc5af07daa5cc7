import { workerThread } from '#server/platform/thread.ts'
import type { Message, Reply } from './read-reply.ts'

/** Everybody can write to the mailbox: what a message does to its reader stays in a thread with limits. */
const thread = workerThread<Message, Reply | null>(new URL('./read-worker.ts', import.meta.url), {
  purpose: 'reads emails',
  memoryMb: 512,
  mostWaiting: 10,
  limitMs: 30_000,
})

/**
 * What a person wrote in an email, and its files; null if it cannot be read, or not within the limits.
 * @throws Error if the thread does not work
 */
export async function readInThread(message: Message): Promise<Reply | null> {
  try {
    return await thread.ask(message)
  } catch (error) {
    if (wasTooMuch(error)) return null
    throw error
  }
}

function wasTooMuch(error: unknown): boolean {
  const { cause } = error as { cause?: unknown }
  const { code, message } = (cause ?? {}) as { code?: unknown; message?: unknown }
  return code === 'ERR_WORKER_OUT_OF_MEMORY' || /^no answer within/.test(String(message))
}
