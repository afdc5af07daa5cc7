import { useSearchParams } from 'react-router'
import { demoMailbox } from '#shared/contract/site.ts'
import { useRead } from '#web/api/read.ts'
import { When } from '#web/components/when.tsx'
import { pageMeta } from '#web/meta.ts'
import type { PageHandle } from '#web/page.ts'
import { Field } from '#web/ui/field.tsx'
import { Form, SubmitButton } from '#web/ui/form.tsx'
import { useHydrated } from '#web/ui/hydrated.ts'
import { Input } from '#web/ui/input.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import { AccountHead } from './layout.tsx'

export const handle: PageHandle = { hidden: true }
export const meta = pageMeta('Mailbox')

/** Milliseconds between looks into the mailbox: mail is sent by a job, moments after what causes it. */
const lookEvery = 2000

const looking = 'Looking into the mailbox'

/** The demonstration's mail, of one address where it is named in `?to=`. */
export default function MailboxPage() {
  const [search, setSearch] = useSearchParams()
  const to = search.get('to') ?? ''
  return (
    <>
      <AccountHead title="Mailbox">
        {to === ''
          ? 'Every e-mail that this demonstration has sent.'
          : `What this demonstration has sent to ${to}.`}
      </AccountHead>
      <Form
        key={to}
        fields={['to']}
        onSubmit={values => setSearch(values.to === '' ? {} : { to: values.to })}
        pending={false}
        className="grid-cols-[1fr_auto] items-end"
      >
        <Field name="to" label="Address" optional>
          <Input type="email" defaultValue={to} autoComplete="off" />
        </Field>
        <SubmitButton tone="quiet">Show</SubmitButton>
      </Form>
      {/* Reads are the browser's: on the server each would be kept, and keep the process, for five minutes. */}
      {useHydrated() ? <Mails to={to} /> : <Loading label={looking} />}
    </>
  )
}

function Mails({ to }: { to: string }) {
  const mails = useRead(demoMailbox, { query: { to: to || undefined } }, { every: lookEvery })
  if (mails.isError)
    return <FailedState onRetry={() => void mails.refetch()}>The mailbox could not be read.</FailedState>
  if (!mails.data) return <Loading label={looking} />
  if (mails.data.length === 0) return <EmptyState>No mail yet. New mail shows here by itself.</EmptyState>
  return (
    <ol className="grid grid-cols-1">
      {mails.data.map(mail => (
        <li
          key={`${mail.createdAt} ${mail.to} ${mail.subject}`}
          className="grid grid-cols-1 gap-1 border-rule border-t py-5"
        >
          <h2 className="wrap-anywhere font-semibold">{mail.subject}</h2>
          <p className="flex flex-wrap justify-between gap-x-4 text-ink-faint text-sm">
            <span className="wrap-anywhere">to {mail.to}</span>
            <When at={mail.createdAt} />
          </p>
          <p className="wrap-anywhere mt-2 whitespace-pre-wrap">
            <WithLinks text={mail.text} />
          </p>
        </li>
      ))}
    </ol>
  )
}

/** A plain text with its addresses made links. */
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
