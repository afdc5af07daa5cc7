import { useLocation } from 'react-router'
import { useRuns } from '#web/runs.ts'

/**
 * A value in the address's fragment, where secrets and email addresses stand: no server, log or referrer gets it
 * (decision 92).
 * @returns '' if it is missing; undefined until the page runs, since the server does not know it
 */
export function useFragment(name: string): string | undefined {
  const { hash } = useLocation()
  const runs = useRuns()
  return runs ? (new URLSearchParams(hash.slice(1)).get(name) ?? '') : undefined
}
