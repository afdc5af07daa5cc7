import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { CallData } from '#shared/contract/define.ts'
import type { proofStatus } from '#shared/contract/proof-status.ts'
import { listReserves } from '#shared/contract/reserves.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { mayCall } from '#web/admin/rights.ts'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { tr } from '#web/tr.ts'
import { capital } from '#web/ui/capital.ts'
import { Section } from '#web/ui/section.tsx'

type Problem = CallData<typeof proofStatus>['problems'][number]

const words: Record<
  Problem['kind'],
  { title: string; since: (when: ReactNode) => ReactNode; todo: () => ReactNode }
> = {
  signing: {
    title: msg('No new epoch is signed'),
    since: when => tr('Refused since {when}', { when }),
    todo: () =>
      t(
        'We have stopped, so that we never sign two histories. Don’t start a new log. Ask the person who runs the servers to follow the chapter “Public proof” of docs/operate.md: it says what to do after a restore, and what to do if a witness or a copy is wrong.',
      ),
  },
  writing: {
    title: msg('Nothing is added to the log'),
    since: when => tr('Failing since {when}', { when }),
    todo: () =>
      t(
        'A worker tries again every minute, and this disappears when it succeeds. If it stays, ask the person who runs the servers: the worker’s log has the details.',
      ),
  },
  overdue: {
    title: msg('The last epoch is not signed yet'),
    since: when => tr('It ended {when}', { when }),
    todo: () => t('Ask the person who runs the servers whether a worker is running, and what its log says.'),
  },
  reserves: {
    title: msg('A proof of reserves was not published'),
    since: when => tr('Submitted {when}', { when }),
    todo: () =>
      mayCall(listReserves)
        ? tr('Its message became too old before an epoch could seal it. <a>Start a new proof</a>.', {
            a: words => (
              <Link className="prose-link" to={consolePaths.reserves}>
                {words}
              </Link>
            ),
          })
        : t('Its message became too old before an epoch could seal it. An admin can start a new proof.'),
  },
}

/** What keeps the log, or a proof of reserves, from being published. */
export function Problems({ problems }: { problems: readonly Problem[] }) {
  return (
    <Section title={t('Needs attention')}>
      <ul className="grid max-w-3xl gap-6">
        {problems.map(({ kind, reason, since }) => (
          <li key={kind} className="grid gap-1.5 border-bad border-s-2 ps-4">
            <h3 className="font-medium text-bad">{translate(words[kind].title)}</h3>
            {reason !== null && (
              <p dir="auto" className="wrap-anywhere">
                {capital(reason)}
              </p>
            )}
            <p className="text-ink-soft">{words[kind].todo()}</p>
            <p className="text-ink-faint text-sm">{words[kind].since(<When at={since} />)}</p>
          </li>
        ))}
      </ul>
    </Section>
  )
}
