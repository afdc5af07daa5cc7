import { useSite } from '#web/frame.ts'
import { paths } from '#web/paths.ts'

/** In the demonstration no mail leaves the server: it is read on a page (D2). */
export function MailboxHint({ to }: { to?: string }) {
  if (useSite().mode !== 'demo') return null
  return (
    <p className="border-rule border-t pt-5 text-ink-soft text-sm">
      In this demonstration no e-mail is sent. Yours is in the{' '}
      <a className="prose-link" href={paths.mailbox(to)} target="_blank" rel="noreferrer">
        built-in mailbox
      </a>
      , which opens in a new tab.
    </p>
  )
}
