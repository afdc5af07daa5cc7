import { expect, test, vi } from 'vitest'
import { waitingForFiles } from '#shared/download.ts'
import { waitingForOthers } from './download.ts'
import { ApiError } from './errors.ts'

const busy = () =>
  new ApiError(503, { code: 'not_ready', reason: waitingForFiles, message: 'Others first' }, 1)

test('asks again for a file that waits for others, and tells the person', async () => {
  const answers = [busy(), busy(), 'the file']
  const waits = vi.fn()
  const ask = async () => {
    const answer = answers.shift()!
    if (answer instanceof Error) throw answer
    return answer
  }
  expect(await waitingForOthers(ask, waits)).toBe('the file')
  expect(waits).toHaveBeenCalledTimes(2)
})

test('another refusal is not asked again', async () => {
  const waits = vi.fn()
  const down = new ApiError(503, { code: 'not_ready', message: 'Starting' }, 1)
  await expect(waitingForOthers(() => Promise.reject(down), waits)).rejects.toBe(down)
  expect(waits).not.toHaveBeenCalled()
})
