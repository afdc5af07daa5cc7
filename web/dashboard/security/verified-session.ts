import { renew } from '#web/api/session.ts'
import { mustSetUp, storedAccess } from '#web/api/tokens.ts'
import { go } from '#web/go.ts'
import { paths } from '#web/paths.ts'

/**
 * What follows where somebody has shown a second factor in this session: an admin who had to (F-08) gets tokens that say
 * so.
 */
export function useVerifiedSession(): () => Promise<void> {
  return async () => {
    if (!mustSetUp()) return
    await renew(storedAccess())
    // The page itself says what is missing no more.
    await go(paths.admin.security, { replace: true })
  }
}
