import type { ProposalContent, ProposalGroup } from '#shared/contract/proposals.ts'
import { t } from '#shared/i18n/t.ts'

/** The console page where each kind of proposal is decided. */
export const proposalPages: Record<ProposalContent['kind'], ProposalGroup> = {
  settings: 'settings',
  second_factors: 'staff',
  role: 'staff',
  policy: 'policies',
  policy_translation: 'policies',
  invitation: 'staff',
  brand: 'brand',
  api_key: 'integrations',
  webhook: 'integrations',
}

/** What was proposed, in a sentence: 'a settings change'. */
export function proposalWords(kind: ProposalContent['kind']): string {
  return t(
    '{kind, select, settings {a settings change} second_factors {a reset of two-factor authentication} role {a role change} policy {a policy} policy_translation {translations of a policy} invitation {an invitation to the team} brand {a change of the firm’s look} api_key {an API key} other {a webhook}}',
    { kind },
  )
}

/** That it waits, for the subject of an email. */
export function proposalSubject(kind: ProposalContent['kind']): string {
  return t(
    '{kind, select, settings {A settings change needs your approval} second_factors {A reset of two-factor authentication needs your approval} role {A role change needs your approval} policy {A policy needs your approval} policy_translation {Translations of a policy need your approval} invitation {An invitation to the team needs your approval} brand {A change of the firm’s look needs your approval} api_key {An API key needs your approval} other {A webhook needs your approval}}',
    { kind },
  )
}
