import { expect, test } from 'vitest'
import { allCalls } from '#shared/contract/index.ts'
import { type Topic, topics } from '#shared/live.ts'
import { isConcerned, readsOf } from './live-reads.ts'

const names = Object.keys(topics) as Topic[]
/** What pages keep on show; a file is read once. */
const readers = allCalls.filter(
  ({ method, permission, file }) => method === 'GET' && permission !== 'public' && !file,
)

/** Reads that nobody is told of: a quote is held under the eyes of who asked for it; the sources of prices are read by the clock, as they are asked. */
const untold = ['deposit.quote', 'auth.listSessions', 'price.sources']

test('[L-01] every read of a signed-in page is made again when something changes that it shows', () => {
  const unconcerned = readers.map(({ id }) => id).filter(id => !isConcerned(id, names))
  expect(unconcerned.toSorted()).toEqual(untold.filter(id => unconcerned.includes(id)).toSorted())
  expect(isConcerned('deposit.quote', names)).toBe(false)
})

test('every beginning that is named is one of a read', () => {
  const known = allCalls.filter(({ method }) => method === 'GET').map(({ id }) => id)
  for (const beginning of Object.values(readsOf).flat()) {
    expect(
      known.filter(id => id.startsWith(beginning)),
      beginning,
    ).not.toEqual([])
  }
})

test('[L-01] what has moved money is shown in the balances, too', () => {
  for (const topic of ['deposits', 'investments', 'withdrawals', 'earnings'] as const) {
    for (const id of ['auth.me', 'auth.summary', 'auth.echo', 'ledger.statement', 'auth.listUsers']) {
      expect(isConcerned(id, [topic]), `${topic} ${id}`).toBe(true)
    }
  }
  expect(isConcerned('auth.summary', ['notifications', 'plans', 'messages'])).toBe(false)
})

test('[L-01, N-09] what a plan would be paid is read again when accounts are frozen or the settings change', () => {
  for (const topic of ['investments', 'earnings', 'returns', 'users', 'staff'] as const) {
    expect(isConcerned('earning.previewPlan', [topic]), topic).toBe(true)
  }
})
