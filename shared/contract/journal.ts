import { z } from 'zod'
import { msg, t } from '#shared/i18n/t.ts'
import { defineCall, fileContent } from './define.ts'
import { day } from './fields.ts'

/** Formats of the whole journal, for accounting programs and spreadsheets (docs/accounting.md). */
export const journalFormats = ['hledger', 'beancount', 'csv'] as const
export type JournalFormat = (typeof journalFormats)[number]

export const getJournal = defineCall({
  id: 'console.journal',
  method: 'GET',
  path: '/console/journal',
  permission: 'books',
  summary: 'The days of the journal',
  message: msg('Journal'),
  data: z.object({
    firstDay: z.string().nullable().describe('The UTC day of the first transaction; null without any'),
    today: z.string().describe('The current UTC day'),
  }),
})

const journalQuery = z.object({
  format: z.enum(journalFormats, {
    error: () => t('Format must be one of {choices}', { choices: journalFormats.join(', ') }),
  }),
  from: day.optional().describe('The first UTC day; that of the first transaction if omitted'),
  to: day.optional().describe('The last UTC day; today if omitted or later'),
})
export type JournalQuery = z.output<typeof journalQuery>

export const journalFile = defineCall({
  id: 'console.journalFile',
  method: 'GET',
  path: '/console/journal/file',
  permission: 'books',
  file: ['text/plain', 'text/csv'],
  summary:
    'Every transaction of the ledger in whole UTC days, with opening and closing balances, for hledger, beancount or as CSV',
  message: msg('Journal as a file'),
  query: journalQuery,
  data: fileContent,
})
