import type { ReactNode } from 'react'
import { summary } from '#shared/contract/accounts.ts'
import { formatUsd, usdFromJson } from '#shared/money.ts'
import { useRead } from '#web/api/read.ts'
import { usdOrWait } from '#web/components/amounts.tsx'
import { Figure, Figures } from '#web/ui/figure.tsx'

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
    <div className="mb-8 grid gap-x-8 lg:flex">
      <dl className="grow-2">
        <Figure
          large
          label="Balance"
          value={usdOrWait(sums?.balance)}
          note={
            <span className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
              Available to withdraw or invest {link}
            </span>
          }
        />
      </dl>
      <Figures
        inLines
        className="grow sm:auto-cols-auto sm:grid-flow-col sm:grid-cols-none lg:auto-cols-auto"
      >
        <Figure label="In plans" value={usdOrWait(sums?.invested)} note="Until a plan is closed" />
        <Figure label="On hold" value={usdOrWait(sums?.held)} note="For requests that wait" />
        <Figure
          label="Together"
          value={together === undefined ? undefined : formatUsd(together)}
          note="Balance + in plans + on hold"
        />
      </Figures>
    </div>
  )
}
