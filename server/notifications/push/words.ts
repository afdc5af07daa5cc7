import type { RecordNotice } from '#server/notifications/notices.ts'
import { msg, translate } from '#shared/i18n/t.ts'
import { type MoneyNotice, moneyNotices } from '#shared/notifications.ts'

const words = {
  'withdrawal.requested': msg('A withdrawal was requested.'),
  'withdrawal.cancelled': msg('A withdrawal was cancelled.'),
  'message.replied': msg('We have replied to your message.'),
  'check.verified': msg('What you sent is verified.'),
  'check.returned': msg('What you sent needs a correction.'),
  'check.refused': msg('We have decided about what you sent.'),
  'check.ending': msg('A proof ends soon.'),
  'check.ended': msg('A proof has ended.'),
  'match.exposed': msg('We ask for a proof before you invest more.'),
  'match.cleared': msg('We no longer ask for a proof.'),
  'terms.changed': msg('Our terms change.'),
} as const satisfies Record<Exclude<RecordNotice, MoneyNotice>, string>

/** What a locked screen shows of a notice, in the current language: no names and no amounts. */
export function pushWords(notice: RecordNotice): string {
  return notice in words
    ? translate(words[notice as keyof typeof words])
    : `${translate(moneyNotices[notice as MoneyNotice])}.`
}
