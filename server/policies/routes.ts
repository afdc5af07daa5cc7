import { requireReauthentication } from '#server/accounts/reauthentication.ts'
import { act, type Binding, query } from '#server/context.ts'
import * as call from '#shared/contract/policies.ts'
import { proposePolicy } from './publish.ts'
import { policyList, policyVersions } from './queries.ts'
import { acceptTerms, ownTerms } from './terms.ts'

export const routes: Binding[] = [
  query(call.getPolicy, ({ params: { kind }, query: { version } }, { services: { db, clock } }) =>
    policyVersions(db, kind, clock.now(), version),
  ),

  query(call.listPolicies, ({ query: { kind, ...filter } }, { services }) =>
    policyList(kind).page(services, filter),
  ),

  act(call.proposePolicy, async ({ body }, ctx, tx) => {
    await requireReauthentication(tx, ctx)
    return { proposal: await proposePolicy(tx, ctx, body) }
  }),

  query(call.ownTerms, (_input, ctx) => ownTerms(ctx)),

  act(call.acceptTerms, async ({ body: { version } }, ctx, tx) => {
    await acceptTerms(tx, ctx, version)
    return {}
  }),
]
