import { Link } from 'react-router'
import type { Conversation } from '#shared/contract/conversations.ts'
import type { ConversationStatus } from '#shared/conversations.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { paths } from '#web/paths.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'

const words: Record<ConversationStatus, readonly [Tone, string]> = {
  open: ['wait', msg('Waiting for us')],
  answered: ['good', msg('Answered')],
  closed: ['plain', msg('Closed')],
}

/** A conversation's state as its owner reads it. */
export function ConversationBadges({ of: { status, unread } }: { of: Conversation }) {
  const [tone, text] = words[status]
  return (
    <span className="flex flex-wrap gap-2">
      {unread && <Badge tone="good">{t('New reply')}</Badge>}
      {!(unread && status === 'answered') && <Badge tone={tone}>{translate(text)}</Badge>}
    </span>
  )
}

/** Back from one conversation, or a new one, to all. */
export function AllMessages() {
  return (
    <Link className="prose-link" to={paths.dashboard.messages}>
      {t('All messages')}
    </Link>
  )
}
