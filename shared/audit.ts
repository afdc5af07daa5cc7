/**
 * What the audit log can say: the closed list of actions, as `thing.verb` (N-12). An action is added here first; the
 * console offers them all as a filter.
 */
export const auditActions = [
  'deposit.requested',
  'deposit.approved',
  'deposit.declined',
  'deposit.unpaid',
  'investment.requested',
  'investment.approved',
  'investment.closed',
  'investment.declined',
  'withdrawal.requested',
  'withdrawal.approved',
  'withdrawal.declined',
  'withdrawal.paid',
  'earning.added',
  'earning.approved',
  'earning.declined',
  'return.recorded',
  'plan.updated',
  'statement.exported',
  'account.opened',
  'email.verified',
  'login',
  'login.failed',
  'logout',
  'session.ended',
  'session.reused',
  'profile.updated',
  'password.changed',
  'password.reset_requested',
  'password.reset',
] as const
export type AuditAction = (typeof auditActions)[number]
