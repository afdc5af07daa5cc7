import { z } from 'zod'
import { msg } from '#shared/i18n/t.ts'
import { reauthenticate } from './accounts.ts'
import { defineCall } from './define.ts'
import { idParams, nothing, reasonBody, usd } from './fields.ts'

const openMatter = z.object({
  kind: z.enum(['balance', 'investment', 'deposit', 'withdrawal', 'earning', 'debt', 'payment']),
  count: z.int(),
  /** null for payments that are not credited yet. */
  amount: usd.nullable(),
})
export type OpenMatter = z.output<typeof openMatter>

export const closing = defineCall({
  id: 'closing.matters',
  method: 'GET',
  path: '/auth/me/closing',
  permission: 'account',
  summary: "What must end before the caller's account can be closed; nothing if it can",
  message: msg('What is open in your account'),
  data: z.object({ matters: z.array(openMatter) }),
})

export const closeAccount = defineCall({
  id: 'closing.close',
  method: 'POST',
  path: '/auth/me/close',
  permission: 'account',
  summary:
    "Closes the caller's account, in which nothing may be open: every session ends, no login opens another, and its email address opens no other account. Records and books stay",
  message: msg('Your account is closed'),
  body: reauthenticate.body,
  data: nothing,
  refusals: [
    'second_factor_required',
    'invalid_code',
    'too_many_tries',
    'forbidden',
    'account_frozen',
    'wrong_state',
  ],
})

export const reopenUser = defineCall({
  id: 'console.reopen',
  method: 'POST',
  path: '/console/user/:id/reopen',
  permission: 'care',
  summary: 'Opens an account again that its owner closed; its owner is notified',
  message: msg('Account reopened'),
  params: idParams,
  /** For staff: the owner is notified without the reason. */
  body: reasonBody,
  data: nothing,
  refusals: ['forbidden', 'not_found', 'wrong_state', 'own_request'],
})
