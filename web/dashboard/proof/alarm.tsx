import { Link, useLocation } from 'react-router'
import { paths } from '#web/paths.ts'
import { useSessionsCheck } from './use-check.ts'

/** Checks the published books once a session, on whichever page, and speaks only if they do not fit. */
export function ProofAlarm() {
  const isStatement = useLocation().pathname === paths.dashboard.statement
  // The statement makes the check itself, and shows all of it.
  const state = useSessionsCheck(!isStatement)
  if (isStatement || state?.is !== 'done' || state.outcome.holds) return null
  return (
    <div role="alert" className="mb-8 grid gap-1 border-bad border-l-4 bg-bad-soft px-4 py-3 text-bad">
      <p className="font-semibold">The published books do not fit yours</p>
      <p>
        Your device has checked them, and something is wrong.{' '}
        <Link className="underline underline-offset-2" to={paths.dashboard.statement}>
          See what failed, and what to do
        </Link>
        .
      </p>
    </div>
  )
}
