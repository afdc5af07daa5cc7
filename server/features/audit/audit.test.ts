import { expect, test } from 'vitest'
import { updateProfile } from '#shared/contract/accounts.ts'
import { approveDeposit, declineDeposit, newDeposit } from '#shared/contract/deposits.ts'
import { addEarning } from '#shared/contract/earnings.ts'
import {
  approveInvestment,
  closeInvestment,
  declineInvestment,
  newInvestment,
} from '#shared/contract/investments.ts'
import { newReturn } from '#shared/contract/returns.ts'
import { listAudit } from '#shared/contract/site.ts'
import {
  approveWithdrawal,
  declineWithdrawal,
  newWithdrawal,
  payWithdrawal,
} from '#shared/contract/withdrawals.ts'
import { openWorld } from '#test/support/world.ts'

test('[N-12] every act of an admin is in the log: who, what, to what, from where and why', async () => {
  const world = await openWorld()
  const { admin } = world
  const investor = await world.person('Ines Investor')
  const body = { reason: 'For a good reason' }
  const of = (id: string) => ({ params: { id } })
  const asked = async (call: typeof newDeposit | typeof newInvestment | typeof newWithdrawal, body: object) =>
    (await world.call(call, investor, { body: body as never })).data._id
  const deposit = () => asked(newDeposit, { method: 'usdt', amount: 1_000 })
  const invest = () => asked(newInvestment, { method: 'usdt', plan: 'Basic', amount: 500 })
  const withdraw = () =>
    asked(newWithdrawal, {
      amount: 10,
      wallet: 'Bitcoin (BTC)',
      walletAddress: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    })

  const paid = await deposit()
  await world.call(approveDeposit, admin, of(paid))
  const bounced = await deposit()
  await world.call(declineDeposit, admin, { ...of(bounced), body })
  const active = await invest()
  await world.call(approveInvestment, admin, of(active))
  const recorded = await world.call(newReturn, admin, {
    body: { amount: 100, source: 'Rent', realisedAt: '2026-03-01', evidence: 'BANK-2026-1' },
  })
  const added = await world.call(addEarning, admin, {
    params: { userId: investor.id },
    body: { amount: 5, note: 'March' },
  })
  await world.call(closeInvestment, admin, of(active))
  const unwanted = await invest()
  await world.call(declineInvestment, admin, { ...of(unwanted), body })
  const sent = await withdraw()
  await world.call(approveWithdrawal, admin, of(sent))
  await world.call(payWithdrawal, admin, { ...of(sent), body: { transactionId: 'f'.repeat(64) } })
  const refused = await withdraw()
  await world.call(declineWithdrawal, admin, { ...of(refused), body }, { ip: '192.0.2.7' })

  const { data } = await world.call(listAudit, admin, { query: { limit: 200 } })
  const acts = data.filter(line => line.actor === admin.id).toReversed()
  expect(acts.map(({ action, subject, reason }) => [action, subject, reason])).toEqual([
    ['deposit.approved', paid, null],
    ['deposit.declined', bounced, body.reason],
    ['investment.approved', active, null],
    ['return.recorded', recorded.data._id, 'Rent'],
    ['earning.added', added.data[0]?._id, 'March'],
    ['investment.closed', active, null],
    ['investment.declined', unwanted, body.reason],
    ['withdrawal.approved', sent, null],
    ['withdrawal.paid', sent, null],
    ['withdrawal.declined', refused, body.reason],
  ])
  const number = expect.stringMatching(/^(DEP|INV|WDR)-\d{4}-\d{6}$/)
  expect(acts.map(({ subjectName }) => subjectName)).toEqual([
    number,
    number,
    number,
    'Rent',
    expect.stringMatching(/^Basic, INV-\d{4}-\d{6}$/),
    ...Array(5).fill(number),
  ])
  expect(acts.at(-1)).toMatchObject({ actorName: admin.name, ip: '192.0.2.7' })
  expect(acts.every(line => line.requestId !== null)).toBe(true)

  const declined = await world.call(listAudit, admin, { query: { status: 'deposit.declined' } })
  expect(declined.data.map(line => line.subject)).toEqual([bounced])
  expect(declined.page?.total).toBe(1)
})

test('[N-12] an entry names the person that it is about, and all about a record is found by its number', async () => {
  const world = await openWorld()
  const investor = await world.person('Ines Investor')
  const deposits = []
  for (let n = 0; n < 2; n += 1) {
    const { data } = await world.call(newDeposit, investor, { body: { method: 'usdt', amount: 100 } })
    await world.call(approveDeposit, world.admin, { params: { id: data._id } })
    deposits.push(data)
  }
  const search = async (q: string) => (await world.call(listAudit, world.admin, { query: { q } })).data
  for (const { invoiceId } of deposits) {
    const found = await search(` ${invoiceId.toLowerCase()} `)
    expect(found.map(({ action, subjectName }) => [action, subjectName])).toEqual([
      ['deposit.approved', invoiceId],
      ['deposit.requested', invoiceId],
    ])
  }
  expect(await search('DEP-2000-999999')).toEqual([])
  await world.call(updateProfile, investor, {
    body: {
      name: 'Ines Married',
      email: investor.email,
      phone: '+61 400 000 000',
      country: 'Australia',
    },
  })
  const [changed] = await search('profile.updated')
  expect(changed).toMatchObject({
    subjectKind: 'user',
    subjectName: 'Ines Married',
    actorName: 'Ines Married',
  })
})

test('[N-12] the log pages by cursor, newest first, without a gap', async () => {
  const world = await openWorld()
  const investor = await world.person('Ines Investor')
  for (let n = 0; n < 3; n += 1)
    await world.call(newDeposit, investor, { body: { method: 'usdt', amount: 100 } })
  const whole = await world.call(listAudit, world.admin, { query: { limit: 50 } })
  const first = await world.call(listAudit, world.admin, { query: { limit: 2 } })
  const rest = await world.call(listAudit, world.admin, {
    query: { limit: 2, cursor: first.page!.nextCursor! },
  })
  expect([...first.data, ...rest.data]).toEqual(whole.data)
  expect([first.page?.total, rest.page?.nextCursor]).toEqual([3, null])
})
