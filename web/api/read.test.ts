import { afterEach, expect, test, vi } from 'vitest'
import { written } from './act.ts'
import { ApiError } from './errors.ts'
import { queries, tryAgain } from './read.ts'

afterEach(() => {
  queries.clear()
})

test('[C-29] reads are fresh for 300 ms and kept for 5 minutes', () => {
  const { staleTime, gcTime } = queries.getDefaultOptions().queries ?? {}
  expect(staleTime).toBe(300)
  expect(gcTime).toBe(300_000)
})

test('[C-29] a read without a clear answer is tried 3 times more, a refusal is not', () => {
  const failures = [0, 1, 2, 3]
  expect(failures.map(count => tryAgain(count, new ApiError(500)))).toEqual([true, true, true, false])
  expect(failures.map(count => tryAgain(count, new ApiError(0)))).toEqual([true, true, true, false])
  expect(tryAgain(0, new ApiError(403))).toBe(false)
})

test('[N-08] what has been read is out of date after every write', async () => {
  const read = vi.fn(async () => 1)
  await queries.fetchQuery({ queryKey: ['balance'], queryFn: read, staleTime: Number.POSITIVE_INFINITY })
  written.emit()
  await queries.fetchQuery({ queryKey: ['balance'], queryFn: read, staleTime: Number.POSITIVE_INFINITY })
  expect(read).toHaveBeenCalledTimes(2)
})
