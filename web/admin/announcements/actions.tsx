import {
  newAnnouncement,
  type WrittenAnnouncement,
  withdrawAnnouncement,
} from '#shared/contract/announcements.ts'
import { t } from '#shared/i18n/t.ts'
import { announcementDays, longestAnnouncement, longestAnnouncementTitle } from '#shared/limits.ts'
import { dayAfter } from '#shared/moments.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { utcToday } from '#web/components/days.ts'
import { Field } from '#web/ui/field.tsx'
import { fieldError, mergeErrors, missing } from '#web/ui/form.tsx'
import { Input, Textarea } from '#web/ui/input.tsx'

const fields = ['title', 'text', 'from', 'until'] as const
type Values = Record<(typeof fields)[number], string>

function check(values: Values) {
  return mergeErrors(
    missing(values, fields, t('All fields are required')),
    values.until < values.from
      ? fieldError('until', t('The last day cannot be before the first'))
      : undefined,
  )
}

export function NewAnnouncement({ onClose }: { onClose: () => void }) {
  return (
    <ActionDialog
      call={newAnnouncement}
      title={t('New announcement')}
      description={t(
        'All investors read it on their dashboards. It cannot be changed afterwards, only withdrawn.',
      )}
      entries={[]}
      fields={fields}
      check={check}
      confirm={t('Publish')}
      input={({ title, text, from, until }) => ({
        body: { title: title.trim(), text: text.trim(), from, until },
      })}
      onClose={onClose}
      wide
    >
      <Field name="title" label={t('Title')}>
        <Input maxLength={longestAnnouncementTitle} autoComplete="off" autoFocus />
      </Field>
      <Field
        name="text"
        label={t('Text')}
        hint={t(
          'Say what changes, for whom and when, and what people should do. Announce facts: no expected returns, no urgency, no invitation to invest.',
        )}
      >
        <Textarea rows={6} maxLength={longestAnnouncement} />
      </Field>
      <div className="grid gap-5 sm:grid-cols-2">
        <Field name="from" label={t('First day')} hint={t('In UTC.')}>
          <Input type="date" min={utcToday()} defaultValue={utcToday()} />
        </Field>
        <Field
          name="until"
          label={t('Last day')}
          hint={t('In UTC. After it, the text moves to past announcements.')}
        >
          <Input type="date" min={utcToday()} max={dayAfter(new Date(), announcementDays)} />
        </Field>
      </div>
    </ActionDialog>
  )
}

type WithdrawProps = { announcement: WrittenAnnouncement; onClose: () => void }

function Withdraw({ announcement: { _id, title }, onClose }: WithdrawProps) {
  return (
    <ReasonDialog
      call={withdrawAnnouncement}
      reader="log"
      title={t('Withdraw this announcement?')}
      description={t(
        'It leaves the dashboards. Among past announcements, investors read that we withdrew it, and what it said.',
      )}
      entries={[[t('Title'), <bdi key="title">{title}</bdi>]]}
      confirm={t('Withdraw', {}, 'an announcement')}
      tone="danger"
      input={reason => ({ params: { id: _id }, body: { reason } })}
      onClose={onClose}
    />
  )
}

export function announcementActions(announcement: WrittenAnnouncement): Action[] {
  if (announcement.status === 'withdrawn') return []
  return [
    {
      label: t('Withdraw', {}, 'an announcement'),
      call: withdrawAnnouncement,
      of: t("''{title}''", { title: announcement.title }),
      tone: 'danger',
      dialog: close => <Withdraw announcement={announcement} onClose={close} />,
    },
  ]
}
