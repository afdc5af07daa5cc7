import { useEffect, useState } from 'react'
import {
  type ConversationThread,
  getConversation,
  readConversation,
  writeMessage,
} from '#shared/contract/conversations.ts'
import { t } from '#shared/i18n/t.ts'
import { longestMessage } from '#shared/limits.ts'
import { useMutation } from '#web/api/mutation.ts'
import { useRead } from '#web/api/read.ts'
import { Attachments, AttachmentsField, useAttachments } from '#web/components/attachments.tsx'
import { When } from '#web/components/when.tsx'
import { WrittenText } from '#web/components/written-text.tsx'
import { RecordLink } from '#web/dashboard/record/link.tsx'
import { useSite } from '#web/frame.ts'
import { tr } from '#web/tr.ts'
import { cx } from '#web/ui/cx.ts'
import { Field } from '#web/ui/field.tsx'
import { Form, FormRefusal, mergeErrors, missing, SubmitButton } from '#web/ui/form.tsx'
import { Textarea } from '#web/ui/input.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'
import { AllMessages, ConversationBadges } from './parts.tsx'
import { useDraft } from './use-draft.ts'

/** One conversation: what both sides wrote, and an answer. */
export function Thread({ id }: { id: string }) {
  const { data, isError, refetch } = useRead(getConversation, { params: { id } })
  return (
    <>
      <PageHead
        title={<bdi>{data?.subject ?? t('Message')}</bdi>}
        lead={data && <Lead thread={data} />}
        aside={<AllMessages />}
      />
      {data ? (
        <>
          <Messages thread={data} />
          <Answer id={id} />
        </>
      ) : isError ? (
        <FailedState onRetry={() => void refetch()}>{t('This message cannot be shown.')}</FailedState>
      ) : (
        <Loading label={t('Loading the message')} lines={6} />
      )}
    </>
  )
}

function Lead({ thread }: { thread: ConversationThread }) {
  const { about, status } = thread
  return (
    <span className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <ConversationBadges of={thread} />
      {about && (
        <span>
          {tr('About {record}', {
            record: (
              <RecordLink kind={about.kind} id={about.id}>
                {about.label}
              </RecordLink>
            ),
          })}
        </span>
      )}
      {status === 'closed' && <span>{t('Write again to reopen it.')}</span>}
    </span>
  )
}

function Messages({ thread: { _id, messages, unread } }: { thread: ConversationThread }) {
  const { firm } = useSite()
  const { run } = useMutation(readConversation, { success: false, refusal: () => false })
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each new reply.
  useEffect(() => {
    if (unread) void run({ params: { id: _id } })
  }, [_id, unread])
  return (
    <ol className="grid max-w-3xl gap-4">
      {messages.map(({ _id, from, text, at, files }) => (
        <li
          key={_id}
          className={cx(
            'grid gap-2 rounded-md border border-rule p-4',
            from === 'us' ? 'bg-surface' : 'bg-sunken',
          )}
        >
          <p className="flex flex-wrap items-baseline justify-between gap-x-6">
            <span className="font-medium">{from === 'us' ? firm.productName : t('You')}</span>
            <span className="text-ink-soft text-sm">
              <When at={at} />
            </span>
          </p>
          <WrittenText>{text}</WrittenText>
          <Attachments files={files} />
        </li>
      ))}
    </ol>
  )
}

const fields = ['text', 'files'] as const

function Answer({ id }: { id: string }) {
  const files = useAttachments()
  const { kept, keep, send } = useDraft(id)
  const [sent, setSent] = useState(0)
  const { run, pending, error } = useMutation(writeMessage, {
    onSuccess() {
      files.clear()
      setSent(sent + 1)
    },
  })
  return (
    <Section title={t('Write again')} className="mt-10">
      <Form
        key={sent}
        fields={fields}
        check={values => mergeErrors(missing(values, ['text'], t('Enter a message')), files.check())}
        onSubmit={({ text }) => send(() => run({ params: { id }, body: { text, files: files.ids } }))}
        pending={pending}
        error={error}
        className="max-w-2xl"
        onInput={keep}
      >
        <Field name="text" label={t('Message')}>
          <Textarea
            dir="auto"
            rows={6}
            maxLength={longestMessage}
            defaultValue={sent === 0 ? kept.text : undefined}
            autoFocus={sent > 0}
          />
        </Field>
        <AttachmentsField of={files} />
        <FormRefusal />
        <SubmitButton className="justify-self-start">{t('Send message')}</SubmitButton>
      </Form>
    </Section>
  )
}
