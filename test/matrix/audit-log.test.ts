import { beforeAll, expect, test } from 'vitest'
import { freezeUser } from '#shared/contract/console.ts'
import type { CallDefinition, CallInput } from '#shared/contract/define.ts'
import { approveDeposit, newDeposit } from '#shared/contract/deposits.ts'
import { addEarning, listEarnings, previewPlanEarnings } from '#shared/contract/earnings.ts'
import { listStatistics, retireStatistic } from '#shared/contract/firm.ts'
import { allCalls } from '#shared/contract/index.ts'
import { approveInvestment, newInvestment } from '#shared/contract/investments.ts'
import { newPayout } from '#shared/contract/payouts.ts'
import { listCatalogue, retirePlan } from '#shared/contract/plans.ts'
import { listProposals } from '#shared/contract/proposals.ts'
import { proposeSettings } from '#shared/contract/settings.ts'
import { answerMessage, reopenMessage } from '#shared/contract/site.ts'
import { inviteStaff, listInvitations } from '#shared/contract/staff.ts'
import { approveWithdrawal, newWithdrawal } from '#shared/contract/withdrawals.ts'
import { rightFor } from '#shared/roles.ts'
import { payingRails, payoutsIn } from '#test/support/payouts.ts'
import { shortPayment } from '#test/support/watched.ts'
import { investorWithEverything, type Owner, type Sample, samples } from '#test/support/whole-api.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

/**
 * Every call by which staff change something, made so that it succeeds: each leaves its line in the audit log. Generated, so
 * that a call that is added is checked without anybody thinking of it.
 */
let world: World
let owner: Owner

beforeAll(async () => {
  world = await openWorld({ ...payingRails, rateLimit: false, earningsSecondApproval: true })
  owner = await investorWithEverything(world, 'Olivia Owner')
  await payoutsIn(() => world).tip(1_000)
})

type Ready = () => Promise<Sample & { by?: Person }>
const idOf = async <C extends CallDefinition>(call: C, by: Person, input: Partial<CallInput<C>>) => {
  const { status, message, data } = await world.call(call, by, input)
  expect(status, `${call.id}: ${message}`).toBe(200)
  return { id: (data as { _id: string })._id }
}
const deposit = () => idOf(newDeposit, owner, { body: { method: 'usdt', amount: 150 } })
const investment = () => {
  return idOf(newInvestment, owner, { body: { method: 'balance', plan: 'Enthusiast', amount: 1000 } })
}
const withdrawal = () => {
  const address = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'
  return idOf(newWithdrawal, owner, { body: { amount: 120, wallet: 'Bitcoin (BTC)', address } })
}
const wallet = 'USDT ERC-20'
let destinations = 0
const toPayOut = async () => {
  const address = `0x${(++destinations).toString(16).padStart(40, '0')}`
  const { id } = await idOf(newWithdrawal, owner, { body: { amount: 12, wallet, address } })
  await idOf(approveWithdrawal, world.admin, { params: { id } })
  return id
}
const batch = async () => idOf(newPayout, world.admin, { body: { wallet, withdrawals: [await toPayOut()] } })
const pendingEarning = async () => {
  const { data } = await world.call(listEarnings, world.admin, { query: { status: 'pending' } })
  return { id: data[0]!._id }
}
const latestStatistic = async () => {
  const { data } = await world.call(listStatistics, world.admin)
  return data.written[0]!
}
const invitation = () => {
  return {
    name: 'Nora New',
    email: `${crypto.randomUUID()}@example.com`,
    role: 'support',
    ...reason,
  } as const
}
const investor = async () => ({ id: (await world.person('Ines Investor')).id })
const supporter = async () => ({ id: (await world.person('Sue Support', 'support')).id })
let limit = 5_000
/** Of other settings, which waits for the second admin. */
const proposal = async () => {
  const largeWithdrawal = ++limit
  const body = { largeWithdrawal, earningsSecondApproval: true, ...reason }
  await world.call(proposeSettings, world.admin, { body })
  const { data } = await world.call(listProposals, world.admin, { query: { status: 'pending' } })
  return { id: data[0]!._id }
}
const reason = { reason: 'For a good reason' }

/** What a call needs that its sample does not bring: a record in the right state. */
const ready: Partial<Record<string, Ready>> = {
  'deposit.approve': async () => ({ params: await deposit() }),
  'deposit.lookAt': async () => {
    const params = await deposit()
    await idOf(approveDeposit, world.admin, { params, body: { received: '120' } })
    return { params }
  },
  'earning.addPlan': async () => {
    await idOf(approveInvestment, world.admin, { params: await investment() })
    world.clock.pass({ days: 3 })
    const { data: plans } = await world.call(listCatalogue, world.admin)
    const params = { id: plans.find(({ name }) => name === 'Enthusiast')!._id }
    const { data } = await world.call(previewPlanEarnings, world.admin, { params })
    return { params, body: { asOf: data.asOf, digest: data.digest } }
  },
  'deposit.credit': async () => ({
    params: { id: await shortPayment(world, await world.person('Ines Investor')) },
  }),
  'deposit.decline': async () => ({ params: await deposit(), body: reason }),
  'investment.approve': async () => ({ params: await investment() }),
  'investment.decline': async () => ({ params: await investment(), body: reason }),
  'investment.close': async () => {
    const params = await investment()
    await idOf(approveInvestment, world.admin, { params })
    return { params, body: reason }
  },
  'withdrawal.approve': async () => ({ params: await withdrawal() }),
  'withdrawal.decline': async () => ({ params: await withdrawal(), body: reason }),
  'withdrawal.paid': async () => {
    const params = await withdrawal()
    await idOf(approveWithdrawal, world.admin, { params })
    return { params, body: { transactionId: 'f00d'.repeat(16) } }
  },
  'payout.new': async () => ({ body: { wallet, withdrawals: [await toPayOut()] } }),
  'payout.takeOver': async () => ({ params: await batch(), body: reason, by: world.secondAdmin }),
  'payout.acknowledge': async () => {
    const params = await batch()
    const transaction = 'f00d'.repeat(16)
    await world.owner(
      `UPDATE app.payout_items SET alert = 'wrong_amount', alert_transaction = '${transaction}', alert_token = 'USDT',
              alert_units = 1, alert_at = now() WHERE batch_id = '${params.id}'`,
    )
    return { params, body: { ...reason, transactions: [transaction] } }
  },
  'payout.cancel': async () => ({ params: await batch(), body: { ...reason, notBroadcast: true } }),
  'earning.approve': async () => ({ params: await pendingEarning(), by: world.secondAdmin }),
  'earning.decline': async () => {
    await world.call(addEarning, world.admin, { params: { userId: owner.id }, body: { amount: 1 } })
    return { params: await pendingEarning(), body: reason }
  },
  'plan.order': async () => {
    const { data } = await world.call(listCatalogue, world.admin)
    return { body: { ids: data.map(({ _id }) => _id) } }
  },
  'plan.restore': async () => {
    const params = { id: owner.plan }
    await world.call(retirePlan, world.admin, { params, body: reason })
    return { params, body: reason }
  },
  'statistic.update': async () => {
    const { _id, version, label, value, source, asOf } = await latestStatistic()
    const figure = { label, value: `${value} or so`, source, evidence: 'Ref. 1', asOf }
    return { params: { id: _id }, body: { ...figure, version, ...reason } }
  },
  'statistic.new': async () => {
    const { body } = samples['statistic.new']!(owner)
    return { body: { ...body, label: 'Offices' } }
  },
  'statistic.restore': async () => {
    const params = { id: owner.statistic }
    await world.call(retireStatistic, world.admin, { params, body: reason })
    return { params, body: reason }
  },
  'statistic.order': async () => {
    const { data } = await world.call(listStatistics, world.admin)
    return { body: { ids: data.written.map(({ _id }) => _id) } }
  },
  'console.freeze': async () => ({ params: await investor(), body: reason }),
  'console.unfreeze': async () => {
    const params = await investor()
    await world.call(freezeUser, world.admin, { params, body: reason })
    return { params, body: reason }
  },
  'console.endSession': async () => {
    const { id, caller } = await world.person('Ines Investor')
    return { params: { id, session: caller.sessionId } }
  },
  'console.endSessions': async () => ({ params: await investor() }),
  'staff.invite': async () => ({ body: invitation() }),
  'staff.withdrawInvitation': async () => {
    await world.call(inviteStaff, world.admin, { body: invitation() })
    const { data } = await world.call(listInvitations, world.admin, { query: {} })
    return { params: { id: data[0]!._id }, body: reason }
  },
  'staff.changeRole': async () => ({ params: await supporter(), body: { role: 'auditor', ...reason } }),
  'staff.endAccess': async () => ({ params: await supporter(), body: reason }),
  'proposal.approve': async () => ({ params: await proposal(), by: world.secondAdmin }),
  'proposal.reject': async () => ({ params: await proposal(), body: reason, by: world.secondAdmin }),
  'proposal.withdraw': async () => ({ params: await proposal() }),
  'contact.answered': async () => {
    const params = { id: owner.message }
    await world.call(reopenMessage, world.admin, { params, body: reason })
    return { params, body: { note: 'By telephone' } }
  },
  'contact.reopen': async () => {
    const params = { id: owner.message }
    await world.call(answerMessage, world.admin, { params, body: { note: 'By telephone' } })
    return { params, body: reason }
  },
}

const lines = async (by: Person) =>
  (await world.owner(`SELECT action FROM app.audit_log WHERE actor_id = '${by.id}'`)).rows.length

// A file is sent by the test of its own feature; the server refuses any of these acts that leaves no line (server/http/run.ts).
const changing = allCalls.filter(
  call => call.method !== 'GET' && rightFor(call) !== undefined && !call.upload,
)

test.each(changing.map(call => [call.id, call] as const))(
  '[N-12] %s leaves its line in the audit log, with who and from where',
  async (id, call) => {
    const made: Awaited<ReturnType<Ready>> = (await ready[id]?.()) ?? samples[id]!(owner)
    const { by = world.admin, ...input } = made
    const before = await lines(by)
    const answer = await world.call(call, by, input as never, { ip: '192.0.2.44' })
    expect(answer.status, `${answer.message}: give it what it needs, in 'ready'`).toBe(200)
    expect(await lines(by)).toBeGreaterThan(before)
    const { rows } = await world.owner('SELECT * FROM app.audit_log ORDER BY id DESC LIMIT 1')
    expect(rows).toMatchObject([{ actor_id: by.id, ip: '192.0.2.44', request_id: expect.any(String) }])
  },
)
