import { z } from 'zod'
import { alertKinds } from '#shared/alerts.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { defineCall } from './define.ts'

const alertChoices = z.object({
  choices: z
    .array(
      z.object({
        kind: z.enum(alertKinds),
        bell: z.boolean(),
        email: z.boolean(),
        /** Of messages: only those of conversations that are assigned to the caller. */
        onlyAssigned: z.boolean(),
      }),
    )
    .max(alertKinds.length, { error: () => t('Too many kinds of alerts') }),
})

export const getAlertChoices = defineCall({
  id: 'alert.choices',
  method: 'GET',
  path: '/alert/choices',
  permission: 'console',
  personal: true,
  summary: 'Which alerts the caller gets in the bell and by email, of those that their rights let them see',
  message: msg('Your alerts'),
  data: alertChoices,
})

export const chooseAlerts = defineCall({
  id: 'alert.choose',
  method: 'PUT',
  path: '/alert/choices',
  permission: 'console',
  summary: 'Chooses which alerts the caller gets in the bell and by email; kinds that are left out stay',
  message: msg('Alerts saved'),
  body: alertChoices,
  data: alertChoices,
  refusals: ['forbidden'],
})
