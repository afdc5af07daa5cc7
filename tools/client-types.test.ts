import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { allCalls } from '#shared/contract/index.ts'
import { keyMayCall } from '#shared/roles.ts'
import { CLIENT_TYPES, clientTypes } from './client-types.ts'

test('[I-03] the types of the client are those of the contract', async () => {
  expect(readFileSync(CLIENT_TYPES, 'utf8'), 'run npm run clients').toBe(await clientTypes())
})

test('[I-03] the client knows the calls that API keys can make, and no others', () => {
  const made = readFileSync(CLIENT_TYPES, 'utf8').matchAll(/^ {4}get: operations\['(.+)'\]$/gm)
  const readable = allCalls.filter(call => keyMayCall(call)).map(({ id }) => id)
  expect([...made].map(([, id]) => id!).toSorted()).toEqual(readable.toSorted())
})
