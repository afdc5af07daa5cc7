import { useId } from 'react'
import { Link } from 'react-router'
import {
  listNotifications,
  type Notification,
  readAllNotifications,
  readNotification,
} from '#shared/contract/notifications.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { useList } from '#web/api/list.ts'
import { useMutation } from '#web/api/mutation.ts'
import { inLocalTime } from '#web/local-time.ts'
import { paths } from '#web/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { cx } from '#web/ui/cx.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { EmptyState } from '#web/ui/states.tsx'
import { alertPage } from './alert-page.ts'
import { AmountsIn } from './amounts.tsx'
import { ListStates } from './list-states.tsx'
import { When } from './when.tsx'

/** The user's notifications, newest first (L-06). */
export default function NotificationsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open side onClose={onClose} title={t('Notifications')}>
      <Notifications onFollow={onClose} />
    </Dialog>
  )
}

function Notifications({ onFollow }: { onFollow: () => void }) {
  const list = useList(listNotifications, { limit: 20 })
  return (
    <ListStates list={list} of={t('your notifications')} lines={6} empty={<NothingYet />}>
      {rows => (
        <>
          <ReadAll rows={rows} />
          <ul className="grid">
            {rows.map(row => (
              <Item key={row._id} notification={row} onFollow={onFollow} />
            ))}
          </ul>
        </>
      )}
    </ListStates>
  )
}

function NothingYet() {
  return <EmptyState>{t('Nothing yet. Account activity will appear here.')}</EmptyState>
}

function ReadAll({ rows }: { rows: Notification[] }) {
  const { run, pending } = useMutation(readAllNotifications)
  const isDone = rows.every(({ read }) => read)
  return (
    <div className="mb-2 flex flex-wrap items-center justify-between gap-3">
      <Button
        tone="quiet"
        size="sm"
        busy={pending}
        disabled={isDone}
        onClick={() => run({ body: { until: rows[0]!._id } })}
      >
        {t('Mark all as read')}
      </Button>
    </div>
  )
}

/** Kind of record a notification is about: the first part of its own kind. */
type Subject = Parameters<typeof paths.dashboard.record>[0]

const recordLabels: Record<Subject, string> = {
  deposit: msg('View deposit'),
  investment: msg('View investment'),
  withdrawal: msg('View withdrawal'),
  earning: msg('View earning'),
  goal: msg('View goal'),
  message: msg('View message'),
}

function recordPage(kind: string, subject: string | null) {
  if (kind === 'terms.changed') return { label: t('Read and accept'), to: paths.dashboard.terms }
  if (kind.startsWith('check.') || kind.startsWith('match.'))
    return { label: t('View your identity'), to: paths.dashboard.identity }
  if (subject === null) return undefined
  const about = kind.split('.')[0] as Subject
  return { label: translate(recordLabels[about]), to: paths.dashboard.record(about, subject) }
}

function Item({ notification, onFollow }: { notification: Notification; onFollow: () => void }) {
  const { _id, kind, text, details, subject, read, createdAt } = notification
  const { run, pending } = useMutation(readNotification, { success: false })
  const id = useId()
  const page = alertPage(kind, subject) ?? recordPage(kind, subject)
  const markRead = () => run({ params: { id: _id } })
  function follow() {
    if (!read) void markRead()
    onFollow()
  }
  return (
    <li className="grid gap-2 border-rule border-b py-4">
      <div className="flex gap-3">
        <span
          aria-hidden="true"
          className={cx('mt-2 size-2 shrink-0 rounded-full', read ? 'bg-transparent' : 'bg-accent')}
        />
        <div id={id} className="grid gap-1">
          <p className={cx(!read && 'font-medium')}>
            {!read && <span className="sr-only">{t('Unread: ')}</span>}
            <AmountsIn text={inLocalTime(text)} />
          </p>
          {details.map(detail => (
            <p key={detail} className="text-ink-soft text-sm">
              <AmountsIn text={inLocalTime(detail)} />
            </p>
          ))}
        </div>
      </div>
      <div className="flex flex-wrap items-center gap-x-5 gap-y-1 ps-5 text-sm">
        <span className="text-ink-faint">
          <When at={createdAt} />
        </span>
        {page && (
          <Link className="prose-link" to={page.to} aria-describedby={id} onClick={follow}>
            {page.label}
          </Link>
        )}
        {!read && (
          <button
            type="button"
            className="prose-link"
            aria-describedby={id}
            aria-disabled={pending || undefined}
            onClick={markRead}
          >
            {t('Mark as read')}
          </button>
        )}
      </div>
    </li>
  )
}
