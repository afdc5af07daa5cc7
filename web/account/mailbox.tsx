import { useState } from 'react'
import { useNavigate } from 'react-router'
import { demoMailbox } from '#shared/contract/site.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { useRead } from '#web/api/read.ts'
import { EmailView } from '#web/components/email-view.tsx'
import { When } from '#web/components/when.tsx'
import { pageMeta } from '#web/meta.ts'
import type { PageHandle } from '#web/page.ts'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
import { Field } from '#web/ui/field.tsx'
import { Form, SubmitButton } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import { useFragment } from './fragment.ts'
import { AccountHead } from './layout.tsx'

export const handle: PageHandle = { hidden: true }
export const meta = pageMeta(msg('Mailbox'))

/** Milliseconds between polls: a job sends mail moments after its cause. */
const pollEvery = 2000

/** The demonstration's emails, optionally of the address in the fragment. */
export default function MailboxPage() {
  const navigate = useNavigate()
  const shown = useFragment('to')
  const to = shown ?? ''
  return (
    <>
      <AccountHead title={t('Mailbox')}>
        {to === ''
          ? t('All emails from this demonstration.')
          : tr('Emails from this demonstration to {address}.', { address: <bdi>{to}</bdi> })}
      </AccountHead>
      <Form
        key={to}
        fields={['to']}
        onSubmit={values => navigate(paths.mailbox(values.to || undefined))}
        pending={false}
        className="grid-cols-[1fr_auto] items-end"
      >
        <Field name="to" label={t('Address')} optional>
          <Input type="email" dir="ltr" className="rtl:text-end" defaultValue={to} autoComplete="off" />
        </Field>
        <SubmitButton tone="quiet">{t('Show')}</SubmitButton>
      </Form>
      {/* Browser only: on the server each read would stay cached, and keep the process alive, for five minutes. */}
      {shown === undefined ? <Loading label={t('Loading the mailbox')} /> : <Mails to={to} />}
    </>
  )
}

function Mails({ to }: { to: string }) {
  const mails = useRead(demoMailbox, { query: { to: to || undefined } }, { every: pollEvery })
  if (mails.isError)
    return (
      <FailedState onRetry={() => void mails.refetch()}>{t('The mailbox could not be loaded.')}</FailedState>
    )
  if (!mails.data) return <Loading label={t('Loading the mailbox')} />
  if (mails.data.length === 0)
    return <EmptyState>{t('No emails yet. New ones appear here automatically.')}</EmptyState>
  return (
    <ol className="grid grid-cols-1">
      {mails.data.map(mail => (
        <li
          key={`${mail.createdAt} ${mail.to} ${mail.subject}`}
          className="grid grid-cols-1 gap-1 border-rule border-t py-5"
        >
          <h2 className="wrap-anywhere font-semibold" dir="auto">
            {mail.subject}
          </h2>
          <p className="flex flex-wrap justify-between gap-x-4 text-ink-faint text-sm">
            <span className="wrap-anywhere">{tr('to {address}', { address: <bdi>{mail.to}</bdi> })}</span>
            <When at={mail.createdAt} />
          </p>
          <p className="wrap-anywhere mt-2 whitespace-pre-wrap" dir="auto">
            <WithLinks text={mail.text} />
          </p>
          <AsShown html={mail.html} />
        </li>
      ))}
    </ol>
  )
}

/** Made when it is opened: the page's text is in it once more. */
function AsShown({ html }: { html: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={event => setOpen(event.currentTarget.open)}>
      <summary className="prose-link w-fit cursor-pointer text-sm">{t('As mail programs show it')}</summary>
      {isOpen && (
        <div className="mt-3 overflow-hidden rounded-md border border-rule">
          <EmailView html={html} />
        </div>
      )}
    </details>
  )
}

/** Plain text with its URLs as links. */
function WithLinks({ text }: { text: string }) {
  return text.split(/(https?:\/\/[^\s<>"]+)/).map((part, place) =>
    place % 2 === 0 ? (
      part
    ) : (
      <a key={part} className="prose-link" href={part}>
        {part}
      </a>
    ),
  )
}
