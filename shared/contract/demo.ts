import { z } from 'zod'
import { msg } from '#shared/i18n/t.ts'
import { defineCall } from './define.ts'
import { idParams, nothing } from './fields.ts'

/** Part of a payment that the demo wallet sends: all, half, or half too much. */
export const demoParts = ['all', 'half', 'more'] as const
export type DemoPart = (typeof demoParts)[number]

export const payFromDemoWallet = defineCall({
  id: 'demo.pay',
  method: 'POST',
  path: '/demo/pay/:id',
  permission: 'account',
  summary:
    "Only in a demonstration with a local chain (DEMO_CHAIN): pays the missing amount of the caller's own pending deposit from a wallet of that chain, if the deposit has its own address; a repetition sends nothing more",
  message: msg('Sent from the demo wallet'),
  params: idParams,
  body: z.object({ part: z.enum(demoParts).default('all') }),
  data: nothing,
  refusals: ['forbidden', 'not_found', 'wrong_state'],
})
