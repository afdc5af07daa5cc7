import { Link } from 'react-router'
import type { DepositMethod } from '#shared/coins.ts'
import { listOwnDeposits } from '#shared/contract/deposits.ts'
import { t } from '#shared/i18n/t.ts'
import { useList } from '#web/api/list.ts'
import { Usd } from '#web/components/amounts.tsx'
import { DepositStanding } from '#web/components/statuses.tsx'
import { openPayments } from '#web/dashboard/home/latest.ts'
import { inLocalTime } from '#web/local-time.ts'
import { paths } from '#web/paths.ts'

/**
 * The investor's open payments by the method of a request that is not confirmed yet, live: one that has just arrived, or
 * one that a second confirmation would repeat.
 */
export function OpenAlready({ method }: { method: DepositMethod }) {
  const { rows = [] } = useList(listOwnDeposits, openPayments)
  const open = rows.filter(row => row.method === method)
  return (
    <div role="status">
      {open.length > 0 && (
        <div className="grid gap-3 border-wait border-s-4 bg-wait-soft px-4 py-3">
          <p className="font-medium">{t('You already have a payment by this method')}</p>
          <ul className="grid gap-3 text-sm">
            {open.map(deposit => (
              <li key={deposit._id} className="grid gap-1">
                <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
                  <Link
                    to={paths.dashboard.record('deposit', deposit._id)}
                    className="prose-link inline-block leading-6"
                  >
                    {deposit.invoiceId}
                  </Link>
                  <Usd value={deposit.amount} />
                  <DepositStanding deposit={deposit} />
                </span>
                <span className="text-ink-soft">{inLocalTime(deposit.label)}</span>
              </li>
            ))}
          </ul>
          <p className="text-sm">{t('Confirm the one below only if you want to make another payment.')}</p>
        </div>
      )}
    </div>
  )
}
