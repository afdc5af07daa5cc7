import { pageMeta } from '#web/meta.ts'
import { useSearch } from '#web/search.ts'
import { Conversations } from './conversations.tsx'
import { NewConversation } from './new-conversation.tsx'
import { Thread } from './thread.tsx'

export const meta = pageMeta('Messages')

/** Conversations with the firm: all of them, one of them, or a new one, as the address says. */
export default function MessagesPage() {
  const [search] = useSearch()
  const id = search.get('message')
  if (id) return <Thread key={id} id={id} />
  if (search.has('new')) return <NewConversation about={search.get('new')} record={search.get('record')} />
  return <Conversations />
}
