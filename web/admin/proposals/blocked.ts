import { listProposals, type ProposalGroup } from '#shared/contract/proposals.ts'
import { getSettings } from '#shared/contract/settings.ts'
import { useList, useRead } from '#web/api/read.ts'

/**
 * Why nobody can propose a change of what this page shows, in words; undefined if they can. If pending changes cannot be read, the
 * server still refuses a second one.
 */
export function useBlocked(kind: ProposalGroup): string | undefined {
  const { data, isError } = useRead(getSettings, {})
  const waiting = useList(listProposals, { kind, status: 'pending', limit: 1 })
  if (!data && isError) return 'The settings could not be loaded'
  if (!data || (!waiting.rows && !waiting.isError)) return 'The settings are still loading'
  if (data.admins < 2) return 'This needs two admins'
  return waiting.rows?.length ? 'Another change is pending. Decide that one first' : undefined
}
