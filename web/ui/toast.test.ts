import { toast as library } from 'react-hot-toast/headless'
import { afterEach, expect, test, vi } from 'vitest'
import { toast, toastDurations } from './toast.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

test('[X-06] error 4 s, success 2 s, default 4 s, loading until replaced', () => {
  expect(toastDurations).toEqual({
    error: 4000,
    success: 2000,
    blank: 4000,
    loading: Number.POSITIVE_INFINITY,
  })
  const error = vi.spyOn(library, 'error')
  const success = vi.spyOn(library, 'success')
  toast.error('No')
  toast.success('Yes')
  expect(error.mock.lastCall?.[1]).toMatchObject({ duration: 4000 })
  expect(success.mock.lastCall?.[1]).toMatchObject({ duration: 2000 })
})

test('[X-06] a result replaces its loading toast', () => {
  const loading = vi.spyOn(library, 'loading')
  const success = vi.spyOn(library, 'success')
  toast.loading('Working').success('Worked')
  expect(success.mock.lastCall?.[1]?.id).toBe(loading.mock.results[0]?.value)
})

test('[X-02, X-05] the error of a loading toast is the same as that of others', () => {
  const error = vi.spyOn(library, 'error')
  toast.loading('Working').error('Failed')
  const id = error.mock.lastCall?.[1]?.id
  expect(toast.error('Failed')).toBe(id)
})

test('[X-05] equal messages show one toast', () => {
  expect(toast.error('An error occurred')).toBe(toast.error('An error occurred'))
  expect(toast.error('Same')).not.toBe(toast.success('Same'))
})

test('[X-05] after a success, earlier errors are gone', () => {
  const dismiss = vi.spyOn(library, 'dismiss')
  const [first, second] = [toast.error('All fields are required'), toast.error('Too much')]
  toast.clearErrors()
  expect(dismiss.mock.calls.flat()).toEqual(expect.arrayContaining([first, second]))
  dismiss.mockClear()
  toast.clearErrors()
  expect(dismiss).not.toHaveBeenCalled()
})
