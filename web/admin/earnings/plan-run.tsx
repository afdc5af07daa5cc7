import { useId, useState } from 'react'
import { Link } from 'react-router'
import { cancelPlanRun } from '#shared/contract/earnings.ts'
import type { PlanRun } from '#shared/contract/entities.ts'
import { t } from '#shared/i18n/t.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import { mayCall } from '#web/admin/rights.ts'
import { Usd } from '#web/components/amounts.tsx'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { tr } from '#web/tr.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { Figure, Figures } from '#web/ui/figure.tsx'
import { focusHome } from '#web/ui/focus-home.ts'
import { Section } from '#web/ui/section.tsx'

const states: Record<PlanRun['status'], readonly [words: string, tone: Tone]> = {
  running: ['Adding', 'wait'],
  done: ['Done', 'good'],
  cancelled: ['Cancelled', 'plain'],
  stopped: ['Stopped', 'bad'],
}

const stops: Record<NonNullable<PlanRun['stopReason']>, string> = {
  insufficient_returns:
    'It stopped because recorded returns no longer cover the rest. Record a return, then confirm the rest.',
  access_ended:
    'It stopped because the person who confirmed it may no longer decide. Another person can confirm the rest.',
}

const skipWords: Record<PlanRun['skips'][number]['reason'], string> = {
  closed: 'closed since the confirmation',
  frozen: 'the account is frozen',
  already_added: 'other earnings were added for the same days',
}

/** A confirmed run of the plan's earnings: its progress and, at its end, what was added and what was not. */
export function RunSection({ run }: { run: PlanRun }) {
  const [isCancelling, setCancelling] = useState(false)
  const [words, tone] = states[run.status]
  const isRunning = run.status === 'running'
  return (
    <div {...focusHome} className="outline-none">
      <Section
        title={isRunning ? t('Adding earnings') : t('Latest run')}
        aside={<Badge tone={tone}>{words}</Badge>}
      >
        <p className="text-ink-soft">
          {tr('{value} confirmed {toLocaleString} {value2}, {usd} in all, {when}.', {
            value: run.by ?? 'A former member of staff',
            toLocaleString: run.count.toLocaleString('en'),
            value2: run.count === 1 ? 'earning' : 'earnings',
            usd: <Usd value={run.total} />,
            when: <When at={run.createdAt} />,
          })}
        </p>
        {isRunning && <Progress run={run} />}
        <Results run={run} />
        {run.stopReason !== null && <p className="mt-2 text-bad text-sm">{stops[run.stopReason]}</p>}
        {run.needsApproval && run.added > 0 && (
          <p className="mt-2 text-sm">{t('They are pending: a second admin must approve each one.')}</p>
        )}
        <Skips run={run} />
        {isRunning && mayCall(cancelPlanRun) && (
          <Button className="mt-4" tone="quiet" onClick={() => setCancelling(true)}>
            {t('Cancel the rest')}
          </Button>
        )}
      </Section>
      {isCancelling && <CancelRun run={run} onClose={() => setCancelling(false)} />}
    </div>
  )
}

function Progress({ run }: { run: PlanRun }) {
  const id = useId()
  const decided = run.added + run.skipped
  return (
    <p className="mt-4 grid gap-1.5 text-sm">
      <label htmlFor={id}>
        {t('{toLocaleString} of {toLocaleString2} processed', {
          toLocaleString: decided.toLocaleString('en'),
          toLocaleString2: run.count.toLocaleString('en'),
        })}
      </label>
      <progress id={id} className="w-full accent-accent" max={run.count} value={decided} />
    </p>
  )
}

function Results({ run }: { run: PlanRun }) {
  const isRunning = run.status === 'running'
  return (
    <Figures inLines className="mt-4">
      <Figure label={t('Added')} value={<Usd value={run.addedTotal} />} note={investments(run.added)} />
      <Figure label={t('Skipped')} value={<Usd value={run.skippedTotal} />} note={investments(run.skipped)} />
      <Figure
        label={isRunning ? t('Still to add') : t('Not added')}
        value={<Usd value={run.leftTotal} />}
        note={investments(run.left)}
      />
    </Figures>
  )
}

function investments(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'investment' : 'investments'}`
}

function Skips({ run: { skips, skipped } }: { run: PlanRun }) {
  if (skips.length === 0) return null
  return (
    <div className="mt-2 text-sm">
      <p>{t('Skipped investments got no earning, and nothing was spent for them:')}</p>
      <ul className="mt-1 list-disc ps-5">
        {skips.map(({ investment, invoiceId, amount, reason }) => (
          <li key={investment}>
            <Link className="prose-link" to={consolePaths.investment(investment)}>
              {invoiceId}
            </Link>
            , <Usd value={amount} />: {skipWords[reason]}
          </li>
        ))}
      </ul>
      {skipped > skips.length && (
        <p className="mt-1 text-ink-soft">
          {t('The first {length} of {toLocaleString} are listed here.', {
            length: skips.length,
            toLocaleString: skipped.toLocaleString('en'),
          })}
        </p>
      )}
    </div>
  )
}

function CancelRun({ run, onClose }: { run: PlanRun; onClose: () => void }) {
  return (
    <ActionDialog
      call={cancelPlanRun}
      title={`Cancel the rest of the ${run.plan} plan's earnings?`}
      description={t(
        'The current part is still finished. Added earnings stay; the rest is not paid, and accrues as before.',
      )}
      entries={[
        ['Added so far', investments(run.added)],
        ['Still to add', investments(run.left)],
      ]}
      tone="danger"
      optionalReason="log"
      confirm={t('Cancel the rest')}
      input={() => ({ params: { id: run._id } })}
      onClose={onClose}
    />
  )
}
