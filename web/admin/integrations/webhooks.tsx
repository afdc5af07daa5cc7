import { listWebhooks, type Webhook } from '#shared/contract/webhooks.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import { ListBody, pageSize } from '#web/admin/tables/list-body.tsx'
import { useListFilter } from '#web/admin/tables/list-filter.ts'
import { ListTools } from '#web/admin/tables/list-tools.tsx'
import { useList } from '#web/api/read.ts'
import { When } from '#web/components/when.tsx'
import { Badge, type Tone } from '#web/ui/badge.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Section } from '#web/ui/section.tsx'
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
      title="Webhooks"
      aside={<ListTools of="webhooks" filter={filter} all="All webhooks" statuses={statuses} />}
    >
      <ListBody of="webhooks" list={list} filter={filter} empty="No webhooks yet">
        {rows => (
          <ul>
            {rows.map(row => (
              <Entry key={row._id} webhook={row} />
            ))}
          </ul>
        )}
      </ListBody>
    </Section>
  )
}

function Entry({ webhook }: { webhook: Webhook }) {
  const { name, url, status, events, proposedByName, formerUntil, removedAt, removedByName } = webhook
  const [tone, words] = badges[status]
  return (
    <li className="grid gap-3 border-rule border-t py-5 first:border-t-0 first:pt-0">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <span className="flex flex-wrap items-center gap-3">
          <h3 dir="auto" className="font-medium wrap-anywhere">
            {name}
          </h3>
          <Badge tone={tone}>{words}</Badge>
        </span>
        <Actions actions={webhookActions(webhook)} none={null} />
      </div>
      <Waiting webhook={webhook} />
      <DescriptionList
        entries={[
          ['Address', url],
          ['Events', <EventList key="events" events={events} />],
          ['Proposed by', proposedByName],
          ['Former secret signs until', formerUntil && <When key="former" at={formerUntil} />],
          ['Messages waiting', webhook.waiting > 0 ? webhook.waiting.toLocaleString('en') : null],
          [
            'Removed',
            removedAt && (
              <>
                <bdi>{removedByName}</bdi>, <When at={removedAt} />
              </>
            ),
          ],
        ]}
      />
    </li>
  )
}

/** Why messages wait, and what comes next. */
function Waiting({ webhook: { status, failingSince, nextAttemptAt } }: { webhook: Webhook }) {
  if (status !== 'failing' && status !== 'stopped') return null
  return (
    <p className="max-w-2xl rounded-sm bg-wait-soft px-4 py-3 text-sm">
      {failingSince !== null && (
        <>
          It has accepted no message since <When at={failingSince} />.{' '}
        </>
      )}
      {status === 'failing' && nextAttemptAt !== null ? (
        <>
          Next attempt: <When at={nextAttemptAt} />.
        </>
      ) : (
        'Messages wait until an admin resumes it.'
      )}
    </p>
  )
}
