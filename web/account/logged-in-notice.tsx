import { useEffect, useState } from 'react'
import { Link, useLocation } from 'react-router'
import type { UserType } from '#shared/contract/entities.ts'
import { restoreRoot, useRootState } from '#web/api/root-state.ts'
import { onTokenChangedElsewhere, typeLoggedIn } from '#web/api/tokens.ts'
import { landingPath } from '#web/return-to.ts'

/**
 * Says to somebody who is logged in here already who he is, and leads on. The form below it stays: he may want to come in
 * as somebody else.
 */
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

/** As it is when the page is come to, and as other tabs change it: logging in here leads away, not to this notice. */
function useTypeLoggedIn(): UserType | undefined {
  const { key } = useLocation()
  const [type, setType] = useState<UserType>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked at once a visit; the guard may send one back here.
  useEffect(() => {
    const look = async () => {
      if (typeLoggedIn()) await restoreRoot()
      setType(typeLoggedIn())
    }
    void look()
    return onTokenChangedElsewhere(() => void look())
  }, [key])
  return type
}
