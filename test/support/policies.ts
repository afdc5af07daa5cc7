import { type PolicyTranslations, proposePolicy } from '#shared/contract/policies.ts'
import { approveProposal } from '#shared/contract/proposals.ts'
import type { PolicyKind } from '#shared/policies.ts'
import type { World } from './world.ts'

type Version = {
  kind: PolicyKind
  text: string
  changes: string | null
  from: string
  version: number
  translations: PolicyTranslations
}

/** The two admins publish a version of a policy; the first version of the terms, in force today, unless told otherwise. */
export async function publishPolicy(world: World, of: Partial<Version> = {}): Promise<void> {
  const from = world.clock.now().toISOString().slice(0, 10)
  const first = { kind: 'terms', text: 'We pay out.', changes: null, from, version: 0 } as const
  const body = { ...first, ...of, reason: 'Our lawyer wrote it' }
  const { data } = await world.call(proposePolicy, world.admin, { body })
  const { status } = await world.call(approveProposal, world.secondAdmin, { params: { id: data.proposal } })
  if (status !== 200) throw new Error('The policy was not published')
}
