import { beforeAll, expect, test } from 'vitest'
import type { CallDefinition } from '#shared/contract/define.ts'
import { allCalls } from '#shared/contract/index.ts'
import { rightFor } from '#shared/roles.ts'
import { investorWithEverything, type Owner, type Sample, samples } from '#test/support/whole-api.ts'
import { openWorld, type World } from '#test/support/world.ts'

/** Every list of the contract: its filters narrow it, and a page has at most the requested number of rows. */
let world: World
let owner: Owner
beforeAll(async () => {
  world = await openWorld({ rateLimit: false })
  owner = await investorWithEverything(world, 'Olivia Owner')
})

const lists = allCalls.filter(({ list }) => list)
const having = (name: string) =>
  lists.filter(({ query }) => Object.hasOwn(query!.shape, name)).map(call => [call.id, call] as const)

function ask(call: CallDefinition, narrowedBy: Record<string, string>) {
  const { query, ...rest } = listSample(call)
  const input = { ...rest, query: { ...query, ...narrowedBy } }
  return world.call(call, rightFor(call) === undefined ? owner : world.admin, input as never)
}

const rowsOf = ({ data }: { data: unknown }) => data as unknown[]

function listSample({ id }: CallDefinition): Sample {
  return id === 'return.payments' ? { query: { returnId: owner.proof } } : samples[id]!(owner)
}

test.each(having('limit'))('%s returns one row if one is requested', async (_id, call) => {
  const answer = await ask(call, { limit: '1' })
  expect(answer.status).toBe(200)
  expect(rowsOf(answer).length).toBeLessThanOrEqual(1)
  expect(answer.page!.total).toBeGreaterThanOrEqual(rowsOf(answer).length)
})

test.each(having('q'))('%s finds nothing for an absent text', async (_id, call) => {
  const answer = await ask(call, { q: 'nothing at all has this text' })
  expect(answer.status).toBe(200)
  expect(rowsOf(answer)).toEqual([])
})

test.each(having('status'))('%s names the statuses that exist', async (_id, call) => {
  const answer = await ask(call, { status: 'nonsense' })
  expect(answer.status).toBe(400)
  expect(answer.fields).toEqual({ status: expect.stringMatching(/^Status must be one of \w+/) })
})
