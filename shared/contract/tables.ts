import { z } from 'zod'
import { depositMethods, investmentMethods, withdrawalWallets } from '#shared/coins.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { checkKinds } from '#shared/identity.ts'
import { monitoringRules } from '#shared/monitoring.ts'
import { nameLists } from '#shared/sanctions.ts'
import { listQuery } from './define.ts'
import { day, id, textLine, timeZone, usdAmountText } from './fields.ts'

/** Sort and filter parameters of the console's tables. */

/** Whole days in the time zone, both included. */
const period = z.object({
  from: day.optional().describe('First day'),
  to: day.optional().describe('Last day'),
  zone: timeZone.default('UTC').describe('Time zone of the days'),
})
/** Amounts in USD, both included. */
const amounts = z.object({
  amountFrom: usdAmountText.optional().describe('Smallest amount'),
  amountTo: usdAmountText.optional().describe('Largest amount'),
})

export type PeriodFilter = Partial<z.output<typeof period>>
export type AmountFilter = z.output<typeof amounts>

/** Sort order: 'amount' ascending, '-amount' descending, ties by id; default: newest first. */
function sortBy<const Key extends string>(keys: readonly Key[]) {
  const ways = keys.flatMap(key => [key, `-${key}`] as const)
  return z
    .enum(ways, { error: () => t('Sort must be one of {choices}', { choices: ways.join(', ') }) })
    .optional()
}

/** A field's exact value. */
const exactly = (label: string) => textLine(label, 120).optional()

export const userTable = listQuery.extend({
  sort: sortBy(['created', 'name', 'email', 'country', 'balance']),
  country: exactly(msg('Country')),
  ...period.shape,
})

export const withdrawalTable = listQuery.extend({
  sort: sortBy(['created', 'amount', 'status', 'wallet']),
  wallet: z.enum(withdrawalWallets, { error: () => t('Choose a wallet from the list') }).optional(),
  ...period.shape,
  ...amounts.shape,
})

export const investmentTable = listQuery.extend({
  sort: sortBy(['created', 'amount', 'status', 'ending']),
  plan: exactly(msg('Plan')),
  method: z
    .enum(investmentMethods, {
      error: () => t('Payment method must be one of {choices}', { choices: investmentMethods.join(', ') }),
    })
    .optional(),
  ...period.shape,
  ...amounts.shape,
})

export const earningTable = listQuery.extend({
  sort: sortBy(['created', 'amount', 'status']),
  ...period.shape,
  ...amounts.shape,
})

export const depositTable = listQuery.extend({
  sort: sortBy(['created', 'amount', 'status', 'method']),
  method: z
    .enum(depositMethods, {
      error: () => t('Payment method must be one of {choices}', { choices: depositMethods.join(', ') }),
    })
    .optional(),
  ...period.shape,
  ...amounts.shape,
})

/** The period is that of finding. */
export const matchTable = listQuery.extend({
  sort: sortBy(['found', 'score', 'name']),
  list: z
    .enum(nameLists, {
      error: () => t('List must be one of {choices}', { choices: nameLists.join(', ') }),
    })
    .optional(),
  ...period.shape,
})

/** The period is that of finding. */
export const caseTable = listQuery.extend({
  sort: sortBy(['found', 'amount', 'name']),
  rule: z
    .enum(monitoringRules, {
      error: () => t('Rule must be one of {choices}', { choices: monitoringRules.join(', ') }),
    })
    .optional(),
  ...period.shape,
})

/** The period is that of realisation. */
export const returnTable = listQuery.extend({
  sort: sortBy(['realised', 'amount']),
  ...period.shape,
  ...amounts.shape,
})

export const messageTable = listQuery.extend({
  sort: sortBy(['created', 'active', 'name', 'email']),
  /** From the contact form, or of investors. */
  origin: z.enum(['form', 'account'], { error: () => t('Choose where it comes from') }).optional(),
  /** Who takes care of it: an account's id, or 'nobody'. */
  assigned: z.union([z.literal('nobody'), id], { error: () => t('Choose a person, or nobody') }).optional(),
  ...period.shape,
})

/** The period is that of sending. */
export const checkTable = listQuery.extend({
  sort: sortBy(['sent', 'name']),
  kind: z
    .enum(checkKinds, { error: () => t('Kind must be one of {choices}', { choices: checkKinds.join(', ') }) })
    .optional(),
  ...period.shape,
})

export const auditTable = listQuery.extend({
  sort: sortBy(['at']),
  /** Who acted. */
  actor: id.optional(),
  ...period.shape,
})

/** Filters of an export: the list's without paging. */
const pages = { limit: true, cursor: true } as const
export const userFile = userTable.omit(pages)
export const withdrawalFile = withdrawalTable.omit(pages)
export const investmentFile = investmentTable.omit(pages)
export const earningFile = earningTable.omit(pages)
export const depositFile = depositTable.omit(pages)
export const returnFile = returnTable.omit(pages)
export const matchFile = matchTable.omit(pages)
export const caseFile = caseTable.omit(pages)
export const checkFile = checkTable.omit(pages)
/** A file of all rows, with its times in a zone. */
export const timesFile = period.pick({ zone: true })
export const messageFile = messageTable.omit(pages)
export const auditFile = auditTable.omit(pages)
