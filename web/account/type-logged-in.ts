import { useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import type { UserType } from '#shared/contract/entities.ts'
import { restoreRoot } from '#web/api/root-state.ts'
import { onTokenChangedElsewhere, typeLoggedIn } from '#web/api/tokens.ts'
import { useRuns } from '#web/runs.ts'

/** The login's type when the page opens and when another tab changes it; a login in this tab leaves the page. */
export function useTypeLoggedIn(): UserType | undefined {
  const { key } = useLocation()
  const runs = useRuns()
  // At once where the document is another page's, so that no login form shows for a moment.
  const [type, setType] = useState<UserType | undefined>(() => (runs ? typeLoggedIn() : undefined))
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
