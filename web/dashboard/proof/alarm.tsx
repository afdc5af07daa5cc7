import { Link, useLocation } from 'react-router'
import { t } from '#shared/i18n/t.ts'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
import type { Failed } from './kept.ts'
import { type CheckState, lastOf, useFailedBefore, useSessionsCheck } from './use-check.ts'
import { headlineOf } from './words.ts'

/** Checks the published books once a session, on whichever page, and speaks only if they do not fit or cannot be checked. */
export function ProofAlarm() {
  const { pathname } = useLocation()
  const isStatement = pathname === paths.dashboard.statement
  // The statement makes the check itself, and shows all of it.
  const state = useSessionsCheck(isStatement ? null : pathname)
  const { failed } = useFailedBefore()
  if (isStatement || state === undefined) return null
  const words =
    wordsOf(lastOf(state)) ?? wordsOf(state) ?? (isFirstTry(state) && failed && wordsOfBefore(failed))
  if (!words) return null
  return (
    <div role="alert" className="mb-8 grid gap-1 border-bad border-s-4 bg-bad-soft px-4 py-3 text-bad">
      <p className="font-semibold">{words.title}</p>
      <p>
        {words.text}{' '}
        {tr('<link>See what failed, and what to do</link>.', {
          link: inner => (
            <Link className="underline underline-offset-2" to={paths.dashboard.statement}>
              {inner}
            </Link>
          ),
        })}
      </p>
    </div>
  )
}

/** True if this session has found nothing yet, since the books could not be fetched. */
function isFirstTry(state: CheckState): boolean {
  return state.is === 'unreached' && state.last === undefined
}

function wordsOfBefore({ step }: Failed): Words {
  return {
    title: headlineOf(step),
    text: t('Your device has found that before, and could not check again just now.'),
  }
}

type Words = { title: string; text: string }

function wordsOf(state: CheckState): Words | null {
  if (state.is === 'done' && !state.outcome.holds) {
    return {
      title: headlineOf(state.outcome.step),
      text: t('Your device has checked them, and something is wrong.'),
    }
  }
  if (state.is === 'hidden') {
    return {
      title: t('The published books have disappeared'),
      text: t('Your device has checked them before, and now we show it none.'),
    }
  }
  if (state.is === 'unreached' && state.overdue !== null) {
    return {
      title: t(
        'Your device could not check the published books for {days, plural, one {# day} other {# days}}',
        { days: state.overdue },
      ),
      text: t('It has tried again just now.'),
    }
  }
  return null
}
