import type { ApiKey } from '#shared/contract/api-keys.ts'
import type { Webhook } from '#shared/contract/webhooks.ts'
import { listed } from '#shared/i18n/listed.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import type { ApiKeyRight } from '#shared/roles.ts'
import { testEvent, type WebhookEvent, webhookEvents } from '#shared/webhooks.ts'
import type { Entry } from '#web/admin/actions/action-dialog.tsx'
import { Day } from '#web/components/when.tsx'

/** What each right lets a key read. */
export const rightWords: Record<ApiKeyRight, string> = {
  console: msg('The console: people, deposits, withdrawals, investments, earnings, payouts'),
  books: msg('The books: postings of every record'),
  log: msg('The audit log'),
}

const short: Record<ApiKeyRight, string> = {
  console: msg('Console'),
  books: msg('Books'),
  log: msg('Audit log'),
}

export function rightsInWords(rights: readonly ApiKeyRight[]): string {
  return listed(rights.map(right => translate(short[right])))
}

/** What two admins decide about a key. */
export function keyFacts({
  name,
  rights,
  addresses,
  until,
}: Pick<ApiKey, 'name' | 'rights' | 'addresses' | 'until'>): Entry[] {
  return [
    [t('API key'), name],
    [t('May read'), rightsInWords(rights)],
    [t('From'), <Addresses key="from" of={addresses} />],
    [t('Until'), <Day key="until" on={until} />],
  ]
}

/** IP addresses and ranges, which are read from left to right. */
export function Addresses({ of }: { of: readonly string[] }) {
  return <span dir="ltr">{of.join(', ')}</span>
}

/** What two admins decide about a webhook. */
export function webhookFacts({ name, url, events }: Pick<Webhook, 'name' | 'url' | 'events'>): Entry[] {
  return [
    [t('Webhook'), name],
    [t('Address'), <bdi key="url">{url}</bdi>],
    [t('Events'), <EventList key="events" events={events} />],
  ]
}

/** Chosen events, one on each line. */
export function EventList({ events }: { events: readonly WebhookEvent[] }) {
  return (
    <ul>
      {events.map(event => (
        <li key={event}>{eventWords(event)}</li>
      ))}
    </ul>
  )
}

export function eventWords(event: string): string {
  if (event === testEvent) return t('Test event')
  return Object.hasOwn(webhookEvents, event) ? translate(webhookEvents[event as WebhookEvent]) : event
}
