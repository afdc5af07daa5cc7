import { requireReauthentication } from '#server/accounts/reauthentication.ts'
import { act, type Binding, query } from '#server/context.ts'
import * as call from '#shared/contract/api-keys.ts'
import { keyById, keyList } from './key-queries.ts'
import { createKey, proposeKey, revokeKey } from './keys.ts'

export const routes: Binding[] = [
  act(call.proposeApiKey, async ({ body }, ctx, tx) => {
    await requireReauthentication(tx, ctx)
    return { proposal: await proposeKey(tx, ctx, body) }
  }),

  query(call.listApiKeys, ({ query: filter }, { services }) => keyList.page(services, filter)),

  act(call.createApiKey, async ({ params: { id } }, ctx, tx) => {
    await requireReauthentication(tx, ctx)
    return { key: await createKey(tx, ctx, id) }
  }),

  act(call.revokeApiKey, async ({ params: { id }, body: { reason } }, ctx, tx) => {
    await revokeKey(tx, ctx, id, reason)
    return keyById(tx, id, ctx.services.clock.now())
  }),
]
