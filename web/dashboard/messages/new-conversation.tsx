import type { ReactNode } from 'react'
import { newConversation } from '#shared/contract/conversations.ts'
import { type AboutKind, aboutKinds } from '#shared/conversations.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { longestMessage, longestSubject } from '#shared/limits.ts'
import { useMutation } from '#web/api/mutation.ts'
import { useRead } from '#web/api/read.ts'
import { AttachmentsField, useAttachments } from '#web/components/attachments.tsx'
import { recordCalls } from '#web/dashboard/record/calls.ts'
import { RecordLink } from '#web/dashboard/record/link.tsx'
import { go } from '#web/go.ts'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
import { Field } from '#web/ui/field.tsx'
import { Form, FormRefusal, mergeErrors, missing, SubmitButton } from '#web/ui/form.tsx'
import { Input, Textarea } from '#web/ui/input.tsx'
import { PageHead } from '#web/ui/section.tsx'
import { AllMessages } from './parts.tsx'
import { useDraft } from './use-draft.ts'

const fields = ['subject', 'text', 'files'] as const
const required = ['subject', 'text'] as const

/** What a link from a record names. */
function aboutOf(kind: string | null, id: string | null): { kind: AboutKind; id: string } | undefined {
  const known = aboutKinds.find(one => one === kind)
  return known && id ? { kind: known, id } : undefined
}

const unknown: Record<AboutKind, string> = {
  deposit: msg('We cannot find the deposit that you ask about.'),
  investment: msg('We cannot find the investment that you ask about.'),
  withdrawal: msg('We cannot find the withdrawal that you ask about.'),
  earning: msg('We cannot find the earning that you ask about.'),
}

function aboutWords(kind: AboutKind, number: ReactNode): ReactNode {
  switch (kind) {
    case 'deposit':
      return tr('It is about your deposit {number}.', { number })
    case 'investment':
      return tr('It is about your investment {number}.', { number })
    case 'withdrawal':
      return tr('It is about your withdrawal {number}.', { number })
    case 'earning':
      return tr('It is about your earning {number}.', { number })
  }
}

/** The record that the message is about, by its number. */
function About({ kind, id }: { kind: AboutKind; id: string }) {
  const { data, isError } = useRead(recordCalls[kind], { params: { id } } as never)
  if (isError && !data) return <p className="text-bad">{translate(unknown[kind])}</p>
  const record = data as { invoiceId?: string; investmentLabel?: string | null } | undefined
  return (
    <p className="text-ink-soft">
      {aboutWords(
        kind,
        <RecordLink kind={kind} id={id}>
          {record?.invoiceId ?? record?.investmentLabel ?? '…'}
        </RecordLink>,
      )}
    </p>
  )
}

export function NewConversation({ about: kind, record }: { about: string | null; record: string | null }) {
  const about = aboutOf(kind, record)
  const files = useAttachments()
  const { kept, keep, send } = useDraft(about ? `${about.kind} ${about.id}` : 'new')
  const { run, pending, error } = useMutation(newConversation, {
    onSuccess: ({ _id }) => go(paths.dashboard.record('message', _id), { replace: true }),
  })
  return (
    <>
      <PageHead
        title={t('New message')}
        lead={t(
          'A person reads it and replies here and by email. We never ask for your password, a verification code, or a payment to release a withdrawal.',
        )}
        aside={<AllMessages />}
      />
      <Form
        fields={fields}
        check={values =>
          mergeErrors(missing(values, required, t('Enter a subject and a message')), files.check())
        }
        onSubmit={({ subject, text }) =>
          send(() => run({ body: { subject, text, files: files.ids, ...(about ? { about } : {}) } }))
        }
        pending={pending}
        error={error}
        className="max-w-2xl"
        onInput={keep}
      >
        <p className="text-ink-soft">
          {tr('Before you write: the answer may be among our <a>questions and answers</a>.', {
            a: words => (
              <a className="prose-link" href={paths.faq}>
                {words}
              </a>
            ),
          })}
        </p>
        {about && <About {...about} />}
        <Field name="subject" label={t('Subject')}>
          <Input dir="auto" maxLength={longestSubject} autoComplete="off" defaultValue={kept.subject} />
        </Field>
        <Field name="text" label={t('Message')}>
          <Textarea dir="auto" rows={8} maxLength={longestMessage} defaultValue={kept.text} />
        </Field>
        <AttachmentsField of={files} />
        <FormRefusal />
        <SubmitButton className="justify-self-start">{t('Send message')}</SubmitButton>
      </Form>
    </>
  )
}
