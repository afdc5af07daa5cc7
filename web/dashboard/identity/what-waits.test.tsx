import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { OwnIdentity } from '#shared/contract/identity.ts'
import { WhatWaits } from './what-waits.tsx'

type Waiting = OwnIdentity['waiting']

function said(waiting: Waiting, checks: Partial<OwnIdentity['checks'][number]>[] = []): string {
  return renderToStaticMarkup(<WhatWaits own={{ waiting, checks } as unknown as OwnIdentity} />)
}

test('what waits is said with what it waits for', () => {
  expect(said({ withdrawals: 1, investments: 2, for: 'identity' })).toBe(
    '1 withdrawal and 2 investments wait for proof of your identity.',
  )
  const checks = [{ kind: 'funds', status: 'waiting' }] as const
  expect(said({ withdrawals: 0, investments: 1, for: 'funds' }, [...checks])).toBe(
    '1 investment waits until we have checked your proof of the source of funds.',
  )
  expect(said({ withdrawals: 0, investments: 0, for: null })).toBe('')
})
