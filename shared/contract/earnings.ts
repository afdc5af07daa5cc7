import { z } from 'zod'
import { msg, t } from '#shared/i18n/t.ts'
import { planPreviewMinutes } from '#shared/limits.ts'
import { bulkCall, bulkRecords, bulkSummary } from './bulk.ts'
import { defineCall, fileContent, listQuery } from './define.ts'
import { type Earning, earning, earningReturn, type PlanRun, planRun, planShare, trail } from './entities.ts'
import {
  id,
  idParams,
  moment,
  optionalReasonBody,
  reason,
  reasonBody,
  textLine,
  timestamp,
  usd,
  usdAmount,
} from './fields.ts'
import { earningFile, earningTable } from './tables.ts'

function messageOfAdded(status: Earning['status']): string | undefined {
  return status === 'pending' ? t('Earnings added. A second person must approve them') : undefined
}

export const addEarning = defineCall({
  id: 'earning.add',
  method: 'POST',
  path: '/earning/add/:userId',
  permission: 'decide',
  money: true,
  summary:
    'Pays earnings from recorded returns to a user with an active investment; without an amount, all unpaid accruals. A second person must approve an amount beyond them (D7)',
  message: msg('Earnings added'),
  messageFor: ([first]: Earning[]) => messageOfAdded(first!.status),
  params: z.object({ userId: id }),
  /** Strict: without an amount all accruals are paid, so a misspelt `amount` must not pass. */
  body: z.strictObject({
    amount: usdAmount.optional(),
    investmentId: id.optional(),
    note: textLine(msg('Note'), 300).optional(),
  }),
  data: z.array(earning),
  refusals: [
    'account_frozen',
    'not_found',
    'no_active_investment',
    'nothing_accrued',
    'insufficient_returns',
    'own_request',
  ],
})

/** The preview's time in ISO 8601; now if omitted. */
const previewMoment = moment(msg("The preview's time"))

export const previewPlanEarnings = defineCall({
  id: 'earning.previewPlan',
  method: 'GET',
  path: '/earning/preview-plan/:id',
  permission: 'console',
  summary:
    "Unpaid accruals of a plan's active investments, in all its versions: their number and total, and the recorded returns left; without the caller's own (D4, D7)",
  message: msg('Earnings of a plan'),
  params: idParams,
  query: z.object({ asOf: previewMoment.optional() }),
  data: z.object({
    plan: z.string(),
    asOf: timestamp,
    /** Investments with unpaid accruals, and their total. */
    count: z.int(),
    total: usd,
    /** Recorded returns left now, without what open runs of earnings will still pay. */
    left: usd,
    /** Identifies this list of investments and amounts; sent back with the confirmation. */
    digest: z.string(),
    /** The caller's active investments, to which another admin must add earnings. */
    ownLeftOut: z.int(),
    /** Active investments of frozen accounts; their accruals are added once unfrozen. */
    frozenLeftOut: z.int(),
    /** Start of the latest of them; null if there is none. */
    latestBegan: timestamp.nullable(),
    /** They are added as pending: a second admin must approve each. */
    needsApproval: z.boolean(),
  }),
  refusals: ['not_found'],
})

export const listPlanShares = defineCall({
  id: 'earning.listPlanShares',
  method: 'GET',
  path: '/earning/get-all-plan',
  permission: 'console',
  list: true,
  summary: "The preview's investments, each with its amount, the newest first",
  message: msg('Earnings of a plan by investment'),
  query: listQuery.pick({ limit: true, cursor: true }).extend({ plan: id, asOf: previewMoment.optional() }),
  data: z.array(planShare),
  refusals: ['not_found'],
})

export const addPlanEarnings = defineCall({
  id: 'earning.addPlan',
  method: 'POST',
  path: '/earning/add-plan/:id',
  permission: 'decide',
  money: true,
  summary: `Adds the earnings of a preview made in the last ${planPreviewMinutes} minutes: at once or, if they are many, in parts that a job works off. Refused if it has changed since or recorded returns do not cover it (D4, D7)`,
  message: msg('Earnings added'),
  messageFor: ({ status, needsApproval }: Pick<PlanRun, 'status' | 'needsApproval'>) =>
    status === 'running' ? t('Earnings are being added') : messageOfAdded(needsApproval ? 'pending' : 'paid'),
  params: idParams,
  body: z.strictObject({
    asOf: previewMoment,
    digest: z.string().regex(/^[0-9a-f]{64}$/, { error: () => t('This digest is not valid') }),
    note: textLine(msg('Note'), 300).optional(),
  }),
  data: planRun,
  refusals: ['account_frozen', 'not_found', 'wrong_state', 'nothing_accrued', 'insufficient_returns'],
})

export const getPlanRun = defineCall({
  id: 'earning.planRun',
  method: 'GET',
  path: '/earning/plan-run/:id',
  permission: 'console',
  summary: "The latest run of a plan's earnings: how far it is, or how it ended; null before the first",
  message: msg('Run of earnings'),
  params: idParams,
  data: planRun.nullable(),
  refusals: ['not_found'],
})

export const cancelPlanRun = defineCall({
  id: 'earning.cancelPlanRun',
  method: 'POST',
  path: '/earning/cancel-plan-run/:id',
  permission: 'decide',
  money: true,
  summary:
    'Cancels a run of earnings after its current part: added earnings stay, and the rest accrues as before',
  message: msg('The rest of the earnings is cancelled'),
  params: idParams,
  body: optionalReasonBody,
  data: planRun,
  refusals: ['not_found', 'wrong_state'],
})

export const approveEarning = defineCall({
  id: 'earning.approve',
  method: 'POST',
  path: '/earning/approve/:id',
  permission: 'decide',
  money: true,
  summary:
    "The second person's approval, of an amount beyond the accruals or if configured: pending → paid (D7)",
  message: msg('Earning approved'),
  params: idParams,
  body: optionalReasonBody,
  data: earning,
  refusals: [
    'account_frozen',
    'not_found',
    'wrong_state',
    'same_approver',
    'own_request',
    'insufficient_returns',
  ],
})

export const declineEarning = defineCall({
  id: 'earning.decline',
  method: 'POST',
  path: '/earning/decline/:id',
  permission: 'decide',
  money: true,
  summary:
    'pending → declined with a reason that the investor reads, also by the admin who added it; its amount accrues again (D7)',
  message: msg('Earning declined'),
  params: idParams,
  body: reasonBody,
  data: earning,
  refusals: ['not_found', 'wrong_state'],
})

export const approveEarnings = defineCall({
  ...bulkCall,
  id: 'earning.approveMany',
  path: '/earning/approve-many',
  summary: bulkSummary('earning.approve'),
  message: msg('Earnings processed'),
  body: z.strictObject({ records: bulkRecords({}), reason: reason.optional() }),
})

export const declineEarnings = defineCall({
  ...bulkCall,
  id: 'earning.declineMany',
  path: '/earning/decline-many',
  summary: bulkSummary('earning.decline'),
  message: msg('Earnings processed'),
  body: z.strictObject({ records: bulkRecords({}), reason }),
})

export const listOwnEarnings = defineCall({
  id: 'earning.listOwn',
  method: 'GET',
  path: '/earning/get-all-user',
  permission: 'account',
  list: true,
  summary: "The caller's earnings, the newest first",
  message: msg('Your earnings'),
  query: listQuery,
  data: z.array(earning),
})

export const listEarnings = defineCall({
  id: 'earning.list',
  method: 'GET',
  path: '/earning/get-all',
  permission: 'console',
  list: true,
  summary: 'All earnings, the newest first unless sorted',
  message: msg('Earnings'),
  query: earningTable,
  data: z.array(earning),
})

export const earningsCsv = defineCall({
  id: 'earning.csv',
  method: 'GET',
  path: '/earning/get-all.csv',
  permission: 'console',
  file: 'text/csv',
  summary:
    'Earnings as CSV (RFC 4180, UTF-8 with a byte order mark), filtered and sorted like the list; all rows',
  message: msg('Earnings as CSV'),
  query: earningFile,
  data: fileContent,
})

export const getEarning = defineCall({
  id: 'earning.getOne',
  method: 'GET',
  path: '/earning/get-one/:id',
  permission: 'account',
  summary:
    "One of the caller's earnings with the recorded returns that paid it, its postings and history; staff may read any",
  message: msg('Earning'),
  params: idParams,
  data: earning.extend({ ...trail.shape, returns: z.array(earningReturn) }),
  refusals: ['forbidden', 'not_found'],
})
