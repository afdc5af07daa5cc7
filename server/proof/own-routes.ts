import { type Binding, query } from '#server/context.ts'
import * as call from '#shared/contract/own-proof.ts'
import { ownProof } from './own-proof.ts'

export const routes: Binding[] = [
  query(call.ownProof, async ({ query: { since } }, { services, caller }) => {
    return (await ownProof(services, caller.userId, since)) ?? null
  }),
]
