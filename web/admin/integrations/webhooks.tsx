import { listWebhooks, type Webhook } from '#shared/contract/webhooks.ts'
import { t } from '#shared/i18n/t.ts'
import { ListBody, pageSize } from '#web/admin/tables/list-body.tsx'
import { useListFilter } from '#web/admin/tables/list-filter.ts'
import { ListTools } from '#web/admin/tables/list-tools.tsx'
import { useList } from '#web/api/list.ts'
import { ByWhen } from '#web/components/by-when.tsx'
import { When } from '#web/components/when.tsx'
import { tr } from '#web/tr.ts'
import type { Tone } from '#web/ui/badge.tsx'
import { Section } from '#web/ui/section.tsx'
import { Entry } from './entry.tsx'
import { webhookActions } from './webhook-dialogs.tsx'
import { EventList } from './words.tsx'

const statuses = [
  ['approved', 'Approved'],
  ['active', 'Active'],
  ['failing', 'Failing'],
  ['stopped', 'Stopped'],
  ['removed', 'Removed'],
] as const

const badges: Record<Webhook['status'], readonly [Tone, string]> = {
  approved: ['wait', 'Approved, no secret yet'],
  active: ['good', 'Active'],
  failing: ['wait', 'Failing'],
  stopped: ['bad', 'Stopped'],
  removed: ['plain', 'Removed'],
}

/** Webhooks, newest first. */
export function WebhooksSection() {
  const filter = useListFilter({ statuses }, 'webhooks')
  const list = useList(listWebhooks, { q: filter.q, status: filter.status, limit: pageSize })
  return (
    <Section
      title={t('Webhooks')}
      aside={<ListTools of="webhooks" filter={filter} all="All webhooks" statuses={statuses} />}
    >
      <ListBody few of="webhooks" list={list} filter={filter} empty={t('No webhooks yet')}>
        {rows => (
          <ul>
            {rows.map(row => (
              <Hook key={row._id} webhook={row} />
            ))}
          </ul>
        )}
      </ListBody>
    </Section>
  )
}

function Hook({ webhook }: { webhook: Webhook }) {
  const { name, url, status, events, proposedByName, formerUntil, removedAt, removedByName } = webhook
  return (
    <Entry
      name={name}
      badge={badges[status]}
      actions={webhookActions(webhook)}
      notice={(status === 'failing' || status === 'stopped') && <Waiting webhook={webhook} />}
      entries={[
        ['Address', url],
        ['Events', <EventList key="events" events={events} />],
        ['Proposed by', proposedByName],
        ['Former secret signs until', formerUntil && <When key="former" at={formerUntil} />],
        ['Messages waiting', webhook.waiting > 0 ? webhook.waiting.toLocaleString('en') : null],
        ['Removed', removedAt && <ByWhen key="removed" by={removedByName} at={removedAt} />],
      ]}
    />
  )
}

/** Why messages wait, and what comes next. */
function Waiting({ webhook: { status, failingSince, nextAttemptAt } }: { webhook: Webhook }) {
  return (
    <>
      {failingSince !== null && (
        <>{tr('Your program has accepted no message since {when}. ', { when: <When at={failingSince} /> })}</>
      )}
      {status === 'failing' && nextAttemptAt !== null ? (
        <>{tr('Next attempt: {when}.', { when: <When at={nextAttemptAt} /> })}</>
      ) : (
        'Messages wait until an admin resumes it.'
      )}
    </>
  )
}
