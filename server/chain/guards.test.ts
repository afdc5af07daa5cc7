import { beforeAll, beforeEach, expect, test } from 'vitest'
import { debtRecovered, depositReversed } from '#server/ledger/events.ts'
import { checkBooks } from '#server/ledger/invariants.ts'
import { post } from '#server/ledger/post.ts'
import { newId } from '#server/platform/id.ts'
import { readPayoutWatch } from '#server/process/sync-network.ts'
import { addressKey } from '#shared/addresses.ts'
import { rowsRead } from '#test/support/rows-read.ts'
import { tamper } from '#test/support/tampering.ts'
import { openWatchedWorld, type WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'
import { watchlistOf } from './watchlist.ts'

/** The database's own guards of deposits and transfers. */

let world: WatchedWorld
let investor: Person
let deposit: Awaited<ReturnType<typeof credited>>
beforeAll(async () => {
  world = await openWatchedWorld()
  await world.sync()
})
beforeEach(async () => {
  investor = await world.person('Ines Investor')
  deposit = await credited(investor, 250)
})

async function credited(who: Person, amount: number) {
  const asked = await world.ask(who, amount)
  world.network.send({ to: asked.payment.address, units: BigInt(amount) * 1_000_000n })
  world.network.mine(2)
  await world.sync()
  return asked
}

const app = (statement: string) => world.database.app.query(statement)
const at = (address: string) => `address = '${addressKey(address)}'`
const withoutCredit = `credited_by = NULL, credited_cents = NULL, exchanged_units = NULL, rate_e8 = NULL, rate_source = NULL, late = NULL`

test('[B-03] an address is assigned only to its own deposit', async () => {
  await expect(
    app(`INSERT INTO app.payment_addresses (account, branch, address_index, method, address, user_id, deposit_id, created_at)
         VALUES ('${'0'.repeat(16)}', 0, 0, 'usdt', 'another', '${investor.id}', '${deposit._id}', now())`),
  ).rejects.toMatchObject({ code: 'PB930' })
})

test('[B-03] a transfer is credited once, by a ledger transaction', async () => {
  const set = (change: string, address = deposit.payment.address) =>
    app(`UPDATE app.chain_transfers SET ${change} WHERE ${at(address)}`)
  await expect(set(`credited_by = '${newId(new Date())}'`)).rejects.toMatchObject({ code: 'PB931' })
  await expect(set(withoutCredit)).rejects.toMatchObject({ code: 'PB933' })
  const other = await world.ask(investor, 150)
  world.network.send({ to: other.payment.address, units: 150_000_000n })
  await world.sync()
  const made = `credited_by = '${newId(new Date())}', credited_cents = 1, exchanged_units = 1, rate_e8 = 1, rate_source = 'x', late = false`
  await expect(set(made, other.payment.address)).rejects.toMatchObject({ code: 'PB933' })
})

test('[B-03] a reversal exceeds no credit and concerns no other deposit', async () => {
  const reverse = (of: { userId: string; cents: bigint; depositId?: string; units?: bigint }) =>
    world.services.db.transaction().execute(tx =>
      post(
        tx,
        depositReversed({
          userId: of.userId,
          depositId: of.depositId ?? deposit._id,
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
  const nothingOwed = debtRecovered({ userId, amountCents: 1n, depositId: deposit._id, actor: null })
  await expect(world.services.db.transaction().execute(tx => post(tx, nothingOwed))).rejects.toMatchObject({
    code: 'PB105',
  })
  await world.expectSoundBooks()
})

test.each([
  ['credit', 'deposits_booked', `app.deposits SET credited_cents = credited_cents + 1`],
  ['received amount', 'deposits_booked', `app.deposits SET received_units = received_units + 1`],
  ['debt', 'deposits_booked', `app.deposits SET debt_cents = debt_cents + 1`],
  [
    'manual credit',
    'transfers_credited_once',
    `app.deposits SET manual_units = 1, manual_posting = uuidv7()`,
  ],
])('[B-03] the ledger check finds a deposit with the wrong %s', async (_, name, change) => {
  const broken = async () => {
    const { checks } = await checkBooks(world.database.app, { info() {}, error() {} } as never)
    return checks.filter(({ faults }) => faults > 0)
  }
  expect(await broken()).toEqual([])
  const { rows } = await world.database.owner.query(
    'SELECT credited_cents, received_units FROM app.deposits WHERE id = $1',
    [deposit._id],
  )
  await tamper(world.database, `UPDATE ${change} WHERE id = '${deposit._id}'`)
  const found = await broken()
  const { credited_cents, received_units } = rows[0]
  await tamper(
    world.database,
    `UPDATE app.deposits SET credited_cents = ${credited_cents}, received_units = ${received_units}, debt_cents = 0,
            manual_units = 0, manual_posting = NULL
      WHERE id = '${deposit._id}'`,
  )
  expect(found).toContainEqual(expect.objectContaining({ name, faults: 1 }))
})

test('[K-02] a sync reads only new addresses, and watches them all', async () => {
  const watched = () => watchlistOf(world.services, 'usdt', readPayoutWatch, 0)
  await world.owner(`
    INSERT INTO app.payment_addresses (account, branch, address_index, method, address, user_id, used_at, created_at)
    SELECT '${'0'.repeat(16)}', 0, n, 'usdt', 'address ' || n, '${investor.id}', now(), now() FROM generate_series(0, 9999) n;
    ANALYZE app.payment_addresses`)
  const first = await watched()
  expect(first.receiving.has(addressKey('address 9999'))).toBe(true)
  const size = first.addresses.size
  const next = await world.ask(investor, 150)
  const before = await rowsRead(world.database, ['payment_addresses'])
  const { addresses, receiving } = await watched()
  expect((await rowsRead(world.database, ['payment_addresses'])) - before).toBeLessThan(100)
  expect(addresses.size).toBe(size + 1)
  for (const { payment } of [deposit, next]) expect(receiving.has(addressKey(payment.address))).toBe(true)
})
