import { z } from 'zod'
import { longestFilterName } from '#shared/limits.ts'
import { defineCall } from './define.ts'
import { idParams, nothing, recordId, textLine } from './fields.ts'

/** Filters of the console's lists that a member of staff has saved for themselves. */

export const filteredLists = ['users', 'deposits', 'withdrawals', 'investments', 'earnings'] as const
export type FilteredList = (typeof filteredLists)[number]

const list = z.enum(filteredLists, { error: `List must be one of ${filteredLists.join(', ')}` })
const part = (label: string) => textLine(label, 120).optional()

/** As in the address of the list's page. What a list does not have, or no longer has, it ignores. */
const values = z
  .object({
    q: part('Search text'),
    status: part('Status'),
    sort: part('Sort order'),
    from: part('First day'),
    to: part('Last day'),
    amountFrom: part('Smallest amount'),
    amountTo: part('Largest amount'),
    method: part('Payment method'),
    wallet: part('Wallet'),
    plan: part('Plan'),
    country: part('Country'),
  })
  .refine(parts => Object.keys(parts).length > 0, 'Set a filter first')

const savedFilter = z.object({ _id: recordId, list, name: z.string(), values })
export type SavedFilter = z.output<typeof savedFilter>

export const listFilters = defineCall({
  id: 'filter.list',
  method: 'GET',
  path: '/console/filters',
  permission: 'console',
  personal: true,
  summary: "The caller's saved filters of a list, by name",
  message: 'Saved filters',
  query: z.object({ list }),
  data: z.array(savedFilter),
})

export const saveFilter = defineCall({
  id: 'filter.save',
  method: 'POST',
  path: '/console/filters',
  permission: 'console',
  summary: 'Saves a filter of a list for the caller; one of the same name is replaced, in any case',
  message: 'Filter saved',
  body: z.object({ list, name: textLine('Name', longestFilterName), values }),
  data: savedFilter,
  refusals: ['wrong_state'],
})

export const removeFilter = defineCall({
  id: 'filter.remove',
  method: 'DELETE',
  path: '/console/filters/:id',
  permission: 'console',
  summary: "Deletes one of the caller's saved filters",
  message: 'Filter deleted',
  params: idParams,
  data: nothing,
  refusals: ['not_found'],
})
