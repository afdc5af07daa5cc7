import { beforeAll, expect, test } from 'vitest'
import type { CallInput } from '#shared/contract/define.ts'
import { type FilteredList, listFilters, removeFilter, saveFilter } from '#shared/contract/filters.ts'
import { listAudit } from '#shared/contract/site.ts'
import { acceptInvitation, endAccess, inviteStaff } from '#shared/contract/staff.ts'
import { maximumSavedFilters } from '#shared/limits.ts'
import { type Accounts, openAccounts } from '#test/support/accounts.ts'
import type { Person, World } from '#test/support/world.ts'

let accounts: Accounts
let world: World
beforeAll(async () => {
  accounts = await openAccounts({ rateLimit: false })
  world = accounts.world
})

const pending = { status: 'pending', sort: '-amount' }
const staff = () => world.person('Sue Support', 'support')
const save = (who: Person, body: Partial<CallInput<typeof saveFilter>['body']> = {}) =>
  world.call(saveFilter, who, { body: { list: 'deposits', name: 'To do', values: pending, ...body } })
const remove = (who: Person, id: string) => world.call(removeFilter, who, { params: { id } })
async function namesOf(who: Person, list: FilteredList = 'deposits') {
  const { data } = await world.call(listFilters, who, { query: { list } })
  return data.map(({ name }) => name)
}

test('[N-13] saved filters are listed by name, each with its list, for their owner alone', async () => {
  const [sue, other] = [await staff(), await staff()]
  const first = await save(sue)
  expect(first).toMatchObject({
    status: 200,
    message: 'Filter saved',
    data: { list: 'deposits', name: 'To do', values: pending },
  })
  await save(sue, { name: 'big', values: { amountFrom: '5000' } })
  await save(sue, { list: 'users', name: 'Peru', values: { country: 'Peru' } })
  await save(other, { name: 'Of another' })
  expect(await namesOf(sue)).toEqual(['big', 'To do'])
  expect(await namesOf(sue, 'users')).toEqual(['Peru'])
  expect(await namesOf(other)).toEqual(['Of another'])
  const { data } = await world.call(listFilters, sue, { query: { list: 'deposits' } })
  expect(data[1]).toEqual(first.data)
})

test('[N-13] a filter with the same name in any case is replaced', async () => {
  const sue = await staff()
  const { data: before } = await save(sue)
  const { data: after } = await save(sue, { name: 'TO DO', values: { q: 'ada' } })
  expect(after).toEqual({ ...before, name: 'TO DO', values: { q: 'ada' } })
  expect(await namesOf(sue)).toEqual(['TO DO'])
})

test('[N-13] a list has a limited number of filters, however many are saved at once', async () => {
  const sue = await staff()
  for (let n = 1; n < maximumSavedFilters; n += 1) await save(sue, { name: `Filter ${n}` })
  // With a connection each, they really are at once.
  await Promise.all(['One', 'Two', 'Three'].map(() => namesOf(sue)))
  const last = await Promise.all(['One', 'Two', 'Three'].map(name => save(sue, { name })))
  expect(last.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
  expect(last.find(({ status }) => status === 409)).toMatchObject({ reason: 'too_many_filters' })
  expect(await namesOf(sue)).toHaveLength(maximumSavedFilters)
  expect(await save(sue, { name: 'Filter 1', values: { q: 'ada' } })).toMatchObject({ status: 200 })
  expect(await save(sue, { list: 'users', name: 'Another list' })).toMatchObject({ status: 200 })
})

test('[R-07, N-13] a filter is deleted by its owner alone', async () => {
  const [sue, other] = [await staff(), await staff()]
  const { data } = await save(sue)
  for (const id of [data._id, crypto.randomUUID()])
    expect(await remove(other, id)).toMatchObject({ status: 404, code: 'not_found' })
  expect(await namesOf(sue)).toEqual(['To do'])
  expect(await remove(sue, data._id)).toMatchObject({ status: 200, message: 'Filter deleted' })
  expect(await namesOf(sue)).toEqual([])
  expect(await remove(sue, data._id)).toMatchObject({ status: 404 })
})

test('[N-12] each change of saved filters is in the audit log', async () => {
  const sue = await staff()
  const { data } = await save(sue)
  await remove(sue, data._id)
  const lines = await world.call(listAudit, world.admin, { query: { actor: sue.id } })
  expect(lines.data.map(({ action, details }) => [action, details])).toEqual([
    ['filter.deleted', { list: 'deposits', name: 'To do' }],
    ['filter.saved', { list: 'deposits', name: 'To do' }],
  ])
})

test('[D8] a filter without a value, with an unknown part or without a name is refused', async () => {
  const sue = await staff()
  const refused = [
    { values: {} },
    { values: { colour: 'red' } as never },
    { values: { q: 'x'.repeat(121) } },
    { name: ' ' },
    { name: 'x'.repeat(61) },
    { list: 'payouts' as never },
  ]
  for (const body of refused)
    expect(await save(sue, body), JSON.stringify(body)).toMatchObject({ status: 400, code: 'invalid_input' })
  expect(await save(await world.person('Ines Investor'))).toMatchObject({ status: 403 })
  expect(await namesOf(sue)).toEqual([])
})

test('[W-01] the next holder of a staff account has none of its former filters', async () => {
  const former = await world.person('Fred Former', 'support')
  await save(former)
  const reason = { reason: 'Left' }
  await world.call(endAccess, world.admin, { params: { id: former.id }, body: reason })
  const invited = { name: 'Nina Next', email: former.email, role: 'support', ...reason } as const
  await world.call(inviteStaff, world.admin, { body: invited })
  const body = { token: await accounts.resetTokenOf(former.email), password: 'another horse battery' }
  expect(await world.call(acceptInvitation, null, { body })).toMatchObject({ status: 200 })
  expect(await namesOf(await world.signIn(former))).toEqual([])
})
