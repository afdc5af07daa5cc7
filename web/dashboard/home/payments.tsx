import { Suspense } from 'react'
import { useLocation } from 'react-router'
import { listOwnDeposits } from '#shared/contract/deposits.ts'
import { useList } from '#web/api/read.ts'
import type { OpenPaymentsProps } from '#web/dashboard/deposits/open-payments.tsx'
import { lazyModule } from '#web/lazy-module.ts'
import { Loading } from '#web/ui/states.tsx'
import { openPayments } from './latest.ts'

/** In the history entry of the home page: the payment that was confirmed on the way there. */
export type ConfirmedHere = { payment: string | undefined }

/** Most visits have no open payment, and do without its script. */
const panel = lazyModule(() => import('#web/dashboard/deposits/open-payments.tsx'))

/** The investor's open payments (D-21), as far as there are any. */
export function Payments() {
  const { rows, isError } = useList(listOwnDeposits, openPayments)
  const confirmed = (useLocation().state as ConfirmedHere | null)?.payment
  const [newest, ...others] = rows ?? []
  const loading = <Loading label="Loading your payment" lines={9} className="mb-10" />
  if (!newest) return rows || isError || !confirmed ? null : loading
  return (
    <Suspense fallback={loading}>
      <Panel newest={newest} others={others} confirmed={confirmed} />
    </Suspense>
  )
}

function Panel(props: OpenPaymentsProps) {
  const { OpenPayments } = panel.read()
  return <OpenPayments {...props} />
}
