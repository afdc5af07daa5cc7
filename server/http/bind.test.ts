import { expect, test } from 'vitest'
import { z } from 'zod'
import { query } from '#server/context.ts'
import { defineCall } from '#shared/contract/define.ts'
import { bindAll } from './bind.ts'

const call = defineCall({
  id: 'thing.get',
  method: 'GET',
  path: '/thing',
  permission: 'public',
  summary: 'A thing',
  message: 'Thing',
  data: z.object({}),
})
const bound = query(call, async () => ({}))

test('each call bound once is what it takes', () => {
  expect(bindAll([call], [bound])).toEqual([bound])
})

test('refuses a call with no handler, two handlers, or no contract, by name', () => {
  expect(() => bindAll([call], [])).toThrow('thing.get is bound 0 times')
  expect(() => bindAll([call], [bound, bound])).toThrow('thing.get is bound 2 times')
  expect(() => bindAll([], [bound])).toThrow('thing.get is bound but is no call of the contract')
})

test('a call that states no permission cannot be bound', () => {
  const { permission: _none, ...open } = call
  const careless = open as typeof call
  expect(() => bindAll([careless], [query(careless, async () => ({}))])).toThrow(
    'thing.get states no permission',
  )
})
