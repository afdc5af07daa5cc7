import { randomBytes } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { sealBooks } from '#server/ledger/sealer.ts'
import { watchMovements } from '#server/monitoring/watch.ts'
import { tellOfOutgoing } from '#server/payouts/outgoing.ts'
import { writeLog } from '#server/proof/epochs.ts'
import { publicProofKey } from '#server/proof/keys.ts'
import { newestEpoch, reserveMessage } from '#server/proof/reserves/message.ts'
import { nonceSlot } from '#server/rails/chain.ts'
import type { Receiving } from '#server/rails/rail.ts'
import { railOf } from '#server/rails/rails.ts'
import { screenPeople } from '#server/screening/screen.ts'
import { addressKey } from '#shared/addresses.ts'
import { addressOf } from '#shared/call-address.ts'
import { forgotPassword, updateProfile } from '#shared/contract/accounts.ts'
import { newAnnouncement } from '#shared/contract/announcements.ts'
import { newAnswer } from '#shared/contract/canned-answers.ts'
import { closeAccount } from '#shared/contract/closing.ts'
import { freezeUser } from '#shared/contract/console.ts'
import type { CallDefinition, CallInput } from '#shared/contract/define.ts'
import { approveDeposit, newDeposit } from '#shared/contract/deposits.ts'
import { addEarning, addPlanEarnings, listEarnings, previewPlanEarnings } from '#shared/contract/earnings.ts'
import { saveFilter } from '#shared/contract/filters.ts'
import { listStatistics, newStatistic, retireStatistic } from '#shared/contract/firm.ts'
import { newGoal } from '#shared/contract/goals.ts'
import { startIdentitySession } from '#shared/contract/identity.ts'
import { allCalls } from '#shared/contract/index.ts'
import { approveInvestment, newInvestment } from '#shared/contract/investments.ts'
import { getCase, listCases } from '#shared/contract/monitoring.ts'
import { newPayout } from '#shared/contract/payouts.ts'
import { listCatalogue, retirePlan } from '#shared/contract/plans.ts'
import { listProposals } from '#shared/contract/proposals.ts'
import { addPushDevice } from '#shared/contract/push.ts'
import { prepareReserves, signReserves, stateAsset } from '#shared/contract/reserves.ts'
import { newReturn, proposeVoid } from '#shared/contract/returns.ts'
import { listMatches } from '#shared/contract/screening.ts'
import {
  addPasskey,
  beginPasskey,
  beginPasskeyLogin,
  beginPasskeyReauthentication,
  beginSecondFactor,
  confirmSecondFactor,
  loginByPasskey,
} from '#shared/contract/second-factor.ts'
import { proposeSettings } from '#shared/contract/settings.ts'
import { answerMessage, reopenMessage } from '#shared/contract/site.ts'
import { inviteStaff, listInvitations } from '#shared/contract/staff.ts'
import { approveWithdrawal, newWithdrawal, payWithdrawal } from '#shared/contract/withdrawals.ts'
import { earningPart } from '#shared/limits.ts'
import { dayAfter } from '#shared/moments.ts'
import type { PolicyKind } from '#shared/policies.ts'
import { rightFor } from '#shared/roles.ts'
import { type Accounts, openAccounts } from '#test/support/accounts.ts'
import { payer } from '#test/support/anvil.ts'
import { approvedKey } from '#test/support/api-keys.ts'
import { newAuthenticator } from '#test/support/authenticator.ts'
import { fundsAnswers, identityAnswers, proofsIn, uploadProof } from '#test/support/identity.ts'
import { manyInvestments } from '#test/support/many-investments.ts'
import { freshTransaction, payingRails, payoutsIn, senders } from '#test/support/payouts.ts'
import { png } from '#test/support/png.ts'
import { publishPolicy } from '#test/support/policies.ts'
import { pushSubscription } from '#test/support/push-service.ts'
import { importSdn } from '#test/support/sanctions.ts'
import type { Registered } from '#test/support/second-factors.ts'
import { settingsBody } from '#test/support/settings.ts'
import { appCode } from '#test/support/totp.ts'
import { uploadLogo } from '#test/support/upload-logo.ts'
import { shortPayment, xpubs } from '#test/support/watched.ts'
import {
  approvedWebhook,
  failedMessage,
  removeWebhooks,
  stoppedWebhook,
  webhookTo,
} from '#test/support/webhooks.ts'
import { investorWithEverything, type Owner, type Sample, samples } from '#test/support/whole-api.ts'
import type { Person, World } from '#test/support/world.ts'

/**
 * Every call of the contract, with an input that succeeds: answers.ts compares each answer with the contract.
 * Generated, so that new calls are included.
 */
let accounts: Accounts
let world: World
let owner: Owner

beforeAll(async () => {
  const { ethereum, ...others } = payingRails.rails
  const rails = { ...others, ethereum: { ...ethereum, xpub: xpubs.ethereum } }
  accounts = await openAccounts({ rails, rateLimit: false, earningsSecondApproval: true })
  world = accounts.world
  owner = await investorWithEverything(world, 'Olivia Owner')
  await payoutsIn(() => world).tip(1_000)
})

// Some calls end their caller's sessions.
beforeEach(async () => {
  owner = await world.signIn(owner)
})

type Derived = Extract<Receiving, { kind: 'derived' }>
const proofs = proofsIn(() => world)
type Made = Sample & { by?: Person; token?: string; file?: { type: string; content: Buffer } }
type Ready = () => Promise<Made>
const idOf = async <C extends CallDefinition>(call: C, by: Person, input: Partial<CallInput<C>>) => {
  const { status, message, data } = await world.call(call, by, input)
  expect(status, `${call.id}: ${message}`).toBe(200)
  return { id: (data as { _id: string })._id }
}
const deposit = () => idOf(newDeposit, owner, { body: { method: 'usdt', amount: 150 } })
const investment = () => {
  return idOf(newInvestment, owner, { body: { method: 'balance', plan: 'Enthusiast', amount: 1000 } })
}
/** Of someone whose name was compared with the lists, which a new or changed name is a minute later. */
const withdrawal = async (by: Person = owner, amount = 120) => {
  await screenPeople(world.services)
  const address = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'
  return idOf(newWithdrawal, by, { body: { amount, wallet: 'Bitcoin (BTC)', address } })
}
const wallet = 'USDT ERC-20'
let destinations = 0
const toPayOut = async () => {
  const address = `0x${(++destinations).toString(16).padStart(40, '0')}`
  await screenPeople(world.services)
  const { id } = await idOf(newWithdrawal, owner, { body: { amount: 12, wallet, address } })
  await idOf(approveWithdrawal, world.admin, { params: { id } })
  return id
}
const batch = async () => idOf(newPayout, world.admin, { body: { wallet, withdrawals: [await toPayOut()] } })
/** An address of a deposit that a worker has just read: it holds an ether. */
const unexplained = async () => {
  const transactionId = freshTransaction()
  await payoutsIn(() => world).uses(nonceSlot(senders.ethereum, 9_000), { transactionId })
  await tellOfOutgoing(world.services, 'ethereum')
  return transactionId
}
const deposited = async () => {
  const { account, addressAt } = railOf(world.services.config, 'ethereum')!.receiving as Derived
  const address = addressAt(0, ++destinations)
  const now = world.services.clock.now()
  await world.database.owner.query(
    `INSERT INTO app.payment_addresses (account, branch, address_index, rail, address, used_at, created_at)
     VALUES ($1, 0, $2, 'ethereum', $3, $4, $4)`,
    [account, destinations, address, now],
  )
  await world.database.owner.query(
    `INSERT INTO app.holding_readings (rail, asked_at, read_at, height, payout_units) VALUES ('ethereum', $1, $1, 1000, 0)
     ON CONFLICT (rail) DO UPDATE SET read_at = $1, height = 1000, payout_units = 0`,
    [now],
  )
  await world.database.owner.query(
    `INSERT INTO app.holdings (rail, address, token, units, gas, next_nonce) VALUES ('ethereum', $1, 'ETH', 1000000000, 21000, 0)`,
    [addressKey(address)],
  )
}
const realised = (amount = 1) => {
  const body = { amount, source: 'Rent', realisedAt: '2026-01-31', evidence: 'BANK-1' }
  return idOf(newReturn, world.admin, { body })
}
const doubted = async () => {
  const params = await realised()
  await idOf(proposeVoid, world.admin, { params, body: reason })
  return params
}
const pendingEarning = async () => {
  const { data } = await world.call(listEarnings, world.admin, { query: { status: 'pending' } })
  return { id: data[0]!._id }
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
/** New settings, which wait for a second admin. */
const proposal = async () => {
  const body = { ...settingsBody, largeWithdrawal: ++limit }
  await world.call(proposeSettings, world.admin, { body })
  const { data } = await world.call(listProposals, world.admin, { query: { status: 'pending' } })
  return { id: data[0]!._id }
}
const reason = { reason: 'For a good reason' }
const publications = new Map<PolicyKind, Promise<void>>()
/** Once, for a day to come: terms in force would ask everybody to accept them. */
const published = (kind: PolicyKind) => {
  const from = dayAfter(world.clock.now(), 100)
  const publication = publications.get(kind) ?? publishPolicy(world, { kind, from })
  publications.set(kind, publication)
  return publication
}
const announced = () => {
  const today = dayAfter(world.clock.now(), 0)
  const body = { title: 'Maintenance', text: 'On Sunday.', from: today, until: today }
  return idOf(newAnnouncement, world.admin, { body })
}
const prepared = () =>
  idOf(newAnswer, world.admin, {
    body: { title: `Answer ${crypto.randomUUID()}`, text: 'Hello {first name}.' },
  })
const ownSession = async () => ({ by: await world.signIn(owner) })
const tokenOf = ({ answer }: Registered) => answer.data.token.accessToken
const beginFactor = async () => {
  const token = tokenOf(await accounts.registerVerified('Fay Factor'))
  const { data } = await world.call(beginSecondFactor, null, {}, { token })
  return { token, secret: data.secret }
}
/** A user with two-factor authentication and an unused code. */
const withFactor = async () => {
  const { token, secret } = await beginFactor()
  const body = { code: appCode(secret, world.clock.now()) }
  await world.call(confirmSecondFactor, null, { body }, { token })
  return { token, body: { code: appCode(secret, world.clock.now(), 1) } }
}
/** The body that adds a passkey, and the authenticator for later use. */
const newPasskey = async () => {
  const token = tokenOf(await accounts.registerVerified('Pat Passkey'))
  const authenticator = newAuthenticator()
  const { data } = await world.call(beginPasskey, null, {}, { token })
  return { token, authenticator, body: { name: 'Laptop', response: authenticator.create(data) } }
}
const withPasskey = async () => {
  const { token, authenticator, body } = await newPasskey()
  const { data } = await world.call(addPasskey, null, { body }, { token })
  return { token, authenticator, id: data._id }
}

/** Two records for a bulk call. */
const many = async (record: () => Promise<{ id: string }>, more: object = {}) => ({
  body: { ...more, records: [await record(), await record()] },
})
const activeInvestment = async () => {
  const params = await investment()
  await idOf(approveInvestment, world.admin, { params })
  return params
}
const addedEarning = async () => {
  await world.call(addEarning, world.admin, { params: { userId: owner.id }, body: { amount: 1 } })
  return pendingEarning()
}

/** What a call needs besides its sample: a record in the right state, a code, a file. */
const ready: Partial<Record<string, Ready>> = {
  'auth.confirmSecondFactor': async () => {
    const { token, secret } = await beginFactor()
    return { token, body: { code: appCode(secret, world.clock.now()) } }
  },
  'auth.beginSecondFactor': async () => ({ token: tokenOf(await accounts.registerVerified('Fay Factor')) }),
  'auth.endSecondFactor': withFactor,
  'auth.renewRecoveryCodes': withFactor,
  'auth.beginPasskey': async () => ({ token: tokenOf(await accounts.registerVerified('Pat Passkey')) }),
  'auth.addPasskey': async () => {
    const { token, body } = await newPasskey()
    return { token, body }
  },
  'auth.beginPasskeyLogin': async () => {
    await withPasskey()
    return {}
  },
  'auth.loginByPasskey': async () => {
    const { authenticator } = await withPasskey()
    const { data } = await world.call(beginPasskeyLogin, null)
    return { body: { response: authenticator.get(data) } }
  },
  'auth.removePasskey': async () => {
    const { authenticator, id } = await withPasskey()
    const { data } = await world.call(beginPasskeyLogin, null)
    const login = await world.call(loginByPasskey, null, { body: { response: authenticator.get(data) } })
    return { token: login.data.token.accessToken, params: { id } }
  },
  'auth.beginPasskeyProof': async () => ({ token: (await withPasskey()).token }),
  'auth.proveByPasskey': async () => {
    const { token, authenticator } = await withPasskey()
    const { data } = await world.call(beginPasskeyReauthentication, null, {}, { token })
    return { token, body: { response: authenticator.get(data) } }
  },
  'auth.verifyEmail': async () => {
    const { email } = await accounts.register('Vera Verified')
    return { body: { otp: await accounts.codeOf(email), email } }
  },
  'auth.refresh': async () => {
    const { answer } = await accounts.register('Rita Refreshed')
    return { body: { refreshToken: answer.data.token.refreshToken } }
  },
  'auth.logout': ownSession,
  'auth.endOtherSessions': ownSession,
  'auth.resetPassword': async () => {
    const { email } = await accounts.registerVerified('Rolf Reset')
    await world.call(forgotPassword, null, { body: { email } })
    return { body: { token: await accounts.resetTokenOf(email), password: 'another horse battery' } }
  },
  'auth.changePassword': async () => {
    const person = await accounts.registerVerified('Chris Changed')
    const body = { oldPassword: person.password, newPassword: 'another horse battery' }
    return { token: tokenOf(person), body }
  },
  'auth.dropEmailChange': async () => {
    const { email, answer } = await accounts.registerVerified('Dora Dropped')
    const token = answer.data.token.accessToken
    const { name, phone, country } = answer.data.user
    await world.call(
      updateProfile,
      null,
      { body: { name, phone, country, email: `new.${email}` } },
      { token },
    )
    return { token }
  },
  'auth.endSession': async () => {
    const { caller } = await world.signIn(owner)
    return { params: { id: caller.sessionId } }
  },
  'deposit.creditOwn': async () => {
    const by = await world.person('Ines Investor')
    return { by, params: { id: await shortPayment(world, by) } }
  },
  'filter.remove': async () => {
    const body = { list: 'deposits', name: 'Old', values: { q: 'ada' } } as const
    return { params: await idOf(saveFilter, world.admin, { body }) }
  },
  'deposit.weigh': async () => ({ params: await deposit(), query: { received: '149.5' } }),
  'payout.getOne': async () => ({ params: await batch() }),
  'payout.file': async () => ({ params: await batch() }),
  'payout.ready': async () => ({ query: { wallet } }),
  'payout.preview': async () => ({ query: { wallet, withdrawals: await toPayOut() } }),
  'reserve.prepare': async () => {
    await endEpoch()
    return { body: { addresses: [{ rail: 'ethereum', address: payer(1).address }] } }
  },
  'reserve.sign': async () => {
    const { id, message } = await openReserves()
    const signature = await payer(1).signMessage({ message })
    return { params: { id }, body: { address: payer(1).address, signature } }
  },
  'reserve.publish': async () => {
    const { id, message } = await openReserves()
    const body = { address: payer(1).address, signature: await payer(1).signMessage({ message }) }
    await world.call(signReserves, world.admin, { params: { id }, body })
    return { params: { id } }
  },
  'reserve.confirmAsset': async () => ({ params: await statedAsset(), by: world.secondAdmin }),
  'reserve.withdrawAsset': async () => ({ params: await statedAsset() }),
  'return.uploadEvidence': async () => ({
    query: { name: 'rent.pdf' },
    file: { type: 'application/pdf', content: Buffer.from('%PDF-1.7\ntrailer <<>>\n%%EOF\n') },
  }),
  'brand.uploadLogo': async () => ({ file: { type: 'image/png', content: png() } }),
  'brand.logo': async () => {
    const { data } = (await uploadLogo(world, png(), 'image/png')).json()
    return { params: { file: data.file } }
  },
  'policy.get': async () => {
    await published('privacy')
    return { params: { kind: 'privacy' }, query: {} }
  },
  'policy.translate': async () => {
    await published('privacy')
    return samples['policy.translate']!(owner)
  },
  'policy.accept': async () => {
    await published('terms')
    return { body: { version: 1 } }
  },
  'notification.addDevice': async () => ({ body: pushSubscription() }),
  'notification.removeDevice': async () => {
    const { data } = await world.call(addPushDevice, owner, { body: pushSubscription() })
    return { params: { id: data.devices.at(-1)!._id } }
  },
  'goal.remove': async () => {
    const body = { name: 'House', amount: 5_000_000, day: null }
    const { data } = await world.call(newGoal, owner, { body })
    return { params: { id: data.goals.at(-1)!._id } }
  },
  'answer.new': async () => ({ body: { title: `Thanks ${crypto.randomUUID()}`, text: 'Thank you.' } }),
  'answer.change': async () => ({
    params: await prepared(),
    body: { title: `Welcome ${crypto.randomUUID()}`, text: 'Welcome.', version: 1 },
  }),
  'answer.delete': async () => ({ params: await prepared(), body: { version: 1 } }),
  'announcement.withdraw': async () => ({ params: await announced(), body: reason }),
  'announcement.read': async () => ({ body: await announced() }),
  'message.upload': async () => ({
    query: { name: 'receipt.pdf' },
    file: { type: 'application/pdf', content: Buffer.from('%PDF-1.7\ntrailer <<>>\n%%EOF\n') },
  }),
  'return.approve': async () => ({ params: await realised(20_000), by: world.secondAdmin }),
  'return.decline': async () => ({ params: await realised(20_000), body: reason }),
  'return.proposeVoid': async () => ({ params: await realised(), body: reason }),
  'return.void': async () => ({ params: await doubted(), by: world.secondAdmin }),
  'return.rejectVoid': async () => ({ params: await doubted(), body: reason }),
  'return.evidence': async () => ({ by: world.admin, params: { id: owner.proof } }),
  'return.getOne': async () => ({ params: { id: owner.proof } }),
  'return.payments': async () => ({ query: { returnId: owner.proof } }),
  'staff.accept': async () => {
    const body = invitation()
    await world.call(inviteStaff, world.admin, { body })
    return { body: { token: await accounts.resetTokenOf(body.email), password: 'another horse battery' } }
  },
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
  'earning.cancelPlanRun': async () => {
    const who = await world.person('Mary Many')
    const more = { count: earningPart + 1, amountCents: 10_000n, plan: 'Beginner', days: 3 }
    await realised(1_000)
    await manyInvestments(world, who, more)
    const { data: plans } = await world.call(listCatalogue, world.admin)
    const params = { id: plans.find(({ name }) => name === 'Beginner')!._id }
    const { data } = await world.call(previewPlanEarnings, world.admin, { params })
    const body = { asOf: data.asOf, digest: data.digest }
    return { params: await idOf(addPlanEarnings, world.admin, { params, body }) }
  },
  'deposit.credit': async () => ({
    params: { id: await shortPayment(world, await world.person('Ines Investor')) },
  }),
  'deposit.cancel': async () => ({ params: await deposit() }),
  'deposit.decline': async () => ({ params: await deposit(), body: reason }),
  'investment.approve': async () => ({ params: await investment() }),
  'investment.cancel': async () => ({ params: await investment() }),
  'investment.decline': async () => ({ params: await investment(), body: reason }),
  'investment.reinvest': async () => ({ params: await activeInvestment(), body: { reinvest: true } }),
  'investment.close': async () => ({ params: await activeInvestment(), body: reason }),
  'withdrawal.approve': async () => ({ params: await withdrawal() }),
  'withdrawal.cancel': async () => ({ params: await withdrawal() }),
  'withdrawal.decline': async () => ({ params: await withdrawal(), body: reason }),
  'withdrawal.paid': async () => {
    const params = await withdrawal()
    await idOf(approveWithdrawal, world.admin, { params })
    return { params, body: { transactionId: 'f00d'.repeat(16) }, by: world.secondAdmin }
  },
  'deposit.approveMany': async () => many(deposit),
  'deposit.creditMany': async () =>
    many(async () => ({ id: await shortPayment(world, await world.person('Ines Investor')) })),
  'deposit.declineMany': async () => many(deposit, reason),
  'investment.approveMany': async () => many(investment),
  'investment.declineMany': async () => many(investment, reason),
  'investment.closeMany': async () => many(activeInvestment, reason),
  'withdrawal.approveMany': async () => many(() => withdrawal()),
  'withdrawal.declineMany': async () => many(() => withdrawal(), reason),
  'withdrawal.paidMany': async () => {
    const { id } = await withdrawal()
    await idOf(approveWithdrawal, world.admin, { params: { id } })
    return { body: { records: [{ id, transactionId: 'beef'.repeat(16) }] }, by: world.secondAdmin }
  },
  'earning.approveMany': async () => ({ ...(await many(addedEarning)), by: world.secondAdmin }),
  'earning.declineMany': async () => many(addedEarning, reason),
  'payout.new': async () => ({ body: { wallet, withdrawals: [await toPayOut()] } }),
  'payout.sign': async () => {
    const params = await batch()
    return { params, body: { signed: await payoutsIn(() => world).signedByWallet(params.id) } }
  },
  'payout.raiseFee': async () => ({ params: await batch(), body: {} }),
  'payout.outgoing': async () => ({}),
  'payout.explain': async () => ({
    body: { ...reason, rail: 'ethereum', transactionId: await unexplained() },
  }),
  'payout.confirm': async () => {
    const acts = payoutsIn(() => world)
    const transactionId = await unexplained()
    const { data } = await acts.explain(transactionId)
    const explainedAt = data.find(one => one.transactionId === transactionId)!.explanation!.at
    return { body: { rail: 'ethereum', transactionId, explainedAt }, by: world.secondAdmin }
  },
  'payout.acknowledge': async () => {
    const params = await batch()
    const transaction = 'f00d'.repeat(16)
    await world.owner(
      `UPDATE app.payout_items SET alert = 'otherwise', alert_transaction = '${transaction}',
              alert_units = 1, alert_at = now() WHERE batch_id = '${params.id}'`,
    )
    return { params, body: { ...reason, transactions: [transaction] } }
  },
  'sweep.holdings': async () => ({}),
  'sweep.read': async () => ({ body: { wallet: 'Ethereum (ETH)' } }),
  'sweep.preview': async () => {
    await deposited()
    return { query: { wallet: 'Ethereum (ETH)' } }
  },
  'sweep.new': async () => {
    await deposited()
    return { body: { wallet: 'Ethereum (ETH)' } }
  },
  'payout.cancel': async () => ({ params: await batch(), body: reason }),
  'earning.approve': async () => ({ params: await pendingEarning(), by: world.secondAdmin }),
  'earning.decline': async () => ({ params: await addedEarning(), body: reason }),
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
    const figure = samples['statistic.new']!(owner).body as CallInput<typeof newStatistic>['body']
    const first = { ...figure, label: 'Branches' }
    const params = await idOf(newStatistic, world.admin, { body: first })
    return { params, body: { ...first, value: '14', version: 1, ...reason } }
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
  'case.decide': async () => {
    const person = await world.person('Mona Moved')
    await world.fund(person, 5_000_000n)
    await watchMovements(world.services)
    const { data } = await world.call(listCases, world.admin, { query: { q: person.email } })
    const params = { id: data[0]!._id }
    const { data: shown } = await world.call(getCase, world.admin, { params })
    return { params, body: { ...reason, decision: 'explained', newest: shown.moved[0]!._id } }
  },
  'identity.upload': async () => ({
    query: { kind: 'front' },
    file: { type: 'image/png', content: png() },
  }),
  'identity.removeFile': async () => {
    const { data } = await uploadProof(world, owner, 'back')
    return { params: { id: data._id } }
  },
  'identity.send': async () => {
    const person = await world.person('Ines Investor')
    for (const kind of ['front', 'selfie'] as const) await uploadProof(world, person, kind)
    return { by: person, body: identityAnswers }
  },
  'identity.sendFunds': async () => {
    const person = await world.person('Ines Investor')
    await proofs.verified(person)
    await uploadProof(world, person, 'funds')
    return { by: person, body: fundsAnswers }
  },
  'identity.startSession': async () => {
    Object.assign(world.services.config, {
      identityProvider: { url: 'https://veriff.test', apiKey: 'x', secret: 'x' },
    })
    return { by: await world.person('Ines Investor') }
  },
  'identity.cancelSession': async () => {
    Object.assign(world.services.config, {
      identityProvider: { url: 'https://veriff.test', apiKey: 'x', secret: 'x' },
    })
    const person = await world.person('Ines Investor')
    await world.call(startIdentitySession, person)
    return { by: person }
  },
  'identity.cancel': async () => {
    const person = await world.person('Ines Investor')
    const { data } = await proofs.send(person)
    return { by: person, params: { id: data._id } }
  },
  'identity.decide': async () => {
    const { data } = await proofs.send(await world.person('Ines Investor'))
    await proofs.open(data._id, world.admin)
    return { params: { id: data._id }, body: { decision: 'returned' } }
  },
  'screening.decide': async () => {
    const person = await world.person('Liam Listed')
    await importSdn(world, [{ uid: 1, first: 'Liam', last: 'LISTED' }])
    const { data } = await world.call(listMatches, world.admin, { query: { q: person.email } })
    return { params: { id: data[0]!._id }, body: { ...reason, decision: 'same' } }
  },
  'console.freeze': async () => ({ params: await investor(), body: reason }),
  'closing.close': async () => {
    const person = await accounts.registerVerified('Cleo Closed')
    return { token: tokenOf(person), body: { password: person.password } }
  },
  'console.reopen': async () => {
    const person = await accounts.registerVerified('Rory Reopened')
    await world.call(closeAccount, null, { body: { password: person.password } }, { token: tokenOf(person) })
    return { params: { id: person.answer.data.user._id }, body: reason }
  },
  'console.unfreeze': async () => {
    const params = await investor()
    await world.call(freezeUser, world.admin, { params, body: reason })
    return { params, body: reason }
  },
  'console.eraseProofSecret': async () => {
    const person = await world.person('Ines Investor')
    await world.fund(person, 100_00n)
    const params = await withdrawal(person, 100)
    await idOf(approveWithdrawal, world.admin, { params })
    const transactionId = randomBytes(32).toString('hex')
    await idOf(payWithdrawal, world.secondAdmin, { params, body: { transactionId } })
    await endEpoch()
    const { id, email } = person
    await world.call(freezeUser, world.admin, { params: { id }, body: reason })
    return { params: { id }, body: { ...reason, email } }
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
  'apiKey.create': async () => ({ params: { id: await approvedKey(world) } }),
  'apiKey.revoke': async () => ({ params: { id: await approvedKey(world) } }),
  'webhook.createSecret': async () => ({ params: { id: await freshly(approvedWebhook) } }),
  'webhook.test': async () => ({ params: { id: (await freshly(webhookTo)).id } }),
  'webhook.stop': async () => ({ params: { id: (await freshly(webhookTo)).id } }),
  'webhook.resume': async () => ({ params: { id: await freshly(stoppedWebhook) } }),
  'webhook.remove': async () => ({ params: { id: await freshly(approvedWebhook) } }),
  'webhook.redeliver': async () => ({ params: { id: await freshly(failedMessage) } }),
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

/** Fields that serve as the reason in calls without a `reason`: a return's source, notes of earnings and answers. */
const otherReasons: Partial<Record<string, string>> = {
  'earning.add': 'note',
  'earning.addPlan': 'note',
  'return.new': 'source',
  'contact.answered': 'note',
}
/** Content, who answers, what was decided before and own choices, which concern nobody else, need no reason. */
const withoutReason = [
  'console.addNote',
  'contact.reply',
  'contact.comment',
  'contact.assign',
  'answer.new',
  'answer.change',
  'answer.delete',
  'announcement.new',
  'apiKey.create',
  'webhook.createSecret',
  'webhook.test',
  'webhook.resume',
  'webhook.redeliver',
  'filter.save',
  'filter.remove',
  'identity.open',
  'screening.compareBirths',
  'alert.choose',
]

function withReason(call: CallDefinition, body: object = {}) {
  if (withoutReason.includes(call.id)) return { body, why: null }
  const why = `Why ${call.id} was done`
  return { body: { ...body, [otherReasons[call.id] ?? 'reason']: why }, why }
}

const lines = async (by: Person) =>
  (await world.owner(`SELECT action FROM app.audit_log WHERE actor_id = '${by.id}'`)).rows.length

/** Repeated for each run, always with the same key. */
function request(call: CallDefinition, made: Made, by: Person | null) {
  const { params, query, body, file, token = by ? world.tokenOf(by) : undefined } = made
  const key = crypto.randomUUID()
  const payload = file?.content ?? (body === undefined ? undefined : JSON.stringify(body))
  return async () => {
    const { statusCode, payload: text } = await world.app.inject({
      method: call.method,
      url: addressOf(call, { ...(params ? { params } : {}), ...(query ? { query } : {}) }),
      remoteAddress: '192.0.2.44',
      headers: {
        ...(token === undefined ? {} : { authorization: `Token ${token}` }),
        ...(call.money ? { 'idempotency-key': key } : {}),
        ...(payload === undefined ? {} : { 'content-type': file?.type ?? 'application/json' }),
      },
      ...(payload === undefined ? {} : { payload }),
    })
    return { status: statusCode, text }
  }
}

// It needs a chain to succeed: server/demo/demo.test.ts has one.
const elsewhere = ['demo.pay']
const here = allCalls.filter(({ id }) => !elsewhere.includes(id))

test.each(here.map(call => [call.id, call] as const))(
  '[B-06, N-12] %s succeeds, and a repeated key repeats its bytes',
  async (id, call) => {
    const made: Made = (await ready[id]?.()) ?? samples[id]!(owner)
    const isStaffs = rightFor(call) !== undefined
    const by = made.by ?? (isStaffs ? world.admin : call.permission === 'public' ? null : owner)
    const isAct = isStaffs && call.method !== 'GET' && !call.upload
    const { body, why } = isAct ? withReason(call, made.body) : { body: made.body, why: null }
    const before = by ? await lines(by) : 0
    const send = request(call, { ...made, ...(body === undefined ? {} : { body }) }, by)
    const first = await send()
    expect(first.status, `${first.text.slice(0, 500)}: give it what it needs, in 'ready'`).toBe(200)
    if (isAct) {
      expect(await lines(by!)).toBeGreaterThan(before)
      const { rows } = await world.owner(`
        SELECT actor_id, ip, reason FROM app.audit_log
         WHERE request_id = (SELECT request_id FROM app.audit_log ORDER BY id DESC LIMIT 1)`)
      expect(rows).toContainEqual({ actor_id: by!.id, ip: '192.0.2.44', reason: why })
    }
    if (call.money) expect(await send()).toEqual(first)
  },
)

async function endEpoch(): Promise<void> {
  await sealBooks(world.services)
  await writeLog(world.services, { closeNow: true })
}

/** A proof of reserves as a worker leaves it. */
async function openReserves(): Promise<{ id: string; message: string }> {
  await endEpoch()
  const { address } = payer(1)
  const { id } = (
    await world.call(prepareReserves, world.admin, { body: { addresses: [{ rail: 'ethereum', address }] } })
  ).data
  const { db, pool } = world.services
  const epoch = (await newestEpoch(db))!
  const { name: origin } = (await publicProofKey(pool, 'log'))!
  const block = { height: 1, hash: 'ab'.repeat(32) }
  const message = reserveMessage({ ...epoch, origin }, new Map([['ethereum', block]]))
  await db
    .updateTable('app.reserve_proofs')
    .set({ epoch: epoch.epoch, message })
    .where('id', '=', id)
    .execute()
  const held = { token: 'ETH', units: 1n, height: 1, is_contract: false } as const
  await db
    .insertInto('app.reserve_holdings')
    .values({ proof: id, address, ...held })
    .execute()
  return { id, message }
}

/** There can be few webhooks. */
async function freshly<Made>(make: (world: World) => Promise<Made>): Promise<Made> {
  await removeWebhooks(world)
  return make(world)
}

let documents = 0

async function statedAsset(): Promise<{ id: string }> {
  documents += 1
  const sha256 = `${documents}`.padStart(64, '0')
  const body = { title: 'Office', amount: 1500, asOf: '2026-01-31', sha256, source: 'Land register' }
  return { id: (await world.call(stateAsset, world.admin, { body })).data.id }
}
