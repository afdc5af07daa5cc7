import type { ReactNode } from 'react'
import { summary } from '#shared/contract/accounts.ts'
import { formatUsd, usdFromJson } from '#shared/money.ts'
import { useRead } from '#web/api/read.ts'
import { usdOrWait } from '#web/components/amounts.tsx'
import { Figure } from '#web/ui/figure.tsx'

/** One's own sums; undefined until they are there. Every page that shows them reads the same answer. */
export function useSummary() {
  return useRead(summary, {}).data
}

/**
 * The balance first (D-02, D-24): what can be withdrawn or invested now; beside it what is locked in plans, what is on
 * hold, and what the three make together (D3).
 */
export function BalanceFigures({ link }: { link?: ReactNode }) {
  const sums = useSummary()
  const parts = sums && [sums.balance, sums.invested, sums.held]
  const together = parts?.reduce((sum, usd) => sum + usdFromJson(usd)!, 0n)
  return (
    <dl className="mb-8 grid grid-cols-2 gap-x-8 lg:grid-cols-[2fr_1fr_1fr_1fr]">
      <Figure
        large
        className="col-span-2 lg:col-span-1"
        label="Balance"
        value={usdOrWait(sums?.balance)}
        note={
          <span className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
            Available to withdraw or invest {link}
          </span>
        }
      />
      <Figure label="In plans" value={usdOrWait(sums?.invested)} note="Locked until the plan is closed" />
      <Figure label="On hold" value={usdOrWait(sums?.held)} note="For requests that wait" />
      <Figure
        className="col-span-2 lg:col-span-1"
        label="Together"
        value={together === undefined ? undefined : formatUsd(together)}
        note="Balance + in plans + on hold"
      />
    </dl>
  )
}
