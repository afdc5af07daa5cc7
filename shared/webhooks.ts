import { msg } from '#shared/i18n/t.ts'
import type { MoneyNotice } from './notifications.ts'

/** Events that a webhook can choose, with their labels (for `translate`): notifications, and what investors ask of the firm. */
export const webhookEvents = {
  'deposit.approved': msg('A deposit was credited'),
  'deposit.added': msg('A deposit received a further payment'),
  'deposit.reversed': msg('A deposit was reversed by its network'),
  'investment.approved': msg('An investment is active'),
  'investment.closed': msg('An investment is closed'),
  'withdrawal.requested': msg('A withdrawal was requested'),
  'withdrawal.approved': msg('A withdrawal is approved'),
  'withdrawal.paid': msg('A withdrawal was paid'),
  'withdrawal.declined': msg('A withdrawal was declined'),
  'earning.paid': msg('An earning was added'),
  'message.received': msg('A message was received'),
} as const satisfies Partial<Record<MoneyNotice | 'withdrawal.requested' | 'message.received', string>>
export type WebhookEvent = keyof typeof webhookEvents

export const webhookEventNames = Object.keys(webhookEvents) as WebhookEvent[]

/** What 'Send a test' sends, whatever the webhook has chosen. */
export const testEvent = 'webhook.test'
