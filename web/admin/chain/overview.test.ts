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
  syncError: null,
  syncErrorSince: null,
  syncErrorKind: null,
  failedDeposits: 0,
  failedPayouts: [],
  halted: false,
}
const rail: Rail = {
  method: 'ethereum',
  network: 'Ethereum',
  receiving: 'derived',
  watched: true,
  cursor,
  startError: null,
}
const fault = { syncError: 'it cannot be reached', syncErrorSince: now, syncErrorKind: 'reading' }

test.each([
  [{ watched: false, receiving: null }, 'Not watched', 'No address is configured'],
  [{ watched: false, receiving: 'fixed' }, 'Not watched', 'Payments are approved by hand'],
  [{ cursor: null }, 'Not looked at yet', 'A worker looks at it: is one running?'],
  [{ cursor: null, startError: { error: 'away', since: now } }, 'Failing', expect.anything()],
  [{ cursor: { ...cursor, ...fault, halted: true } }, 'Stopped', expect.stringContaining('chain:resume')],
  [{ cursor: { ...cursor, ...fault } }, 'Failing', expect.anything()],
  [{ cursor: { ...cursor, ...fault, syncErrorKind: 'unconfirmed' } }, 'Failing in part', expect.anything()],
  [{ cursor: { ...cursor, ...fault, syncErrorKind: 'crediting' } }, 'Failing', expect.anything()],
  [{ cursor: { ...cursor, failedDeposits: 1 } }, 'Failing in part', expect.anything()],
  [{ cursor: { ...cursor, syncedHeight: 90 } }, 'Catching up', undefined],
  [
    { cursor: { ...cursor, polledAt: '2026-11-22T11:50:00.000Z' } },
    'Not looked at',
    'Nobody looks at it any more: is a worker running?',
  ],
  [{}, 'Watched', undefined],
] as const)('[T-06] a network with %o is %s', (changes, words, note) => {
  const state = stateOf({ ...rail, ...changes } as Rail, now)
  expect([state.words, state.note]).toEqual([words, note])
})

test.each([
  ['reading', 'nothing that comes is credited'],
  ['unconfirmed', 'what is confirmed is credited'],
  ['crediting', 'nothing that comes is credited'],
  ['payouts', 'what comes is credited'],
] as const)(
  '[T-06] a fault of %s is told with what it keeps from being done, and no more',
  (syncErrorKind, words) => {
    const { note } = stateOf({ ...rail, cursor: { ...cursor, ...fault, syncErrorKind } } as Rail, now)
    expect(renderToStaticMarkup(note)).toContain(words)
  },
)

const payout = (n: number) => ({ _id: `w${n}`, invoiceId: `WDR-${n}` })
const notWritten = (of: string, them: string, again = 'by itself') =>
  `What its network shows of the payout of ${of} could not be written down. It is tried again ${again}: until then do not pay ${them} in another way. The log of the worker says why.`
/** What is read of a note. */
const textOf = (note: ReactNode) =>
  renderToStaticMarkup(createElement(MemoryRouter, null, note)).replaceAll(/<[^>]+>/g, '')

test.each([
  [
    { failedDeposits: 1 },
    'One deposit could not be credited or taken back; all others are. The log of the worker says why.',
  ],
  [{ failedPayouts: [payout(1)] }, notWritten('WDR-1', 'it')],
  [
    { failedDeposits: 2, failedPayouts: [1, 2, 3, 4, 5].map(payout) },
    `2 deposits could not be credited or taken back; all others are. ${notWritten('WDR-1, WDR-2, WDR-3 and 2 more', 'them')}`,
  ],
])('[T-06] of what fails by itself, %o, it is said what that is, and what to do', (failed, words) => {
  const { note } = stateOf({ ...rail, cursor: { ...cursor, ...failed } } as Rail, now)
  expect(textOf(note)).toBe(words)
})

test.each([
  [{}, 'Failing', 'until it answers, nothing that comes is credited.', undefined],
  [{ syncErrorKind: 'unconfirmed' }, 'Failing in part', 'payouts may have to wait for that.', undefined],
  [{ syncErrorKind: 'crediting' }, 'Failing', 'nothing is lost.', undefined],
  [{ syncErrorKind: 'payouts' }, 'Failing', 'what comes is credited.', undefined],
  [{ halted: true }, 'Stopped', '(npm run chain:resume).', 'once the network is read again'],
] as const)(
  '[T-06, S-04] of a network with a fault as well, %o, it is said all the same what could not be written down, and what not to do',
  (changes, words, ofFault, again) => {
    const failed = { failedDeposits: 1, failedPayouts: [payout(1), payout(2)] }
    const state = stateOf({ ...rail, cursor: { ...cursor, ...fault, ...failed, ...changes } } as Rail, now)
    expect(state).toMatchObject({ tone: 'bad', words })
    const ofOne = 'One deposit could not be credited or taken back.'
    const text = textOf(state.note)
    expect(text).toMatch(/^it cannot be reached/)
    expect(text.endsWith(`${ofFault} ${ofOne} ${notWritten('WDR-1, WDR-2', 'them', again)}`), text).toBe(true)
  },
)
