import { z } from 'zod'
import { localUsdShort } from '#shared/i18n/amounts.ts'
import { msg, t } from '#shared/i18n/t.ts'
import {
  longestAddressWaitHours,
  longestDocumentYears,
  longestPaymentWindowMinutes,
  shortestPaymentWindowMinutes,
} from '#shared/limits.ts'
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
  message: msg('Settings'),
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
  message: msg('Proposed. Another admin must approve it'),
  body: z.object({
    largeWithdrawal: usdNumber(msg('Limit')),
    minimumWithdrawal: usdNumber(msg('Minimum'), { orNone: true }).max(
      Number(highestMinimumWithdrawalCents) / 100,
      {
        error: () =>
          t('Minimum can be at most {maximum}', {
            maximum: localUsdShort(highestMinimumWithdrawalCents),
          }),
      },
    ),
    addressWaitHours: z
      .int({ error: () => t('Waiting time must be a whole number of hours') })
      .min(0, { error: () => t('Waiting time cannot be negative') })
      .max(longestAddressWaitHours, {
        error: () => t('Waiting time can be at most {hours} hours', { hours: longestAddressWaitHours }),
      }),
    paymentWindowMinutes: z
      .int({ error: () => t('Payment window must be a whole number of minutes') })
      .min(shortestPaymentWindowMinutes, {
        error: () =>
          t('Payment window must be at least {minutes} minutes', { minutes: shortestPaymentWindowMinutes }),
      })
      .max(longestPaymentWindowMinutes, {
        error: () =>
          t('Payment window can be at most {minutes} minutes', { minutes: longestPaymentWindowMinutes }),
      }),
    largeReturn: usdNumber(msg('Limit')),
    turnoverLimit: usdNumber(msg('Limit of volume')),
    reportingLimit: usdNumber(msg('Reporting limit')),
    dormantLimit: usdNumber(msg('Limit of dormant accounts')),
    identityLimit: usdNumber(msg('Limit without identity'), { orNone: true }).nullable(),
    fundsLimit: usdNumber(msg('Limit without source of funds'), { orNone: true }).nullable(),
    documentYears: z
      .int({ error: () => t('Years must be a whole number') })
      .min(1, { error: () => t('Documents are kept for at least 1 year') })
      .max(longestDocumentYears, {
        error: () => t('Documents are kept for at most {maximum} years', { maximum: longestDocumentYears }),
      }),
    earningsSecondApproval: z.boolean({ error: () => t('Choose whether earnings need a second approval') }),
    registrationOpen: z.boolean({ error: () => t('Choose whether new investors may register') }),
    depositsOpen: z.boolean({ error: () => t('Choose whether investors may make deposits') }),
    reason,
  }),
  data: z.object({ proposal: recordId }),
  refusals: ['wrong_state', 'proof_required'],
})
