import { beforeAll, expect, test } from 'vitest'
import type { CallDefinition, Failure } from '#shared/contract/define.ts'
import { allCalls } from '#shared/contract/index.ts'
import { apiKeyRights, keyMayCall, type Right, rightFor } from '#shared/roles.ts'
import { apiKey } from '#test/support/api-keys.ts'
import { everything, investorWithEverything, type Owner, samples } from '#test/support/whole-api.ts'
import { openWorld, type World } from '#test/support/world.ts'

/** Every call of the contract, made with API keys. Generated, so that new calls are included. */
let world: World
let owner: Owner
let all: string
const single = {} as Record<Right, string>

beforeAll(async () => {
  world = await openWorld({ rateLimit: false, demoChain: 'anvil' })
  owner = await investorWithEverything(world, 'Olivia Owner')
  all = (await apiKey(world)).key
  for (const right of apiKeyRights) single[right] = (await apiKey(world, { rights: [right] })).key
})

async function send(call: CallDefinition, key: string) {
  const { params = {}, query = {}, body } = samples[call.id]!(owner)
  const path = call.path.replace(/:(\w+)/g, (_, name: string) => params[name]!)
  const response = await world.app.inject({
    method: call.method,
    url: `/api${path}`,
    query,
    headers: { authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { payload: body }),
  })
  return { status: response.statusCode, text: response.body }
}

/** All but when a key was used. */
async function stored() {
  return (await everything(world)).filter(line => !line.startsWith('app.api_keys'))
}

async function expectForbidden(call: CallDefinition, key: string) {
  const before = await stored()
  const { status, text } = await send(call, key)
  expect(status, text).toBe(403)
  expect((JSON.parse(text) as Failure).code).toBe('forbidden')
  expect(await stored()).toEqual(before)
}

const forPeople = allCalls.filter(call => call.permission !== 'public' && !keyMayCall(call))

test.each(forPeople.map(call => [call.id, call] as const))(
  '[I-01] %s: an API key with every right is refused, and changes nothing',
  (_id, call) => expectForbidden(call, all),
)

const readable = allCalls.filter(call => keyMayCall(call))

test.each(readable.map(call => [call.id, call] as const))(
  '[I-01] %s: an API key with its right reads it, one with the others does not',
  async (_id, call) => {
    const right = rightFor(call)!
    const { status, text } = await send(call, single[right])
    expect(status, text).not.toBe(401)
    expect(status, text).not.toBe(403)
    expect(status, text).toBeLessThan(500)
    for (const other of apiKeyRights.filter(one => one !== right)) await expectForbidden(call, single[other])
  },
)

test('[I-01] calls that API keys may make only read, and none is an investor’s', () => {
  for (const { method, permission } of readable) {
    expect(method).toBe('GET')
    expect(apiKeyRights).toContain(permission)
  }
})

const open = allCalls.filter(({ knowsCaller }) => knowsCaller)

test.each(open.map(call => [call.id, call] as const))(
  '[I-01] %s: an API key is nobody there',
  async (_id, call) => {
    const { status, text } = await send(call, all)
    expect({ status, text }).toEqual(await send(call, 'nonsense'))
  },
)
