import { type Announcement, readAnnouncement } from '#shared/contract/announcements.ts'
import { t } from '#shared/i18n/t.ts'
import { useMutation } from '#web/api/mutation.ts'
import { focusHomeHere } from '#web/ui/focus-home.ts'

/** Marks an announcement as read. The focus goes to what is around it, because the button leaves. */
export function MarkRead({ announcement: { _id, title } }: { announcement: Announcement }) {
  const { run, pending } = useMutation(readAnnouncement, { success: false })
  async function mark() {
    const home = focusHomeHere() ?? document.getElementById('content')
    if (await run({ body: { id: _id } })) home?.focus({ preventScroll: true })
  }
  return (
    <button
      type="button"
      className="prose-link"
      aria-label={t('Mark as read: {title}', { title })}
      aria-disabled={pending || undefined}
      onClick={() => void mark()}
    >
      {t('Mark as read')}
    </button>
  )
}
