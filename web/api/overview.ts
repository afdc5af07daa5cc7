import { useEffect } from 'react'
import { echo, me } from '#shared/contract/accounts.ts'
import { useRead } from './read.ts'
import { rememberRoot } from './root-state.ts'

/** Keeps the stored state (K-05) equal to the server's. */
export function useOverview() {
  // Read the address each time, because it may have changed in another browser.
  const own = useRead(me, {})
  const email = own.data?.email ?? ''
  const { data } = useRead(echo, { query: { email } }, { enabled: email !== '' })
  useEffect(() => {
    if (data) rememberRoot(data)
  }, [data])
}
