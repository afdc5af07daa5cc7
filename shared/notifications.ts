import { msg } from '#shared/i18n/t.ts'

/** Events that appear in the bell and are emailed: `record.event`, with its label in the email preferences (for `translate`). */
export const moneyNotices = {
  'deposit.approved': msg('A deposit was received'),
  'deposit.underpaid': msg('A deposit was underpaid'),
  'deposit.added': msg('A deposit received a further payment'),
  'deposit.reversed': msg('A deposit was reversed by its network'),
  'deposit.declined': msg('A deposit was declined'),
  'deposit.unpaid': msg('A deposit was not paid in time'),
  'investment.approved': msg('An investment is active'),
  'investment.ending': msg('An investment ends soon'),
  'investment.matured': msg('An investment has matured'),
  'investment.closed': msg('An investment is closed'),
  'investment.declined': msg('An investment was declined'),
  'withdrawal.approved': msg('A withdrawal is approved'),
  'withdrawal.paid': msg('A withdrawal was paid'),
  'withdrawal.declined': msg('A withdrawal was declined'),
  'earning.paid': msg('An earning was added'),
  'earning.declined': msg('An earning was declined'),
  'goal.reached': msg('A goal is reached'),
} as const
/** Its email can be turned off. */
export type MoneyNotice = keyof typeof moneyNotices

/** Requests that their owner has cancelled: in the bell, and only the withdrawal is emailed, which cannot be turned off. */
export const cancelNotices = ['deposit.cancelled', 'investment.cancelled', 'withdrawal.cancelled'] as const
export type CancelNotice = (typeof cancelNotices)[number]

/** Our reply to a message: in the bell and by email, which its reader has asked for. */
export const messageNotices = ['message.replied'] as const
export type MessageNotice = (typeof messageNotices)[number]

/** What became of a proof of identity or of funds, and when it ends: decides what its owner can do, so its email cannot be turned off. */
export const checkNotices = [
  'check.verified',
  'check.returned',
  'check.refused',
  'check.ending',
  'check.ended',
] as const
export type CheckNotice = (typeof checkNotices)[number]

/** Why an investor has to prove more (decision 181): decides what they can do, so its email cannot be turned off. */
export const matchNotices = ['match.exposed', 'match.cleared'] as const
export type MatchNotice = (typeof matchNotices)[number]

/** What the firm changes for everybody: its email cannot be turned off. */
export const firmNotices = ['terms.changed'] as const
export type FirmNotice = (typeof firmNotices)[number]

/** These emails cannot be turned off, nor can the one about a requested withdrawal. */
export const securityNotices = [
  'account.frozen',
  'account.unfrozen',
  'account.proof_erased',
  'account.data_downloaded',
  'account.closed',
  'account.reopened',
  'session.opened',
  'session.reused',
  'password.changed',
  'email.requested',
  'email.changed',
  'address.added',
  'second_factor.on',
  'second_factor.off',
  'recovery_codes.renewed',
  'recovery_code.used',
  'passkey.added',
  'passkey.removed',
  'passkey.refused',
  'second_factors.reset_proposed',
  'second_factors.reset',
  'role.changed',
  'access.ended',
] as const
export type SecurityNotice = (typeof securityNotices)[number]

export type NotificationKind =
  | MoneyNotice
  | CancelNotice
  | MessageNotice
  | CheckNotice
  | MatchNotice
  | FirmNotice
  | SecurityNotice

export const moneyNoticeKinds = Object.keys(moneyNotices) as MoneyNotice[]
export const notificationKinds: readonly NotificationKind[] = [
  ...moneyNoticeKinds,
  ...cancelNotices,
  ...messageNotices,
  ...checkNotices,
  ...matchNotices,
  ...firmNotices,
  ...securityNotices,
]
