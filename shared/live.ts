/**
 * Topics of live events: which kind of list changed, without content, and who is notified: the owner, the admins, or
 * everyone signed in.
 */
export const topics = {
  deposits: ['owner', 'admins'],
  investments: ['owner', 'admins'],
  withdrawals: ['owner', 'admins'],
  earnings: ['owner', 'admins'],
  users: ['owner', 'admins'],
  notifications: ['owner'],
  /** What waits for staff. */
  alerts: ['admins'],
  /** Sessions, two-factor authentication, passkeys and addresses. */
  security: ['owner'],
  /** Payout batches. */
  payouts: ['admins'],
  /** What addresses of deposits hold. */
  sweeps: ['admins'],
  returns: ['admins'],
  /** Conversations with the firm. */
  messages: ['owner', 'admins'],
  /** Invitations and proposals. */
  staff: ['admins'],
  /** Imported sanctions lists, and people whose names are like those on them. */
  screening: ['admins'],
  /** Cases of movements. */
  monitoring: ['admins'],
  /** Proofs of identity and of funds. */
  identity: ['owner', 'admins'],
  firm: ['admins'],
  /** API keys and webhooks. */
  integrations: ['admins'],
  plans: ['everybody'],
  announcements: ['everybody'],
  policies: ['everybody'],
} as const satisfies Record<string, readonly ('owner' | 'admins' | 'everybody')[]>
export type Topic = keyof typeof topics

/** Heartbeat interval in seconds, below the timeouts of proxies. */
export const liveHeartbeatSeconds = 15
