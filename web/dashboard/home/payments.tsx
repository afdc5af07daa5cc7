import { type ReactNode, Suspense } from 'react'
import { useLocation } from 'react-router'
import { listOwnDeposits } from '#shared/contract/deposits.ts'
import { t } from '#shared/i18n/t.ts'
import { useRead } from '#web/api/read.ts'
import type { OpenPaymentsProps } from '#web/dashboard/deposits/open-payments.tsx'
import { lazyModule } from '#web/lazy-module.ts'
import { cx } from '#web/ui/cx.ts'
import { Loading } from '#web/ui/states.tsx'
import { openPayments } from './latest.ts'

/** In the history entry of the home page: the payment that was confirmed on the way there. */
export type ConfirmedHere = { payment: string | undefined }

/** Most visits have no open payment, and do without its script. */
const panel = lazyModule(() => import('#web/dashboard/deposits/open-payments.tsx'))

/**
 * The investor's open payments (D-21), as far as there are any, above the rest of the page. That waits a moment for them,
 * so that they push nothing away.
 */
export function BelowPayments({ children }: { children: ReactNode }) {
  // No more pages of them: there are few, and the list's own hook would weigh on the first visit.
  const { data: rows, isError } = useRead(listOwnDeposits, { query: openPayments })
  const confirmed = (useLocation().state as ConfirmedHere | null)?.payment
  const [newest, ...others] = rows ?? []
  const isAwaited = !rows && !isError
  const loading = <Loading label={t('Loading your payment')} lines={9} className="mb-10" />
  return (
    <Suspense fallback={loading}>
      {newest && <Panel newest={newest} others={others} confirmed={confirmed} />}
      {isAwaited && confirmed && loading}
      <div className={cx(isAwaited && 'held-back')}>{children}</div>
    </Suspense>
  )
}

function Panel(props: OpenPaymentsProps) {
  const { OpenPayments } = panel.read()
  return <OpenPayments {...props} />
}
