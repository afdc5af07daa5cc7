import { requireReauthentication } from '#server/accounts/reauthentication.ts'
import { act, type Binding, query } from '#server/context.ts'
import * as call from '#shared/contract/policies.ts'
import { languageNow } from '#shared/i18n/language.ts'
import { proposePolicy } from './publish.ts'
import { policyList, policyVersions } from './queries.ts'
import { acceptTerms, ownTerms } from './terms.ts'
import { translatePolicy } from './translations.ts'

export const routes: Binding[] = [
  query(call.getPolicy, ({ params: { kind }, query: { version, language = languageNow() } }, { services }) =>
    policyVersions(services.db, { kind, language, now: services.clock.now(), version }),
  ),

  query(call.listPolicies, ({ query: { kind, ...filter } }, { services }) =>
    policyList(kind).page(services, filter),
  ),

  act(call.proposePolicy, async ({ body }, ctx, tx) => {
    await requireReauthentication(tx, ctx)
    return { proposal: await proposePolicy(tx, ctx, body) }
  }),

  act(call.translatePolicy, async ({ body }, ctx, tx) => {
    await requireReauthentication(tx, ctx)
    return { proposal: await translatePolicy(tx, ctx, body) }
  }),

  query(call.ownTerms, (_input, ctx) => ownTerms(ctx)),

  act(call.acceptTerms, async ({ body }, ctx, tx) => {
    await acceptTerms(tx, ctx, body)
    return {}
  }),
]
