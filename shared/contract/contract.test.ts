import { expect, test } from 'vitest'
import { z } from 'zod'
import type { CallDefinition } from './define.ts'
import { lineNumber, recordId } from './fields.ts'
import { allCalls } from './index.ts'

type Json = { [key: string]: unknown }

/** Every property of a schema's objects, at any depth, with its path. */
function propertiesOf(schema: unknown, path: string): [path: string, property: Json][] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties = {}, items, anyOf = [], oneOf = [], allOf = [] } = schema as Record<string, never>
  const own = Object.entries(properties as Record<string, Json>)
  return [
    ...own.map(([name, property]): [string, Json] => [`${path}.${name}`, property]),
    ...own.flatMap(([name, property]) => propertiesOf(property, `${path}.${name}`)),
    ...[items, ...anyOf, ...oneOf, ...allOf].flatMap(part => propertiesOf(part, path)),
  ]
}

/** The largest integer of a column. */
const mostInteger = 2_147_483_647

/** Every integer of a request's schema, at any depth, with its path. */
function integersOf(schema: unknown, path: string): [path: string, integer: Json][] {
  if (typeof schema !== 'object' || schema === null) return []
  const { type } = schema as Json
  return [
    ...(type === 'integer' ? [[path, schema as Json] satisfies [string, Json]] : []),
    ...Object.entries(schema).flatMap(([name, part]) => integersOf(part, `${path}.${name}`)),
  ]
}

const answerOf = ({ data }: CallDefinition) => z.toJSONSchema(data, { io: 'output', unrepresentable: 'any' })
const jsonOf = (schema: z.ZodType) => {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema)
  return json
}

/** What the database numbers in the order in which it happens (decision 62), by the call's id and the place. */
const numbered = [
  /^audit\.list\._id$/,
  /^console\.userHistory\._id$/,
  /^ledger\.statement\._id$/,
  /^(deposit|investment|withdrawal|earning)\.getOne\.entries\._id$/,
  /^deposit\.getOne\.transfers\._id$/,
]

test('every _id is a UUIDv7, except for numbered lines', () => {
  const ids = allCalls.flatMap(call =>
    propertiesOf(answerOf(call), call.id).filter(([path]) => path.endsWith('._id')),
  )
  expect(ids.length).toBeGreaterThan(50)
  for (const [path, schema] of ids) {
    const isNumbered = numbered.some(pattern => pattern.test(path))
    expect(schema, path).toEqual(jsonOf(isNumbered ? lineNumber : recordId))
  }
  const paths = ids.map(([path]) => path)
  for (const pattern of numbered)
    expect(
      paths.some(path => pattern.test(path)),
      `${pattern}`,
    ).toBe(true)
})

test('every whole number of a request fits into its column', () => {
  const integers = allCalls.flatMap(({ id, params, query, body }) =>
    [params, query, body].flatMap(part =>
      part ? integersOf(z.toJSONSchema(part, { io: 'output', unrepresentable: 'any' }), id) : [],
    ),
  )
  expect(integers.length).toBeGreaterThan(30)
  for (const [path, { maximum }] of integers) expect(maximum, path).toBeLessThanOrEqual(mostInteger)
})

test('every list has limit and cursor and describes its parameters', () => {
  const lists = allCalls.filter(({ list }) => list)
  expect(lists.length).toBeGreaterThan(20)
  for (const { id, query } of lists) {
    const { limit, cursor, q, status } = query?.shape ?? {}
    expect(
      [limit, cursor].map(schema => schema?.description),
      id,
    ).not.toContain(undefined)
    for (const schema of [q, status]) if (schema) expect(schema.description, id).toBeDefined()
  }
})

// Neither can be searched: versions and postings are narrowed by what they have, a preview is one fixed list.
const unsearched = [
  'auth.listReferred',
  'earning.listPlanShares',
  'firm.versions',
  'ledger.statement',
  'notification.listOwn',
  'plan.versions',
  'statistic.versions',
]
// Their rows have no status, or have all the same one.
const withoutStatus = [
  ...unsearched.filter(id => id !== 'notification.listOwn'),
  'address.listOwn',
  'auth.listSessions',
  'console.userAddresses',
  'console.userNotes',
  'console.userReferrals',
  'console.userSessions',
  'return.payments',
  'staff.invitations',
]

test('every other list has q and status', () => {
  const lacking = (name: string) =>
    allCalls.filter(({ list, query }) => list && !Object.hasOwn(query!.shape, name)).map(({ id }) => id)
  expect(lacking('q').toSorted()).toEqual(unsearched.toSorted())
  expect(lacking('status').toSorted()).toEqual(withoutStatus.toSorted())
})
