import { z } from 'zod'
import { msg, t } from '#shared/i18n/t.ts'
import { apiKeyRights, roles } from '#shared/roles.ts'
import { webhookEventNames } from '#shared/webhooks.ts'
import { brandValues } from './brand.ts'
import { defineCall, listQuery } from './define.ts'
import { idParams, nothing, optionalReasonBody, reasonBody, recordId, timestamp, usd } from './fields.ts'
import { policyProposal, policyTranslationProposal } from './policies.ts'

/** What needs two admins: one proposes, another decides. */

/** Proposals by the console page where they are decided. */
export const proposalGroups = ['settings', 'brand', 'staff', 'policies', 'integrations'] as const
export type ProposalGroup = (typeof proposalGroups)[number]

export const proposalStatuses = ['pending', 'approved', 'rejected', 'withdrawn', 'expired'] as const

/** The settings that two admins decide. */
export const settingValues = z.object({
  /** A withdrawal above this amount needs two approvals, from different people. */
  largeWithdrawal: usd,
  /** A smaller withdrawal must take the whole available balance; 0: there is no minimum. */
  minimumWithdrawal: usd,
  /** How long a new withdrawal address waits before it can be used, in hours. */
  addressWaitHours: z.int(),
  /** How long the rate of a payment request is locked. */
  paymentWindowMinutes: z.int(),
  /** Returns above this amount, recorded by one person in 24 hours, need the approval of another. */
  largeReturn: usd,
  /** What monitoring looks for (decision 179): in a short time, just below, and after a long pause. */
  turnoverLimit: usd,
  reportingLimit: usd,
  dormantLimit: usd,
  /**
   * The most that an account may withdraw, and the most that it may invest, before its owner has proved their identity, and before they
   * have proved where their money comes from (decision 180); null: as much as they like.
   */
  identityLimit: usd.nullable(),
  fundsLimit: usd.nullable(),
  /** How long documents of former customers are kept. */
  documentYears: z.int(),
  /** True if an earning needs the approval of someone other than the person who added it. */
  earningsSecondApproval: z.boolean(),
  /** False while nobody can open an account. */
  registrationOpen: z.boolean(),
  /** False while nobody can request a deposit. */
  depositsOpen: z.boolean(),
})
export type SettingValues = z.output<typeof settingValues>

const account = { user: recordId, userName: z.string(), userEmail: z.string() }
const role = z.enum(roles)

const apiKeyContent = z.object({
  kind: z.literal('api_key'),
  name: z.string(),
  rights: z.array(z.enum(apiKeyRights)),
  addresses: z.array(z.string()),
  /** Its last day, in UTC. */
  until: z.string(),
})

export const proposalContent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('settings'), before: settingValues, after: settingValues }),
  z.object({ kind: z.literal('brand'), before: brandValues, after: brandValues }),
  z.object({ kind: z.literal('second_factors'), ...account }),
  z.object({ kind: z.literal('role'), ...account, before: role, after: role }),
  z.object({ kind: z.literal('invitation'), name: z.string(), email: z.string(), role }),
  policyProposal.extend({ kind: z.literal('policy') }),
  policyTranslationProposal.extend({ kind: z.literal('policy_translation') }),
  apiKeyContent,
  z.object({
    kind: z.literal('webhook'),
    name: z.string(),
    url: z.string(),
    events: z.array(z.enum(webhookEventNames)),
  }),
])
export type ProposalContent = z.output<typeof proposalContent>

export const proposal = z.object({
  _id: recordId,
  content: proposalContent,
  reason: z.string(),
  status: z.enum(proposalStatuses),
  /** The proposer's user id. */
  proposedBy: recordId,
  proposedByName: z.string(),
  createdAt: timestamp,
  /** null while pending and once expired. */
  decidedBy: recordId.nullable(),
  decidedByName: z.string().nullable(),
  decidedAt: timestamp.nullable(),
  decisionReason: z.string().nullable(),
})
export type Proposal = z.output<typeof proposal>

export const listProposals = defineCall({
  id: 'proposal.list',
  method: 'GET',
  path: '/proposal/get-all',
  permission: 'manage',
  list: true,
  summary:
    "Proposals that need a second admin, newest first; 'status' is pending, approved, rejected, withdrawn or expired",
  message: msg('Proposals'),
  query: listQuery.extend({
    kind: z
      .enum(proposalGroups, { error: () => t('Kind is {choices}', { choices: proposalGroups.join(', ') }) })
      .optional(),
  }),
  data: z.array(proposal),
})

export const waitingProposals = defineCall({
  id: 'proposal.waiting',
  method: 'GET',
  path: '/proposal/waiting',
  permission: 'manage',
  summary: 'How many proposals need a second admin, by the console page where they are decided',
  message: msg('Proposals waiting'),
  data: z.object({
    settings: z.int(),
    brand: z.int(),
    staff: z.int(),
    policies: z.int(),
    integrations: z.int(),
  } satisfies Record<ProposalGroup, z.ZodInt>),
})

export const approveProposal = defineCall({
  id: 'proposal.approve',
  method: 'POST',
  path: '/proposal/approve/:id',
  permission: 'manage',
  money: true,
  summary: "Approves another admin's proposal, which takes effect at once",
  message: msg('Proposal approved'),
  params: idParams,
  body: optionalReasonBody,
  data: nothing,
  refusals: ['not_found', 'wrong_state', 'same_approver', 'own_request', 'email_taken', 'proof_required'],
})

export const rejectProposal = defineCall({
  id: 'proposal.reject',
  method: 'POST',
  path: '/proposal/reject/:id',
  permission: 'manage',
  money: true,
  summary: "Rejects another admin's proposal; nothing changes",
  message: msg('Proposal rejected'),
  params: idParams,
  body: reasonBody,
  data: nothing,
  refusals: ['not_found', 'wrong_state', 'same_approver'],
})

export const withdrawProposal = defineCall({
  id: 'proposal.withdraw',
  method: 'POST',
  path: '/proposal/withdraw/:id',
  permission: 'manage',
  money: true,
  summary: "Withdraws the caller's own proposal; nothing changes",
  message: msg('Proposal withdrawn'),
  params: idParams,
  body: optionalReasonBody,
  data: nothing,
  refusals: ['not_found', 'wrong_state', 'own_request'],
})
