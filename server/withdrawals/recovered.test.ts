import { expect, test } from 'vitest'
import * as investments from '#shared/contract/investments.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import { newReturn } from '#shared/contract/returns.ts'
import { getWithdrawal } from '#shared/contract/withdrawals.ts'
import { payingRails, payoutsIn } from '#test/support/payouts.ts'
import { derivedRails, openWatchedWorld } from '#test/support/watched.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'

async function opened() {
  const world = await openWatchedWorld(
    'usdt',
    {},
    { rails: { ...derivedRails(), ethereum: payingRails.rails.ethereum }, rateLimit: false },
  )
  await payoutsIn(() => world).tip(1_000)
  world.network.mine(25)
  await world.sync()
  const investor = await world.person('Ines Investor')
  const credited = async (amount: number) => {
    const deposit = await world.ask(investor, amount)
    const units = BigInt(amount) * 1_000_000n
    const transaction = world.network.send({ to: deposit.payment.address, units })
    world.network.mine(2)
    await world.sync()
    return transaction
  }
  const reversePayment = async (transaction: string) => {
    world.network.reorg(2, { drop: [transaction] })
    await world.sync()
  }
  /** The notification of one kind, and the available balance. */
  const told = async (kind: string) => {
    const { data } = await world.call(listNotifications, investor)
    const news = data.find(one => one.kind === kind)!
    return { available: (await world.balances(investor)).available, says: [news.text, ...news.details] }
  }
  const invested = async (amount: number) => {
    const body = { method: 'balance', plan: 'Beginner', amount } as const
    return { id: (await world.call(investments.newInvestment, investor, { body })).data._id }
  }
  return { world, investor, credited, reversePayment, told, invested, ...withdrawalsIn(() => world) }
}

const repaidDebt = 'repaid what you owed for reversed deposits'

test('[D5] a declined withdrawal tells how much is available after repaying a debt', async () => {
  const { world, investor, credited, reversePayment, told, ask, approve, declineUnpaid } = await opened()
  const payout = { wallet: 'USDT ERC-20', walletAddress: `0x${'5'.padStart(40, '0')}` } as const
  const first = await credited(250)
  const approved = (await ask(investor, 250, payout)).data
  await approve(approved._id)
  await reversePayment(first)
  expect((await declineUnpaid(approved._id)).status).toBe(200)
  expect(await told('withdrawal.declined')).toEqual({
    available: 0n,
    says: expect.arrayContaining([`The amount ${repaidDebt}. None of it is left over.`]),
  })
  expect((await world.call(getWithdrawal, investor, { params: { id: approved._id } })).data.recovered).toBe(
    250,
  )
})

test('[D5] a declined pending withdrawal tells only the rest that is available', async () => {
  const { investor, credited, reversePayment, told, ask, decline } = await opened()
  await credited(150)
  const second = await credited(250)
  const { data } = await ask(investor, 400)
  await reversePayment(second)
  expect((await decline(data._id)).status).toBe(200)
  expect(await told('withdrawal.declined')).toEqual({
    available: 15_000n,
    says: expect.arrayContaining([
      `$250.00 of it ${repaidDebt}. The other $150.00 is available on your balance.`,
    ]),
  })
})

test('[D5] so do an earning and a closed investment', async () => {
  const { world, investor, credited, reversePayment, told, invested } = await opened()
  const body = { amount: 1_000, source: 'Sale of a warehouse', realisedAt: '2026-03-01' }
  const evidence = 'https://registry.example/deed/1'
  await world.call(newReturn, world.admin, { body: { ...body, evidence } })
  const transaction = await credited(500)
  const params = await invested(500)
  await world.call(investments.approveInvestment, world.admin, { params })
  await reversePayment(transaction)
  await world.earn(investor, 10_000n)
  expect(await told('earning.paid')).toEqual({
    available: 0n,
    says: expect.arrayContaining([
      expect.stringMatching(/^An earning of \$100\.00 on .* was paid\.$/),
      `It ${repaidDebt}. None of it is left over.`,
    ]),
  })
  await world.call(investments.closeInvestment, world.admin, { params, body: { reason: 'Closed early' } })
  expect(await told('investment.closed')).toEqual({
    available: 10_000n,
    says: expect.arrayContaining([
      `$400.00 of it ${repaidDebt}. The other $100.00 is available on your balance.`,
    ]),
  })
  await world.expectSoundBooks()
})

test('[D5] so does a declined investment', async () => {
  const { world, credited, reversePayment, told, invested } = await opened()
  const transaction = await credited(500)
  const params = await invested(500)
  await reversePayment(transaction)
  await world.call(investments.declineInvestment, world.admin, { params, body: { reason: 'Not now' } })
  expect(await told('investment.declined')).toEqual({
    available: 0n,
    says: expect.arrayContaining([
      'Reason: Not now',
      `Any money held or received for it ${repaidDebt}. None of it is left over.`,
    ]),
  })
  await world.expectSoundBooks()
})
