import { type FormEvent, useState } from 'react'
import { sessionLeft } from '#web/api/session.ts'
import { idLoggedIn } from '#web/api/tokens.ts'

type Fields = Record<string, string>

/** By person and matter; in memory, so that nothing of it outlives the page or a logout. */
const drafts = new Map<string, Fields>()
sessionLeft.on(() => drafts.clear())

/**
 * What somebody has begun to write, kept while they look elsewhere.
 * @param about tells the drafts of one investor apart
 */
export function useDraft(about: string) {
  const [key] = useState(() => `${idLoggedIn()} ${about}`)
  const [kept] = useState<Fields>(() => drafts.get(key) ?? {})
  return {
    /** As it was when the form opened. */
    kept,
    keep({ target }: FormEvent) {
      const { name, value, type } = target as HTMLInputElement
      if (type !== 'file') drafts.set(key, { ...drafts.get(key), [name]: value })
    },
    /** What is under way is no draft; what was refused is one again. */
    async send(run: () => Promise<object | undefined>) {
      const draft = drafts.get(key)
      drafts.delete(key)
      const sent = await run()
      drafts.delete(key)
      if (!sent && draft) drafts.set(key, draft)
    },
  }
}
