import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import type { PoolClient } from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { expireDeposits } from '#server/deposits/expire.ts'
import type { BulkResult } from '#shared/contract/bulk.ts'
import { errorStatus } from '#shared/errors.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { type BulkAsk, bulkCallOf, callOf } from './calls.ts'
import { compare, compareRecords, type Run } from './compare.ts'
import { expire } from './model/payments.ts'
import { predict, settle } from './model/predict.ts'
import type { Answer, Request, Return, State } from './model/state.ts'
import { approvals, bulkOf, changed, opening, requestOf, type Step, step } from './steps.ts'

/**
 * The money calls of the API against a model of a few sums: for any requests, in any order, by anyone, both agree after
 * each step, and the books prove it.
 */

/**
 * MONEY_RUNS searches longer. A failure names its seed; MONEY_SEED repeats it and searches for the shortest failing
 * script.
 */
const { MONEY_RUNS = '20', MONEY_SEED } = process.env
const settings = {
  numRuns: Number(MONEY_RUNS),
  ...(MONEY_SEED === undefined ? { endOnFailure: true } : { seed: Number(MONEY_SEED) }),
}
const longest = 50

let world: World
let books: PoolClient
beforeAll(async () => {
  world = await openWorld()
  books = await world.database.app.connect()
  atEnd(() => books.release())
})

const script = fc.record({
  secondApproval: fc.boolean(),
  steps: fc.array(step, { minLength: 20, maxLength: longest, size: 'max' }),
})

test('[B-02, B-03, B-04, B-05, B-06, S-04] random requests have the outcome of a simple model', async () => {
  const property = fc.asyncProperty(script, async ({ secondApproval, steps }) => {
    const run = await begin(secondApproval)
    for (const one of steps) {
      await take(run, one)
      await compare(run)
    }
    await compareRecords(run)
  })
  await fc.assert(property, settings)
}, 3_600_000)

/** New people, and the returns that earlier runs have left. */
async function begin(secondApproval: boolean): Promise<Run> {
  world.services.config.earningsSecondApproval = secondApproval
  await world.refreshPrices()
  const people = [
    await world.person('Ada Admin', 'admin'),
    await world.person('Ben Admin', 'admin'),
    await world.person('Ina Investor'),
    await world.person('Jon Investor'),
  ]
  const { rows } = await world.owner(
    `SELECT id, source, realised_on::text AS day, amount_cents, spent_cents, status, recorded_by, approved_by, void_proposed_by
       FROM app.returns`,
  )
  const recorded = rows.map((row): [string, Return] => [
    row.id,
    {
      id: row.id,
      source: row.source,
      realisedAt: row.day,
      cents: BigInt(row.amount_cents),
      spent: BigInt(row.spent_cents),
      status: row.status,
      recorder: row.recorded_by,
      approver: row.approved_by,
      proposer: row.void_proposed_by,
      recordedAt: -Infinity,
    },
  ])
  const state: State = {
    now: 0,
    pricesAt: 0,
    secondApproval,
    people: people.map(({ id, caller }) => ({
      id,
      admin: caller.role !== null,
      available: 0n,
      held: 0n,
      invested: 0n,
      paid: 0n,
    })),
    deposits: new Map(),
    investments: new Map(),
    withdrawals: new Map(),
    earnings: new Map(),
    returns: new Map(recorded),
    keys: new Map(),
  }
  const run: Run = { world, books, state, people, sent: [], logged: null, compared: { people: [], turn: 0 } }
  for (const one of opening) {
    await request(run, one)
    for (const approval of approvals(state)) await request(run, approval)
  }
  return run
}

async function take(run: Run, one: Step): Promise<void> {
  const { state } = run
  switch (one.do) {
    case 'nothing':
      return
    case 'request':
      return request(run, requestOf(state, one.draft))
    case 'race':
      return race(
        run,
        one.drafts.map(draft => requestOf(state, draft)),
      )
    case 'bulk':
      return bulk(run, one.draft.by, bulkOf(state, one.draft, one.picks))
    case 'twice': {
      const doubled = { ...requestOf(state, one.draft), key: `twice-${run.sent.length}` }
      return race(run, [doubled, doubled])
    }
    case 'again': {
      const earlier = run.sent.toReversed()[one.pick % Math.max(1, run.sent.length)]
      if (earlier) await request(run, one.changed ? changed(earlier) : earlier)
      return
    }
    case 'pass':
      world.clock.pass({ minutes: one.minutes })
      state.now += one.minutes
      if (!one.prices) return
      await world.refreshPrices()
      state.pricesAt = state.now
      return
    case 'expire':
      await expireDeposits(world.services)
      expire(state)
      run.logged = null
      return
    case 'restart':
      state.secondApproval = !state.secondApproval
      world.services.config.earningsSecondApproval = state.secondApproval
  }
}

async function request(run: Run, asked: Request): Promise<void> {
  const answer = await send(run, asked)
  const mismatch = follow(run, [[asked, answer]])
  expect(mismatch, `${JSON.stringify(answer)} to ${show(asked)}`).toBeUndefined()
}

/** A bulk call has the outcome of its requests one after the other. */
async function bulk(run: Run, by: number, asks: readonly BulkAsk[]): Promise<void> {
  if (asks.length === 0) return
  const [call, input, one] = bulkCallOf(asks)
  const who = run.people[by]!
  const { status, message, code, data } = await world.call(call, who, input as never)
  const answers = await Promise.all(
    asks.map(async ({ id }, index): Promise<Answer> => {
      if (status !== 200) return { status, message, ...(code && { code }), data: undefined }
      const result = (data as BulkResult[])[index]!
      if (!result.done) {
        return {
          status: errorStatus[result.code!],
          message: result.message,
          code: result.code!,
          data: undefined,
        }
      }
      const { data: record } = await world.call(one, world.admin, { params: { id } })
      return { status, message: result.message, data: record }
    }),
  )
  const pairs = asks.map((ask, index) => [{ ask, by, key: null }, answers[index]!] as const)
  const mismatch = follow(run, pairs)
  expect(mismatch, `${JSON.stringify(answers)} to ${JSON.stringify(input)}`).toBeUndefined()
}

/** Concurrent requests have the outcome of some order of the same requests, one after the other. */
async function race(run: Run, asked: Request[]): Promise<void> {
  const answers = await Promise.all(asked.map(one => send(run, one)))
  const pairs = asked.map((one, n) => [one, answers[n]!] as const)
  const mismatches: unknown[] = []
  for (const order of [pairs, pairs.toReversed()]) {
    const trial = { ...run, state: structuredClone(run.state) }
    const mismatch = follow(trial, order)
    if (mismatch === undefined) return void Object.assign(run, trial)
    mismatches.push(mismatch)
  }
  expect.fail(`${JSON.stringify(answers)} to ${asked.map(show)}, expected ${JSON.stringify(mismatches)}`)
}

/** Compares answers with the model and applies their effects; returns what does not fit. */
function follow(run: Run, pairs: (readonly [Request, Answer])[]): unknown {
  for (const [asked, answer] of pairs) {
    const expected = predict(run.state, asked)
    const { status, code, message, again } = expected
    const fits =
      answer.status === status &&
      answer.code === (again ? again.code : code) &&
      (message === undefined || answer.message === message) &&
      (again === undefined || isDeepStrictEqual(answer.data, again.data)) &&
      includes(answer.data, expected.shows)
    if (!fits) return expected
    settle(run.state, asked, expected, answer)
    if (run.logged !== null) run.logged += expected.lines
  }
  return undefined
}

/** True if the data contains at least this. */
function includes(data: unknown, shows: object | undefined): boolean {
  if (shows === undefined) return true
  try {
    expect(data).toMatchObject(shows)
    return true
  } catch {
    return false
  }
}

function show(asked: Request): string {
  return JSON.stringify(asked, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
}

async function send(run: Run, { ask, by, key }: Request): Promise<Answer> {
  if (key !== null) run.sent.push({ ask, by, key })
  const [call, input] = callOf(ask)
  const options = key === null ? {} : { idempotencyKey: key }
  const { status, message, code, data } = await world.call(call, run.people[by]!, input as object, options)
  return { status, message, ...(code ? { code } : {}), data }
}
