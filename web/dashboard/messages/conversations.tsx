import { Link } from 'react-router'
import { type Conversation, listOwnConversations } from '#shared/contract/conversations.ts'
import { t } from '#shared/i18n/t.ts'
import { useList } from '#web/api/list.ts'
import { LinkButton } from '#web/components/link-button.tsx'
import { ListStates } from '#web/components/list-states.tsx'
import { When } from '#web/components/when.tsx'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
import { cx } from '#web/ui/cx.ts'
import { PageHead } from '#web/ui/section.tsx'
import { EmptyState } from '#web/ui/states.tsx'
import { ConversationBadges } from './parts.tsx'

function Write() {
  return <LinkButton to={paths.dashboard.ask()}>{t('New message')}</LinkButton>
}

export function Conversations() {
  const list = useList(listOwnConversations)
  return (
    <>
      <PageHead
        title={t('Messages')}
        lead={t('Ask us about your account. A person reads your message and replies here and by email.')}
        aside={list.rows?.length ? <Write /> : undefined}
      />
      <ListStates
        list={list}
        of={t('your messages')}
        empty={<EmptyState action={<Write />}>{t('You have not written to us yet.')}</EmptyState>}
      >
        {rows => (
          <ul className="border-rule border-b">
            {rows.map(row => (
              <Entry key={row._id} conversation={row} />
            ))}
          </ul>
        )}
      </ListStates>
      <p className="mt-8">
        <Link className="prose-link" to={paths.dashboard.announcements}>
          {t('Announcements to all investors')}
        </Link>
      </p>
    </>
  )
}

function Entry({ conversation }: { conversation: Conversation }) {
  const { _id, subject, about, unread, lastAt } = conversation
  return (
    <li className="grid gap-1.5 border-rule border-t py-4">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <Link
          dir="auto"
          className={cx('prose-link wrap-anywhere', unread && 'font-medium')}
          to={paths.dashboard.record('message', _id)}
        >
          {subject}
        </Link>
        <span className="text-ink-faint text-sm">
          <When at={lastAt} />
        </span>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1">
        <ConversationBadges of={conversation} />
        {about && (
          <span className="text-ink-soft text-sm">
            {tr('About {record}', { record: <bdi>{about.label}</bdi> })}
          </span>
        )}
      </div>
    </li>
  )
}
