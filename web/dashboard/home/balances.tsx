import type { ReactNode } from 'react'
import { summary } from '#shared/contract/accounts.ts'
import type { CallData } from '#shared/contract/define.ts'
import { t } from '#shared/i18n/t.ts'
import { usdFromJson } from '#shared/money.ts'
import { useRead } from '#web/api/read.ts'
import { Cents, Usd, usdOrWait } from '#web/components/amounts.tsx'
import { tr } from '#web/tr.ts'
import { Figure, Figures } from '#web/ui/figure.tsx'

export type Sums = CallData<typeof summary>

/** Note below the sum of investments, which excludes pending ones. */
export function investedNote({ pending }: Sums['investments']): ReactNode {
  if (pending === 0) return t('All time')
  return <>{tr('All time. {amount} pending', { amount: <Usd value={pending} /> })}</>
}

/** The user's totals, shared by every page that shows them. */
export function useSummary() {
  return useRead(summary, {}).data
}

/**
 * The available balance first (D-02, D-24), then in plans, on hold, and the total (D3).
 * @param props.alone only the balance
 */
export function BalanceFigures({ link, alone = false }: { link?: ReactNode; alone?: boolean }) {
  const sums = useSummary()
  return (
    <div className="mb-8 grid gap-x-8 lg:flex">
      <dl className="grow-2">
        <Figure
          large
          label={t('Balance')}
          value={usdOrWait(sums?.balance)}
          note={
            <span className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
              {t('Available to withdraw or invest')} {link}
            </span>
          }
        />
      </dl>
      {!alone && <Parts sums={sums} />}
    </div>
  )
}

function Parts({ sums }: { sums: Sums | undefined }) {
  const parts = sums && [sums.balance, sums.invested, sums.held]
  const total = parts?.reduce((sum, usd) => sum + usdFromJson(usd)!, 0n)
  return (
    <Figures inLines className="grow sm:auto-cols-auto sm:grid-flow-col sm:grid-cols-none lg:auto-cols-auto">
      <Figure
        label={t('In plans')}
        value={usdOrWait(sums?.invested)}
        note={t('Locked until the plan ends')}
      />
      <Figure
        label={t('On hold')}
        value={usdOrWait(sums?.held)}
        note={t('Pending investments and withdrawals')}
      />
      <Figure
        label={t('Total funds')}
        value={total === undefined ? undefined : <Cents cents={total} />}
        note={t('Balance + in plans + on hold')}
      />
    </Figures>
  )
}
