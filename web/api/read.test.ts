import { afterEach, expect, test, vi } from 'vitest'
import { ApiError } from './errors.ts'
import { written } from './mutation.ts'
import { queries } from './read.ts'

afterEach(() => {
  queries.clear()
})

test.each([
  [1, [400, 401, 403, 404, 409, 422]],
  [4, [0, 408, 429, 500, 503]],
])('[C-29] a read is sent %i times when refused with one of %j', async (times, statuses) => {
  for (const status of statuses) {
    const read = vi.fn(() => Promise.reject(new ApiError(status, {}, 0)))
    await expect(queries.fetchQuery({ queryKey: ['refused', status], queryFn: read })).rejects.toThrow()
    expect(read, String(status)).toHaveBeenCalledTimes(times)
  }
})

test('[C-29] a read does not wait for a Retry-After of an hour', async () => {
  const read = vi.fn(() => Promise.reject(new ApiError(429, { message: 'Too many requests' }, 3_600_000)))
  await expect(queries.fetchQuery({ queryKey: ['limited'], queryFn: read })).rejects.toThrow('Too many')
  expect(read).toHaveBeenCalledOnce()
})

test('[N-08] every write invalidates earlier reads', async () => {
  const read = vi.fn(async () => 1)
  await queries.fetchQuery({ queryKey: ['balance'], queryFn: read, staleTime: Number.POSITIVE_INFINITY })
  written.emit()
  await queries.fetchQuery({ queryKey: ['balance'], queryFn: read, staleTime: Number.POSITIVE_INFINITY })
  expect(read).toHaveBeenCalledTimes(2)
})
