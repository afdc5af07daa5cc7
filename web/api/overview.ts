import { useEffect } from 'react'
import { echo, me } from '#shared/contract/accounts.ts'
import { useRead } from './read.ts'
import { rememberRoot } from './root-state.ts'

/** Keeps the persisted state (K-05) at what the server says: one's own user, investments, withdrawals and earnings. */
export function useOverview() {
  // The address comes from the server each time: it may have been changed, here or in another browser.
  const own = useRead(me, {})
  const email = own.data?.email ?? ''
  const { data } = useRead(echo, { query: { email } }, { enabled: email !== '' })
  useEffect(() => {
    if (data) rememberRoot(data)
  }, [data])
}
