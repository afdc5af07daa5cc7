import { useRootState } from '#web/api/root-state.ts'
import { type Sums, useSummary } from './balances.tsx'

/**
 * True for an account without any activity. Uses the stored state until the figures load, so that nothing on the page
 * moves.
 */
export function useIsNew(): boolean {
  const sums = useSummary()
  const { balance, investments, withdrawals, earnings } = useRootState()
  if (sums) return isNew(sums)
  return balance === 0 && [investments, withdrawals, earnings].every(({ list }) => list.length === 0)
}

function isNew({ balance, invested, held, investments, withdrawals, deposits }: Sums): boolean {
  const amounts = [
    balance,
    invested,
    held,
    investments.total,
    investments.pending,
    deposits.total,
    deposits.pending,
  ]
  return withdrawals.times === 0 && amounts.every(amount => amount === 0)
}
