import { listWebhooks, type Webhook } from '#shared/contract/webhooks.ts'
import { number } from '#shared/i18n/intl.ts'
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

const tones: Record<Webhook['status'], Tone> = {
  approved: 'wait',
  active: 'good',
  failing: 'wait',
  stopped: 'bad',
  removed: 'plain',
}

const statusOptions = () =>
  [
    ['approved', t('Approved', {}, 'a webhook')],
    ['active', t('Active', {}, 'a webhook')],
    ['failing', t('Failing', {}, 'a webhook')],
    ['stopped', t('Stopped', {}, 'a webhook')],
    ['removed', t('Removed', {}, 'a webhook')],
  ] as const

function statusWords(status: Webhook['status']): string {
  return status === 'approved' ? t('Approved, no secret yet') : new Map(statusOptions()).get(status)!
}

/** Webhooks, newest first. */
export function WebhooksSection() {
  const statuses = statusOptions()
  const filter = useListFilter({ statuses }, 'webhooks')
  const list = useList(listWebhooks, { q: filter.q, status: filter.status, limit: pageSize })
  return (
    <Section
      title={t('Webhooks')}
      aside={<ListTools of={t('webhooks')} filter={filter} all={t('All webhooks')} statuses={statuses} />}
    >
      <ListBody few of={t('webhooks')} list={list} filter={filter} empty={t('No webhooks yet')}>
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
      badge={[tones[status], statusWords(status)]}
      actions={webhookActions(webhook)}
      notice={(status === 'failing' || status === 'stopped') && <Waiting webhook={webhook} />}
      entries={[
        [t('Address'), <bdi key="url">{url}</bdi>],
        [t('Events'), <EventList key="events" events={events} />],
        [t('Proposed by'), proposedByName],
        [t('Former secret signs until'), formerUntil && <When key="former" at={formerUntil} />],
        [t('Messages waiting'), webhook.waiting > 0 ? number(webhook.waiting) : null],
        [t('Removed', {}, 'when'), removedAt && <ByWhen key="removed" by={removedByName} at={removedAt} />],
      ]}
    />
  )
}

/** Why messages wait, and what comes next. */
function Waiting({ webhook: { status, failingSince, nextAttemptAt } }: { webhook: Webhook }) {
  return (
    <>
      {failingSince !== null && (
        <>{tr('Your program has accepted no message since {when}.', { when: <When at={failingSince} /> })} </>
      )}
      {status === 'failing' && nextAttemptAt !== null
        ? tr('Next attempt: {when}.', { when: <When at={nextAttemptAt} /> })
        : t('Messages wait until an admin resumes it.')}
    </>
  )
}
