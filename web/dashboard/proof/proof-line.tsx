import { Link } from 'react-router'
import { t } from '#shared/i18n/t.ts'
import { Day } from '#web/components/when.tsx'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
import { type CheckState, lastOf, useSessionsCheck } from './use-check.ts'

/** What this device has found in the published books, in a line; an alarm above says more of what failed. */
export function ProofLine() {
  const state = useSessionsCheck(null)
  return (
    <>
      {wordsOf(state && lastOf(state))}
      {state?.is === 'unreached' && state.last && t(' It could not fetch them again just now.')}{' '}
      <Link className="prose-link" to={paths.dashboard.statement}>
        {t('See the check')}
      </Link>
    </>
  )
}

function wordsOf(state: CheckState | undefined) {
  if (state?.is === 'done')
    return state.outcome.holds ? (
      <Held day={state.outcome.day} />
    ) : (
      t('Your device checked the published books: they failed.')
    )
  if (state?.is === 'early') return t('Your device can check the published books from tomorrow on.')
  if (state?.is === 'unreached') return t('Your device could not fetch the published books.')
  if (state?.is === 'hidden') return t('The published books have disappeared.')
  if (state?.is === 'erased') return t('The published books no longer show which lines were yours.')
  return t('Your device checks the published books…')
}

function Held({ day }: { day: string }) {
  return (
    <>
      {tr('{mark} Your device checked it: your funds on {day} are part of the published total.', {
        mark: (
          <span aria-hidden="true" className="text-good">
            ✓
          </span>
        ),
        day: <Day on={day} />,
      })}
    </>
  )
}
