import type { CallData } from '#shared/contract/define.ts'
import { listContactMessages } from '#shared/contract/site.ts'
import { useList } from '#web/api/read.ts'
import { When } from '#web/components/when.tsx'
import { pageMeta } from '#web/meta.ts'
import { PageHead } from '#web/ui/section.tsx'
import { ListBody, pageSize } from './list-body.tsx'
import { useListFilter } from './list-filter.ts'
import { ListTools } from './list-tools.tsx'

export const meta = pageMeta('Messages')

type Message = CallData<typeof listContactMessages>[number]

/** Messages to the firm (N-14, P-11). */
export default function MessagesPage() {
  const filter = useListFilter([])
  const list = useList(listContactMessages, { q: filter.q, limit: pageSize })
  return (
    <>
      <PageHead
        title="Messages"
        lead="What people wrote by the contact form, the newest first."
        aside={<ListTools of="messages" filter={filter} />}
      />
      <ListBody of="messages" list={list} filter={filter} empty="No messages yet">
        {messages => (
          <ul>
            {messages.map(message => (
              <MessageEntry key={message._id} message={message} />
            ))}
          </ul>
        )}
      </ListBody>
    </>
  )
}

function MessageEntry({ message }: { message: Message }) {
  const { subject, name, email, createdAt } = message
  return (
    <li className="grid gap-2 border-rule border-t py-5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <h2 className="font-medium wrap-anywhere">{subject}</h2>
        <span className="text-ink-faint text-sm">
          <When at={createdAt} />
        </span>
      </div>
      <p className="text-ink-soft text-sm wrap-anywhere">
        {name},{' '}
        <a className="prose-link" href={`mailto:${email}`}>
          {email}
        </a>
      </p>
      <p className="max-w-3xl whitespace-pre-line wrap-anywhere">{message.message}</p>
    </li>
  )
}
