import { beforeAll, expect, test } from 'vitest'
import type { z } from 'zod'
import { loadFirm } from '#server/demo/firm.ts'
import { systemClock } from '#server/platform/clock.ts'
import { accessTokens } from '#server/platform/tokens.ts'
import type { CallDefinition, Failure } from '#shared/contract/define.ts'
import { allCalls } from '#shared/contract/index.ts'
import { errorStatus } from '#shared/errors.ts'
import { rightFor } from '#shared/roles.ts'
import {
  everything,
  investorWithEverything,
  type Owner,
  type Sample,
  samples,
} from '#test/support/whole-api.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { hostileBodies, hostileJson, hostileQuery, noAmounts, prototypeNames } from './values.ts'

/**
 * Every call of the contract, with everything that could break it. Invalid input gets a 4xx answer that says what is
 * wrong, and changes nothing.
 */
let world: World
let owner: Owner

beforeAll(async () => {
  world = await openWorld({ rateLimit: false, demoChain: 'anvil' })
  const { services } = world
  await services.db.transaction().execute(tx => loadFirm(tx, services.clock.now()))
  owner = await investorWithEverything(world, 'Olivia Owner')
})

type Raw = {
  url: string
  type?: string | null
  body?: string | Buffer
  headers?: Record<string, string>
}

function tokenFor(call: CallDefinition): string {
  const who: Person = rightFor(call) === undefined ? owner : world.admin
  return world.tokenOf(who)
}

async function send(call: CallDefinition, { url, type = 'application/json', body, headers }: Raw) {
  const response = await world.app.inject({
    method: call.method,
    url,
    headers: {
      ...(call.permission === 'public' ? {} : { authorization: `Bearer ${tokenFor(call)}` }),
      ...(body === undefined || type === null ? {} : { 'content-type': type }),
      ...headers,
    },
    ...(body === undefined ? {} : { payload: body }),
  })
  return { status: response.statusCode, text: response.body, type: `${response.headers['content-type']}` }
}

function urlOf(call: CallDefinition, { params = {}, query = {} }: Sample): string {
  const path = call.path.replace(/:(\w+)/g, (_, name: string) => params[name]!)
  const search = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `/api${path}${search.length > 0 ? `?${search.join('&')}` : ''}`
}

/** A refusal as the client expects it: 4xx, JSON, a known code that fits the status, a message. */
function expectRefusal({ status, text, type }: { status: number; text: string; type: string }, what: string) {
  expect(status, `${what}: ${text.slice(0, 200)}`).toBeGreaterThanOrEqual(400)
  expect(status, `${what}: ${text.slice(0, 200)}`).toBeLessThan(500)
  expect(type, what).toContain('application/json')
  const failure = JSON.parse(text) as Failure
  expect(failure.status, what).toBe('error')
  expect(errorStatus[failure.code], what).toBe(status)
  expect(failure.message.length, what).toBeGreaterThan(5)
  expect(text, what).not.toMatch(/ZodError|node_modules|SELECT |invalid input syntax|Invalid input/)
}

async function unchanged(act: () => Promise<void>) {
  const before = await stored()
  await act()
  expect(await stored()).toEqual(before)
}

/** Everything but the log's lines about exports, which accepted values create. */
async function stored(): Promise<string[]> {
  return (await everything(world)).filter(line => !/^app\.audit_log .*,list\.exported,/.test(line))
}

function shapeOf(schema: z.ZodObject): [string, z.ZodType][] {
  return Object.entries(schema.shape) as [string, z.ZodType][]
}

/** The sample's body with the JSON text of one field replaced. */
function bodyWith(sample: Sample, field: string, json: string): string {
  const others = Object.entries(sample.body ?? {}).filter(([name]) => name !== field)
  const parts = others.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
  return `{${[...parts, `${JSON.stringify(field)}:${json}`].join(',')}}`
}

const amountFields = ['amount', 'minimum', 'maximum', 'percentage']
const amountsOf = ({ body }: CallDefinition) =>
  body ? shapeOf(body).filter(([name]) => amountFields.includes(name)) : []

/** The calls with some property, for `test.each`. */
function calls(applies: (call: CallDefinition) => unknown): [string, CallDefinition][] {
  return allCalls.filter(applies).map(call => [call.id, call])
}

test('there is a sample of every call', () => {
  expect(Object.keys(samples).toSorted()).toEqual(allCalls.map(({ id }) => id).toSorted())
})

test.each(calls(call => call.body))('%s refuses hostile values in each field of its body', (id, call) =>
  unchanged(async () => {
    const sample = samples[id]!(owner)
    for (const [field, schema] of shapeOf(call.body!)) {
      for (const json of hostileJson) {
        if (schema.safeParse(JSON.parse(json)).success) continue
        const body = bodyWith(sample, field, json)
        expectRefusal(await send(call, { url: urlOf(call, sample), body }), `${field} ${json.slice(0, 60)}`)
      }
    }
  }),
)

test.each(calls(call => amountsOf(call).length > 0))('%s takes no hostile amount', (_id, call) => {
  for (const [field, schema] of amountsOf(call)) {
    const optional = schema.safeParse(null).success
    for (const [json] of noAmounts) {
      if (optional && json === 'null') continue
      expect(schema.safeParse(JSON.parse(json)).success, `${field} ${json}`).toBe(false)
    }
  }
})

test.each(calls(call => call.query))('%s refuses hostile values in its query', (id, call) =>
  unchanged(async () => {
    const { query = {}, ...rest } = samples[id]!(owner)
    for (const [field, schema] of shapeOf(call.query!)) {
      const others = Object.entries(query).filter(([name]) => name !== field)
      const around = others.map(([name, text]) => `${name}=${encodeURIComponent(text)}`)
      for (const value of hostileQuery) {
        const url = `${urlOf(call, rest)}?${[...around, `${field}=${value}`].join('&')}`
        const what = `${field}=${value.slice(0, 40)}`
        const answer = await send(call, { url })
        if (accepts(schema, value)) expect(answer.status, what).toBeLessThan(500)
        else expectRefusal(answer, what)
      }
      const twice = `${urlOf(call, rest)}?${[...around, `${field}=a&${field}=b`].join('&')}`
      expectRefusal(await send(call, { url: twice }), `${field} twice`)
    }
  }),
)

test.each(calls(call => call.params))('%s refuses hostile ids', (id, call) =>
  unchanged(async () => {
    const sample = samples[id]!(owner)
    for (const value of hostileQuery.filter(value => value !== '')) {
      const params = Object.fromEntries(Object.keys(sample.params!).map(name => [name, value]))
      const url = urlOf(call, { ...sample, params })
      const answer = await send(call, { url, ...payloadOf(sample) })
      expectRefusal(answer, value.slice(0, 40))
      // The right call with an invalid id: an id without letters matches no route.
      if (value !== '..%2F..%2Fetc%2Fpasswd')
        expect([400, 403, 404], value.slice(0, 40)).toContain(answer.status)
    }
  }),
)

test.each(calls(call => !call.upload))('%s refuses parameters that it does not have', (id, call) =>
  unchanged(async () => {
    const { query = {}, ...rest } = samples[id]!(owner)
    for (const name of [...prototypeNames, 'page', 'amountFrm']) {
      const url = urlOf(call, { ...rest, query: { ...query, [name]: '1' } })
      const answer = await send(call, { url, ...payloadOf(rest) })
      expectRefusal(answer, name)
      expect(answer.text, name).toContain(`There is no parameter ${name}`)
    }
  }),
)

test.each(calls(call => call.method !== 'GET'))('%s refuses bodies that are no request', (id, call) =>
  unchanged(async () => {
    for (const { what, type, body } of hostileBodies) {
      expectRefusal(await send(call, { url: urlOf(call, samples[id]!(owner)), type, body }), what)
    }
  }),
)

test.each(calls(call => call.money))('%s refuses keys that cannot be kept', (id, call) =>
  unchanged(async () => {
    const sample = samples[id]!(owner)
    for (const key of ['', ' ', 'x'.repeat(300), 'a b\tc', 'schlüssel']) {
      const headers = { 'idempotency-key': key }
      const answer = await send(call, { url: urlOf(call, sample), headers, ...payloadOf(sample) })
      expectRefusal(answer, `key '${key.slice(0, 10)}'`)
    }
  }),
)

test.each(calls(call => call.permission !== 'public'))('%s refuses tokens that are none', (id, call) =>
  unchanged(async () => {
    const sample = samples[id]!(owner)
    for (const authorization of hostileTokens(tokenFor(call))) {
      const answer = await send(call, {
        url: urlOf(call, sample),
        headers: { authorization },
        ...payloadOf(sample),
      })
      expectRefusal(answer, authorization.slice(0, 60))
      expect(answer.status, authorization.slice(0, 60)).toBe(401)
    }
  }),
)

// Last, because they have effects.
test.each(calls(call => call.body))(
  '%s causes no unexpected error by hostile values that it accepts',
  async (id, call) => {
    for (const [field, schema] of shapeOf(call.body!)) {
      for (const json of hostileJson) {
        if (!schema.safeParse(JSON.parse(json)).success) continue
        const sample = samples[id]!(owner)
        const body = bodyWith(sample, field, json)
        const answer = await send(call, { url: urlOf(call, sample), body })
        expect(answer.status, `${field} ${json.slice(0, 60)}: ${answer.text}`).toBeLessThan(500)
        await world.owner('UPDATE app.users SET email_verified_at = now()')
      }
    }
  },
)

test.each(calls(call => call.body))(
  '%s is not confused by names of a prototype in its body',
  async (id, call) => {
    for (const name of prototypeNames) {
      const sample = samples[id]!(owner)
      for (const json of ['0', '{"amount":1}']) {
        const answer = await send(call, { url: urlOf(call, sample), body: bodyWith(sample, name, json) })
        if (answer.status !== 200) expectRefusal(answer, `${name} ${json}`)
        await world.owner('UPDATE app.users SET email_verified_at = now()')
      }
    }
  },
)

function payloadOf({ body }: Sample): { body?: string } {
  return body === undefined ? {} : { body: JSON.stringify(body) }
}

function hostileTokens(good: string): string[] {
  const [header, claims, signature] = good.split('.') as [string, string, string]
  const unsigned = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')
  const admin = { sub: owner.id, type: 'admin', role: 'admin', sid: owner.session } as const
  const forged = Buffer.from(JSON.stringify({ ...admin, exp: 9e9 })).toString('base64url')
  return [
    '',
    'Bearer',
    'Bearer ',
    `Basic ${good}`,
    good,
    `Bearer ${good}x`,
    `Bearer ${header}.${claims}.`,
    `Bearer ${unsigned}.${claims}.`,
    `Bearer ${header}.${forged}.${signature}`,
    `Bearer ${'a'.repeat(5000)}`,
    'Bearer null',
    `Bearer ${accessTokens({ tokenSecret: 'y'.repeat(32), formerSecrets: [] }, systemClock).sign(admin)}`,
  ]
}

/** True if the schema accepts the decoded query string. */
function accepts(schema: z.ZodType, encoded: string): boolean {
  try {
    const value = decodeURIComponent(encoded)
    return !value.includes('\0') && schema.safeParse(value).success
  } catch {
    // Invalid UTF-8: the query parser decides what becomes of it.
    return true
  }
}
