import { z } from 'zod'
import { msg, t } from '#shared/i18n/t.ts'
import { isAddressOrRange } from '#shared/ip-ranges.ts'
import {
  longestIntegrationName,
  maximumKeyAddresses,
  widestIpv4Prefix,
  widestIpv6Prefix,
} from '#shared/limits.ts'
import { apiKeyRights } from '#shared/roles.ts'
import { defineCall, listQuery } from './define.ts'
import { day, idParams, reason, reasonBody, recordId, textLine, timestamp } from './fields.ts'

/** Keys with which the firm's own programs read. */

/** `approved`: nobody has created its text yet. */
export const apiKeyStatuses = ['approved', 'active', 'expired', 'revoked'] as const

const apiKey = z.object({
  _id: recordId,
  name: z.string(),
  rights: z.array(z.enum(apiKeyRights)),
  addresses: z.array(z.string()),
  /** Its last day, in UTC. */
  until: z.string(),
  status: z.enum(apiKeyStatuses),
  /** Its first characters; null until it is created. */
  beginning: z.string().nullable(),
  /** The admin who proposed it, and alone has seen it. */
  proposedBy: recordId,
  proposedByName: z.string(),
  /** False if that person is no longer an admin. */
  proposerIsAdmin: z.boolean(),
  createdAt: timestamp.nullable(),
  lastUsedAt: timestamp.nullable(),
  lastUsedFrom: z.string().nullable(),
  /** When it last came from another address, or too late. */
  lastRefusedAt: timestamp.nullable(),
  lastRefusedFrom: z.string().nullable(),
  revokedAt: timestamp.nullable(),
  revokedByName: z.string().nullable(),
})
export type ApiKey = z.output<typeof apiKey>

const wrongAddress = {
  error: () =>
    t(
      'Enter IP addresses or ranges such as 203.0.113.7 or 203.0.113.0/24, no wider than /{ipv4} (IPv6: /{ipv6})',
      { ipv4: widestIpv4Prefix, ipv6: widestIpv6Prefix },
    ),
}

export const proposeApiKey = defineCall({
  id: 'apiKey.propose',
  method: 'POST',
  path: '/api-key/propose',
  permission: 'manage',
  money: true,
  summary: 'Proposes an API key that reads. Once another admin approves it, the proposer can create it',
  message: msg('Proposed. Another admin must approve it'),
  body: z.object({
    name: textLine(msg('Name'), longestIntegrationName),
    rights: z
      .array(z.enum(apiKeyRights, { error: () => t('Choose what the key may read') }))
      .min(1, { error: () => t('Choose what the key may read') })
      .max(apiKeyRights.length, { error: () => t('Choose each right once') })
      .refine(rights => new Set(rights).size === rights.length, { error: () => t('Choose each right once') }),
    addresses: z
      .array(z.string(wrongAddress).trim(), wrongAddress)
      .min(1, { error: () => t('Enter at least one IP address or range') })
      .max(maximumKeyAddresses, {
        error: () => t('Enter at most {maximum} addresses', { maximum: maximumKeyAddresses }),
      })
      .refine(all => all.every(isAddressOrRange), wrongAddress),
    until: day,
    reason,
  }),
  data: z.object({ proposal: recordId }),
  refusals: ['wrong_state', 'proof_required'],
})

export const listApiKeys = defineCall({
  id: 'apiKey.list',
  method: 'GET',
  path: '/api-key/get-all',
  permission: 'manage',
  list: true,
  summary: `API keys, newest first; 'status' is ${apiKeyStatuses.join(', ')}`,
  message: msg('API keys'),
  query: listQuery,
  data: z.array(apiKey),
})

export const createApiKey = defineCall({
  id: 'apiKey.create',
  method: 'POST',
  path: '/api-key/create/:id',
  permission: 'manage',
  // Takes no idempotency key: its answer would be stored.
  summary: 'Creates an approved API key, by its proposer alone. No other answer has its text',
  message: msg('API key created'),
  params: idParams,
  data: z.object({ key: z.string() }),
  refusals: ['not_found', 'wrong_state', 'own_request', 'proof_required'],
})

export const revokeApiKey = defineCall({
  id: 'apiKey.revoke',
  method: 'POST',
  path: '/api-key/revoke/:id',
  permission: 'manage',
  summary: 'Revokes an API key at once, for good',
  message: msg('API key revoked'),
  params: idParams,
  body: reasonBody,
  data: apiKey,
  refusals: ['not_found', 'wrong_state'],
})
