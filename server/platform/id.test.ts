import { validate, version } from 'uuid'
import { expect, test } from 'vitest'
import { newId } from './id.ts'

const moment = new Date('2026-11-21T12:00:00.123Z')

test('ids are UUIDs of version 7 that carry their moment', () => {
  const id = newId(moment)
  expect([validate(id), version(id)]).toEqual([true, 7])
  expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(moment.getTime())
})

test('thousands of ids of one millisecond differ and ascend', () => {
  const ids = Array.from({ length: 5_000 }, () => newId(moment))
  expect(new Set(ids).size).toBe(ids.length)
  expect([...ids].sort()).toEqual(ids)
})

test('the random part is never the same twice', () => {
  const ends = Array.from({ length: 5_000 }, (_, i) => newId(new Date(moment.getTime() + i)).slice(-12))
  expect(new Set(ends).size).toBe(ends.length)
})
