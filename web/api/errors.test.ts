import { describe, expect, test } from 'vitest'
import { ApiError, wordsFor, wordsOf } from './errors.ts'

const oops =
  'Oops! Something went wrong. Please try again later. If the problem persists, feel free to contact our support team'

describe('words for refusals', () => {
  test('[X-01, D-25] a 401 for an unverified address says what to do', () => {
    expect(
      wordsFor(401, { code: 'email_not_verified', message: 'Bitte bestätigen Sie Ihre E-Mail-Adresse' }),
    ).toBe('This action requires you to verify your email address. Please address that to continue')
  })

  test('[X-02] a 401 about an expired token announces the login page', () => {
    expect(wordsFor(401, { code: 'token_expired', message: 'Das Token ist abgelaufen' })).toBe(
      'Your session has expired, you will be redirected to the login page',
    )
  })

  test('[X-03] any other 4xx shows the server’s message, or that an error occurred', () => {
    expect(wordsFor(401, { message: 'Email or password is wrong' })).toBe('Email or password is wrong')
    expect(wordsFor(409, { message: 'The balance is too low' })).toBe('The balance is too low')
    expect(wordsFor(400, { message: 'This code has expired' })).toBe('This code has expired')
    expect(wordsFor(404, {})).toBe('An error occurred')
    expect(wordsFor(400, { message: '' })).toBe('An error occurred')
  })

  test('[X-04] a 5xx shows the general words and keeps the server’s message', () => {
    for (const status of [500, 502, 503, 599]) expect(wordsFor(status, { message: 'stack trace' })).toBe(oops)
    const unavailable = new ApiError(503, { message: 'The exchange rate is not available right now' })
    expect(unavailable.message).toBe(oops)
    expect(unavailable.detail).toBe('The exchange rate is not available right now')
  })

  test('a 503 that will pass shows what the server says of it', () => {
    const busy = {
      code: 'not_ready',
      message: 'Our database is restarting. Please try again in a moment.',
    } as const
    expect(new ApiError(503, busy).message).toBe(busy.message)
    expect(new ApiError(503, { code: 'not_ready' }).message).toBe(oops)
    expect(new ApiError(503, { ...busy, reason: 'outcome_unknown' }).message).toBe(
      'We lost the connection while saving this, so it may have been done. Check whether it was before you try again',
    )
  })

  test('only answers with an unknown effect are unclear', () => {
    expect([0, 500, 503].map(status => new ApiError(status).unclear)).toEqual([true, true, true])
    expect([400, 401, 409, 429].map(status => new ApiError(status).unclear)).toEqual([
      false,
      false,
      false,
      false,
    ])
  })

  test('an error of the page shows no details', () => {
    expect(wordsOf(new TypeError('x is not a function'))).toBe('An error occurred')
  })
})
