import { z } from 'zod'
import { msg, t } from '#shared/i18n/t.ts'
import { leastAge, longestPolicy, longestPolicyBody, longestPolicyChanges } from '#shared/limits.ts'
import { policyKinds } from '#shared/policies.ts'
import { defineCall, listQuery } from './define.ts'
import {
  day,
  nothing,
  reason,
  recordId,
  textBlock,
  timestamp,
  versionNumber,
  versionOrNone,
} from './fields.ts'

/** The firm's terms, privacy notice and the like, in versions, and who has accepted the terms (decision 170). */

const kind = z.enum(policyKinds, {
  error: () => t('Choose one of {choices}', { choices: policyKinds.join(', ') }),
})

/** By the day in UTC; of several versions that have come into force, the newest is current. */
export const policyStatuses = ['upcoming', 'current', 'past'] as const

const policyVersion = z.object({
  version: z.int(),
  /** First day in force, in UTC. */
  from: z.string(),
  /** What changed since the version before; null on the first. */
  changes: z.string().nullable(),
  /** Markdown. */
  text: z.string(),
  status: z.enum(policyStatuses),
  publishedAt: timestamp,
})
export type PolicyVersion = z.output<typeof policyVersion>

export const getPolicy = defineCall({
  id: 'policy.get',
  method: 'GET',
  path: '/policy/get/:kind',
  permission: 'public',
  summary:
    'A policy of the firm: the version in force, one that will come into force, and the latest past ones, newest first',
  message: msg('Policy'),
  params: z.object({ kind }),
  /** One version instead, however old. */
  query: z.object({ version: z.coerce.number().pipe(versionNumber).optional() }),
  data: z.array(policyVersion),
  refusals: ['not_found'],
})

const writtenPolicy = policyVersion.extend({
  _id: recordId,
  kind,
  reason: z.string(),
  proposedBy: z.string(),
  approvedBy: z.string(),
  /** Investors who have accepted it; null for a policy that nobody accepts. */
  acceptances: z.int().nullable(),
})
export type WrittenPolicy = z.output<typeof writtenPolicy>

export const listPolicies = defineCall({
  id: 'policy.list',
  method: 'GET',
  path: '/policy/get-all',
  permission: 'manage',
  list: true,
  summary: "All versions of the firm's policies, newest first; 'status' is upcoming, current or past",
  message: msg('Policies'),
  query: listQuery.extend({ kind: kind.optional() }),
  data: z.array(writtenPolicy),
})

export const policyProposal = z.object({
  policy: kind,
  text: z.string(),
  changes: z.string().nullable(),
  from: z.string(),
})

export const proposePolicy = defineCall({
  id: 'policy.propose',
  method: 'POST',
  path: '/policy/propose',
  permission: 'manage',
  money: true,
  summary: 'Proposes a version of a policy. Once another admin approves it, everybody can read it',
  message: msg('Proposed. Another admin must approve it'),
  maximumBody: longestPolicyBody,
  body: z.object({
    kind,
    text: textBlock(msg('Text'), longestPolicy),
    changes: textBlock(msg('What changes'), longestPolicyChanges).nullable(),
    from: day,
    version: versionOrNone,
    reason,
  }),
  data: z.object({ proposal: recordId }),
  refusals: ['wrong_state', 'proof_required'],
})

export const ownTerms = defineCall({
  id: 'policy.ownTerms',
  method: 'GET',
  path: '/policy/terms',
  permission: 'account',
  summary: 'Which versions of the terms the caller has accepted, and which one they should accept',
  message: msg('Terms'),
  data: z.object({
    /** Newest first. */
    accepted: z.array(z.object({ version: z.int(), at: timestamp })),
    /** The newest version, if it is not accepted; `needed` if it, or one before it that is not accepted either, is in force. */
    due: z
      .object({ version: z.int(), from: z.string(), changes: z.string().nullable(), needed: z.boolean() })
      .nullable(),
    /** The age in years that the caller stated when they registered; null if they were not asked. */
    statedAge: z.literal(leastAge).nullable(),
  }),
})

export const acceptTerms = defineCall({
  id: 'policy.accept',
  method: 'POST',
  path: '/policy/accept',
  permission: 'account',
  summary: "Accepts the newest version of the firm's terms; accepting it again changes nothing",
  message: msg('Terms accepted'),
  body: z.object({ version: versionNumber }),
  data: nothing,
  refusals: ['wrong_state', 'not_found'],
})
