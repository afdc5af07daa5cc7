import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { batched } from './batched.ts'

function recorder(most = 10) {
  const questions: number[][] = []
  const ask = batched(most, async (keys: number[]) => {
    questions.push(keys)
    await turn()
    return new Map(keys.filter(key => key < 100).map(key => [key, key * 2]))
  })
  return { ask, questions }
}

test('keys of one turn share one query, and each caller gets its own answer', async () => {
  const { ask, questions } = recorder()
  expect(await Promise.all([ask(1), ask(2), ask(1), ask(100)])).toEqual([2, 4, 2, undefined])
  expect(questions).toEqual([[1, 2, 100]])
})

test('later keys get a new query, also during an earlier one', async () => {
  const { ask, questions } = recorder()
  const first = ask(1)
  await turn()
  const second = ask(1)
  expect(await Promise.all([first, second])).toEqual([2, 2])
  expect(questions).toEqual([[1], [1]])
})

test('a question has so many keys at most', async () => {
  const { ask, questions } = recorder(2)
  expect(await Promise.all([1, 2, 3, 4, 5].map(ask))).toEqual([2, 4, 6, 8, 10])
  expect(questions).toEqual([[1, 2], [3, 4], [5]])
})

test('questions that come one by one share a query where it may wait for them', async () => {
  const questions: number[][] = []
  const aMinute = 60_000
  const answer = async (keys: number[]) => {
    questions.push(keys)
    return new Map<number, number>()
  }
  const ask = batched(2, answer, aMinute)
  const first = ask(1)
  await turn()
  await Promise.all([first, ask(2)])
  expect(questions).toEqual([[1, 2]])
})

test('a question that fails fails for those who asked it, and for nobody after them', async () => {
  let times = 0
  const ask = batched(10, async (keys: number[]) => {
    if (times++ === 0) throw new Error('away')
    return new Map(keys.map(key => [key, key]))
  })
  expect(await Promise.allSettled([ask(1), ask(2)])).toMatchObject([
    { status: 'rejected' },
    { status: 'rejected' },
  ])
  expect(await ask(1)).toBe(1)
})
