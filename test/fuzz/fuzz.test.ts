import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { loadFirm } from '#server/demo/firm.ts'
import { systemClock } from '#server/platform/clock.ts'
import { hashPassword } from '#server/platform/passwords.ts'
import { accessTokens } from '#server/platform/tokens.ts'
import type { CallDefinition } from '#shared/contract/define.ts'
import { allCalls } from '#shared/contract/index.ts'
import { may, rightFor, roles } from '#shared/roles.ts'
import { closeAll } from '#test/support/clean-up.ts'
import { investorWithEverything, type Owner, samplePassword, samples } from '#test/support/whole-api.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import {
  addressIn,
  type CallerName,
  type FuzzedRequest,
  type Operation,
  operationsOf,
  payloadIn,
  requestFor,
} from './requests.ts'

/**
 * Random requests for every call of the served OpenAPI document, by everyone: no answer is a 5xx, and each has a status,
 * a type and a shape that the document names.
 */

/** `npm run fuzz` searches longer. A failure names its seed and its request; FUZZ_SEED or `-- --seed=…` repeats it. */
const { FUZZ_SECONDS, FUZZ_SEED } = process.env
const settings = {
  endOnFailure: true,
  ...(FUZZ_SECONDS === undefined
    ? { numRuns: 1_000 }
    : { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: Number(FUZZ_SECONDS) * 1000 }),
  ...(FUZZ_SEED === undefined ? {} : { seed: Number(FUZZ_SEED) }),
}
/** Requests after which everybody logs in again, because some end sessions, freeze accounts or change roles. */
const RENEWAL = 20
/** Requests on one database, whose records are decided and plans retired after a while. */
const WORLD = 400

let world: World
let owner: Owner
let passwordHash: string
let people: Map<CallerName, Person>
let operations: Operation[]
let fits: (pointer: string, value: unknown) => string | undefined

const callOf = new Map<string, CallDefinition>(allCalls.map(call => [call.id, call]))

beforeAll(async () => {
  passwordHash = await hashPassword(samplePassword)
  await openAnotherWorld()
  const document = (await world.app.inject({ url: '/api/openapi.json' })).json()
  operations = operationsOf(document)
  fits = checkerOf(document)
})

/** With an investor who has a record of every kind. */
async function openAnotherWorld(): Promise<void> {
  await closeAll()
  world = await openWorld({ rateLimit: false, demoChain: 'anvil' })
  const { services } = world
  await services.db.transaction().execute(tx => loadFirm(tx, services.clock.now()))
  owner = await investorWithEverything(world, 'Olivia Owner')
}

function checkerOf(document: object): typeof fits {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document, 'document')
  return (pointer, value) => {
    const validate = ajv.getSchema(`document#${pointer}`)
    if (validate === undefined) return `there is no schema at ${pointer}`
    return validate(value) === true ? undefined : ajv.errorsText(validate.errors)
  }
}

async function renewPeople(): Promise<void> {
  const staff = await Promise.all(
    roles.map(async role => [role, await world.person('Sam Staff', role)] as const),
  )
  people = new Map<CallerName, Person>([
    ...staff,
    ['investor', await world.signIn(owner)],
    ['other', await world.person('Otto Other')],
  ])
  await world.database.owner.query(
    `UPDATE app.users SET email_verified_at = now(), password_hash = $1
      WHERE email_verified_at IS NULL OR password_hash = 'not used'`,
    [passwordHash],
  )
}

/** Those who may make a call. */
function usualCallers(id: string): CallerName[] {
  const call = callOf.get(id)
  // The stream of changes never ends, so only refusals can be checked.
  if (call === undefined) return ['nobody', 'forged']
  const right = rightFor(call)
  if (right !== undefined) return roles.filter(role => may(role, right))
  return call.permission === 'public' ? ['nobody'] : ['investor']
}

function tokenOf(by: CallerName): string | undefined {
  if (by === 'nobody') return undefined
  if (by !== 'forged') return world.tokenOf(people.get(by)!)
  return accessTokens({ tokenSecret: 'y'.repeat(32), formerSecrets: [] }, systemClock).sign({
    sub: owner.id,
    type: 'admin',
    role: 'admin',
    sid: owner.session,
  })
}

async function send(request: FuzzedRequest, operation: Operation) {
  const sample = samples[request.call]?.(owner) ?? {}
  const payload = payloadIn(request, sample)
  const token = tokenOf(request.by)
  const headers = {
    ...request.headers,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(payload?.type ? { 'content-type': payload.type } : {}),
  }
  const url = addressIn(request, operation, sample)
  const content = payload === undefined ? {} : { payload: payload.content }
  const answer = await world.app.inject({ method: operation.method, url, headers, ...content })
  const sent = `${operation.method} ${url} by ${request.by} ${JSON.stringify(request.headers)}\n${payload?.content ?? ''}`
  return { answer, sent }
}

test('random requests to every call have documented answers', { timeout: 36_000_000 }, async () => {
  let runs = 0
  let successes = 0
  const reached = new Set<string>()
  const any = fc.oneof(
    ...operations.map(operation => requestFor(operation, usualCallers(operation.operationId))),
  )
  const property = fc.asyncProperty(any, async request => {
    if (runs > 0 && runs % WORLD === 0) await openAnotherWorld()
    if (runs % RENEWAL === 0) await renewPeople()
    runs++
    const operation = operations.find(({ operationId }) => operationId === request.call)!
    if (!callOf.has(request.call) && !['nobody', 'forged'].includes(request.by)) return
    const { answer, sent } = await send(request, operation)
    const problem = problemOf(operation, answer)
    if (problem !== undefined) {
      const { statusCode, body } = answer
      throw new Error(`${problem}\n${sent.slice(0, 4_000)}\n→ ${statusCode} ${body.slice(0, 2_000)}`)
    }
    if (answer.statusCode !== 200) return
    successes++
    reached.add(request.call)
  })
  await fc.assert(property, settings)
  // Otherwise most requests were refused before they reached what they test.
  expect(successes / runs).toBeGreaterThan(0.15)
  expect(reached.size / operations.length).toBeGreaterThan(0.4)
})

type Answer = Awaited<ReturnType<typeof send>>['answer']

function problemOf({ path, method, responses }: Operation, answer: Answer): string | undefined {
  const { statusCode: status } = answer
  const response = responses[status]
  if (response === undefined) return `status ${status} is not documented`
  const type = String(answer.headers['content-type']).split(';')[0]!
  if (!Object.hasOwn(response.content, type)) return `type ${type} is not documented for ${status}`
  const content = type === 'application/json' ? answer.json() : undefined
  // Prices may be missing: the only answer of this class that a request may have.
  if (status >= 500 && content?.code !== 'rate_unavailable') return `an error of ours, ${status}`
  if (content === undefined) return undefined
  const steps = ['paths', path, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema']
  const pointer = steps.map(
    step => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`,
  )
  return fits(pointer.join(''), content)
}
