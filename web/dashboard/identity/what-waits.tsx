import type { ReactNode } from 'react'
import type { OwnIdentity } from '#shared/contract/identity.ts'
import { tr } from '#web/tr.ts'
import { isChecking } from './words.ts'

type Links = Record<'withdrawals' | 'investments', (words: ReactNode) => ReactNode>
const plain: Links = { withdrawals: words => words, investments: words => words }

type WhatWaitsProps = {
  own: OwnIdentity
  /** What leads to the requests that wait. */
  links?: Links
}

/** The requests that wait for a proof, and for which: '2 investments wait for proof of your identity.' */
export function WhatWaits({ own, links = plain }: WhatWaitsProps) {
  const { withdrawals, investments, for: kind } = own.waiting
  if (kind === null) return null
  const requests = requestsOf(own, links)
  const count = withdrawals + investments
  if (isChecking(own, kind)) {
    return kind === 'identity'
      ? tr(
          '{requests} {count, plural, one {waits until we have checked your proof of identity.} other {wait until we have checked your proof of identity.}}',
          { requests, count },
        )
      : tr(
          '{requests} {count, plural, one {waits until we have checked your proof of the source of funds.} other {wait until we have checked your proof of the source of funds.}}',
          { requests, count },
        )
  }
  return kind === 'identity'
    ? tr(
        '{requests} {count, plural, one {waits for proof of your identity.} other {wait for proof of your identity.}}',
        { requests, count },
      )
    : tr(
        '{requests} {count, plural, one {waits for proof of the source of your money.} other {wait for proof of the source of your money.}}',
        { requests, count },
      )
}

function requestsOf({ waiting }: OwnIdentity, links: Links): ReactNode {
  const { withdrawals, investments } = waiting
  const withdrawn = links.withdrawals(
    tr('{count, plural, one {# withdrawal} other {# withdrawals}}', { count: withdrawals }),
  )
  const invested = links.investments(
    tr('{count, plural, one {# investment} other {# investments}}', { count: investments }),
  )
  if (investments === 0) return withdrawn
  if (withdrawals === 0) return invested
  return tr('{withdrawals} and {investments}', { withdrawals: withdrawn, investments: invested })
}
