import { expect, test } from 'vitest'
import { allCalls } from '#shared/contract/index.ts'
import { type Topic, topics } from '#shared/live.ts'
import { concernsTopics, readsByTopic } from './live-reads.ts'

const names = Object.keys(topics) as Topic[]
/** Reads that pages keep on screen; a file is read once. */
const readers = allCalls.filter(
  ({ method, permission, file }) => method === 'GET' && permission !== 'public' && !file,
)

/** Reads without live updates: a quote stays as it was shown; a person's own filters change here; who joined with a code, goals and what stands in the way of a closing are read with their pages; price sources, reserves, estimates and the state of the public proof are polled; times of withdrawals are measured once a minute; a proof is of its epoch; results of a search do not move under the pointer. */
const untold = [
  'deposit.quote',
  'auth.listReferred',
  'auth.listSessions',
  'closing.matters',
  'filter.list',
  'goal.own',
  'price.sources',
  'proof.own',
  'proof.status',
  'reserve.list',
  'search.find',
  'withdrawal.estimate',
  'withdrawal.times',
]

test('[L-01] every read of a signed-in page belongs to a topic', () => {
  const unconcerned = readers.map(({ id }) => id).filter(id => !concernsTopics(id, names))
  expect(unconcerned.toSorted()).toEqual(untold.filter(id => unconcerned.includes(id)).toSorted())
  expect(concernsTopics('deposit.quote', names)).toBe(false)
})

test('[L-01] a block refreshes payouts, but not what all addresses hold', () => {
  expect(concernsTopics('payout.getOne', ['payouts'])).toBe(true)
  expect(concernsTopics('sweep.holdings', ['payouts'])).toBe(false)
  expect(concernsTopics('sweep.holdings', ['sweeps'])).toBe(true)
})

test('every prefix matches a read', () => {
  const known = allCalls.filter(({ method }) => method === 'GET').map(({ id }) => id)
  for (const beginning of Object.values(readsByTopic).flat()) {
    expect(
      known.filter(id => id.startsWith(beginning)),
      beginning,
    ).not.toEqual([])
  }
})

test('[L-01] topics that move money also refresh balances', () => {
  for (const topic of ['deposits', 'investments', 'withdrawals', 'earnings'] as const) {
    for (const id of ['auth.me', 'auth.summary', 'auth.echo', 'ledger.statement', 'auth.listUsers']) {
      expect(concernsTopics(id, [topic]), `${topic} ${id}`).toBe(true)
    }
  }
  expect(concernsTopics('auth.summary', ['notifications', 'plans', 'messages'])).toBe(false)
})

test('[L-01, N-09] freezes and settings refresh the preview of plan earnings', () => {
  for (const topic of ['investments', 'earnings', 'returns', 'users', 'staff'] as const) {
    expect(concernsTopics('earning.previewPlan', [topic]), topic).toBe(true)
  }
})
