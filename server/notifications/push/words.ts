import type { RecordNotice } from '#server/notifications/notices.ts'
import { moneyNoticeKinds, moneyNotices } from '#shared/notifications.ts'

/** What a locked screen shows of a notice: no names and no amounts. */
export const pushWords = {
  ...(Object.fromEntries(moneyNoticeKinds.map(kind => [kind, `${moneyNotices[kind]}.`])) as Record<
    (typeof moneyNoticeKinds)[number],
    string
  >),
  'withdrawal.requested': 'A withdrawal was requested.',
  'withdrawal.cancelled': 'A withdrawal was cancelled.',
  'message.replied': 'We have replied to your message.',
  'check.verified': 'What you sent is verified.',
  'check.returned': 'What you sent needs a correction.',
  'check.refused': 'We have decided about what you sent.',
  'check.ending': 'A proof ends soon.',
  'check.ended': 'A proof has ended.',
  'match.exposed': 'We ask for a proof before you invest more.',
  'match.cleared': 'We no longer ask for a proof.',
  'terms.changed': 'Our terms change.',
} as const satisfies Record<RecordNotice, string>
