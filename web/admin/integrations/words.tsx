import type { ApiKey } from '#shared/contract/api-keys.ts'
import type { Webhook } from '#shared/contract/webhooks.ts'
import type { ApiKeyRight } from '#shared/roles.ts'
import { testEvent, type WebhookEvent, webhookEvents } from '#shared/webhooks.ts'
import type { Entry } from '#web/admin/actions/action-dialog.tsx'
import { Day } from '#web/components/when.tsx'

/** What each right lets a key read. */
export const rightWords: Record<ApiKeyRight, string> = {
  console: 'The console: people, deposits, withdrawals, investments, earnings, payouts',
  books: 'The books: postings of every record',
  log: 'The audit log',
}

const short: Record<ApiKeyRight, string> = { console: 'Console', books: 'Books', log: 'Audit log' }

export function rightsInWords(rights: readonly ApiKeyRight[]): string {
  return rights.map(right => short[right]).join(', ')
}

/** What two admins decide about a key. */
export function keyFacts({
  name,
  rights,
  addresses,
  until,
}: Pick<ApiKey, 'name' | 'rights' | 'addresses' | 'until'>): Entry[] {
  return [
    ['API key', name],
    ['May read', rightsInWords(rights)],
    ['From', addresses.join(', ')],
    ['Until', <Day key="until" on={until} />],
  ]
}

/** What two admins decide about a webhook. */
export function webhookFacts({ name, url, events }: Pick<Webhook, 'name' | 'url' | 'events'>): Entry[] {
  return [
    ['Webhook', name],
    ['Address', url],
    ['Events', <EventList key="events" events={events} />],
  ]
}

/** Chosen events, one on each line. */
export function EventList({ events }: { events: readonly WebhookEvent[] }) {
  return (
    <ul>
      {events.map(event => (
        <li key={event}>{webhookEvents[event]}</li>
      ))}
    </ul>
  )
}

export function eventWords(event: string): string {
  if (event === testEvent) return 'Test event'
  return Object.hasOwn(webhookEvents, event) ? webhookEvents[event as WebhookEvent] : event
}
