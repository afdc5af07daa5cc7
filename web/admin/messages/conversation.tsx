import type { CallData } from '#shared/contract/define.ts'
import { type ContactMessage, getContactMessage } from '#shared/contract/site.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { useRead } from '#web/api/read.ts'
import { Attachments } from '#web/components/attachments.tsx'
import { When } from '#web/components/when.tsx'
import { WrittenText } from '#web/components/written-text.tsx'
import { tr } from '#web/tr.ts'
import { FailedState, Loading } from '#web/ui/states.tsx'

type Entry = CallData<typeof getContactMessage>['thread'][number]

const entryWords: Record<Entry['kind'], string> = {
  message: msg('Message'),
  reply: msg('Reply sent'),
  note: msg('Marked as answered'),
  comment: msg('Note for staff'),
  reopened: msg('Reopened'),
  closed: msg('Closed'),
}

/** A message and all that followed it, oldest first. */
export function Conversation({ message }: { message: ContactMessage }) {
  const { data, isError, refetch } = useRead(getContactMessage, { params: { id: message._id } })
  if (!data && isError) {
    return <FailedState onRetry={() => void refetch()}>{t('The message could not be loaded.')}</FailedState>
  }
  if (!data) return <Loading label={t('Loading the message')} lines={4} />
  const { _id, message: text, name, createdAt, files, thread } = data
  const first: Entry = { _id, kind: 'message', text, by: name, byEmail: false, at: createdAt, files }
  return (
    <ol className="grid">
      {[first, ...thread].map(entry => (
        <li key={entry._id} className="grid gap-1 border-rule border-t py-4 first:border-t-0 first:pt-0">
          <p className="flex flex-wrap items-baseline justify-between gap-x-6">
            <span className="font-medium">
              {entry.byEmail ? t('Message by email') : translate(entryWords[entry.kind])}
            </span>
            <span className="text-ink-faint text-sm">
              {tr('{when}, {name}', { when: <When at={entry.at} />, name: <bdi>{entry.by}</bdi> })}
            </span>
          </p>
          <WrittenText>{entry.text}</WrittenText>
          <Attachments files={entry.files} />
        </li>
      ))}
    </ol>
  )
}
