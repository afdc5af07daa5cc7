import { useId } from 'react'
import { Link, useLocation } from 'react-router'
import { type Announcement, listOwnAnnouncements, readAnnouncement } from '#shared/contract/announcements.ts'
import { useMutation } from '#web/api/mutation.ts'
import { useList } from '#web/api/read.ts'
import { paths } from '#web/paths.ts'
import { Paragraphs } from './paragraphs.tsx'

/** What the firm announces and this person has not read yet, above every page of the dashboard. */
export function AnnouncementBanner() {
  const { pathname } = useLocation()
  const { rows = [] } = useList(listOwnAnnouncements, { status: 'current', limit: 10 })
  const unread = rows.filter(({ read }) => !read)
  if (unread.length === 0 || pathname === paths.dashboard.announcements) return null
  return (
    <section aria-label="Announcements" className="mb-8 grid gap-4">
      {unread.map(announcement => (
        <Entry key={announcement._id} announcement={announcement} />
      ))}
    </section>
  )
}

function Entry({ announcement: { _id, title, text } }: { announcement: Announcement }) {
  const id = useId()
  const { run, pending } = useMutation(readAnnouncement, { success: false })
  return (
    <div className="grid gap-2 border-accent border-l-4 bg-sunken px-4 py-3">
      <h2 id={id} dir="auto" className="font-semibold">
        {title}
      </h2>
      <Paragraphs text={text} />
      <p className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
        <button
          type="button"
          className="prose-link"
          aria-describedby={id}
          aria-disabled={pending || undefined}
          onClick={() => run({ body: { id: _id } })}
        >
          Mark as read
        </button>
        <Link className="prose-link" to={paths.dashboard.announcements}>
          All announcements
        </Link>
      </p>
    </div>
  )
}
