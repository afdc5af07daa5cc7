import { useEffect } from 'react'
import { type Announcement, listOwnAnnouncements, readAnnouncement } from '#shared/contract/announcements.ts'
import { useMutation } from '#web/api/mutation.ts'
import { useList } from '#web/api/read.ts'
import { ListStates } from '#web/components/list-states.tsx'
import { Day } from '#web/components/when.tsx'
import { pageMeta } from '#web/meta.ts'
import { Badge } from '#web/ui/badge.tsx'
import { PageHead } from '#web/ui/section.tsx'
import { EmptyState } from '#web/ui/states.tsx'
import { Paragraphs } from './paragraphs.tsx'

export const meta = pageMeta('Announcements')

/** All that the firm has announced, newest first. */
export default function AnnouncementsPage() {
  const list = useList(listOwnAnnouncements)
  return (
    <>
      <PageHead title="Announcements" lead="What we have told all investors, newest first." />
      <ListStates list={list} of="announcements" empty={<EmptyState>No announcements yet</EmptyState>}>
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

function Entry({ announcement: { _id, title, text, from, status, read } }: { announcement: Announcement }) {
  const { run } = useMutation(readAnnouncement, { success: false, refusal: () => false })
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as it is shown.
  useEffect(() => {
    if (!read) void run({ body: { id: _id } })
  }, [_id])
  return (
    <li className="grid gap-2 border-rule border-t py-5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <h2 dir="auto" className="font-medium">
          {title}
        </h2>
        <span className="flex flex-wrap items-center gap-3 text-ink-soft text-sm">
          {status === 'current' && <Badge tone="good">Current</Badge>}
          <Day on={from} />
        </span>
      </div>
      <Paragraphs text={text} />
    </li>
  )
}
