import { beforeEach, describe, expect, test } from 'vitest'
import { signup } from '#shared/contract/accounts.ts'
import { newAddress } from '#shared/contract/addresses.ts'
import { approveDeposit, newDeposit, quoteDeposit } from '#shared/contract/deposits.ts'
import { addEarning } from '#shared/contract/earnings.ts'
import { approveInvestment, newInvestment } from '#shared/contract/investments.ts'
import * as proposals from '#shared/contract/proposals.ts'
import { newReturn } from '#shared/contract/returns.ts'
import * as call from '#shared/contract/settings.ts'
import { listAudit, site } from '#shared/contract/site.ts'
import { endAccess } from '#shared/contract/staff.ts'
import { approveWithdrawal, newWithdrawal } from '#shared/contract/withdrawals.ts'
import { httpCaller, testApp } from '#test/support/app.ts'
import { settingsBody } from '#test/support/settings.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
beforeEach(async () => {
  world = await openWorld({ rateLimit: false })
})

const payout = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const { reason, ...proposed } = settingsBody
const propose = (changes: object = {}, by = world.admin) => {
  const body = { ...settingsBody, ...changes }
  return world.call(call.proposeSettings, by, { body })
}
const approve = (id: string, by: Person = world.secondAdmin, idempotencyKey?: string) =>
  world.call(
    proposals.approveProposal,
    by,
    { params: { id } },
    idempotencyKey === undefined ? {} : { idempotencyKey },
  )
const settings = async () => (await world.call(call.getSettings, world.admin)).data
const withdraw = async (who: Person, amount: number) => {
  const body = {
    amount,
    wallet: 'Bitcoin (BTC)',
    address: payout,
  } as const
  return (await world.call(newWithdrawal, who, { body })).data
}

describe('settings that two admins decide', () => {
  test("[W-06, D7] the configuration's values are in force until a second admin approves others", async () => {
    const initial = {
      largeWithdrawal: 10_000,
      minimumWithdrawal: 0,
      addressWaitHours: 0,
      paymentWindowMinutes: 15,
      largeReturn: 10_000,
      turnoverLimit: 50_000,
      reportingLimit: 10_000,
      dormantLimit: 1_000,
      identityLimit: null,
      fundsLimit: null,
      documentYears: 5,
      earningsSecondApproval: false,
      registrationOpen: true,
      depositsOpen: true,
    }
    expect(await settings()).toMatchObject({
      version: 0,
      values: initial,
      changedAt: null,
      admins: 2,
      deciders: 2,
    })
    const { data } = await propose()
    expect(await settings()).toMatchObject({ version: 0, values: initial })
    expect(await approve(data.proposal, world.admin)).toMatchObject({ status: 409, code: 'same_approver' })
    expect((await approve(data.proposal)).status).toBe(200)
    expect(await settings()).toMatchObject({ version: 1, values: proposed })
    const { data: log } = await world.call(listAudit, world.admin, { query: { status: 'settings.changed' } })
    expect(log).toMatchObject([
      { actor: world.secondAdmin.id, reason, details: { before: initial, after: proposed } },
    ])
  })

  test('[W-06, D7] new settings apply to requests made from then on', async () => {
    const investor = await world.person('Ines Investor')
    await world.fund(investor, 200_000n)
    const before = await withdraw(investor, 300)
    await approve((await propose()).data.proposal)
    const [large, small] = [await withdraw(investor, 200.01), await withdraw(investor, 200)]
    expect([before, large, small].map(({ approvalsNeeded }) => approvalsNeeded)).toEqual([1, 2, 1])
    const of = { params: { id: large._id } }
    expect((await world.call(approveWithdrawal, world.admin, of)).data).toMatchObject({
      status: 'pending',
      approvals: 1,
      approvalsNeeded: 2,
    })
    expect((await world.call(approveWithdrawal, world.secondAdmin, of)).data.status).toBe('approved')
    expect((await world.call(site, null)).data.largeWithdrawal).toBe(200)
  })

  test('[W-06, D7] an earning needs a second approval once two admins have set it', async () => {
    const investor = await world.person('Ines Investor')
    await world.fund(investor, 100_000n)
    const invest = { method: 'balance', plan: 'Basic', amount: 500 } as const
    const { data } = await world.call(newInvestment, investor, { body: invest })
    await world.call(approveInvestment, world.admin, { params: { id: data._id } })
    world.clock.pass({ days: 1 })
    const realised = { amount: 100, source: 'Rent', realisedAt: '2026-01-31', evidence: 'BANK-1' }
    await world.call(newReturn, world.admin, { body: realised })
    const add = async () =>
      (await world.call(addEarning, world.admin, { params: { userId: investor.id }, body: { amount: 0.01 } }))
        .data[0]!
    expect((await add()).status).toBe('paid')
    await approve((await propose()).data.proposal)
    expect((await add()).status).toBe('pending')
    const paid = `INSERT INTO app.earnings (id, user_id, investment_id, amount_cents, status, created_by, created_at, paid_at)
      SELECT gen_random_uuid(), user_id, investment_id, 1, 'paid', created_by, created_at, created_at
        FROM app.earnings WHERE status = 'pending'`
    await expect(world.owner(paid)).rejects.toMatchObject({ code: 'PB914' })
  })

  test('[W-06, D7] a withdrawal below the minimum must take the whole balance', async () => {
    const investor = await world.person('Ines Investor')
    await world.fund(investor, 150_00n)
    await approve((await propose({ minimumWithdrawal: 20 })).data.proposal)
    expect((await world.call(site, null)).data.minimumWithdrawal).toBe(20)
    const ask = (amount: number, idempotencyKey?: string) =>
      world.call(
        newWithdrawal,
        investor,
        { body: { amount, wallet: 'Bitcoin (BTC)', address: payout } },
        idempotencyKey === undefined ? {} : { idempotencyKey },
      )
    const before = await world.state()
    const words = 'Minimum withdrawal is $20, or your whole balance of $150.00'
    expect(await ask(19.99)).toMatchObject({ status: 400, code: 'invalid_input', fields: { amount: words } })
    expect(await world.state()).toBe(before)
    expect((await ask(136.5)).status).toBe(200)
    expect((await ask(13.51)).code).toBe('insufficient_funds')
    expect((await ask(13.49)).message).toBe('Minimum withdrawal is $20, or your whole balance of $13.50')
    const whole = await ask(13.5, 'the-rest')
    expect(whole).toMatchObject({ status: 200, data: { amount: 13.5 } })
    expect((await ask(13.5, 'the-rest')).data).toEqual(whole.data)
  })

  test('[W-06, D7] nobody sets a minimum withdrawal above $100', async () => {
    expect(await propose({ minimumWithdrawal: 100.01 })).toMatchObject({
      status: 400,
      fields: { minimumWithdrawal: 'Minimum can be at most $100' },
    })
    expect((await propose({ minimumWithdrawal: 100 })).status).toBe(200)
  })

  test('[W-06, D-30] addresses added from then on wait as long as two admins decided', async () => {
    const investor = await world.person('Ines Investor')
    await world.fund(investor, 150_00n)
    const wallet = 'Bitcoin (BTC)'
    await world.call(newAddress, investor, { body: { wallet, address: payout, label: null } })
    await approve((await propose({ addressWaitHours: 2 })).data.proposal)
    expect((await world.call(site, null)).data.addressWaitHours).toBe(2)
    expect((await withdraw(investor, 10)).status).toBe('pending')
    const address = 'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3'
    const ask = () => world.call(newWithdrawal, investor, { body: { amount: 10, wallet, address } })
    expect(await ask()).toMatchObject({ code: 'address_waiting' })
    await approve((await propose({ addressWaitHours: 0 })).data.proposal)
    expect(await ask()).toMatchObject({ code: 'address_waiting' })
    world.clock.pass({ minutes: 180 })
    expect((await ask()).status).toBe(200)
  })

  test('[W-06, D5] payments requested from then on have the window that two admins decided', async () => {
    const investor = await world.person('Ines Investor')
    const minutes = async () => {
      const query = { method: 'usdt', amount: '500' } as const
      const { data } = await world.call(quoteDeposit, investor, { query })
      return Math.round((Date.parse(data.expiresAt) - world.clock.now().getTime()) / 60_000)
    }
    const asked = async () => {
      const { data } = await world.call(newDeposit, investor, { body: { method: 'usdt', amount: 500 } })
      return Math.round((Date.parse(data.payment.expiresAt) - Date.parse(data.createdAt)) / 60_000)
    }
    expect([await minutes(), await asked()]).toEqual([15, 15])
    await approve((await propose({ paymentWindowMinutes: 45 })).data.proposal)
    expect([await minutes(), await asked()]).toEqual([45, 45])
    expect((await world.call(site, null)).data.paymentWindowMinutes).toBe(45)
  })

  test.each([
    [14, 'Payment window must be at least 15 minutes'],
    [61, 'Payment window can be at most 60 minutes'],
  ])('[W-06, D5] nobody proposes a payment window of %i minutes', async (paymentWindowMinutes, words) => {
    expect(await propose({ paymentWindowMinutes })).toMatchObject({
      status: 400,
      fields: { paymentWindowMinutes: words },
    })
  })

  test('[W-06, D5] while deposits are closed none is requested, and open ones are credited', async () => {
    const investor = await world.person('Ines Investor')
    const method = 'usdt' as const
    const deposit = () => world.call(newDeposit, investor, { body: { method, amount: 500 } })
    const { data: open } = await deposit()
    await approve((await propose({ depositsOpen: false })).data.proposal)
    expect((await world.call(site, null)).data.depositsOpen).toBe(false)
    const closed = { status: 409, reason: 'deposits_closed' }
    const before = await world.state()
    expect(await deposit()).toMatchObject(closed)
    expect(await world.call(quoteDeposit, investor, { query: { method, amount: '500' } })).toMatchObject(
      closed,
    )
    const body = { method, plan: 'Basic', amount: 500 } as const
    expect(await world.call(newInvestment, investor, { body })).toMatchObject(closed)
    expect(await world.state()).toBe(before)
    const of = { params: { id: open._id }, body: {} }
    expect((await world.call(approveDeposit, world.admin, of)).data.status).toBe('paid')
    const fromBalance = { ...body, method: 'balance' } as const
    expect((await world.call(newInvestment, investor, { body: fromBalance })).status).toBe(200)
    await approve((await propose({ depositsOpen: true })).data.proposal)
    expect((await deposit()).status).toBe(200)
  })

  test('[W-06, A-03] nobody opens an account while registration is closed', async () => {
    const body = {
      name: 'Nora New',
      email: 'nora@probity.test',
      country: 'Australia',
      phone: '+61 412 345 678',
      password: 'quiet orchard lantern',
    } as const
    await approve((await propose({ registrationOpen: false })).data.proposal)
    const before = await world.state()
    expect(await world.call(signup, null, { body })).toMatchObject({
      status: 409,
      reason: 'registration_closed',
      message: 'We are not opening new accounts at present.',
    })
    expect(await world.state()).toBe(before)
    expect((await world.call(site, null)).data.registrationOpen).toBe(false)
    await approve((await propose({ registrationOpen: true })).data.proposal)
    expect((await world.call(signup, null, { body })).status).toBe(200)
  })

  test('[W-06, D7] one of fifty parallel approvals takes effect; its key repeats its answer', async () => {
    const third = await world.person('Theo Third', 'admin')
    const { data } = await propose()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => approve(data.proposal, n % 2 ? third : world.secondAdmin)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 'wrong_state')).toHaveLength(49)
    expect((await settings()).version).toBe(1)
    const next = (await propose({ largeWithdrawal: 300 })).data.proposal
    const again = [await approve(next, third, 'key-1'), await approve(next, third, 'key-1')]
    expect(again.map(({ status }) => status)).toEqual([200, 200])
    expect((await settings()).version).toBe(2)
  })

  test('[W-06, D7] one of a parallel approval and rejection takes effect', async () => {
    const third = await world.person('Theo Third', 'admin')
    const { data } = await propose()
    const of = { params: { id: data.proposal }, body: { reason: 'Not now' } }
    const answers = await Promise.all([
      approve(data.proposal),
      world.call(proposals.rejectProposal, third, of),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect((await settings()).version).toBe(answers[0].status === 200 ? 1 : 0)
  })

  test('[W-06] allows one pending change at a time, and refuses an empty one', async () => {
    expect(
      await propose({
        largeWithdrawal: 10_000,
        largeReturn: 10_000,
        earningsSecondApproval: false,
        registrationOpen: true,
      }),
    ).toMatchObject({
      status: 409,
      reason: 'settings_unchanged',
    })
    const { data } = await propose()
    expect(await propose({ largeWithdrawal: 400 }, world.secondAdmin)).toMatchObject({
      reason: 'already_proposed',
    })
    await world.call(proposals.withdrawProposal, world.admin, { params: { id: data.proposal } })
    expect((await propose({ largeWithdrawal: 400 }, world.secondAdmin)).status).toBe(200)
  })

  test('[W-06] a proposal expires after 7 days and can be made again', async () => {
    const { data } = await propose()
    const statuses = async (status?: string) =>
      (await world.call(proposals.listProposals, world.admin, { query: { status } })).data.map(p => p.status)
    const waiting = async () => (await world.call(proposals.waitingProposals, world.admin)).data
    const none = { settings: 0, brand: 0, staff: 0, policies: 0, integrations: 0 }
    expect(await statuses('pending')).toEqual(['pending'])
    expect(await waiting()).toEqual({ ...none, settings: 1 })
    world.clock.pass({ days: 7 })
    expect(await waiting()).toEqual(none)
    expect([await statuses('pending'), await statuses('expired')]).toEqual([[], ['expired']])
    const expired = { status: 409, code: 'wrong_state', reason: 'proposal_expired' }
    expect(await approve(data.proposal)).toMatchObject(expired)
    expect((await settings()).version).toBe(0)
    expect((await propose()).status).toBe(200)
    expect(await statuses()).toEqual(['pending', 'expired'])
    expect(await approve(data.proposal)).toMatchObject(expired)
  })

  test('[W-08] an only admin is refused, with the reason', async () => {
    const of = { params: { id: world.secondAdmin.id }, body: { reason: 'Has left' } }
    await world.call(endAccess, world.admin, of)
    const before = await world.state()
    expect(await propose()).toMatchObject({
      status: 409,
      reason: 'needs_second_admin',
    })
    expect(await world.state()).toBe(before)
    expect(await settings()).toMatchObject({ admins: 1, deciders: 1 })
  })
})

test('[W-06] every process follows settings approved in another one', async () => {
  const elsewhere = httpCaller(await testApp(world.services), world.services)
  const investor = await world.person('Ines Investor')
  await world.fund(investor, 200_000n)
  await approve((await propose()).data.proposal)
  const body = { amount: 300, wallet: 'Bitcoin (BTC)', address: payout } as const
  const limit = async () => (await elsewhere(site, investor.caller, {})).data.largeWithdrawal
  await expect.poll(limit).toBe(200)
  expect((await elsewhere(newWithdrawal, investor.caller, { body })).data.approvalsNeeded).toBe(2)
})

describe('the database itself', () => {
  test('[W-06, D7] takes settings only from an approved proposal, not approved by its proposer', async () => {
    const { data } = await propose()
    const { admin, services } = world
    const version = services.db.insertInto('app.setting_versions').values({
      large_withdrawal_cents: 1n,
      large_return_cents: 1n,
      earnings_second_approval: false,
      proposal_id: data.proposal,
      created_at: new Date(),
    })
    await expect(version.execute()).rejects.toThrow('settings change by an approved proposal only')
    const own = services.db
      .updateTable('app.proposals')
      .set({ status: 'approved', decided_by: admin.id, decided_at: new Date() })
      .where('id', '=', data.proposal)
    await expect(own.execute()).rejects.toThrow('proposals_check')
    const begun = services.db.insertInto('app.proposals').values({
      id: world.secondAdmin.id,
      kind: 'settings',
      content: {},
      reason,
      status: 'approved',
      proposed_by: admin.id,
      created_at: new Date(),
      decided_by: world.secondAdmin.id,
      decided_at: new Date(),
    })
    await expect(begun.execute()).rejects.toThrow('a proposal begins as pending')
    const before = await settings()
    await world.owner(`UPDATE app.proposals SET status = 'approved', decided_by = '${world.secondAdmin.id}', decided_at = now()
      WHERE id = '${data.proposal}'`)
    const others = services.db.insertInto('app.setting_versions').values({
      large_withdrawal_cents: 20_000n,
      large_return_cents: 30_000n,
      earnings_second_approval: true,
      address_wait_hours: 1,
      proposal_id: data.proposal,
      created_at: new Date(),
    })
    await expect(others.execute()).rejects.toThrow('settings change by an approved proposal only, unchanged')
    expect(await settings()).toEqual(before)
    const undone = services.db
      .updateTable('app.proposals')
      .set({ status: 'rejected' })
      .where('id', '=', data.proposal)
    await expect(undone.execute()).rejects.toThrow('cannot be changed')
  })
})
