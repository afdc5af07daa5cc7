import { type Announcement, listOwnAnnouncements } from '#shared/contract/announcements.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { useList } from '#web/api/list.ts'
import { ListStates } from '#web/components/list-states.tsx'
import { Day, When } from '#web/components/when.tsx'
import { WrittenText } from '#web/components/written-text.tsx'
import { pageMeta } from '#web/meta.ts'
import { tr } from '#web/tr.ts'
import { Badge } from '#web/ui/badge.tsx'
import { PageHead } from '#web/ui/section.tsx'
import { EmptyState } from '#web/ui/states.tsx'
import { MarkRead } from './mark-read.tsx'

export const meta = pageMeta(msg('Announcements'))

/** All that the firm has announced, newest first. */
export default function AnnouncementsPage() {
  const list = useList(listOwnAnnouncements)
  return (
    <>
      <PageHead title={t('Announcements')} lead={t('What we have told all investors, newest first.')} />
      <ListStates
        home
        list={list}
        of={t('announcements')}
        empty={<EmptyState>{t('No announcements yet')}</EmptyState>}
      >
        {rows => (
          <ul className="border-rule border-b">
            {rows.map(row => (
              <Entry key={row._id} announcement={row} />
            ))}
          </ul>
        )}
      </ListStates>
    </>
  )
}

function Entry({ announcement }: { announcement: Announcement }) {
  const { title, text, from, status, read, withdrawnAt } = announcement
  return (
    <li className="grid gap-2 border-rule border-t py-5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <h2 dir="auto" className="wrap-anywhere font-medium">
          {title}
        </h2>
        <span className="flex flex-wrap items-center gap-3 text-ink-soft text-sm">
          {status === 'current' && <Badge tone="good">{t('Current')}</Badge>}
          {withdrawnAt && <Badge tone="bad">{t('Withdrawn')}</Badge>}
          <Day on={from} />
        </span>
      </div>
      {withdrawnAt ? (
        <details>
          <summary className="prose-link w-fit">
            {tr('We withdrew it on {day}. It said:', { day: <When at={withdrawnAt} /> })}
          </summary>
          <WrittenText>{text}</WrittenText>
        </details>
      ) : (
        <WrittenText>{text}</WrittenText>
      )}
      {status === 'current' && !read && (
        <p className="text-sm">
          <MarkRead announcement={announcement} />
        </p>
      )}
    </li>
  )
}
