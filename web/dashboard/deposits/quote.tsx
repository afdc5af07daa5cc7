import { useEffect } from 'react'
import type { DepositMethod } from '#shared/coins.ts'
import { quoteDeposit } from '#shared/contract/deposits.ts'
import type { Plan } from '#shared/contract/entities.ts'
import { ApiError } from '#web/api/errors.ts'
import { useRead } from '#web/api/read.ts'
import { useSecondsUntil } from '#web/components/countdown.tsx'
import { FailedState } from '#web/ui/states.tsx'

/**
 * The current quote, kept until it expires.
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
  useEffect(() => {
    if (over && !isFetching && !isError) void refetch()
  }, [over, isFetching, isError, refetch])
  return { quote: over ? undefined : data, seconds, error, isError, refetch }
}

/** A failed quote with the server's reason, because the toast of a 503 is generic (D5). */
export function QuoteRefused({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const words =
    error instanceof ApiError ? (error.code === 'rate_unavailable' ? error.detail : error.message) : ''
  return <FailedState onRetry={onRetry}>{words || 'The rate could not be loaded.'}</FailedState>
}
