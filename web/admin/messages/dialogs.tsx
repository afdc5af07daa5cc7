import type { CallData } from '#shared/contract/define.ts'
import {
  answerMessage,
  type ContactMessage,
  getContactMessage,
  reopenMessage,
  replyToMessage,
} from '#shared/contract/site.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { useRead } from '#web/api/read.ts'
import { When } from '#web/components/when.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { missing } from '#web/ui/form.tsx'
import { Textarea } from '#web/ui/input.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'

type OneProps = { message: ContactMessage; onClose: () => void }

const replyFields = ['text'] as const

function Reply({ message, onClose }: OneProps) {
  return (
    <ActionDialog
      call={replyToMessage}
      title={`Reply to ${message.name}`}
      description={`We email it to ${message.email} with the original message below. Their answer goes to the support mailbox.`}
      entries={[]}
      fields={replyFields}
      check={values => missing(values, replyFields, 'Enter a reply')}
      confirm="Send reply"
      input={({ text }) => ({ params: { id: message._id }, body: { text: text.trim() } })}
      onClose={onClose}
      wide
    >
      <blockquote
        dir="auto"
        className="max-h-40 overflow-y-auto whitespace-pre-line border-rule border-l-2 pl-4 text-ink-soft text-sm"
      >
        {message.message}
      </blockquote>
      <Field name="text" label="Reply">
        <Textarea rows={9} maxLength={5000} autoFocus />
      </Field>
    </ActionDialog>
  )
}

const noteFields = ['note'] as const

function MarkAnswered({ message, onClose }: OneProps) {
  return (
    <ActionDialog
      call={answerMessage}
      title="Mark as answered?"
      description="For messages answered in another way. Nothing is sent."
      entries={[
        ['From', message.name],
        ['Subject', message.subject],
      ]}
      fields={noteFields}
      check={values => missing(values, noteFields, 'Enter a note: how was it answered?')}
      confirm="Mark as answered"
      input={({ note }) => ({ params: { id: message._id }, body: { note: note.trim() } })}
      onClose={onClose}
    >
      <Field name="note" label="Note" hint="How it was answered. Only staff can read it.">
        <Textarea rows={3} maxLength={1000} autoFocus />
      </Field>
    </ActionDialog>
  )
}

function Reopen({ message, onClose }: OneProps) {
  return (
    <ReasonDialog
      call={reopenMessage}
      reader="log"
      title="Reopen this message?"
      description="It goes back to the messages to answer."
      entries={[
        ['From', message.name],
        ['Subject', message.subject],
      ]}
      confirm="Reopen"
      input={reason => ({ params: { id: message._id }, body: { reason } })}
      onClose={onClose}
    />
  )
}

type Step = CallData<typeof getContactMessage>['thread'][number]
const stepWords: Record<Step['kind'], string> = {
  reply: 'Reply sent',
  note: 'Marked as answered',
  reopened: 'Reopened',
}

function Thread({ message, onClose }: OneProps) {
  const { data, isError, refetch } = useRead(getContactMessage, { params: { id: message._id } })
  return (
    <Dialog
      open
      onClose={onClose}
      title={message.subject}
      description={`Everything since ${message.name} wrote.`}
      wide
    >
      {!data && !isError && <Loading label="Loading the message" lines={4} />}
      {!data && isError && (
        <FailedState onRetry={() => void refetch()}>The message could not be loaded.</FailedState>
      )}
      {data?.thread.length === 0 && <EmptyState>No entries yet</EmptyState>}
      {data && data.thread.length > 0 && (
        <ol className="grid">
          {data.thread.map(step => (
            <li key={step._id} className="grid gap-1 border-rule border-t py-4">
              <p className="flex flex-wrap items-baseline justify-between gap-x-6">
                <span className="font-medium">{stepWords[step.kind]}</span>
                <span className="text-ink-faint text-sm">
                  <When at={step.at} />, {step.by}
                </span>
              </p>
              <p dir="auto" className="whitespace-pre-line wrap-anywhere">
                {step.text}
              </p>
            </li>
          ))}
        </ol>
      )}
    </Dialog>
  )
}

/** Actions on a message. */
export function messageActions(message: ContactMessage): Action[] {
  const of = `'${message.subject}'`
  const reply: Action = {
    label: 'Reply',
    call: replyToMessage,
    of: `to ${of}`,
    dialog: close => <Reply message={message} onClose={close} />,
  }
  const mark: Action = {
    label: 'Mark answered',
    call: answerMessage,
    of,
    dialog: close => <MarkAnswered message={message} onClose={close} />,
  }
  const reopen: Action = {
    label: 'Reopen',
    call: reopenMessage,
    of,
    dialog: close => <Reopen message={message} onClose={close} />,
  }
  const thread: Action = {
    label: 'History',
    call: getContactMessage,
    of: `of ${of}`,
    dialog: close => <Thread message={message} onClose={close} />,
  }
  return message.status === 'open' ? [reply, mark, thread] : [reply, reopen, thread]
}
