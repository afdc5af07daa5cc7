import { describe, expect, test } from 'vitest'
import type { OwnCheck, OwnIdentity } from '#shared/contract/identity.ts'
import { endingKinds, limitOf, nextKind } from './words.ts'

const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

const verified = (kind: OwnCheck['kind'], expiresOn: string): OwnCheck => ({
  _id: expiresOn,
  kind,
  status: 'verified',
  submittedAt: '2026-01-31T12:00:00.000Z',
  decidedAt: '2026-01-31T13:00:00.000Z',
  reason: null,
  expiresOn,
})

const own = (changes: Partial<OwnIdentity>): OwnIdentity => ({
  level: 'identity',
  expiresOn: dayIn(100),
  refused: null,
  exposed: false,
  limits: { none: 1_000, identity: 5_000 },
  used: { withdrawals: 0, investments: 0, days: 365 },
  waiting: { withdrawals: 0, investments: 0, for: null },
  checks: [],
  files: [],
  provider: null,
  ...changes,
})

describe('a proof is to be renewed', () => {
  test('30 days before it ends, each kind by its own end', () => {
    const checks = [verified('funds', dayIn(10)), verified('identity', dayIn(60))]
    expect(endingKinds(own({ level: 'funds', checks }))).toEqual(['funds'])
    expect(endingKinds(own({ checks: [verified('identity', dayIn(29))] }))).toEqual(['identity'])
    expect(endingKinds(own({ checks: [verified('identity', dayIn(31))] }))).toEqual([])
  })

  test('not once a newer one counts for longer, nor after its end', () => {
    const checks = [verified('identity', dayIn(1_000)), verified('identity', dayIn(5))]
    expect(endingKinds(own({ checks }))).toEqual([])
    expect(endingKinds(own({ level: 'none', checks: [verified('identity', dayIn(-1))] }))).toEqual([])
  })
})

test('the next proof and the limit follow from the level', () => {
  expect([nextKind(own({ level: 'none' })), limitOf(own({ level: 'none' }))]).toEqual(['identity', 1_000])
  expect([nextKind(own({})), limitOf(own({}))]).toEqual(['funds', 5_000])
  expect([nextKind(own({ level: 'funds' })), limitOf(own({ level: 'funds' }))]).toEqual([null, null])
  const refused = { reason: 'Forged', at: '2026-01-31T12:00:00.000Z' }
  expect([nextKind(own({ refused })), limitOf(own({ refused }))]).toEqual([null, null])
  const unasked = { none: null, identity: null }
  expect(nextKind(own({ level: 'none', limits: unasked }))).toBeNull()
})
