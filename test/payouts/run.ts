import { createHash } from 'node:crypto'
import { Kysely, PostgresDialect } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import pino from 'pino'
import { expect } from 'vitest'
import { UnconfirmedError } from '#server/chain/sync.ts'
import type { Services } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { syncNetwork } from '#server/process/sync-network.ts'
import { ChainError } from '#server/rails/chain.ts'
import { addressKey } from '#shared/addresses.ts'
import { type PayoutWallet, payoutRails } from '#shared/batch-coins.ts'
import { newPayout, type PayoutDetail, readyForPayout } from '#shared/contract/payouts.ts'
import { payoutsIn } from '#test/support/payouts.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import type { Person, World } from '#test/support/world.ts'
import type { Sent, SlotNetwork } from './network.ts'
import type { Act, Step } from './steps.ts'
import type { Signature, Wallet } from './wallets.ts'

/** A withdrawal that somebody asked for, at an address of its own. */
export type Owed = { id: string; address: string }
/** What a wallet has signed of a file that somebody downloaded. */
export type Held = Signature & { batch: string; pays: boolean }

export type Run = {
  world: World
  network: SlotNetwork
  wallet: Wallet
  coins: readonly PayoutWallet[]
  investor: Person
  /** The next address of a coin. */
  addressFor: (coin: PayoutWallet) => string
  owed: Owed[]
  batches: string[]
  held: Held[]
  /** Transactions that staff have explained. */
  explained: Set<string>
}

const railOf = ({ coins }: Run) => payoutRails[coins[0]!].rail
const chosen = <T>(of: readonly T[], pick: number): T | undefined =>
  of[of.length - 1 - (pick % Math.max(1, of.length))]

export async function take(run: Run, step: Step): Promise<void> {
  if (step.do !== 'race') return act(run, step)
  // Time passes first: a call's token would expire before it is read.
  const inOrder = step.acts.toSorted((one, other) => Number(other.do === 'pass') - Number(one.do === 'pass'))
  await Promise.all(inOrder.map(one => act(run, one)))
}

async function act(run: Run, one: Act): Promise<void> {
  const { network, world } = run
  switch (one.do) {
    case 'create':
      return create(run, one.count)
    case 'download':
      return download(run, chosen(run.batches, one.pick))
    case 'cancel':
      return answered(run, one.pick, (acts, id) => acts.cancel(id, world.admin, feeOf(run)))
    case 'raise':
      return answered(run, one.pick, (acts, id) => acts.raiseFee(id, feeOf(run)))
    case 'paste': {
      const held = chosen(run.held, one.pick)
      if (held) expect((await payoutsIn(() => world).sign(held.batch, held.text)).status).toBeLessThan(500)
      return
    }
    case 'review':
      return review(run, chosen(run.batches, one.pick))
    case 'relay': {
      const held = chosen(run.held, one.pick)
      if (held) network.receive(held.sent)
      return
    }
    case 'misuse': {
      const held = chosen(run.held, one.pick)
      if (held) network.receive(misused(run, held.sent, one.how))
      return
    }
    case 'mine':
      return network.mine(one.count, preferred(run, one.prefer))
    case 'reorg':
      return network.reorg(one.depth, preferred(run, one.prefer), one.forgets)
    case 'evict':
      return network.evict()
    case 'sync':
      return one.dies === null ? sync(run) : dying(run, one.dies)
    case 'pass':
      world.clock.pass({ minutes: one.minutes })
      return world.refreshPrices().then(() => undefined)
  }
}

const feeOf = ({ coins }: Run) => (coins[0] === 'Bitcoin (BTC)' ? { feeRate: 10 } : {})

type Acts = ReturnType<typeof payoutsIn>

/** Asks for it; a refusal is an answer too, and nothing else may go wrong. */
async function answered(
  run: Run,
  pick: number,
  ask: (acts: Acts, id: string) => Promise<{ status: number; message: string }>,
): Promise<void> {
  const id = chosen(run.batches, pick)
  if (id === undefined) return
  const { status, message } = await ask(
    payoutsIn(() => run.world),
    id,
  )
  expect(status, message).toBeLessThan(500)
}

/** The transactions that another miner has, of which it prefers one. */
function preferred({ network }: Run, pick: number | null): Sent[] {
  const one = pick === null ? undefined : chosen(network.everything(), pick)
  return one ? [one] : []
}

let strangers = 0
/** A transaction of the firm's wallet for the same slots that no file contains. */
function misused(run: Run, sent: Sent, how: Extract<Act, { do: 'misuse' }>['how']): Sent {
  strangers += 1
  const id = createHash('sha256').update(`misuse ${strangers}`).digest('hex')
  const payees = new Set(run.owed.map(({ address }) => addressKey(address)))
  const paid = sent.pays.filter(({ address }) => payees.has(address))
  const [first, ...rest] = paid
  const stranger = addressKey(run.addressFor(run.coins[0]!))
  const pays = {
    nothing: [],
    other: paid.map(pay => ({ ...pay, address: stranger })),
    same: paid,
    less: first && first.units > 1n ? [{ ...first, units: first.units - 1n }, ...rest] : [],
    'one slot': [],
  }[how]
  // On TRON, every transaction is a slot of its own.
  const slots = sent.slots[0] === sent.id ? [id] : how === 'one slot' ? [sent.slots.at(-1)!] : sent.slots
  return { ...sent, id: railOf(run) === 'ethereum' ? `0x${id}` : id, slots, pays, price: sent.price * 2n }
}

const readyFor = ({ world }: Run, wallet: PayoutWallet) =>
  world.call(readyForPayout, world.admin, { query: { wallet } })
const newBatch = ({ world }: Run, body: object) => world.call(newPayout, world.admin, { body } as never)

async function create(run: Run, count: number): Promise<void> {
  const { world, investor, owed } = run
  const coin = run.coins[owed.length % run.coins.length]!
  const { approved } = withdrawalsIn(() => world)
  const { data: ready } = await readyFor(run, coin)
  const ids = ready.withdrawals.slice(0, count).map(({ _id }) => _id)
  while (ids.length < count) {
    const walletAddress = run.addressFor(coin)
    const { _id } = await approved(investor, 100 + owed.length, { wallet: coin, walletAddress })
    owed.push({ id: _id, address: walletAddress })
    ids.push(_id)
  }
  const { status, message, data } = await newBatch(run, { wallet: coin, withdrawals: ids, ...feeOf(run) })
  expect(status, message).toBeLessThan(500)
  if (status === 200) run.batches.push(data._id)
}

/** A file that somebody has can be signed at any time. */
async function download(run: Run, id: string | undefined): Promise<void> {
  if (id === undefined) return
  const acts = payoutsIn(() => run.world)
  const { data } = await acts.get(id)
  const { statusCode, rawPayload } = await acts.download(id)
  expect(statusCode).toBeLessThan(500)
  if (statusCode !== 200) return
  const { purpose } = data.files.at(-1)!
  const signed = await run.wallet.sign(rawPayload)
  const known = new Set(run.held.map(({ sent }) => sent.id))
  const fresh = signed.filter(({ sent }) => !known.has(sent.id))
  run.held.push(...fresh.map(one => ({ ...one, batch: id, pays: purpose !== 'cancellation' })))
}

export async function review(run: Run, id: string | undefined): Promise<void> {
  const acts = payoutsIn(() => run.world)
  for (const { transactionId } of (await acts.outgoing()).data) {
    await acts.explain(transactionId, railOf(run))
    await acts.confirm(transactionId, railOf(run))
    run.explained.add(transactionId)
  }
  if (id === undefined) return
  const { items } = (await acts.get(id)).data
  const alerts = items.flatMap(({ alert }) => (alert && !alert.reviewed ? [alert.transactionId] : []))
  if (alerts.length > 0) await acts.acknowledge(id, [...new Set(alerts)])
}

/** Errors of the network are part of its life; it is read again. */
async function syncOnce(run: Run, services: Services): Promise<void> {
  await syncNetwork(services, railOf(run), run.network.chain)
}

export async function sync(run: Run): Promise<void> {
  // What the last one left, and what it broadcast.
  for (let n = 0; n < 2; n += 1) {
    await syncOnce(run, run.world.services).catch(error => {
      if (!(error instanceof ChainError) && !(error instanceof UnconfirmedError)) throw error
    })
  }
}

/** Dies after so many statements: what was not committed is lost, and nothing else is done. */
async function dying(run: Run, statements: number): Promise<void> {
  const { services } = run.world
  const silent = pino({ level: 'silent' })
  await syncOnce(run, { ...services, db: dyingAfter(services.pool, statements), log: silent }).catch(
    () => undefined,
  )
}

/** A database whose connections are closed with all that they have begun. */
function dyingAfter(pool: Pool, statements: number): Kysely<Schema> {
  let left = statements
  const dying = (client: PoolClient) => ({
    query: async (text: string, values: unknown[]) => {
      left -= 1
      if (left < 0) throw new Error('killed')
      return client.query(text, values)
    },
    release: () => client.release(left < 0),
  })
  const connect = async () => dying(await pool.connect())
  return new Kysely({ dialect: new PostgresDialect({ pool: { connect } as unknown as Pool }) })
}

/** Everything that is still open is signed, mined and paid; staff review what they are told. */
export async function settle(run: Run): Promise<void> {
  const acts = payoutsIn(() => run.world)
  const unfinished = async (): Promise<PayoutDetail[]> => {
    const all = await Promise.all(run.batches.map(async id => (await acts.get(id)).data))
    return all.filter(({ endedAt }) => endedAt === null)
  }
  for (let round = 0; round < 6; round += 1) {
    run.network.mine(4)
    await sync(run)
    for (const id of run.batches) await review(run, id)
    const open = await unfinished()
    // Also of batches that have ended: a reorg may have dropped what they paid.
    for (const id of run.batches) await signed(run, id)
    // TRON's expiry, and the minute after which we broadcast again.
    run.world.clock.pass({ minutes: open.some(({ cancelledAt }) => cancelledAt !== null) ? 25 * 60 : 2 })
    await run.world.refreshPrices()
    await sync(run)
    run.network.mine(4)
    await sync(run)
    for (const id of run.batches) await review(run, id)
    const waiting = await waitingFor(run)
    if (waiting.length === 0 && (await unfinished()).length === 0) return
    await payAll(run, waiting)
  }
  const left = (await unfinished()).map(inShort)
  expect.fail(`these never end: ${JSON.stringify({ left, waiting: await waitingFor(run) })}`)
}

/** On few lines, so that the seed and path of a failure stay in sight. */
function inShort({ number, status, cancelledAt, items, payments }: PayoutDetail) {
  return {
    [number]: status,
    isCancelling: cancelledAt !== null,
    items: items.map(({ state, payment, alert, transactionId }) => ({
      state,
      payment,
      alert: alert?.kind,
      transactionId,
    })),
    payments: payments.map(({ position, status: of, usedBy, slots, signed: by }) => ({
      position,
      status: of,
      usedBy,
      slots: slots.map(({ slot }) => slot),
      signed: by.map(({ transactionId }) => transactionId),
    })),
  }
}

async function signed(run: Run, id: string): Promise<void> {
  await download(run, id)
  const acts = payoutsIn(() => run.world)
  for (const { text } of run.held.filter(({ batch }) => batch === id)) await acts.sign(id, text)
}

/** Approved withdrawals that no batch holds. */
async function waitingFor(run: Run): Promise<{ coin: PayoutWallet; ids: string[] }[]> {
  const own = new Set(run.owed.map(({ id }) => id))
  const all = await Promise.all(
    run.coins.map(async coin => ({
      coin,
      ids: (await readyFor(run, coin)).data.withdrawals.flatMap(({ _id }) => (own.has(_id) ? [_id] : [])),
    })),
  )
  return all.filter(({ ids }) => ids.length > 0)
}

async function payAll(run: Run, waiting: Awaited<ReturnType<typeof waitingFor>>): Promise<void> {
  for (const { coin, ids } of waiting) {
    const { status, message, data } = await newBatch(run, { wallet: coin, withdrawals: ids, ...feeOf(run) })
    expect(status, `settling: ${message}`).toBe(200)
    run.batches.push(data._id)
  }
}
