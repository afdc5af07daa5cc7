import { createApiKey, listApiKeys, proposeApiKey } from '#shared/contract/api-keys.ts'
import { approveProposal } from '#shared/contract/proposals.ts'
import { dayAfter } from '#shared/moments.ts'
import { type ApiKeyRight, apiKeyRights } from '#shared/roles.ts'
import type { World } from './world.ts'

type Wanted = { name?: string; rights?: ApiKeyRight[]; addresses?: string[]; days?: number }

/** What is proposed for a key; by default it may read everything, from where tests call. */
export function keyBody(world: World, wanted: Wanted = {}) {
  const { name = `Key ${crypto.randomUUID().slice(0, 8)}`, rights = [...apiKeyRights] } = wanted
  const { addresses = ['127.0.0.1', '192.0.2.44'], days = 30 } = wanted
  return { name, rights, addresses, until: dayAfter(world.clock.now(), days), reason: 'For accounting' }
}

/** A key that two admins have decided, which nobody has created; returns its id. */
export async function approvedKey(world: World, wanted: Wanted = {}): Promise<string> {
  const body = keyBody(world, wanted)
  const { data, message } = await world.call(proposeApiKey, world.admin, { body })
  if (data === undefined) throw new Error(message)
  await world.call(approveProposal, world.secondAdmin, { params: { id: data.proposal } })
  const { data: keys } = await world.call(listApiKeys, world.admin, { query: { q: body.name } })
  return keys[0]!._id
}

/** An API key and its id. */
export async function apiKey(world: World, wanted: Wanted = {}): Promise<{ id: string; key: string }> {
  const id = await approvedKey(world, wanted)
  const { data } = await world.call(createApiKey, world.admin, { params: { id } })
  return { id, key: data.key }
}
