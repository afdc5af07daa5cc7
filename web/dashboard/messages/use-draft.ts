import { type FormEvent, useState } from 'react'
import { useRootState } from '#web/api/root-state.ts'

type Fields = Record<string, string>

/**
 * What somebody has begun to write, kept in this tab until it is sent or they log out.
 * @param about tells the drafts of one investor apart
 */
export function useDraft(about: string) {
  const email = useRootState(({ email }) => email)
  const key = `draft ${email} ${about}`
  const [kept] = useState<Fields>(() => read(key))
  return {
    /** As it was when the form opened. */
    kept,
    keep({ target }: FormEvent) {
      const { name, value, type } = target as HTMLInputElement
      if (type !== 'file') sessionStorage.setItem(key, JSON.stringify({ ...read(key), [name]: value }))
    },
    drop: () => sessionStorage.removeItem(key),
  }
}

function read(key: string): Fields {
  return JSON.parse(sessionStorage.getItem(key) ?? '{}')
}
