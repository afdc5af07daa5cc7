import { useState } from 'react'
import { listAnnouncements, type WrittenAnnouncement } from '#shared/contract/announcements.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import { ListBody, pageSize } from '#web/admin/tables/list-body.tsx'
import { useListFilter } from '#web/admin/tables/list-filter.ts'
import { ListTools } from '#web/admin/tables/list-tools.tsx'
import { useList } from '#web/api/list.ts'
import { Day, When } from '#web/components/when.tsx'
import { WrittenText } from '#web/components/written-text.tsx'
import { pageMeta } from '#web/meta.ts'
import { tr } from '#web/tr.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { PageHead } from '#web/ui/section.tsx'
import { announcementActions, NewAnnouncement } from './actions.tsx'

export const meta = pageMeta(msg('Announcements'))

const statuses = () =>
  [
    ['current', t('Current')],
    ['scheduled', t('Scheduled')],
    ['ended', t('Ended')],
    ['withdrawn', t('Withdrawn')],
  ] as const

const badges: Record<WrittenAnnouncement['status'], readonly [Tone, string]> = {
  current: ['good', msg('Current')],
  scheduled: ['wait', msg('Scheduled')],
  ended: ['plain', msg('Ended')],
  withdrawn: ['bad', msg('Withdrawn')],
}

/** What the firm tells all investors on their dashboards. */
export default function AnnouncementsPage() {
  const filter = useListFilter({ statuses: statuses() })
  const list = useList(listAnnouncements, { ...filter.query, limit: pageSize })
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <PageHead
        title={t('Announcements')}
        lead={t('Shown on every investor’s dashboard until they mark it as read.')}
        aside={<Button onClick={() => setOpen(true)}>{t('New announcement')}</Button>}
      />
      <div className="mb-4 flex flex-wrap gap-3">
        <ListTools
          of={t('announcements')}
          filter={filter}
          all={t('All announcements')}
          statuses={statuses()}
        />
      </div>
      <ListBody of={t('announcements')} list={list} filter={filter} empty={t('No announcements yet')}>
        {rows => (
          <ul>
            {rows.map(row => (
              <Entry key={row._id} announcement={row} />
            ))}
          </ul>
        )}
      </ListBody>
      {isOpen && <NewAnnouncement onClose={() => setOpen(false)} />}
    </>
  )
}

function Entry({ announcement }: { announcement: WrittenAnnouncement }) {
  const { title, text, from, until, status, createdAt, createdBy, readers } = announcement
  const [tone, words] = badges[status]
  return (
    <li className="grid gap-2 border-rule border-t py-5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <h2 dir="auto" className="font-medium wrap-anywhere">
          {title}
        </h2>
        <span className="text-ink-soft text-sm">
          {tr('{first} to {last} (UTC)', { first: <Day on={from} />, last: <Day on={until} /> })}
        </span>
      </div>
      <WrittenText>{text}</WrittenText>
      <div className="mt-2 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-soft text-sm">
          <Badge tone={tone}>{translate(words)}</Badge>
          <span>{tr('{when}, {name}', { when: <When at={createdAt} />, name: <bdi>{createdBy}</bdi> })}</span>
          <span>
            {t('Marked as read by {readers, plural, one {# investor} other {# investors}}', { readers })}
          </span>
        </span>
        <Actions actions={announcementActions(announcement)} none={null} />
      </div>
    </li>
  )
}
