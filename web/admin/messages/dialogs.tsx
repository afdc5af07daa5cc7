import { useRef } from 'react'
import { unfilledPlaceholders } from '#shared/canned-answers.ts'
import {
  answerMessage,
  assignMessage,
  type ContactMessage,
  closeMessage,
  commentMessage,
  getContactMessage,
  listTeam,
  reopenMessage,
  replyToMessage,
} from '#shared/contract/site.ts'
import { listed } from '#shared/i18n/listed.ts'
import { t } from '#shared/i18n/t.ts'
import { longestMessage } from '#shared/limits.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { useRead } from '#web/api/read.ts'
import { AttachmentsField, useAttachments } from '#web/components/attachments.tsx'
import { tr } from '#web/tr.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { fieldError, mergeErrors, missing } from '#web/ui/form.tsx'
import { Select, Textarea } from '#web/ui/input.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'
import { Conversation } from './conversation.tsx'
import { InsertAnswer } from './insert-answer.tsx'

type OneProps = { message: ContactMessage; onClose: () => void }

const replyFields = ['text', 'files'] as const

function Reply({ message, onClose }: OneProps) {
  const files = useAttachments()
  const field = useRef<HTMLTextAreaElement>(null)
  const email = <bdi>{message.email}</bdi>
  const sending =
    message.isVerified === false
      ? tr('We email only a link to {email}: the address is not verified.', { email })
      : tr('We email it to {email}.', { email })
  const answers = message.user
    ? t('They read it in their account and can write again.')
    : t('They can answer that email.')
  return (
    <ActionDialog
      call={replyToMessage}
      title={tr('Reply to {name}', { name: <bdi>{message.name}</bdi> })}
      description={
        <>
          {sending} {answers}
        </>
      }
      entries={[]}
      fields={replyFields}
      check={values =>
        mergeErrors(missing(values, ['text'], t('Enter a reply')), unfilled(values.text), files.check())
      }
      confirm={t('Send reply')}
      input={({ text }) => ({
        params: { id: message._id },
        body: { text: text.trim(), files: files.ids },
      })}
      onClose={onClose}
      wide
    >
      <section
        aria-label={t('Conversation')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls what is longer than its frame.
        tabIndex={0}
        className="max-h-64 overflow-y-auto border-rule border-s-2 ps-4 text-sm"
      >
        <Conversation message={message} />
      </section>
      <InsertAnswer message={message} field={() => field.current} />
      <Field name="text" label={t('Reply')}>
        <Textarea ref={field} rows={9} maxLength={longestMessage} autoFocus />
      </Field>
      {message.user && <AttachmentsField of={files} />}
    </ActionDialog>
  )
}

/** What a prepared answer had no value for is never sent. */
function unfilled(text: string) {
  const left = unfilledPlaceholders(text)
  return left.length === 0
    ? undefined
    : fieldError(
        'text',
        t('Replace {placeholders} before you send it', { placeholders: listed(left, 'and') }),
      )
}

const noteFields = ['note'] as const

function MarkAnswered({ message, onClose }: OneProps) {
  return (
    <ActionDialog
      call={answerMessage}
      title={t('Mark as answered?')}
      description={t('For messages answered in another way. Nothing is sent.')}
      entries={[
        [t('From', {}, 'a person'), message.name],
        [t('Subject'), message.subject],
      ]}
      fields={noteFields}
      check={values => missing(values, noteFields, t('Enter a note: how was it answered?'))}
      confirm={t('Mark as answered')}
      input={({ note }) => ({ params: { id: message._id }, body: { note: note.trim() } })}
      onClose={onClose}
    >
      <Field
        name="note"
        label={t('Note', {}, 'for staff')}
        hint={t('How it was answered. Only staff can read it.')}
      >
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
      title={t('Reopen this message?')}
      description={t('It goes back to the messages to answer.')}
      entries={[
        [t('From', {}, 'a person'), message.name],
        [t('Subject'), message.subject],
      ]}
      confirm={t('Reopen')}
      input={reason => ({ params: { id: message._id }, body: { reason } })}
      onClose={onClose}
    />
  )
}

function Close({ message, onClose }: OneProps) {
  return (
    <ReasonDialog
      call={closeMessage}
      reader="staff"
      title={t('Close this message?')}
      description={t('Nothing is sent. An investor who writes again reopens it.')}
      entries={[
        [t('From', {}, 'a person'), message.name],
        [t('Subject'), message.subject],
      ]}
      confirm={t('Close')}
      input={reason => ({ params: { id: message._id }, body: { reason } })}
      onClose={onClose}
    />
  )
}

const commentFields = ['text'] as const

function Comment({ message, onClose }: OneProps) {
  return (
    <ActionDialog
      call={commentMessage}
      title={t('Add a note')}
      description={tr('To the message of {name}.', { name: <bdi>{message.name}</bdi> })}
      entries={[]}
      fields={commentFields}
      check={values => missing(values, commentFields, t('Enter a note'))}
      confirm={t('Add note')}
      input={({ text }) => ({ params: { id: message._id }, body: { text: text.trim() } })}
      onClose={onClose}
    >
      <Field name="text" label={t('Note', {}, 'for staff')} hint={t('Only staff can read it.')}>
        <Textarea rows={4} maxLength={1000} autoFocus />
      </Field>
    </ActionDialog>
  )
}

const assignFields = ['to'] as const

function Assign({ message, onClose }: OneProps) {
  const { data, isError, refetch } = useRead(listTeam, {})
  const waiting = isError ? (
    <FailedState onRetry={() => void refetch()}>{t('The staff could not be loaded.')}</FailedState>
  ) : (
    <Loading label={t('Loading the staff')} />
  )
  return (
    <ActionDialog
      call={assignMessage}
      title={t('Assign this message')}
      description={t('Who takes care of it. Everybody who answers messages still can.')}
      entries={[
        [t('From', {}, 'a person'), message.name],
        [t('Subject'), message.subject],
      ]}
      fields={assignFields}
      confirm={t('Assign')}
      input={({ to }) => ({ params: { id: message._id }, body: { to: to || null } })}
      {...(data ? {} : { waiting })}
      onClose={onClose}
    >
      <Field name="to" label={t('Assigned to')}>
        <Select defaultValue={message.assigned?._id ?? ''}>
          <option value="">{t('Nobody')}</option>
          {data?.map(({ _id, name }) => (
            <option key={_id} value={_id}>
              {name}
            </option>
          ))}
        </Select>
      </Field>
    </ActionDialog>
  )
}

function History({ message, onClose }: OneProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={<bdi>{message.subject}</bdi>}
      description={tr('Everything since {name} wrote.', { name: <bdi>{message.name}</bdi> })}
      wide
    >
      <Conversation message={message} />
    </Dialog>
  )
}

/** Actions on a message. */
export function messageActions(message: ContactMessage): Action[] {
  const { subject } = message
  const of = t("''{title}''", { title: subject })
  const reply: Action = {
    label: t('Reply', {}, 'to a message'),
    call: replyToMessage,
    of: t("to ''{title}''", { title: subject }, 'after an action'),
    dialog: close => <Reply message={message} onClose={close} />,
  }
  const mark: Action = {
    label: t('Mark answered'),
    call: answerMessage,
    of,
    dialog: close => <MarkAnswered message={message} onClose={close} />,
  }
  const reopen: Action = {
    label: t('Reopen'),
    call: reopenMessage,
    of,
    dialog: close => <Reopen message={message} onClose={close} />,
  }
  const close: Action = {
    label: t('Close'),
    call: closeMessage,
    of,
    dialog: done => <Close message={message} onClose={done} />,
  }
  const comment: Action = {
    label: t('Note', {}, 'for staff'),
    call: commentMessage,
    of: t("about ''{title}''", { title: subject }, 'after an action'),
    dialog: done => <Comment message={message} onClose={done} />,
  }
  const assign: Action = {
    label: t('Assign'),
    call: assignMessage,
    of,
    dialog: done => <Assign message={message} onClose={done} />,
  }
  const history: Action = {
    label: t('History'),
    call: getContactMessage,
    of: t("of ''{title}''", { title: subject }, 'after an action'),
    dialog: done => <History message={message} onClose={done} />,
  }
  const ends = { open: [mark, close], answered: [close, reopen], closed: [reopen] }
  return [reply, ...ends[message.status], assign, comment, history]
}
