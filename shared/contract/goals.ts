import { z } from 'zod'
import { msg, t } from '#shared/i18n/t.ts'
import { longestEndingAlert, longestGoalName } from '#shared/limits.ts'
import { defineCall } from './define.ts'
import { day, idParams, nothing, recordId, textLine, timestamp, usd, usdAmount } from './fields.ts'

const goal = z.object({
  _id: recordId,
  name: z.string(),
  amount: usd,
  /** By when, or null. */
  day: z.string().nullable(),
  /** What the total funds lack now. */
  missing: usd,
  /** How much of it the total funds are, in whole percent, cut; at most 100. */
  percent: z.int(),
  /**
   * What to pay in each month from now to its day, rounded up to a cent, without any earnings; null without a day ahead or
   * without anything missing.
   */
  monthly: usd.nullable(),
  createdAt: timestamp,
  /** When the total funds first reached it. */
  reachedAt: timestamp.nullable(),
})
export type Goal = z.output<typeof goal>

const goals = z.object({
  goals: z.array(goal),
  /** All that the investor has: available, on hold and invested. */
  funds: usd,
  /** How many days before an investment ends we tell its owner; null if we do not. */
  endingAlertDays: z.int().nullable(),
})

export const listGoals = defineCall({
  id: 'goal.own',
  method: 'GET',
  path: '/goal/get-all-user',
  permission: 'account',
  summary: "The caller's goals, the oldest first, with their progress by the total funds in the books",
  message: msg('Your goals'),
  data: goals,
})

export const newGoal = defineCall({
  id: 'goal.new',
  method: 'POST',
  path: '/goal/new',
  permission: 'account',
  summary: 'Sets a goal: we tell its owner when their total funds reach it. It moves no money',
  message: msg('Goal saved'),
  body: z.object({
    name: textLine(msg('Name'), longestGoalName),
    amount: usdAmount,
    day: day.nullable(),
  }),
  data: goals,
  refusals: ['wrong_state'],
})

export const removeGoal = defineCall({
  id: 'goal.remove',
  method: 'DELETE',
  path: '/goal/:id',
  permission: 'account',
  summary: "Removes one of the caller's goals",
  message: msg('Goal removed'),
  params: idParams,
  data: nothing,
  refusals: ['forbidden'],
})

export const chooseEndingAlert = defineCall({
  id: 'goal.endingAlert',
  method: 'PUT',
  path: '/goal/ending-alert',
  permission: 'account',
  summary: 'Chooses how many days before an investment ends we tell the caller; null turns it off',
  message: msg('Alert saved'),
  body: z.object({
    days: z
      .int({ error: () => t('Enter whole days') })
      .min(1, { error: () => t('At least one day') })
      .max(longestEndingAlert, { error: () => t('At most {maximum} days', { maximum: longestEndingAlert }) })
      .nullable(),
  }),
  data: goals,
})
