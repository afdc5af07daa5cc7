import { z } from 'zod'
import { msg, t } from '#shared/i18n/t.ts'
import { longestSearch, shortestSearch } from '#shared/limits.ts'
import { defineCall } from './define.ts'
import { recordId, usd } from './fields.ts'

/** What the console's search finds, in the order of its answer. */
export const searchKinds = [
  'user',
  'deposit',
  'withdrawal',
  'investment',
  'earning',
  'payout',
  'return',
  'message',
] as const
export type SearchKind = (typeof searchKinds)[number]

const found = z.object({
  _id: recordId,
  /** A person's name, a record's number, a return's source; for an earning the number of its investment. */
  title: z.string(),
  /** A person's email, a record's owner, a payout's wallet, a message's subject. */
  detail: z.string().nullable(),
  amount: usd.nullable(),
  /** Which part of it matches. */
  by: z.enum(['name', 'number', 'code', 'id', 'transaction', 'address']),
})
export type Found = z.output<typeof found>

export const search = defineCall({
  id: 'search.find',
  method: 'GET',
  path: '/console/search',
  permission: 'console',
  summary:
    'People and messages by the beginnings of their names and emails, records by number, transactions and addresses; each kind only for those who may list it',
  message: msg('Found'),
  query: z.object({
    q: z
      .string()
      .trim()
      .min(shortestSearch, {
        error: () => t('Search text needs at least {minimum} characters', { minimum: shortestSearch }),
      })
      .max(longestSearch, {
        error: () => t('Search text can have at most {maximum} characters', { maximum: longestSearch }),
      })
      .regex(/^[^\p{Cc}]*$/u, { error: () => t('Search text has characters that cannot be used') })
      .describe('A name, an email, a number (DEP-2026-000123, or 123), an id, a transaction or an address'),
  }),
  data: z.array(
    z.object({
      kind: z.enum(searchKinds),
      /** The best or newest first, up to a limit for each kind. */
      results: z.array(found),
      /** More of this kind match. */
      hasMore: z.boolean(),
    }),
  ),
})
