import type { Insertable } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Tx } from '#server/context.ts'
import { debtRecovered, depositAdded, depositReversed } from '#server/ledger/events.ts'
import { checkBooks } from '#server/ledger/invariants.ts'
import { post } from '#server/ledger/post.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { approveDeposit } from '#shared/contract/deposits.ts'
import { tamper } from '#test/support/tampering.ts'
import { openWatchedWorld, type WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'

/** The database's own guards of credits. */

let world: WatchedWorld
let investor: Person
/** Credited with $250 by one transfer. */
let deposit: { id: string; address: string; credit: bigint; transfer: bigint }
beforeAll(async () => {
  world = await openWatchedWorld()
  await world.sync()
})
beforeEach(async () => {
  investor = await world.person('Ines Investor')
  deposit = await credited(investor, 250)
})

async function credited(who: Person, amount: number) {
  const { _id: id, payment } = await world.ask(who, amount)
  await arrived(payment.address, amount)
  const { id: credit, transfer_id } = await world.database.db
    .selectFrom('app.deposit_credits')
    .select(['id', 'transfer_id'])
    .where('deposit_id', '=', id)
    .executeTakeFirstOrThrow()
  return { id, address: payment.address, credit, transfer: transfer_id! }
}

async function arrived(to: string, amount: number, blocks = 2): Promise<void> {
  world.network.send({ to, units: units(amount) })
  world.network.mine(blocks)
  await world.sync()
}

const units = (dollars: number) => BigInt(Math.round(dollars * 1e6))
const app = (statement: string) => world.database.app.query(statement)
const inTransaction = <T>(act: (tx: Tx) => Promise<T>) => world.services.db.transaction().execute(act)

/** Credits a further transfer of a dollar as the application's role can: its posting, and the credit with these changes. */
function credit(changes: Partial<Insertable<Schema['app.deposit_credits']>>) {
  return inTransaction(async tx => {
    const payment = { asset: 'USDT', receivedUnits: units(1), exchangedUnits: units(1) } as const
    const of = { userId: investor.id, actor: null, depositId: deposit.id, payment }
    const posting = await post(tx, depositAdded({ ...of, amountCents: 100n }))
    const amounts = { units: units(1), exchanged_units: units(1), cents: 100n }
    const rate = { rate_e8: 100_000_000n, rate_at: new Date(), rate_source: 'x' }
    const row = {
      deposit_id: deposit.id,
      transfer_id: deposit.transfer,
      posting,
      ...amounts,
      ...rate,
      ...changes,
    }
    await tx.insertInto('app.deposit_credits').values(row).execute()
  })
}

/** A transfer of a dollar that is not credited yet, to the deposit's address unless another is given. */
async function uncredited(to = deposit.address): Promise<bigint> {
  await arrived(to, 1, 1)
  const { id } = await world.database.db
    .selectFrom('app.chain_transfers')
    .select('id')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  return id
}

async function othersTransfer(): Promise<bigint> {
  const asked = await world.ask(await world.person('Otto Other'), 100)
  return uncredited(asked.payment.address)
}

describe('[B-03] a transfer', () => {
  test('is credited once at a time, and again after its reversal', async () => {
    await expect(credit({})).rejects.toMatchObject({ constraint: 'deposit_credits_of_transfer' })
    world.network.reorg(2)
    await world.sync()
    world.network.mine(2)
    await world.sync()
    const { rows } = await app(
      `SELECT reversed_by IS NULL AS stands FROM app.deposit_credits WHERE transfer_id = ${deposit.transfer} ORDER BY id`,
    )
    expect(rows).toEqual([{ stands: false }, { stands: true }])
    await world.expectSoundBooks()
  })

  test('is not credited with more than it brought', async () => {
    const more = { transfer_id: await uncredited(), units: units(1) + 1n }
    await expect(credit(more)).rejects.toMatchObject({ constraint: 'chain_transfers_credited_once' })
  })

  test('pays the deposit of its own address only', async () => {
    await expect(credit({ transfer_id: await othersTransfer() })).rejects.toMatchObject({ code: 'PB931' })
  })

  test('is marked as credited by its credits alone', async () => {
    const set = `UPDATE app.chain_transfers SET credited_units = 0 WHERE id = ${deposit.transfer}`
    await expect(app(set)).rejects.toMatchObject({ code: '42501' })
    await expect(world.owner(set)).rejects.toMatchObject({ code: 'PB912' })
    const copy = `INSERT INTO app.chain_transfers (rail, transaction_id, position, address, token, units, senders, seen_at, credited_units)
      SELECT rail, 'x', position, address, token, units, senders, seen_at, units FROM app.chain_transfers WHERE id = ${deposit.transfer}`
    await expect(app(copy)).rejects.toMatchObject({ code: 'PB912' })
  })
})

describe('[B-03] a credit', () => {
  test('has a posting of its deposit, coins and cents', async () => {
    const transfer = await uncredited()
    await expect(credit({ transfer_id: transfer, cents: 101n })).rejects.toMatchObject({ code: 'PB105' })
    await expect(credit({ transfer_id: transfer, units: 999_999n })).rejects.toMatchObject({ code: 'PB105' })
    await credit({ transfer_id: transfer })
    await world.expectSoundBooks()
  })

  test('joins no earlier posting', async () => {
    const transfer = await uncredited()
    await expect(
      app(`INSERT INTO app.deposit_credits (deposit_id, transfer_id, units, exchanged_units, cents, rate_e8, rate_at, rate_source, posting)
           SELECT deposit_id, ${transfer}, 1, 1, 0, rate_e8, rate_at, rate_source, posting
             FROM app.deposit_credits WHERE id = ${deposit.credit}`),
    ).rejects.toMatchObject({ code: 'PB105' })
  })

  test('never changes, and stays', async () => {
    const own = `WHERE id = ${deposit.credit}`
    await expect(app(`UPDATE app.deposit_credits SET cents = 1 ${own}`)).rejects.toMatchObject({
      code: '42501',
    })
    for (const change of ['cents = 1', 'late_at = now()', `posting = '${newId(new Date())}'`]) {
      await expect(world.owner(`UPDATE app.deposit_credits SET ${change} ${own}`)).rejects.toMatchObject({
        code: 'PB912',
      })
    }
    await expect(world.owner(`DELETE FROM app.deposit_credits ${own}`)).rejects.toMatchObject({
      code: 'PB900',
    })
    await expect(world.owner('TRUNCATE app.deposit_credits CASCADE')).rejects.toMatchObject({ code: 'PB900' })
  })

  test('is reversed by a posting, once and for good', async () => {
    const reverse = (by: string) =>
      app(`UPDATE app.deposit_credits SET reversed_by = ${by} WHERE id = ${deposit.credit}`)
    await expect(reverse(`'${newId(new Date())}'`)).rejects.toMatchObject({ code: 'PB105' })
    await expect(reverse('posting')).rejects.toMatchObject({ code: 'PB105' })
    world.network.reorg(2)
    await world.sync()
    await expect(reverse('NULL')).rejects.toMatchObject({ code: 'PB912' })
    await expect(reverse('posting')).rejects.toMatchObject({ code: 'PB912' })
    world.network.mine(2)
    await world.sync()
  })

  test('is not added to a frozen account', async () => {
    const transfer = await uncredited()
    await world.owner(
      `UPDATE app.users SET frozen_at = now(), frozen_by = '${world.admin.id}', freeze_reason = 'x' WHERE id = '${investor.id}'`,
    )
    await expect(credit({ transfer_id: transfer })).rejects.toMatchObject({ code: 'PB911' })
  })
})

test('[B-03] a deposit has one manual credit', async () => {
  const { _id: id } = await world.ask(investor, 100)
  await world.call(approveDeposit, world.admin, { params: { id }, body: {} })
  const again = credit({ deposit_id: id, transfer_id: null, entered_by: world.admin.id })
  await expect(again).rejects.toMatchObject({ constraint: 'deposit_credits_one_manual' })
})

test('[B-03] a manual credit is matched with its own transfers, up to its amount', async () => {
  const { _id: id, payment } = await world.ask(investor, 100)
  await world.call(approveDeposit, world.admin, { params: { id }, body: {} })
  await arrived(payment.address, 60)
  const match = (transfer: bigint, most: bigint) =>
    app(`INSERT INTO app.credit_matches (transfer_id, credit_id, units)
         SELECT ${transfer}, id, ${most} FROM app.deposit_credits WHERE deposit_id = '${id}'`)
  await expect(match(await othersTransfer(), 1n)).rejects.toMatchObject({ code: 'PB931' })
  await arrived(payment.address, 39.5)
  const transfer = await uncredited(payment.address)
  await expect(match(transfer, units(0.5) + 1n)).rejects.toMatchObject({ code: 'PB931' })
  await match(transfer, units(0.5))
  world.network.mine(2)
  await world.sync()
  expect(await world.deposit(investor, id)).toMatchObject({ credited: 100.5, received: '100.500000' })
  await world.expectSoundBooks()
})

test('[B-03] a reversal exceeds no credit and concerns no other deposit', async () => {
  const reverse = (of: { userId: string; cents: bigint; depositId?: string; units?: bigint }) =>
    inTransaction(tx =>
      post(
        tx,
        depositReversed({
          userId: of.userId,
          depositId: of.depositId ?? deposit.id,
          amountCents: of.cents,
          takenCents: of.cents,
          payment: { asset: 'USDT', receivedUnits: of.units ?? of.cents * 10_000n },
          actor: null,
        }),
      ),
    )
  const userId = investor.id
  const other = await world.person('Otto Other')
  await credited(other, 500)
  await credited(investor, 300)
  await expect(reverse({ userId, cents: 25_001n })).rejects.toMatchObject({ code: 'PB105' })
  await expect(reverse({ userId, cents: 100n, units: 250_000_001n })).rejects.toMatchObject({ code: 'PB105' })
  await expect(reverse({ userId: other.id, cents: 100n })).rejects.toMatchObject({ code: 'PB105' })
  await expect(reverse({ userId, cents: 100n, depositId: newId(new Date()) })).rejects.toMatchObject({
    code: 'PB105',
  })
  const nothingOwed = debtRecovered({ userId, amountCents: 1n, depositId: deposit.id, actor: null })
  await expect(inTransaction(tx => post(tx, nothingOwed))).rejects.toMatchObject({ code: 'PB105' })
  await world.expectSoundBooks()
})

test.each([
  [
    'credit',
    'deposits_booked',
    () => `app.deposit_credits SET cents = cents + 1 WHERE id = ${deposit.credit}`,
  ],
  [
    'amount',
    'deposits_booked',
    () => `app.deposit_credits SET units = units + 1 WHERE id = ${deposit.credit}`,
  ],
  [
    'exchanged amount',
    'deposits_booked',
    () => `app.deposit_credits SET exchanged_units = exchanged_units + 1 WHERE id = ${deposit.credit}`,
  ],
  [
    'reversal',
    'deposits_booked',
    () => `app.deposit_credits SET reversed_by = uuidv7() WHERE id = ${deposit.credit}`,
  ],
  [
    'debt',
    'deposits_booked',
    () => `app.deposits SET debt_cents = debt_cents + 1 WHERE id = '${deposit.id}'`,
  ],
  [
    'status',
    'deposits_booked',
    () => `app.deposits SET status = 'pending', settled_at = NULL WHERE id = '${deposit.id}'`,
  ],
  [
    'mark of its transfer',
    'transfers_credited_once',
    () => `app.chain_transfers SET credited_units = 0 WHERE id = ${deposit.transfer}`,
  ],
  [
    'address',
    'transfers_credited_once',
    () => `app.payment_addresses SET deposit_id = NULL WHERE deposit_id = '${deposit.id}'`,
  ],
])('[B-03] the ledger check finds a deposit with the wrong %s', async (_, name, change) => {
  const broken = async () => {
    const { checks } = await checkBooks(world.database.app, { info() {}, error() {} } as never)
    return checks.filter(({ faults }) => faults > 0)
  }
  expect(await broken()).toEqual([])
  const tables = ['deposits', 'deposit_credits', 'chain_transfers', 'payment_addresses']
  const kept = (table: string) => `kept_${table}`
  for (const table of tables) await world.owner(`CREATE TABLE public.${kept(table)} AS TABLE app.${table}`)
  await tamper(world.database, `UPDATE ${change()}`)
  const found = await broken()
  await tamper(
    world.database,
    ...tables.flatMap(table => [
      `DELETE FROM app.${table}`,
      `INSERT INTO app.${table} OVERRIDING SYSTEM VALUE TABLE public.${kept(table)}`,
      `DROP TABLE public.${kept(table)}`,
    ]),
  )
  expect(found).toContainEqual(expect.objectContaining({ name, faults: 1 }))
})
