import { z } from 'zod'
import { msg, t } from '#shared/i18n/t.ts'
import { mustBePositive } from '#shared/money.ts'
import { defineCall, listQuery } from './define.ts'
import { plan, versionChanges, versionFacts } from './entities.ts'
import {
  id,
  idParams,
  nothing,
  optionalReasonBody,
  reason,
  reasonBody,
  textLine,
  usd,
  usdNumber,
  versionNumber,
} from './fields.ts'

/** Most plans, retired ones included. */
export const mostPlans = 100

/** The terms of a plan. */
const terms = z.object({
  name: textLine(msg('Name'), 60),
  /** Target over the whole duration, in percent, at most two decimals. */
  percentage: z
    .number({ error: () => t('Percentage must be a number') })
    .gt(0, { error: () => mustBePositive(t('Percentage')) })
    .max(100, { error: () => t('Percentage can be at most 100') })
    .refine(value => /^\d+(\.\d{1,2})?$/.test(String(value)), {
      error: () => t('Percentage can have at most two decimals'),
    }),
  minimum: usdNumber(msg('Minimum')),
  maximum: usdNumber(msg('Maximum')).nullable(),
  duration: textLine(msg('Duration'), 30),
  durationDays: z
    .int({ error: () => t('Duration must be a whole number of days') })
    .min(1, { error: () => t('Duration must be at least one day') })
    .max(3650, { error: () => t('Duration can be at most 3650 days') }),
  note: textLine(msg('Note'), 120).nullable(),
})

export const listPlans = defineCall({
  id: 'plan.list',
  method: 'GET',
  path: '/plan/get-all',
  permission: 'public',
  summary: `The catalogue of plans in force (at most ${mostPlans}), in order`,
  message: msg('Investment plans'),
  data: z.array(plan),
})

/** A plan as the console manages it. */
const managedPlan = plan.extend({
  /** True if nobody can invest in it any more; existing investments continue. */
  retired: z.boolean(),
  /** Active investments under any version, cached for a minute. */
  activeInvestments: z.int(),
})
export type ManagedPlan = z.output<typeof managedPlan>

export const listCatalogue = defineCall({
  id: 'plan.catalogue',
  method: 'GET',
  path: '/plan/catalogue',
  permission: 'console',
  summary: `Every plan (at most ${mostPlans}), retired ones included, in the catalogue's order`,
  message: msg('Investment plans'),
  data: z.array(managedPlan),
})

export const listPlanVersions = defineCall({
  id: 'plan.versions',
  method: 'GET',
  path: '/plan/versions/:id',
  permission: 'console',
  list: true,
  summary: 'The versions of a plan, newest first: who made each, when, why, and the investments under it',
  message: msg('Versions'),
  params: idParams,
  query: listQuery.pick({ limit: true, cursor: true }),
  data: z.array(
    plan.omit({ _id: true, changedAt: true }).extend({
      ...versionFacts.shape,
      change: z.enum(versionChanges),
      /** Active investments made under this version, and their amount. */
      activeInvestments: z.int(),
      invested: usd,
    }),
  ),
  refusals: ['not_found'],
})

export const newPlan = defineCall({
  id: 'plan.new',
  method: 'POST',
  path: '/plan/new',
  permission: 'manage',
  summary: 'Adds a plan at the end of the catalogue, in force at once',
  message: msg('Plan added'),
  body: terms.extend({ reason }),
  data: plan,
})

export const updatePlan = defineCall({
  id: 'plan.update',
  method: 'PUT',
  path: '/plan/:id',
  permission: 'manage',
  summary: 'Stores a new version of a plan; investments keep the version they were made under (D4)',
  message: msg('Plan updated'),
  params: idParams,
  body: terms.extend({
    /** The version that was edited, so that another admin's change in between is not overwritten. */
    version: versionNumber.optional(),
    reason: reason.optional(),
  }),
  data: plan,
  refusals: ['not_found', 'wrong_state'],
})

export const retirePlan = defineCall({
  id: 'plan.retire',
  method: 'POST',
  path: '/plan/retire/:id',
  permission: 'manage',
  summary: 'Removes a plan from the catalogue: nobody can invest in it, and existing investments continue',
  message: msg('Plan retired'),
  params: idParams,
  body: reasonBody,
  data: plan,
  refusals: ['not_found', 'wrong_state'],
})

export const restorePlan = defineCall({
  id: 'plan.restore',
  method: 'POST',
  path: '/plan/restore/:id',
  permission: 'manage',
  summary: 'Restores a retired plan with its previous terms',
  message: msg('Plan restored'),
  params: idParams,
  body: reasonBody,
  data: plan,
  refusals: ['not_found', 'wrong_state'],
})

export const orderPlans = defineCall({
  id: 'plan.order',
  method: 'POST',
  path: '/plan/order',
  permission: 'manage',
  summary: 'Sets the order of the plans; names every plan once, retired ones included',
  message: msg('Order saved'),
  body: optionalReasonBody.extend({
    ids: z
      .array(id, { error: () => t('Ids must be a list') })
      .max(mostPlans, { error: () => t('There are fewer plans than that') }),
  }),
  data: nothing,
  refusals: ['wrong_state'],
})
