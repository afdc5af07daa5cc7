import { Link } from 'react-router'
import { consoleSummary } from '#shared/contract/console.ts'
import type { CallData } from '#shared/contract/define.ts'
import { listChecks } from '#shared/contract/identity.ts'
import { listContactMessages } from '#shared/contract/site.ts'
import { number } from '#shared/i18n/intl.ts'
import { languageNow } from '#shared/i18n/language.ts'
import { sourceLanguage } from '#shared/i18n/languages.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { mayCall, mayHere } from '#web/admin/rights.ts'
import { useRead } from '#web/api/read.ts'
import { consolePaths } from '#web/console-paths.ts'
import { Figure } from '#web/ui/figure.tsx'
import { Section } from '#web/ui/section.tsx'
import { FailedState } from '#web/ui/states.tsx'

type Name = keyof CallData<typeof consoleSummary>['waiting']

/** Tasks and their pages. */
const places: readonly [name: Name, label: string, to: string][] = [
  ['deposits', msg('Deposits to check'), consolePaths.waiting('deposits', 'pending')],
  ['differing', msg('Payments to review'), consolePaths.waiting('deposits', 'differing')],
  ['investments', msg('Investments to approve'), consolePaths.waiting('investments', 'pending')],
  ['withdrawals', msg('Withdrawals to approve'), consolePaths.waiting('withdrawals', 'pending')],
  ['withdrawalsToPay', msg('Withdrawals to pay'), consolePaths.waiting('withdrawals', 'approved')],
  ['payoutAlerts', msg('Payouts to review'), consolePaths.payoutsToReview],
  ['outgoing', msg('Unexplained transactions'), consolePaths.outgoing],
  ['earnings', msg('Earnings to approve'), consolePaths.waiting('earnings', 'pending')],
  ['returns', msg('Returns to decide'), consolePaths.returnsToDecide],
  ['matches', msg('Names on lists'), consolePaths.matchesToDecide],
  ['cases', msg('Monitoring cases to review'), consolePaths.casesToDecide],
  ['checks', msg('Identity checks to decide'), consolePaths.checksToDecide],
  ['matured', msg('Matured investments'), consolePaths.waiting('investments', 'matured')],
  ['messages', msg('Messages to answer'), consolePaths.openMessages],
]

/** Number of open tasks, with links. */
export function WaitingSection() {
  const { data, isError, refetch } = useRead(consoleSummary, {})
  return (
    <Section title={mayHere('decide') ? t('Waiting for you') : t('Waiting for a decision')}>
      {isError && !data ? (
        <FailedState onRetry={() => void refetch()}>{t('The tasks could not be loaded.')}</FailedState>
      ) : (
        <dl className="grid grid-cols-2 gap-x-8 sm:grid-cols-3 lg:grid-cols-4">
          {places.map(([name, label, to]) => (
            <Waiting
              key={name}
              label={translate(label)}
              waiting={data?.waiting[name]}
              to={isClosed(name) ? undefined : to}
            />
          ))}
        </dl>
      )}
    </Section>
  )
}

/** The page of these needs a right of its own. */
function isClosed(name: Name): boolean {
  if (name === 'messages') return !mayCall(listContactMessages)
  return name === 'checks' && !mayCall(listChecks)
}

type Count = { count: number; isAtLeast: boolean }
type WaitingProps = { label: string; waiting: Count | undefined; to?: string }

function Waiting({ label, waiting, to }: WaitingProps) {
  return (
    <Figure
      label={label}
      value={waiting && countWords(waiting)}
      note={waiting && <Note label={label} count={waiting.count} to={to} />}
    />
  )
}

function countWords({ count, isAtLeast }: Count): string {
  return isAtLeast ? t('{count, number}+', { count }) : number(count)
}

function Note({ label, count, to }: { label: string; count: number; to: string | undefined }) {
  if (count === 0) return t('All clear')
  if (to === undefined) return undefined
  // In a sentence; German writes its nouns as they are.
  const tasks = languageNow() === sourceLanguage ? label.toLowerCase() : label
  return (
    <Link className="prose-link inline-block min-h-6" to={to} aria-label={t('Review: {tasks}', { tasks })}>
      {t('Review')}
    </Link>
  )
}
