import type { ProposalContent, ProposalGroup } from '#shared/contract/proposals.ts'

/** Each kind of proposal in words, and the console page where it is decided. */
export const proposalKinds: Record<ProposalContent['kind'], { what: string; page: ProposalGroup }> = {
  settings: { what: 'a settings change', page: 'settings' },
  second_factors: { what: 'a reset of two-factor authentication', page: 'staff' },
  role: { what: 'a role change', page: 'staff' },
  policy: { what: 'a policy', page: 'policies' },
  invitation: { what: 'an invitation to the team', page: 'staff' },
  brand: { what: 'a change of the firm’s look', page: 'brand' },
  api_key: { what: 'an API key', page: 'integrations' },
  webhook: { what: 'a webhook', page: 'integrations' },
}
