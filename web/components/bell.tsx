import { Bell as BellIcon } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { unreadNotifications } from '#shared/contract/notifications.ts'
import { t } from '#shared/i18n/t.ts'
import { useRead } from '#web/api/read.ts'
import { IconButton } from '#web/ui/button.tsx'

/** Loaded when first opened, with its dialog library. */
const NotificationsDialog = lazy(() => import('./notifications-dialog.tsx'))

/** Notifications (L-06): the unread count and the way to the list. */
export function Bell() {
  const [open, setOpen] = useState(false)
  const unread = useRead(unreadNotifications, {}).data?.unread
  return (
    <>
      <IconButton
        label={
          unread ? t('Notifications, {count} unread', { count: shortCount(unread) }) : t('Notifications')
        }
        aria-haspopup="dialog"
        aria-expanded={open}
        className="relative -my-2 -me-2"
        onClick={() => setOpen(true)}
      >
        <BellIcon aria-hidden="true" />
        {unread ? (
          <span
            aria-hidden="true"
            className="absolute top-1 end-1 grid h-4.5 min-w-4.5 place-items-center rounded-full bg-accent px-1 font-medium text-on-accent text-xs tabular-nums"
          >
            {shortCount(unread)}
          </span>
        ) : null}
      </IconButton>
      <Announcement unread={unread} />
      <Suspense>{open && <NotificationsDialog onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}

/** Short enough for the badge; the button's name says the same (WCAG 2.5.3). */
function shortCount(unread: number): string {
  return unread > 99 ? '99+' : `${unread}`
}

/** Announces new notifications; the bell's name already covers those from before. */
function Announcement({ unread }: { unread: number | undefined }) {
  const [before, setBefore] = useState(unread)
  const [words, say] = useState('')
  useEffect(() => {
    if (unread === before) return
    setBefore(unread)
    const isNew = unread !== undefined && before !== undefined && unread > before
    say(
      isNew
        ? t('{unread, plural, one {# unread notification} other {# unread notifications}}', { unread })
        : '',
    )
  }, [unread, before])
  return (
    <span role="status" className="sr-only">
      {words}
    </span>
  )
}
