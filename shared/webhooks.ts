import type { MoneyNotice } from './notifications.ts'

/** Events that a webhook can choose, with their labels: notifications, and what investors ask of the firm. */
export const webhookEvents = {
  'deposit.approved': 'A deposit was credited',
  'deposit.added': 'A deposit received a further payment',
  'deposit.reversed': 'A deposit was reversed by its network',
  'investment.approved': 'An investment is active',
  'investment.closed': 'An investment is closed',
  'withdrawal.requested': 'A withdrawal was requested',
  'withdrawal.approved': 'A withdrawal is approved',
  'withdrawal.paid': 'A withdrawal was paid',
  'withdrawal.declined': 'A withdrawal was declined',
  'earning.paid': 'An earning was added',
  'message.received': 'A message was received',
} as const satisfies Partial<Record<MoneyNotice | 'withdrawal.requested' | 'message.received', string>>
export type WebhookEvent = keyof typeof webhookEvents

export const webhookEventNames = Object.keys(webhookEvents) as WebhookEvent[]

/** What 'Send a test' sends, whatever the webhook has chosen. */
export const testEvent = 'webhook.test'
