import { z } from 'zod'
import { msg, t } from '#shared/i18n/t.ts'
import { longestFilterName } from '#shared/limits.ts'
import { defineCall } from './define.ts'
import { idParams, nothing, recordId, textLine } from './fields.ts'

/** Filters of the console's lists that a member of staff has saved for themselves. */

export const filteredLists = ['users', 'deposits', 'withdrawals', 'investments', 'earnings'] as const
export type FilteredList = (typeof filteredLists)[number]

const list = z.enum(filteredLists, {
  error: () => t('List must be one of {choices}', { choices: filteredLists.join(', ') }),
})
const part = (label: string) => textLine(label, 120).optional()

/** As in the address of the list's page. What a list does not have, or no longer has, it ignores. */
const values = z
  .object({
    q: part(msg('Search text')),
    status: part(msg('Status')),
    sort: part(msg('Sort order')),
    from: part(msg('First day')),
    to: part(msg('Last day')),
    amountFrom: part(msg('Smallest amount')),
    amountTo: part(msg('Largest amount')),
    method: part(msg('Payment method')),
    wallet: part(msg('Wallet')),
    plan: part(msg('Plan')),
    country: part(msg('Country')),
  })
  .refine(parts => Object.keys(parts).length > 0, { error: () => t('Set a filter first') })

const savedFilter = z.object({ _id: recordId, list, name: z.string(), values })
export type SavedFilter = z.output<typeof savedFilter>

export const listFilters = defineCall({
  id: 'filter.list',
  method: 'GET',
  path: '/console/filters',
  permission: 'console',
  personal: true,
  summary: "The caller's saved filters of a list, by name",
  message: msg('Saved filters'),
  query: z.object({ list }),
  data: z.array(savedFilter),
})

export const saveFilter = defineCall({
  id: 'filter.save',
  method: 'POST',
  path: '/console/filters',
  permission: 'console',
  summary: 'Saves a filter of a list for the caller; one of the same name is replaced, in any case',
  message: msg('Filter saved'),
  body: z.object({ list, name: textLine(msg('Name'), longestFilterName), values }),
  data: savedFilter,
  refusals: ['wrong_state'],
})

export const removeFilter = defineCall({
  id: 'filter.remove',
  method: 'DELETE',
  path: '/console/filters/:id',
  permission: 'console',
  summary: "Deletes one of the caller's saved filters",
  message: msg('Filter deleted'),
  params: idParams,
  data: nothing,
  refusals: ['not_found'],
})
