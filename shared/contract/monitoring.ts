import { z } from 'zod'
import { msg, t } from '#shared/i18n/t.ts'
import { caseDecisions, caseStatuses, monitoringRules } from '#shared/monitoring.ts'
import { defineCall, fileContent } from './define.ts'
import { depositStatuses, withdrawalStatuses } from './entities.ts'
import { idParams, reason, recordId, timestamp, usd } from './fields.ts'
import { caseFile, caseTable, timesFile } from './tables.ts'

/** Movements that rules found and staff look into (decision 179). A case stops nothing. */

const monitoringCase = z.object({
  _id: recordId,
  user: recordId,
  userName: z.string(),
  rule: z.enum(monitoringRules),
  looksFor: z.string().describe('What the rule looks for, with the limit that was in force'),
  kind: z.enum(['deposit', 'withdrawal']).describe('What moved'),
  amount: usd.describe('The sum of the movements that were found'),
  movements: z.int(),
  firstAt: timestamp,
  lastAt: timestamp,
  status: z
    .enum(caseStatuses)
    .describe('open until someone decides; explained: nothing unusual; reported: to the authority'),
  foundAt: timestamp,
  decidedBy: z.string().nullable(),
  decidedAt: timestamp.nullable(),
  reason: z.string().nullable(),
})
export type MonitoringCase = z.output<typeof monitoringCase>

const movement = z.object({
  _id: recordId,
  found: z.boolean().describe('Whether it is one of those that met the rule'),
  kind: z.enum(['deposit', 'withdrawal']),
  record: recordId,
  number: z.string(),
  at: timestamp,
  amount: usd,
  coin: z.string(),
  address: z.string().describe('Where it was paid to'),
  transactionId: z.string().nullable(),
  status: z.enum([...new Set([...depositStatuses, ...withdrawalStatuses, 'cancelled' as const])]),
})
export type MovementStatus = z.output<typeof movement>['status']

export const listCases = defineCall({
  id: 'case.list',
  method: 'GET',
  path: '/case/get-all',
  permission: 'console',
  list: true,
  summary: 'Cases of movements that staff look into, the newest first unless sorted',
  message: msg('Cases'),
  query: caseTable,
  data: z.array(monitoringCase),
})

export const casesCsv = defineCall({
  id: 'case.csv',
  method: 'GET',
  path: '/case/get-all.csv',
  permission: 'console',
  file: 'text/csv',
  summary:
    'Cases as CSV (RFC 4180, UTF-8 with a byte order mark), filtered and sorted like the list; all rows',
  message: msg('Cases as CSV'),
  query: caseFile,
  data: fileContent,
})

export const getCase = defineCall({
  id: 'case.getOne',
  method: 'GET',
  path: '/case/get-one/:id',
  permission: 'console',
  summary:
    'One case: its person and their movements, from some days before the first that was found to the newest that was decided about, or to now; the newest 1,000',
  message: msg('Case'),
  params: idParams,
  data: monitoringCase.extend({
    person: z.object({
      email: z.string(),
      phone: z.string(),
      country: z.string(),
      since: timestamp,
      frozen: z.boolean(),
      closed: z.boolean(),
    }),
    /** The newest first. */
    moved: z.array(movement),
    /** Other cases of the same person, the newest first. */
    others: z.array(monitoringCase),
  }),
  refusals: ['not_found'],
})

export const caseReport = defineCall({
  id: 'case.report',
  method: 'GET',
  path: '/case/report/:id',
  permission: 'console',
  file: 'text/csv',
  summary:
    'The report of a case as CSV: a line for each of its movements with address, transaction and the account’s person, for the report to the authority',
  message: msg('Report of the case as CSV'),
  params: idParams,
  query: timesFile,
  data: fileContent,
  refusals: ['not_found'],
})

export const decideCase = defineCall({
  id: 'case.decide',
  method: 'POST',
  path: '/case/decide/:id',
  permission: 'care',
  summary: 'Closes a case: nothing unusual, or reported to the authority. It is final, and stops nothing',
  message: msg('Closed'),
  messageFor: ({ status }: MonitoringCase) =>
    status === 'reported' ? t('Closed: reported') : t('Closed: explained'),
  params: idParams,
  body: z.object({
    decision: z.enum(caseDecisions, {
      error: () => t('Choose one of {choices}', { choices: caseDecisions.join(', ') }),
    }),
    newest: recordId.describe('The newest movement of the case that the person has seen'),
    /** For staff: the person does not see it. */
    reason,
  }),
  data: monitoringCase,
  refusals: ['forbidden', 'not_found', 'wrong_state'],
})
