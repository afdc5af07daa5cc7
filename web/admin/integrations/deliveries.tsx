import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { listDeliveries, redeliver, type WebhookDelivery } from '#shared/contract/webhooks.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import { type Action, Actions } from '#web/admin/actions/actions.tsx'
import { ListBody, pageSize } from '#web/admin/tables/list-body.tsx'
import { useListFilter } from '#web/admin/tables/list-filter.ts'
import { ListTools } from '#web/admin/tables/list-tools.tsx'
import { RecordCell } from '#web/admin/tables/record-cell.tsx'
import { useList } from '#web/api/list.ts'
import { When } from '#web/components/when.tsx'
import { pageOfAny } from '#web/console-paths.ts'
import { dateAndTime } from '#web/local-time.ts'
import { tr } from '#web/tr.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'
import { Section } from '#web/ui/section.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { eventWords } from './words.tsx'

const statuses = () =>
  [
    ['pending', t('Waiting')],
    ['delivered', t('Delivered')],
    ['failed', t('Failed')],
  ] as const

const badges: Record<WebhookDelivery['status'], readonly [Tone, string]> = {
  pending: ['wait', msg('Waiting')],
  delivered: ['good', msg('Delivered')],
  failed: ['bad', msg('Failed')],
}

const columns: readonly Column<WebhookDelivery>[] = [
  { header: msg('Happened'), cell: ({ happenedAt }) => <When at={happenedAt} /> },
  { header: msg('Event'), cell: delivery => <Event delivery={delivery} /> },
  { header: msg('Status'), cell: delivery => <Status delivery={delivery} /> },
  { header: msg('Last answer'), cell: delivery => <Answer delivery={delivery} /> },
  {
    header: msg('Actions'),
    bare: true,
    cell: delivery => <Actions actions={deliveryActions(delivery)} none={null} />,
  },
]

/** What webhooks were sent and how they answered, newest first. */
export function DeliveriesSection() {
  const filter = useListFilter({ statuses: statuses() }, 'deliveries')
  const list = useList(listDeliveries, { q: filter.q, status: filter.status, limit: pageSize })
  return (
    <Section
      title={t('Deliveries')}
      aside={
        <ListTools of={t('deliveries')} filter={filter} all={t('All deliveries')} statuses={statuses()} />
      }
    >
      <ListBody few of={t('deliveries')} list={list} filter={filter} empty={t('No deliveries yet')}>
        {rows => (
          <Table
            wide
            caption={t('Deliveries to webhooks')}
            columns={columns}
            rows={rows}
            keyOf={({ _id }) => _id}
          />
        )}
      </ListBody>
    </Section>
  )
}

function Event({ delivery: { event, subject, webhookName } }: { delivery: WebhookDelivery }) {
  // The first word of an event's name is the kind of its record.
  const place = subject === null ? undefined : pageOfAny(event.split('.')[0]!, subject)
  const words = eventWords(event)
  return (
    <RecordCell note={tr('To {webhook}', { webhook: <bdi>{webhookName}</bdi> })}>
      {place === undefined ? (
        words
      ) : (
        <Link className="prose-link" to={place}>
          {words}
        </Link>
      )}
    </RecordCell>
  )
}

function Status({ delivery }: { delivery: WebhookDelivery }) {
  const [tone, words] = badges[delivery.status]
  return (
    <RecordCell note={attemptsOf(delivery)}>
      <Badge tone={tone}>{translate(words)}</Badge>
    </RecordCell>
  )
}

/** What was tried, and what comes next. */
function attemptsOf({ status, attempts, nextAttemptAt, webhookStopped }: WebhookDelivery): ReactNode {
  if (nextAttemptAt !== null)
    return tr('{attempts, plural, one {# attempt} other {# attempts}}, next {when}', {
      attempts,
      when: <When at={nextAttemptAt} />,
    })
  return status === 'pending' && webhookStopped
    ? t('{attempts, plural, one {# attempt} other {# attempts}}. Waits until an admin resumes the webhook', {
        attempts,
      })
    : t('{attempts, plural, one {# attempt} other {# attempts}}', { attempts })
}

/** The answer's status and first characters, or why there was none. */
function Answer({ delivery }: { delivery: WebhookDelivery }) {
  const { responseStatus, response, attemptedAt, milliseconds } = delivery
  const when =
    attemptedAt !== null &&
    tr('{when}, after {milliseconds, number} ms', {
      when: <When at={attemptedAt} />,
      milliseconds: milliseconds ?? 0,
    })
  if (responseStatus === null && !response) return '—'
  return (
    <RecordCell note={when}>
      <span className="wrap-anywhere">
        {responseStatus !== null && <span className="font-medium tabular-nums">{responseStatus} </span>}
        <bdi>{response}</bdi>
      </span>
    </RecordCell>
  )
}

/** A message is sent again once it was delivered or has failed. */
function deliveryActions(delivery: WebhookDelivery): Action[] {
  if (delivery.status === 'pending' || delivery.webhookRemoved) return []
  const { _id, event, webhookName, happenedAt } = delivery
  return [
    {
      label: t('Send again'),
      of: t('{event}, to {webhook}, {time}', {
        event: eventWords(event),
        webhook: webhookName,
        time: dateAndTime(new Date(happenedAt)),
      }),
      call: redeliver,
      dialog: close => (
        <ActionDialog
          call={redeliver}
          title={t('Send this message again?')}
          description={t('With the same ID and content, so that your program can tell it is a repetition.')}
          entries={[
            [t('Webhook'), webhookName],
            [t('Event'), eventWords(event)],
            [t('Happened'), <When key="happened" at={happenedAt} />],
          ]}
          confirm={t('Send again')}
          input={() => ({ params: { id: _id } })}
          onClose={close}
        />
      ),
    },
  ]
}
