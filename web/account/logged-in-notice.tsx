import { useEffect, useState } from 'react'
import { Link, useLocation } from 'react-router'
import type { UserType } from '#shared/contract/entities.ts'
import { restoreRoot, useRootState } from '#web/api/root-state.ts'
import { onTokenChangedElsewhere, typeLoggedIn } from '#web/api/tokens.ts'
import { landingPath } from '#web/return-to.ts'

/** Tells a visitor who is already logged in as whom, and links on. The form stays, for logging in as someone else. */
export function LoggedInNotice() {
  const type = useTypeLoggedIn()
  const name = useRootState(state => state.name)
  if (!type) return null
  return (
    <p className="wrap-anywhere border-accent border-l-4 bg-accent-soft px-4 py-3 text-sm">
      You are logged in{name && ` as ${name}`}.{' '}
      <Link className="prose-link" to={landingPath(type)}>
        {type === 'admin' ? 'Go to the console' : 'Go to your dashboard'}
      </Link>
    </p>
  )
}

/** The login's type when the page opens and when another tab changes it; a login in this tab leaves the page. */
function useTypeLoggedIn(): UserType | undefined {
  const { key } = useLocation()
  const [type, setType] = useState<UserType>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: checked once per visit; the guard may redirect here again.
  useEffect(() => {
    const update = async () => {
      if (typeLoggedIn()) await restoreRoot()
      setType(typeLoggedIn())
    }
    void update()
    return onTokenChangedElsewhere(() => void update())
  }, [key])
  return type
}
