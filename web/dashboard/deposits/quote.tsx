import { type ReactNode, useEffect, useState } from 'react'
import type { DepositMethod } from '#shared/coins.ts'
import { quoteDeposit } from '#shared/contract/deposits.ts'
import type { Plan } from '#shared/contract/entities.ts'
import { t } from '#shared/i18n/t.ts'
import { ApiError } from '#web/api/errors.ts'
import { useRead } from '#web/api/read.ts'
import { useSecondsUntil } from '#web/components/countdown.tsx'
import { EmptyState, FailedState } from '#web/ui/states.tsx'

/**
 * The current quote, kept until it expires; then the next one, and `isRenewed`.
 * @param amount as in the address
 * @param plan of an investment, in the version that is shown
 */
export function useQuote(method: DepositMethod, amount: string, plan?: Plan) {
  const { data, error, isError, isFetching, refetch } = useRead(
    quoteDeposit,
    { query: { method, amount, ...(plan && { plan: plan._id, planVersion: plan.version }) } },
    { held: true },
  )
  const seconds = useSecondsUntil(data?.expiresAt)
  const over = seconds === 0
  const [isRenewed, setRenewed] = useState(false)
  useEffect(() => {
    if (!over || isFetching || isError) return
    setRenewed(true)
    void refetch()
  }, [over, isFetching, isError, refetch])
  return { quote: over ? undefined : data, seconds, isRenewed, error, isError, refetch }
}

type QuoteRefusedProps = {
  error: unknown
  onRetry: () => void
  /** Leads to the other methods: trying a paused one again does not help. */
  others?: ReactNode
}

/** A failed quote with the server's reason, because the toast of a 503 is generic (D5). */
export function QuoteRefused({ error, onRetry, others }: QuoteRefusedProps) {
  const { code, detail, message } = error instanceof ApiError ? error : noReason
  if (code !== 'method_paused') {
    const words = code === 'rate_unavailable' ? detail : message
    return <FailedState onRetry={onRetry}>{words || t('The rate could not be loaded.')}</FailedState>
  }
  return <EmptyState action={others}>{detail}</EmptyState>
}

const noReason = { code: undefined, detail: undefined, message: '' }
