import { expect, test } from 'vitest'
import { hashPassword } from '#server/platform/passwords.ts'
import { closeAccount, closing, reopenUser } from '#shared/contract/closing.ts'
import { listUserHistory } from '#shared/contract/console.ts'
import * as call from '#shared/contract/deposits.ts'
import { usdtPayments } from '#test/support/usdt-payments.ts'
import type { WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'

let world: WatchedWorld
let investor: Person
const { usdt, available } = usdtPayments(scene => {
  ;({ world, investor } = scene)
})

const password = 'correct horse'

async function close() {
  const password_hash = await hashPassword(password)
  await world.services.db
    .updateTable('app.users')
    .set({ password_hash })
    .where('id', '=', investor.id)
    .execute()
  return world.call(closeAccount, investor, { body: { password } })
}

const reopen = () =>
  world.call(reopenUser, world.admin, { params: { id: investor.id }, body: { reason: 'Paid late' } })

const emailsToAdmins = async () => {
  const { rows } = await world.owner(`
    SELECT j.payload ->> 'text' AS text FROM graphile_worker._private_jobs j
      JOIN graphile_worker._private_tasks t ON t.id = j.task_id
     WHERE t.identifier = 'send_mail' AND j.payload ->> 'subject' LIKE 'A payment arrived for a closed account%'
       AND j.payload ->> 'text' LIKE '%${investor.id}%'`)
  return rows.map(({ text }) => text as string)
}

const seenByStaff = async (id: string) =>
  (await world.call(call.getDeposit, world.admin, { params: { id } })).data

async function arrive(to: string, dollars: number) {
  world.network.send({ to, units: usdt(dollars) })
  world.network.mine(2)
  await world.sync()
}

test('a payment after the closing is told to admins once, and credited when reopened', async () => {
  const deposit = await world.ask(investor, 250)
  await world.call(call.declineDeposit, world.admin, {
    params: { id: deposit._id },
    body: { reason: 'Not paid' },
  })
  expect((await close()).status).toBe(200)
  await arrive(deposit.payment.address, 250)
  await world.sync()
  const emails = await emailsToAdmins()
  expect(emails).toHaveLength(2)
  expect(emails[0]).toContain('250.000000 USDT')
  expect(await available()).toBe(0n)
  expect(await seenByStaff(deposit._id)).toMatchObject({ status: 'declined', credited: null })
  const { data } = await world.call(listUserHistory, world.admin, { query: { user: investor.id } })
  expect(data.filter(({ action }) => action === 'account.paid_after_closing')).toHaveLength(1)

  expect((await reopen()).status).toBe(200)
  await world.sync()
  expect(await seenByStaff(deposit._id)).toMatchObject({ credited: 250 })
  expect(await available()).toBe(25_000n)
  await world.expectSoundBooks()
})

test('a payment to an address of a quote alone waits in the same way', async () => {
  const { data: quote } = await world.call(call.quoteDeposit, investor, {
    query: { method: 'usdt', amount: '250' },
  })
  expect((await close()).status).toBe(200)
  await arrive(quote.address, 250)
  expect(await emailsToAdmins()).toHaveLength(2)
  await reopen()
  await world.sync()
  const { data } = await world.call(call.listDeposits, world.admin, { query: { q: investor.name } })
  expect(data[0]).toMatchObject({ flags: expect.arrayContaining(['unsolicited']) })
})

test('a payment that is still confirming keeps the account open', async () => {
  const deposit = await world.ask(investor, 250)
  await world.call(call.declineDeposit, world.admin, {
    params: { id: deposit._id },
    body: { reason: 'Not paid' },
  })
  world.network.send({ to: deposit.payment.address, units: usdt(250) })
  world.network.mine(1)
  await world.sync()
  const { data } = await world.call(closing, investor)
  expect(data.matters).toEqual([{ kind: 'payment', count: 1, amount: null }])
  expect(await close()).toMatchObject({ status: 409, reason: 'something_open' })
})
