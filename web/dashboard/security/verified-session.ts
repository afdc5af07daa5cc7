import { renew } from '#web/api/session.ts'
import { mustSetUp, storedAccess } from '#web/api/tokens.ts'
import { go } from '#web/go.ts'
import { paths } from '#web/paths.ts'

/** After two-factor verification, renews the tokens of an admin who needed it (F-08). */
export function useVerifiedSession(): () => Promise<void> {
  return async () => {
    if (!mustSetUp()) return
    await renew(storedAccess())
    // Reopen the page without its notice.
    await go(paths.admin.security, { replace: true })
  }
}
