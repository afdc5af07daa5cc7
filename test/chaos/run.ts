import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { checkBooks } from '#server/ledger/invariants.ts'
import { until } from '#test/support/processes.ts'
import { Client, type History, Investor, logInStaff } from './clients.ts'
import { emailsOf } from './emails.ts'
import { expectEachOnce } from './history.ts'
import type { Product } from './product.ts'
import { type Random, randomFrom } from './random.ts'
import type { Injected } from './table.ts'

const { CHAOS_SECONDS = '20', CHAOS_SEED = String(Date.now() % 1_000_000), CHAOS_TABLE } = process.env
export const SECONDS = Number(CHAOS_SECONDS)
export const SEED = Number(CHAOS_SEED)
const INVESTORS = 6
/** From the end of one failure to the next, in milliseconds: time enough to see how long nothing works. */
const CALM_MS = 2_500

export type Disturbance = (random: Random) => Promise<void> | void
export type Run = { injected: readonly Injected[]; history: History }

export type Joining = {
  client: Client
  random: Random
  /** Reads the code that was sent to an address. */
  codeOf: (email: string) => Promise<string>
}

/** Somebody else who acts, brings failures of their own and compares what they did at the end. */
export type Companion = {
  readonly disturbances: Readonly<Record<string, Disturbance>>
  actUntil(isOver: () => boolean): Promise<void>
  expectTruth(): Promise<void>
}

/** Investors and staff act while one failure follows the other; then every acknowledged act must be there once. */
export async function actWhile(
  product: Product,
  disturbances: Readonly<Record<string, Disturbance>>,
  joins: readonly ((joining: Joining) => Promise<Companion>)[] = [],
): Promise<Run> {
  const history: History = { acknowledged: [], tries: 0 }
  const clientOf = (number: number) => new Client(product.origins, randomFrom(SEED + number), history)
  const staff = await logInStaff(clientOf(0))
  const investors = await Promise.all(
    Array.from({ length: INVESTORS }, (_, number) =>
      Investor.register(clientOf(number), staff, randomFrom(SEED + number), email => codeOf(product, email)),
    ),
  )
  const companions = await Promise.all(
    joins.map((join, number) =>
      join({
        client: clientOf(INVESTORS + number),
        random: randomFrom(SEED + INVESTORS + number),
        codeOf: email => codeOf(product, email),
      }),
    ),
  )
  let isOver = false
  const actors = [...investors, ...companions]
  const acting = Promise.all(actors.map(actor => actor.actUntil(() => isOver)))
  const all = Object.assign({}, disturbances, ...companions.map(companion => companion.disturbances))
  // Ends with the first client that is refused: then nothing more can be learned.
  const injected = await Promise.race([disturb(all), acting.then(() => [])])
  isOver = true
  await acting
  await Promise.all(companions.map(companion => companion.expectTruth()))
  await expectEachOnce(product, clientOf(0), investors)
  const run = await checkBooks(product.owner, { info() {}, error() {} })
  expect(run.checks.filter(({ faults: found }) => found > 0)).toEqual([])
  expect(product.seats.flatMap(({ ownEnds }) => ownEnds)).toEqual([])
  return { injected, history }
}

/** For `npm run chaos`, which prints it. */
export function keepTable(table: string): void {
  if (CHAOS_TABLE === undefined) return
  mkdirSync(dirname(CHAOS_TABLE), { recursive: true })
  writeFileSync(CHAOS_TABLE, table)
}

/** Causes one failure after the other until the time is over, each as often. */
async function disturb(disturbances: Readonly<Record<string, Disturbance>>): Promise<Injected[]> {
  const end = Date.now() + SECONDS * 1000
  const random = randomFrom(SEED)
  const injected: Injected[] = []
  let left: string[] = []
  while (Date.now() < end) {
    if (left.length === 0) left = Object.keys(disturbances)
    const [name] = left.splice(random.below(left.length), 1)
    const at = Date.now()
    await disturbances[name!]!(random)
    await delay(CALM_MS)
    injected.push({ name: name!, at, until: Date.now() })
  }
  return injected
}

/** The code of the email that a worker sends. */
async function codeOf({ mail }: Product, email: string): Promise<string> {
  let code: string | undefined
  await until(() => {
    const found = emailsOf(mail.received).find(
      ({ to, subject }) => to === email && subject.includes('verification code'),
    )
    code = found?.subject.slice(0, 6)
    return code !== undefined
  })
  return code!
}
