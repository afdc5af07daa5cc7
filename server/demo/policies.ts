import type { Tx } from '#server/context.ts'
import { newId } from '#server/platform/id.ts'
import { insertTranslations } from '#server/policies/translations.ts'
import { dayOf } from '#shared/moments.ts'
import { type PolicyKind, policyKinds } from '#shared/policies.ts'
import { sampleId } from './catalogue.ts'
import { arabicPolicies } from './policy-texts.ar.ts'
import { germanPolicies } from './policy-texts.de.ts'
import { spanishPolicies } from './policy-texts.es.ts'
import { samplePolicies } from './policy-texts.ts'

const reason = 'The first version'

type Admins = { admin: { id: string }; admin2: { id: string } }

function translationsOf(kind: PolicyKind) {
  return {
    de: { text: germanPolicies[kind], changes: null },
    es: { text: spanishPolicies[kind], changes: null },
    ar: { text: arabicPolicies[kind], changes: null },
  }
}

/** The firm's policies, which its two admins published before anybody registered, and who has accepted the terms. */
export async function loadPolicies(tx: Tx, people: Admins, at: Date): Promise<void> {
  const { admin, admin2 } = people
  const from = dayOf(at)
  for (const kind of policyKinds) {
    const text = samplePolicies[kind]
    const translations = translationsOf(kind)
    const proposal = sampleId(`policy ${kind}`)
    await tx
      .insertInto('app.proposals')
      .values({
        id: proposal,
        kind: 'policy',
        content: { policy: kind, text, changes: null, from, translations },
        reason,
        proposed_by: admin.id,
        created_at: at,
      })
      .execute()
    await tx
      .updateTable('app.proposals')
      .set({ status: 'approved', decided_by: admin2.id, decided_at: at })
      .where('id', '=', proposal)
      .execute()
    const version = { kind, version: 1, text, in_force_from: from, proposal_id: proposal }
    const policyId = newId(at)
    await tx
      .insertInto('app.policies')
      .values({ id: policyId, ...version, created_at: at })
      .execute()
    await insertTranslations(tx, { policyId, proposalId: proposal, translations, now: at })
  }
  await tx
    .insertInto('app.term_acceptances')
    .columns(['user_id', 'version', 'accepted_at'])
    .expression(eb =>
      eb
        .selectFrom('app.users')
        .select(({ val, ref }) => ['id', val(1).as('version'), ref('created_at').as('accepted_at')]),
    )
    .execute()
}
