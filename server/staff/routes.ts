import { proposeFactorReset, resetAsProposed } from '#server/accounts/factor-reset.ts'
import { requireReauthentication } from '#server/accounts/reauthentication.ts'
import { changeBrand } from '#server/brand/service.ts'
import { act, type Binding, command, query } from '#server/context.ts'
import { approveKey } from '#server/integrations/keys.ts'
import { approveWebhook } from '#server/integrations/webhooks.ts'
import { publishPolicy } from '#server/policies/publish.ts'
import { publishTranslations } from '#server/policies/translations.ts'
import * as proposal from '#shared/contract/proposals.ts'
import * as setting from '#shared/contract/settings.ts'
import * as call from '#shared/contract/staff.ts'
import type { Role } from '#shared/roles.ts'
import { acceptInvitation, type Invited, openInvitations, withdrawInvitation } from './invitations.ts'
import {
  approveProposal,
  countWaiting,
  type Effect,
  proposalList,
  rejectProposal,
  withdrawProposal,
} from './proposals.ts'
import {
  changeRole,
  endAccess,
  invite,
  memberOf,
  performInvitation,
  performRole,
  staffList,
} from './service.ts'
import { changeSettings, proposeSettings, settingsInForce } from './settings.ts'

/** What the approval of each kind of proposal does. */
const effects: Record<proposal.ProposalContent['kind'], Effect> = {
  settings: changeSettings,

  brand: changeBrand,

  policy: publishPolicy,
  policy_translation: publishTranslations,

  second_factors: resetAsProposed,

  role: async (tx, ctx, { user_id, content, reason }, others) => {
    const member = await memberOf(tx, user_id!)
    await performRole(tx, ctx, others, member, { role: content.after as Role, reason })
  },

  invitation: (tx, ctx, { content, reason, proposed_by }, others) =>
    performInvitation(tx, ctx, others, content as Invited, { reason, by: proposed_by }),

  api_key: approveKey,

  webhook: approveWebhook,
}

/** Staff, proposals and settings. */
export const staffRoutes: Binding[] = [
  query(call.listStaff, ({ query: filter }, { services }) => staffList.page(services, filter)),

  query(call.listInvitations, ({ query: filter }, { services }) => openInvitations.page(services, filter)),

  act(call.inviteStaff, async ({ body }, ctx, tx) => {
    await requireReauthentication(tx, ctx)
    return invite(tx, ctx, body)
  }),

  act(call.withdrawInvitation, async ({ params: { id }, body: { reason } }, ctx, tx) => {
    await withdrawInvitation(tx, ctx, id, reason)
    return {}
  }),

  command(call.acceptInvitation, async ({ body }, ctx) => {
    await acceptInvitation(ctx, body)
    return {}
  }),

  act(call.changeRole, async ({ params: { id }, body }, ctx, tx) => {
    await requireReauthentication(tx, ctx)
    return changeRole(tx, ctx, id, body)
  }),

  act(call.endAccess, async ({ params: { id }, body: { reason } }, ctx, tx) => {
    await requireReauthentication(tx, ctx)
    await endAccess(tx, ctx, id, reason)
    return {}
  }),

  act(call.resetSecondFactors, async ({ body }, ctx, tx) => {
    await requireReauthentication(tx, ctx)
    return { proposal: await proposeFactorReset(tx, ctx, body) }
  }),

  query(setting.getSettings, (_input, { services }) => settingsInForce(services)),

  act(setting.proposeSettings, async ({ body }, ctx, tx) => {
    await requireReauthentication(tx, ctx)
    return { proposal: await proposeSettings(tx, ctx, body) }
  }),

  query(proposal.listProposals, ({ query: { kind, ...filter } }, { services }) =>
    proposalList(kind).page(services, filter),
  ),

  query(proposal.waitingProposals, (_input, { services }) => countWaiting(services)),

  act(proposal.approveProposal, async ({ params: { id } }, ctx, tx) => {
    await requireReauthentication(tx, ctx)
    await approveProposal(tx, ctx, id, effects)
    return {}
  }),

  act(proposal.rejectProposal, async ({ params: { id }, body: { reason } }, ctx, tx) => {
    await rejectProposal(tx, ctx, id, reason)
    return {}
  }),

  act(proposal.withdrawProposal, async ({ params: { id } }, ctx, tx) => {
    await withdrawProposal(tx, ctx, id)
    return {}
  }),
]
