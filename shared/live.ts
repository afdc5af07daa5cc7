/**
 * What open pages are told of while they are open: that a kind of list has changed, and nothing about what is in it.
 * Who is told: the owner of what changed, the admins, or everybody who is signed in.
 */
export const topics = {
  deposits: ['owner', 'admins'],
  investments: ['owner', 'admins'],
  withdrawals: ['owner', 'admins'],
  earnings: ['owner', 'admins'],
  users: ['owner', 'admins'],
  notifications: ['owner'],
  /** Sessions, the second factor, passkeys and the address book. */
  security: ['owner'],
  /** Batches of withdrawals that are paid out together. */
  payouts: ['admins'],
  returns: ['admins'],
  messages: ['admins'],
  /** Invitations, and what waits for a second admin. */
  staff: ['admins'],
  /** The firm's profile and its figures. */
  firm: ['admins'],
  plans: ['everybody'],
} as const satisfies Record<string, readonly ('owner' | 'admins' | 'everybody')[]>
export type Topic = keyof typeof topics

/** How often a stream without news says that it is alive, in seconds: more often than proxies lose patience. */
export const liveHeartbeatSeconds = 15
