import { Link, useLocation } from 'react-router'
import { listOwnAnnouncements } from '#shared/contract/announcements.ts'
import { t } from '#shared/i18n/t.ts'
import { useList } from '#web/api/list.ts'
import { WrittenText } from '#web/components/written-text.tsx'
import { paths } from '#web/paths.ts'
import { MarkRead } from './mark-read.tsx'

/** What the firm announces and this person has not read yet, above every page of the dashboard. */
export function AnnouncementBanner() {
  const { pathname } = useLocation()
  const { rows = [] } = useList(listOwnAnnouncements, { status: 'current', limit: 10 })
  const unread = rows.filter(({ read }) => !read)
  if (unread.length === 0 || pathname === paths.dashboard.announcements) return null
  return (
    <section aria-label={t('Announcements')} className="mb-8 grid gap-4">
      {unread.map(announcement => (
        <div key={announcement._id} className="grid gap-2 border-accent border-s-4 bg-sunken px-4 py-3">
          <h2 dir="auto" className="wrap-anywhere font-semibold">
            {announcement.title}
          </h2>
          <WrittenText>{announcement.text}</WrittenText>
          <p className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
            <MarkRead announcement={announcement} />
            <Link className="prose-link" to={paths.dashboard.announcements}>
              {t('All announcements')}
            </Link>
          </p>
        </div>
      ))}
    </section>
  )
}
