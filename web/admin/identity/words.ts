import { t } from '#shared/i18n/t.ts'

/** '1 withdrawal and 2 investments wait for this.', or null. */
export function waitingWords({
  withdrawals,
  investments,
}: {
  withdrawals: number
  investments: number
}): string | null {
  if (withdrawals > 0 && investments > 0) {
    return t(
      '{withdrawals, plural, one {# withdrawal} other {# withdrawals}} and {investments, plural, one {# investment} other {# investments}} wait for this.',
      { withdrawals, investments },
    )
  }
  if (withdrawals > 0) {
    return t('{count, plural, one {# withdrawal waits for this.} other {# withdrawals wait for this.}}', {
      count: withdrawals,
    })
  }
  if (investments === 0) return null
  return t('{count, plural, one {# investment waits for this.} other {# investments wait for this.}}', {
    count: investments,
  })
}
