import type { Investment } from '#shared/contract/entities.ts'
import { parseTypedUsd } from '#shared/i18n/amounts.ts'
import { usdFromJson } from '#shared/money.ts'

type Accruing = Pick<Investment, '_id' | 'accrued'>

/** In cents. */
function accruedOn(investment: Accruing): bigint {
  return usdFromJson(investment.accrued) ?? 0n
}

/**
 * What an earning will pay, in cents: the amount typed or, without one, the accruals of the chosen investment or of all (D7). Undefined if
 * the text is no amount.
 */
export function willPay(typed: string, chosen: string, investments: readonly Accruing[]): bigint | undefined {
  if (typed.trim() !== '') return parseTypedUsd(typed)
  return investments
    .filter(investment => chosen === '' || investment._id === chosen)
    .reduce((sum, investment) => sum + accruedOn(investment), 0n)
}

/** The one investment that an earning is paid on: the chosen one, or the oldest for an amount. Undefined if accruals are paid on each. */
export function paidOn<T extends Pick<Investment, '_id' | 'approvedAt'>>(
  typed: string,
  chosen: string,
  investments: readonly T[],
): T | undefined {
  if (chosen !== '') return investments.find(investment => investment._id === chosen)
  if (typed.trim() === '') return undefined
  return investments.toSorted((a, b) => (a.approvedAt ?? '').localeCompare(b.approvedAt ?? ''))[0]
}

type Running = Accruing & Pick<Investment, 'approvedAt'>

/** The cents beyond the unpaid accrual, and the start of the investments that it is paid on. */
export function warningsFor(typed: string, chosen: string, investments: readonly Running[]) {
  const one = paidOn(typed, chosen, investments)
  const pays = willPay(typed, chosen, investments)
  const paid = one ? [one] : investments.filter(investment => accruedOn(investment) > 0n)
  const beyondCents = one && pays !== undefined ? pays - accruedOn(one) : 0n
  return { beyondCents, began: paid.map(investment => investment.approvedAt) }
}

/** True if a time is after a day (YYYY-MM-DD), both in UTC. */
export function startedAfter(began: string | null, day: string): boolean {
  return began !== null && began.slice(0, 10) > day
}
