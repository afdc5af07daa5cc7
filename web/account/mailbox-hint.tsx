import { useSite } from '#web/frame.ts'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'

/** In the demonstration no email leaves the server; the built-in mailbox shows it (D2). */
export function MailboxHint({ to }: { to?: string }) {
  if (useSite().mode !== 'demo') return null
  return (
    <p className="border-rule border-t pt-5 text-ink-soft text-sm">
      {tr(
        'This demonstration sends no email. Read yours in the <a>built-in mailbox</a> (opens in a new tab).',
        {
          a: words => (
            <a className="prose-link" href={paths.mailbox(to)} target="_blank" rel="noreferrer">
              {words}
            </a>
          ),
        },
      )}
    </p>
  )
}
