import { useId, useState } from 'react'
import { Link } from 'react-router'
import { cancelPlanRun } from '#shared/contract/earnings.ts'
import type { PlanRun } from '#shared/contract/entities.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
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

const states: Record<PlanRun['status'], readonly [words: () => string, tone: Tone]> = {
  running: [() => t('Adding'), 'wait'],
  done: [() => t('Done', {}, 'adding earnings'), 'good'],
  cancelled: [() => t('Cancelled', {}, 'adding earnings'), 'plain'],
  stopped: [() => t('Stopped', {}, 'adding earnings'), 'bad'],
}

const stops: Record<NonNullable<PlanRun['stopReason']>, string> = {
  insufficient_returns: msg(
    'It stopped because recorded returns no longer cover the rest. Record a return, then confirm the rest.',
  ),
  access_ended: msg(
    'It stopped because the person who confirmed it may no longer decide. Another person can confirm the rest.',
  ),
}

const skipWords: Record<PlanRun['skips'][number]['reason'], string> = {
  closed: msg('closed since the confirmation'),
  frozen: msg('the account is frozen'),
  already_added: msg('other earnings were added for the same days'),
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
        aside={<Badge tone={tone}>{words()}</Badge>}
      >
        <p className="text-ink-soft">
          {tr(
            '{person} confirmed {count, plural, one {# earning} other {# earnings}}, {amount} in all, {time}.',
            {
              person: run.by === null ? t('A former member of staff') : <bdi>{run.by}</bdi>,
              count: run.count,
              amount: <Usd value={run.total} />,
              time: <When at={run.createdAt} />,
            },
          )}
        </p>
        {isRunning && <Progress run={run} />}
        <Results run={run} />
        {run.stopReason !== null && (
          <p className="mt-2 text-bad text-sm">{translate(stops[run.stopReason])}</p>
        )}
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
        {t('{done, number} of {count, number} processed', { done: decided, count: run.count })}
      </label>
      <progress id={id} className="w-full accent-accent" max={run.count} value={decided} />
    </p>
  )
}

function Results({ run }: { run: PlanRun }) {
  const isRunning = run.status === 'running'
  return (
    <Figures inLines className="mt-4">
      <Figure
        label={t('Added', {}, 'an amount')}
        value={<Usd value={run.addedTotal} />}
        note={investments(run.added)}
      />
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
  return t('{count, plural, one {# investment} other {# investments}}', { count })
}

function Skips({ run: { skips, skipped } }: { run: PlanRun }) {
  if (skips.length === 0) return null
  return (
    <div className="mt-2 text-sm">
      <p>{t('Skipped investments got no earning, and nothing was spent for them:')}</p>
      <ul className="mt-1 list-disc ps-5">
        {skips.map(({ investment, invoiceId, amount, reason }) => (
          <li key={investment}>
            {tr('<link>{number}</link>, {amount}: {reason}', {
              number: invoiceId,
              amount: <Usd value={amount} />,
              reason: translate(skipWords[reason]),
              link: words => (
                <Link className="prose-link" to={consolePaths.investment(investment)}>
                  {words}
                </Link>
              ),
            })}
          </li>
        ))}
      </ul>
      {skipped > skips.length && (
        <p className="mt-1 text-ink-soft">
          {t('The first {shown, number} of {count, number} are listed here.', {
            shown: skips.length,
            count: skipped,
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
      title={t("Cancel the rest of the {plan} plan's earnings?", { plan: run.plan })}
      description={t(
        'The current part is still finished. Added earnings stay; the rest is not paid, and accrues as before.',
      )}
      entries={[
        [t('Added so far'), investments(run.added)],
        [t('Still to add'), investments(run.left)],
      ]}
      tone="danger"
      optionalReason="log"
      confirm={t('Cancel the rest')}
      input={() => ({ params: { id: run._id } })}
      onClose={onClose}
    />
  )
}
