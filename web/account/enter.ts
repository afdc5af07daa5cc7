import type { login } from '#shared/contract/accounts.ts'
import type { CallData } from '#shared/contract/define.ts'
import { beginSession } from '#web/api/session.ts'
import { go } from '#web/go.ts'
import { landingPath, useReturnTo } from '#web/return-to.ts'

/** What follows a login, however it was done: the session is kept here, and leads to where it was asked for. */
export function useEnter(): (data: CallData<typeof login>) => void | Promise<void> {
  const returnTo = useReturnTo()
  return data => {
    beginSession(data)
    // In place of the login page: whoever goes back from there is not asked again.
    return go(landingPath(data.user.type, returnTo), { replace: true })
  }
}
