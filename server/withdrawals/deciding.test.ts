import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { approveProposal } from '#shared/contract/proposals.ts'
import { acceptInvitation, endAccess, inviteStaff } from '#shared/contract/staff.ts'
import {
  approveWithdrawal,
  getWithdrawal,
  listOwnWithdrawals,
  payWithdrawal,
} from '#shared/contract/withdrawals.ts'
import { openAccounts } from '#test/support/accounts.ts'
import { addresses, transactionOf, withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
let investor: Person
let people = 0
beforeAll(async () => {
  world = await openWorld()
})
beforeEach(async () => {
  people += 1
  investor = await world.person(`Investor ${people}`)
})

const { ask: askOf, approve, decline, pay } = withdrawalsIn(() => world)
const ask = (amount?: number, body?: object, who = investor) => askOf(who, amount, body)
const balances = () => world.balances(investor)

describe('deciding', () => {
  let id: string
  beforeEach(async () => {
    await world.fund(investor, 10_000n)
    id = (await ask(100)).data._id
  })

  test('[C-12] approving authorises and moves no money; marking it paid posts it', async () => {
    const approved = await approve(id)
    expect(approved.message).toBe('Withdrawal approved')
    expect(approved.data).toMatchObject({ status: 'approved', approvals: 1 })
    expect(await balances()).toEqual({ available: 0n, held: 10_000n, invested: 0n })
    const paid = await pay(id)
    expect(paid.message).toBe('Withdrawal marked as paid')
    expect(paid.data).toMatchObject({ status: 'paid', transactionId: transactionOf(id) })
    expect(paid.data.paidAt).not.toBeNull()
    expect(await balances()).toEqual({ available: 0n, held: 0n, invested: 0n })
  })

  test('[C-12, N-12] the history has the reasons for approving and paying', async () => {
    const params = { id }
    const transactionId = transactionOf(id)
    const approval = { reason: 'The address was confirmed by telephone' }
    await world.call(approveWithdrawal, world.admin, { params, body: approval })
    const payment = { reason: 'Paid from the reserve wallet' }
    await world.call(payWithdrawal, world.secondAdmin, { params, body: { transactionId, ...payment } })
    const { data } = await world.call(getWithdrawal, world.admin, { params })
    expect(data.history.slice(1)).toMatchObject([
      { action: 'Withdrawal approved', actor: 'Ada Admin', ...approval },
      { action: 'Withdrawal paid', actor: 'Grace Admin', ...payment },
    ])
    const { data: own } = await world.call(getWithdrawal, investor, { params })
    expect(own.history[1]).toMatchObject({ actor: 'The firm', ...approval })
  })

  test('[C-13] declining releases the money and tells the investor the reason', async () => {
    const declined = await decline(id)
    expect(declined.message).toBe('Withdrawal declined')
    expect(declined.data.status).toBe('declined')
    expect(await balances()).toEqual({ available: 10_000n, held: 0n, invested: 0n })
    const own = await world.call(listOwnWithdrawals, investor)
    expect(own.data[0]?.declineReason).toBe('Address is on a list')
  })

  test('[C-12, D7] an admin cannot approve or pay their own withdrawal', async () => {
    await world.fund(world.admin, 20_000n, world.secondAdmin)
    const own = await ask(100, {}, world.admin)
    const before = await world.state()
    expect(await approve(own.data._id)).toMatchObject({ status: 409, code: 'own_request' })
    expect(await world.state()).toBe(before)
    expect((await approve(own.data._id, world.secondAdmin)).data.status).toBe('approved')
    expect(await pay(own.data._id, world.admin)).toMatchObject({ status: 409, code: 'own_request' })
    const finance = await world.person('Fin Ance', 'finance')
    expect((await pay(own.data._id, finance)).data.status).toBe('paid')
  })

  const refused = [
    ['pending', pay, 'This withdrawal is still pending. Only approved withdrawals can be marked as paid.'],
    ['approved', approve, 'This withdrawal is already approved. Only pending withdrawals can be approved.'],
    ['approved', decline, 'This withdrawal is already approved. Only pending withdrawals can be declined.'],
    ['declined', approve, 'This withdrawal is already declined. Only pending withdrawals can be approved.'],
    ['declined', decline, 'This withdrawal is already declined. Only pending withdrawals can be declined.'],
    [
      'declined',
      pay,
      'This withdrawal is already declined. Only approved withdrawals can be marked as paid.',
    ],
    ['paid', approve, 'This withdrawal is already paid. Only pending withdrawals can be approved.'],
    ['paid', decline, 'This withdrawal is already paid. Only pending withdrawals can be declined.'],
    ['paid', pay, 'This withdrawal is already paid. Only approved withdrawals can be marked as paid.'],
  ] as const
  test.each(refused.map(([status, act, message]) => ({ status, act, message })))(
    '[S-04] from $status: "$message"',
    async ({ status, act, message }) => {
      if (status === 'declined') await decline(id)
      if (status === 'approved' || status === 'paid') await approve(id)
      if (status === 'paid') await pay(id)
      const before = await world.state()
      expect(await act(id)).toMatchObject({ status: 409, code: 'wrong_state', message })
      expect(await act(id, world.secondAdmin)).toMatchObject({ status: 409, message })
      expect(await world.state()).toBe(before)
    },
  )

  test('[C-12] of 50 parallel approvals, and of 50 parallel payments, one counts', async () => {
    const approvals = await Promise.all(Array.from({ length: 50 }, () => approve(id)))
    expect(approvals.filter(answer => answer.status === 200)).toHaveLength(1)
    const payments = await Promise.all(Array.from({ length: 50 }, () => pay(id)))
    expect(payments.filter(answer => answer.status === 200)).toHaveLength(1)
    expect(payments.filter(answer => answer.code === 'wrong_state')).toHaveLength(49)
    expect(await balances()).toEqual({ available: 0n, held: 0n, invested: 0n })
  })

  test('[S-04] of approve and decline at the same time one wins', async () => {
    const racer = await world.person('Racer')
    await world.fund(racer, 10_000n)
    for (let round = 0; round < 10; round += 1) {
      const { data } = await ask(10, {}, racer)
      const [yes, no] = await Promise.all([approve(data._id), decline(data._id, world.secondAdmin)])
      expect([yes.status, no.status].toSorted()).toEqual([200, 409])
      if (yes.status === 200) await pay(data._id)
    }
    const { available, held } = await world.balances(racer)
    const { data } = await world.call(listOwnWithdrawals, racer, { query: { status: 'paid' } })
    expect(held).toBe(0n)
    expect(available).toBe(10_000n - BigInt(data.length) * 1_000n)
  })
})

describe('the transaction that pays', () => {
  const wallets = ['Bitcoin (BTC)', 'USDT ERC-20', 'USDT TRC-20'] as const
  const reused =
    'This transaction already paid another withdrawal to the same address. Enter the one that paid this withdrawal.'
  const approved = async (amount: number, body: object = {}) => {
    const { data } = await ask(amount, body)
    await approve(data._id)
    return data._id
  }
  beforeEach(() => world.fund(investor, 100_000n))

  test('[N-03] refuses an id of another coin, and changes nothing', async () => {
    for (const wallet of wallets) {
      const id = await approved(10, { wallet, walletAddress: addresses[wallet] })
      const before = await world.state()
      for (const typed of ['paid manually', 'f'.repeat(63), `https://example.com/tx/${'f'.repeat(64)}`]) {
        const answer = await pay(id, world.secondAdmin, typed)
        expect(answer).toMatchObject({
          status: 400,
          code: 'invalid_input',
          message: expect.stringContaining(`This is not a valid ${wallet} transaction id.`),
          fields: { transactionId: answer.message },
        })
      }
      expect(await world.state()).toBe(before)
    }
  })

  test('[N-03] pays one withdrawal per address; refuses a repetition in any letter case', async () => {
    const [first, second] = [await approved(10), await approved(20)]
    const transaction = `${transactionOf(first).slice(0, -2)}ab`
    expect((await pay(first, world.secondAdmin, transaction)).status).toBe(200)
    const before = await world.state()
    for (const again of [transaction, transaction.toUpperCase()]) {
      expect(await pay(second, world.secondAdmin, again)).toMatchObject({
        status: 409,
        code: 'transaction_reused',
        message: reused,
        fields: { transactionId: reused },
      })
    }
    expect(await world.state()).toBe(before)
    expect((await pay(second)).data.status).toBe('paid')
  })

  test('[N-03] may pay several withdrawals to different addresses, as batched payouts do', async () => {
    const [first, second] = [
      await approved(10),
      await approved(10, { walletAddress: '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa' }),
    ]
    for (const id of [first, second]) {
      expect((await pay(id, world.secondAdmin, transactionOf(first))).data.status).toBe('paid')
    }
  })

  test('[N-03] two admins who use it for two withdrawals at once: it pays one', async () => {
    const ids = [await approved(10), await approved(20)]
    const finance = await world.person('Fin Ance', 'finance')
    const [a, b] = await Promise.all(
      ids.map((id, place) => pay(id, place === 0 ? finance : world.secondAdmin, transactionOf(ids[0]!))),
    )
    expect([a?.status, b?.status].toSorted()).toEqual([200, 409])
    expect((await balances()).held).toBe(a?.status === 200 ? 2_000n : 1_000n)
  })
})

describe('a large withdrawal', () => {
  test('[C-12, D7] up to $10,000 one admin is enough', async () => {
    await world.fund(investor, 1_000_000n)
    const { data } = await ask(10_000)
    expect(data).toMatchObject({ approvalsNeeded: 1, secondApproval: null })
    const finance = await world.person('Fin Ance', 'finance')
    expect((await approve(data._id, finance)).data.status).toBe('approved')
  })

  test('[C-12, D7] above that, two different admins must approve', async () => {
    await world.fund(investor, 1_000_001n)
    const { data } = await ask(10_000.01)
    expect(data.approvalsNeeded).toBe(2)
    const first = await approve(data._id)
    expect(first.message).toBe('First approval recorded')
    expect(first.data).toMatchObject({ status: 'pending', approvals: 1 })
    const before = await world.state()
    expect(await approve(data._id)).toMatchObject({ status: 409, code: 'same_approver' })
    expect(await world.state()).toBe(before)
    expect(await pay(data._id)).toMatchObject({ status: 409, code: 'wrong_state' })
    const second = await approve(data._id, world.secondAdmin)
    expect(second.message).toBe('Withdrawal approved')
    expect(second.data).toMatchObject({ status: 'approved', approvals: 2 })
  })

  test('[C-12, D7] one admin who approves 20 times at once counts once', async () => {
    await world.fund(investor, 2_000_000n)
    const { data } = await ask(20_000)
    const answers = await Promise.all(Array.from({ length: 20 }, () => approve(data._id)))
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(1)
    expect(answers.filter(answer => answer.code === 'same_approver')).toHaveLength(19)
  })

  test('[C-12, D7] an approval counts only while its admin may decide', async () => {
    await world.fund(investor, 4_000_000n)
    const [one, two] = [(await ask(20_000)).data._id, (await ask(20_000)).data._id]
    const [finance, third] = [await world.person('Fin Ance', 'finance'), await world.person('Theo', 'admin')]
    for (const [id, who] of [
      [one, world.secondAdmin],
      [two, finance],
    ] as const) {
      expect((await approve(id, who)).data.approvals).toBe(1)
    }
    await world.owner(`UPDATE app.users SET access_ended_at = now() WHERE id = '${world.secondAdmin.id}'`)
    await world.owner(`UPDATE app.users SET role = 'support' WHERE id = '${finance.id}'`)
    for (const id of [one, two]) {
      expect((await approve(id)).data).toMatchObject({ status: 'pending', approvals: 1 })
      expect((await approve(id, third)).data.status).toBe('approved')
    }
  })

  test('[C-12, D7] an approval counts again once its admin may decide again', async () => {
    await world.fund(investor, 4_000_000n)
    const roleOf = ({ id }: Person, role: string) =>
      world.owner(`UPDATE app.users SET role = '${role}' WHERE id = '${id}'`)
    for (const last of ['who came back', 'the other'] as const) {
      const finance = await world.person('Fin Ance', 'finance')
      const { data } = await ask(20_000)
      await approve(data._id, finance)
      await roleOf(finance, 'support')
      expect((await approve(data._id)).data).toMatchObject({ status: 'pending', approvals: 1 })
      expect(await approve(data._id)).toMatchObject({ status: 409, code: 'same_approver' })
      await roleOf(finance, 'finance')
      const completed = await approve(data._id, last === 'the other' ? world.admin : finance)
      expect(completed.data, last).toMatchObject({ status: 'approved', approvals: 2 })
      expect((await pay(data._id, await world.person('Pia', 'finance'))).data.status).toBe('paid')
    }
  })

  test('[C-12, D7, W-03] a new holder of an account does not inherit its approvals, and gives their own', async () => {
    const accounts = await openAccounts({ rateLimit: false })
    const { world: own, owner } = accounts
    const acts = withdrawalsIn(() => own)
    const someone = await own.person('Ines Investor')
    await own.fund(someone, 2_000_000n)
    const finance = await own.person('Fin Ance', 'finance')
    const { data } = await acts.ask(someone, 20_000)
    const { _id: id } = data
    expect((await acts.approve(id, finance)).data.approvals).toBe(1)
    const reason = 'Somebody else has the address now'
    await own.call(endAccess, own.admin, { params: { id: finance.id }, body: { reason } })
    const invited = { name: 'Nora New', email: finance.email, role: 'finance', reason } as const
    const invitation = await own.call(inviteStaff, own.admin, { body: invited })
    await own.call(approveProposal, own.secondAdmin, { params: { id: invitation.data.proposal! } })
    const password = 'correct horse battery'
    const token = await accounts.resetTokenOf(finance.email)
    await accounts.call(acceptInvitation, null, { body: { token, password } })
    const { rows } = await owner(`SELECT id, name FROM app.users WHERE email = '${finance.email}'`)
    expect(rows).toEqual([{ id: finance.id, name: 'Nora New' }])
    const newHolder = await own.signIn({ ...finance, name: 'Nora New' })
    expect((await acts.approve(id, newHolder)).data).toMatchObject({ status: 'pending', approvals: 1 })
    expect(await acts.approve(id, newHolder)).toMatchObject({ code: 'same_approver' })
    expect((await acts.approve(id, own.admin)).data).toMatchObject({ status: 'approved' })
  })

  test('[C-13, D7] it can be declined between the two approvals', async () => {
    await world.fund(investor, 2_000_000n)
    const { data } = await ask(20_000)
    await approve(data._id)
    await decline(data._id, world.secondAdmin)
    expect(await balances()).toEqual({ available: 2_000_000n, held: 0n, invested: 0n })
  })
})
