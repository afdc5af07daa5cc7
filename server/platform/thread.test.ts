import { constants, getPriority } from 'node:os'
import { expect, test, vi } from 'vitest'
import { workerThread } from './thread.ts'

/** Its own among the timers of this process. */
const LIMIT_MS = 54_321

/** A thread that answers a number with the next one, and does to other questions as they say. */
function counter() {
  const code = `
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', question => {
      if (question === 'fail') throw new Error('out of numbers')
      while (question === 'hang') {}
      parentPort.postMessage({ answer: question + 1 })
    })`
  const file = new URL(`data:text/javascript,${encodeURIComponent(code)}`)
  return workerThread<number | 'fail' | 'hang', number>(file, {
    purpose: 'counts',
    memoryMb: 32,
    mostWaiting: 5,
    limitMs: LIMIT_MS,
  })
}

test('a thread that fails says why, and the next question starts another one', async () => {
  const { ask } = counter()
  await expect(ask('fail')).rejects.toMatchObject({
    message: 'the thread that counts exited with code 1',
    cause: { message: 'out of numbers' },
  })
  expect(await ask(1)).toBe(2)
})

test('of more questions than may wait, the rest are refused in words', async () => {
  const { ask } = counter()
  const answers = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => ask(n)))
  const given = answers.flatMap(answer => (answer.status === 'fulfilled' ? [answer.value] : []))
  expect(given).toEqual([1, 2, 3, 4, 5, 6])
  expect(answers.at(-1)).toMatchObject({
    reason: {
      code: 'not_ready',
      retryAfterSeconds: 10,
      message: 'The server has too many requests right now. Please try again in a few seconds.',
    },
  })
  expect(await ask(7)).toBe(8)
})

test('a question that takes too long ends its thread; the next one is answered', async () => {
  const { ask } = counter()
  const realTimeout = setTimeout
  vi.stubGlobal('setTimeout', (run: () => void, ms?: number) => realTimeout(run, ms === LIMIT_MS ? 0 : ms))
  const late = ask('hang')
  await expect(late).rejects.toMatchObject({ cause: { message: `no answer within ${LIMIT_MS} ms` } })
  vi.unstubAllGlobals()
  expect(await ask(1)).toBe(2)
})

test.runIf(process.platform === 'linux')(
  'a thread yields the processor to the process that asks it',
  async () => {
    const code = `
    import { getPriority } from 'node:os'
    import { answerQuestions } from '${new URL('./thread.ts', import.meta.url)}'
    answerQuestions(() => getPriority(), { yields: true })`
    const file = new URL(`data:text/javascript,${encodeURIComponent(code)}`)
    const { ask } = workerThread<null, number>(file, {
      purpose: 'tells its priority',
      memoryMb: 32,
      mostWaiting: 0,
      limitMs: LIMIT_MS,
    })
    const own = getPriority()
    expect(await ask(null)).toBe(constants.priority.PRIORITY_LOW)
    expect(getPriority()).toBe(own)
  },
)
