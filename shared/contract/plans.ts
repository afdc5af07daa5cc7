import { z } from 'zod'
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
} from './fields.ts'

/** Plans at most, those that were retired included. */
export const mostPlans = 100

/** What a plan offers. */
const terms = z.object({
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
})

export const listPlans = defineCall({
  id: 'plan.list',
  method: 'GET',
  path: '/plan/get-all',
  permission: 'public',
  summary: `The catalogue of plans in force (at most ${mostPlans}), in its order`,
  message: 'Investment plans',
  data: z.array(plan),
})

/** A plan as the console manages it. */
const managedPlan = plan.extend({
  /** Nobody can invest in it; what was invested goes on as it was made. */
  retired: z.boolean(),
  /** Active investments under any version of it, as counted within the minute. */
  activeInvestments: z.int(),
})
export type ManagedPlan = z.output<typeof managedPlan>

export const listCatalogue = defineCall({
  id: 'plan.catalogue',
  method: 'GET',
  path: '/plan/catalogue',
  permission: 'console',
  summary: `Every plan (at most ${mostPlans}), those that were retired included, in the catalogue's order`,
  message: 'Investment plans',
  data: z.array(managedPlan),
})

export const listPlanVersions = defineCall({
  id: 'plan.versions',
  method: 'GET',
  path: '/plan/versions/:id',
  permission: 'console',
  list: true,
  summary: 'The versions of a plan, the newest first, with who made them, when and why, and what holds them',
  message: 'Versions',
  params: idParams,
  query: listQuery.pick({ limit: true, cursor: true }),
  data: z.array(
    plan.omit({ _id: true, changedAt: true }).extend({
      ...versionFacts.shape,
      change: z.enum(versionChanges),
      /** Active investments that were made under this version, and what is invested in them. */
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
  summary: 'Puts a new plan at the end of the catalogue, in force at once',
  message: 'Plan added',
  body: terms.extend({ reason }),
  data: plan,
})

export const updatePlan = defineCall({
  id: 'plan.update',
  method: 'PUT',
  path: '/plan/:id',
  permission: 'manage',
  summary: 'Makes a new version of a plan; investments keep the version they were made under (D4)',
  message: 'Plan updated',
  params: idParams,
  body: terms.extend({
    /** The version that was edited: with it, another admin's change in between is not undone unseen. */
    version: z.int('Version must be a whole number').min(1, 'Version must be at least 1').optional(),
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
  summary:
    'Takes a plan out of the catalogue: nobody can invest in it, and what was invested goes on as it was made',
  message: 'Plan retired',
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
  summary: 'Puts a retired plan back into the catalogue with the terms that it had',
  message: 'Plan restored',
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
  summary: 'Sets the order in which the plans are shown; names every plan once, retired ones included',
  message: 'Order saved',
  body: optionalReasonBody.extend({
    ids: z.array(id, 'Ids must be a list').max(mostPlans, 'There are not so many plans'),
  }),
  data: nothing,
  refusals: ['wrong_state'],
})
