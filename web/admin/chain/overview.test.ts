import { createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'
import { type Rail, stateOf } from './overview.tsx'

const now = '2026-11-22T12:00:00.000Z'
const cursor = {
  syncedHeight: 100,
  tipHeight: 100,
  confirmations: 3,
  polledAt: '2026-11-22T11:59:59.000Z',
  caughtUpBy: null,
  syncError: null,
  syncErrorSince: null,
  syncErrorKind: null,
  failedDeposits: 0,
  failedPayouts: [],
  halted: false,
}
const rail: Rail = {
  rail: 'ethereum',
  network: 'Ethereum',
  receiving: 'derived',
  watched: true,
  cursor,
  stopped: null,
  startError: null,
}
const syncFailure = { syncError: 'it cannot be reached', syncErrorSince: now, syncErrorKind: 'reading' }

test.each([
  [{ watched: false, receiving: null }, 'Not watched', 'No address is configured'],
  [{ watched: false, receiving: 'fixed' }, 'Not watched', 'Payments are approved manually'],
  [{ cursor: null }, 'Not synced yet', 'Check that a worker is running.'],
  [{ cursor: null, startError: { error: 'away', since: now } }, 'Failing', expect.anything()],
  [
    { cursor: { ...cursor, ...syncFailure, halted: true } },
    'Halted',
    expect.stringContaining('chain:resume'),
  ],
  [{ cursor: { ...cursor, ...syncFailure } }, 'Failing', expect.anything()],
  [
    { cursor: { ...cursor, ...syncFailure, syncErrorKind: 'unconfirmed' } },
    'Partly failing',
    expect.anything(),
  ],
  [{ cursor: { ...cursor, ...syncFailure, syncErrorKind: 'crediting' } }, 'Failing', expect.anything()],
  [{ cursor: { ...cursor, failedDeposits: 1 } }, 'Partly failing', expect.anything()],
  [{ cursor: { ...cursor, syncedHeight: 90 } }, 'Catching up', undefined],
  [
    { cursor: { ...cursor, polledAt: '2026-11-22T11:50:00.000Z' } },
    'Stale',
    'No recent sync. Is a worker running?',
  ],
  [
    { cursor: { ...cursor, syncedHeight: 90, caughtUpBy: '2026-11-22T14:00:00.000Z' } },
    'Catching up',
    expect.anything(),
  ],
  [{}, 'Watched', undefined],
] as const)('[T-06] a network with %o is %s', (changes, words, note) => {
  const state = stateOf({ ...rail, ...changes } as Rail, now)
  expect([state.words, state.note]).toEqual([words, note])
})

test.each([
  ['reading', 'no payment is credited'],
  ['unconfirmed', 'Confirmed payments are credited'],
  ['crediting', 'no payment is credited'],
  ['payouts', 'Payments are credited'],
] as const)('[T-06] an error of %s says what it blocks, and no more', (syncErrorKind, words) => {
  const { note } = stateOf({ ...rail, cursor: { ...cursor, ...syncFailure, syncErrorKind } } as Rail, now)
  expect(renderToStaticMarkup(note)).toContain(words)
})

const payout = (n: number) => ({ _id: `w${n}`, invoiceId: `WDR-${n}` })
const notWritten = (of: string, them: string, again = 'automatically') =>
  `The payout of ${of} could not be processed. We retry ${again}; until then do not pay ${them} another way. The worker log has the details.`
/** The text of a note. */
const textOf = (note: ReactNode) =>
  renderToStaticMarkup(createElement(MemoryRouter, null, note)).replaceAll(/<[^>]+>/g, '')

test.each([
  [
    { failedDeposits: 1 },
    'One deposit could not be credited or reversed; all others were. The worker log has the details.',
  ],
  [{ failedPayouts: [payout(1)] }, notWritten('WDR-1', 'it')],
  [
    { failedDeposits: 2, failedPayouts: [1, 2, 3, 4, 5].map(payout) },
    `2 deposits could not be credited or reversed; all others were. ${notWritten('WDR-1, WDR-2, WDR-3 and 2 more', 'them')}`,
  ],
])('[T-06] single failures %o are named with what to do', (failed, words) => {
  const { note } = stateOf({ ...rail, cursor: { ...cursor, ...failed } } as Rail, now)
  expect(textOf(note)).toBe(words)
})

test.each([
  [{}, 'Failing', 'Until it answers, no payment is credited.', undefined],
  [{ syncErrorKind: 'unconfirmed' }, 'Partly failing', 'payouts may have to wait.', undefined],
  [{ syncErrorKind: 'crediting' }, 'Failing', 'nothing is lost.', undefined],
  [{ syncErrorKind: 'payouts' }, 'Failing', 'Payments are credited.', undefined],
  [{ halted: true }, 'Halted', '(npm run chain:resume).', 'once the sync resumes'],
] as const)(
  '[T-06, S-04] single failures are also named on a network with an error: %o',
  (changes, words, ofError, again) => {
    const failed = { failedDeposits: 1, failedPayouts: [payout(1), payout(2)] }
    const state = stateOf(
      { ...rail, cursor: { ...cursor, ...syncFailure, ...failed, ...changes } } as Rail,
      now,
    )
    expect(state).toMatchObject({ tone: 'bad', words })
    const ofOne = 'One deposit could not be credited or reversed.'
    const text = textOf(state.note)
    expect(text).toMatch(/^it cannot be reached/)
    expect(text.endsWith(`${ofError} ${ofOne} ${notWritten('WDR-1, WDR-2', 'them', again)}`), text).toBe(true)
  },
)
