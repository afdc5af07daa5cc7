import { msg } from '#shared/i18n/t.ts'
import { pageMeta } from '#web/meta.ts'
import { useSearch } from '#web/search.ts'
import { Conversations } from './conversations.tsx'
import { NewConversation } from './new-conversation.tsx'
import { Thread } from './thread.tsx'

export const meta = pageMeta(msg('Messages'))

/** Conversations with the firm: all of them, one of them, or a new one, as the address says. */
export default function MessagesPage() {
  const [search] = useSearch()
  const id = search.get('message')
  if (id) return <Thread key={id} id={id} />
  const [about, record] = [search.get('new'), search.get('record')]
  if (about !== null) return <NewConversation key={`${about} ${record}`} about={about} record={record} />
  return <Conversations />
}
