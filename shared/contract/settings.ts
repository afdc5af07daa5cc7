import { z } from 'zod'
import {
  longestAddressWaitHours,
  longestDocumentYears,
  longestPaymentWindowMinutes,
  shortestPaymentWindowMinutes,
} from '#shared/limits.ts'
import { formatUsdShort } from '#shared/money.ts'
import { highestMinimumWithdrawalCents } from '#shared/withdrawals.ts'
import { defineCall } from './define.ts'
import { reason, recordId, timestamp, usdNumber } from './fields.ts'
import { settingValues } from './proposals.ts'

export const getSettings = defineCall({
  id: 'setting.get',
  method: 'GET',
  path: '/setting/get',
  permission: 'manage',
  summary: 'The settings that two admins decide, and how many people can approve what needs two',
  message: 'Settings',
  data: z.object({
    /** 0 while the configuration's values are in force. */
    version: z.int(),
    values: settingValues,
    changedAt: timestamp.nullable(),
    /** Admins with access, and staff with access whose role decides (admins included). */
    admins: z.int(),
    deciders: z.int(),
  }),
})

export const proposeSettings = defineCall({
  id: 'setting.propose',
  method: 'POST',
  path: '/setting/propose',
  permission: 'manage',
  money: true,
  summary: 'Proposes new settings. Once another admin approves them, they apply to later requests',
  message: 'Proposed. Another admin must approve it',
  body: z.object({
    largeWithdrawal: usdNumber('Limit'),
    minimumWithdrawal: usdNumber('Minimum', { orNone: true }).max(
      Number(highestMinimumWithdrawalCents) / 100,
      `Minimum can be at most ${formatUsdShort(highestMinimumWithdrawalCents)}`,
    ),
    addressWaitHours: z
      .int('Waiting time must be a whole number of hours')
      .min(0, 'Waiting time cannot be negative')
      .max(longestAddressWaitHours, `Waiting time can be at most ${longestAddressWaitHours} hours`),
    paymentWindowMinutes: z
      .int('Payment window must be a whole number of minutes')
      .min(
        shortestPaymentWindowMinutes,
        `Payment window must be at least ${shortestPaymentWindowMinutes} minutes`,
      )
      .max(
        longestPaymentWindowMinutes,
        `Payment window can be at most ${longestPaymentWindowMinutes} minutes`,
      ),
    largeReturn: usdNumber('Limit'),
    turnoverLimit: usdNumber('Limit of volume'),
    reportingLimit: usdNumber('Reporting limit'),
    dormantLimit: usdNumber('Limit of dormant accounts'),
    identityLimit: usdNumber('Limit without identity', { orNone: true }).nullable(),
    fundsLimit: usdNumber('Limit without source of funds', { orNone: true }).nullable(),
    documentYears: z
      .int('Years must be a whole number')
      .min(1, 'Documents are kept for at least 1 year')
      .max(longestDocumentYears, `Documents are kept for at most ${longestDocumentYears} years`),
    earningsSecondApproval: z.boolean({ error: 'Choose whether earnings need a second approval' }),
    registrationOpen: z.boolean({ error: 'Choose whether new investors may register' }),
    depositsOpen: z.boolean({ error: 'Choose whether investors may make deposits' }),
    reason,
  }),
  data: z.object({ proposal: recordId }),
  refusals: ['wrong_state', 'proof_required'],
})
