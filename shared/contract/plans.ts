import { z } from 'zod'
import { defineCall } from './define.ts'
import { plan } from './entities.ts'
import { idParams, textLine, usdNumber } from './fields.ts'

export const listPlans = defineCall({
  id: 'plan.list',
  method: 'GET',
  path: '/plan/get-all',
  permission: 'public',
  summary: 'The catalogue of plans in force (at most 100), in its order',
  message: 'Investment plans',
  data: z.array(plan),
})

export const updatePlan = defineCall({
  id: 'plan.update',
  method: 'PUT',
  path: '/plan/:id',
  permission: 'manage',
  summary: 'Makes a new version of a plan; investments keep the version they were made under (D4)',
  message: 'Plan updated',
  params: idParams,
  body: z.object({
    name: textLine('Name', 60),
    /** Target over the whole duration, in percent, at most two decimals. */
    percentage: z
      .number({ error: 'Percentage must be a number' })
      .gt(0, 'Percentage must be more than 0')
      .max(100, 'Percentage can be at most 100')
      .refine(value => /^\d+(\.\d{1,2})?$/.test(String(value)), 'Percentage can have at most two decimals'),
    minimum: usdNumber('Minimum'),
    maximum: usdNumber('Maximum').nullable(),
    duration: textLine('Duration', 30),
    durationDays: z
      .int('Duration must be a whole number of days')
      .min(1, 'Duration must be at least one day')
      .max(3650, 'Duration can be at most 3650 days'),
    note: textLine('Note', 120).nullable(),
  }),
  data: plan,
  refusals: ['not_found', 'wrong_state'],
})
