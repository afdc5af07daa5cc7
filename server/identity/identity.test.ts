import { beforeEach, describe, expect, test } from 'vitest'
import { resealAll } from '#server/accounts/reseal.ts'
import { tellStaff } from '#server/notifications/alerts/raise.ts'
import { updateProfile } from '#shared/contract/accounts.ts'
import { cancelWithdrawal } from '#shared/contract/cancelling.ts'
import { consoleSummary, getUser } from '#shared/contract/console.ts'
import { newDeposit } from '#shared/contract/deposits.ts'
import {
  cancelCheck,
  getCheck,
  identityFile,
  listChecks,
  openCheck,
  removeIdentityFile,
  returnedCheck,
  sendFunds as sendFundsCall,
  sendIdentity,
} from '#shared/contract/identity.ts'
import {
  approveInvestment,
  closeInvestment,
  getInvestment,
  newInvestment,
  reinvestInvestment,
} from '#shared/contract/investments.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import { approveProposal, listProposals } from '#shared/contract/proposals.ts'
import { proposeSettings } from '#shared/contract/settings.ts'
import { approveWithdrawal, getWithdrawal } from '#shared/contract/withdrawals.ts'
import { mostFundsFiles } from '#shared/limits.ts'
import { fundsAnswers, identityAnswers, proofsIn, uploadProof } from '#test/support/identity.ts'
import { settingsBody } from '#test/support/settings.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { eraseDueProofs } from './erase.ts'
import { remindOfProofs } from './remind.ts'

/** What investors prove of themselves, and what that lets them do. */
let world: World
let investor: Person
let officer: Person
beforeEach(async () => {
  world = await openWorld({ rateLimit: false })
  investor = await world.person('Ines Investor')
  officer = await world.person('Cora Compliance', 'compliance')
})
const { ask } = withdrawalsIn(() => world)
const { send, sendFunds, open, decide, decideOpened, correct, verified, own, setLimits } = proofsIn(
  () => world,
)

const detail = async (id: string, by: Person = officer) =>
  (await world.call(getCheck, by, { params: { id } })).data
const approve = (id: string) => world.call(approveWithdrawal, world.admin, { params: { id } })
const invest = async (amount: number) => {
  const body = { method: 'balance', plan: 'Basic', amount } as const
  return (await world.call(newInvestment, investor, { body })).data
}
const file = (id: string, by: Person | string) =>
  world.app.inject({
    method: 'GET',
    url: `/api${identityFile.path.replace(':id', id)}`,
    headers: { authorization: `Bearer ${typeof by === 'string' ? by : world.tokenOf(by)}` },
  })
/** Changes rows as no caller can, to move them in time. */
const backdate = async (set: string) => {
  await world.owner('ALTER TABLE app.identity_checks DISABLE TRIGGER USER')
  await world.owner(`UPDATE app.identity_checks SET ${set}`)
  await world.owner('ALTER TABLE app.identity_checks ENABLE TRIGGER USER')
}

describe('beyond the limit', () => {
  test('[D-08] a withdrawal waits until its owner has proved who they are', async () => {
    await setLimits(1_000, null)
    await world.fund(investor, 500_000n)
    const within = (await ask(investor, 1_000)).data
    expect((await approve(within._id)).status).toBe(200)
    const beyond = (await ask(investor, 0.01)).data
    expect(await approve(beyond._id)).toMatchObject({
      status: 409,
      reason: 'withdrawal_waits',
      message: expect.stringContaining('proof of identity'),
    })
    const params = { id: beyond._id }
    expect((await world.call(getWithdrawal, investor, { params })).data.waitsFor).toBe('identity')
    expect(await own(investor)).toMatchObject({
      level: 'none',
      limits: { none: 1_000, identity: null },
      used: { withdrawals: 1_000.01, investments: 0 },
      waiting: { withdrawals: 1, investments: 0, for: 'identity' },
    })
    await verified(investor)
    expect((await world.call(getWithdrawal, investor, { params })).data.waitsFor).toBeNull()
    expect((await approve(beyond._id)).status).toBe(200)
  })

  test('[D-08] a cancelled withdrawal counts no more, and later ones never make one wait', async () => {
    await setLimits(1_000, null)
    await world.fund(investor, 500_000n)
    const first = (await ask(investor, 600)).data
    const second = (await ask(investor, 600)).data
    const third = (await ask(investor, 300)).data
    expect((await approve(first._id)).status).toBe(200)
    expect((await approve(second._id)).status).toBe(409)
    await world.call(cancelWithdrawal, investor, { params: { id: second._id } })
    expect((await approve(third._id)).status).toBe(200)
  })

  test('[D-07] an investment waits, counted with those that run', async () => {
    await setLimits(600, 1_200)
    await world.fund(investor, 500_000n)
    const first = await invest(600)
    const second = await invest(600)
    const third = await invest(500)
    const approved = (id: string) => world.call(approveInvestment, world.admin, { params: { id } })
    expect((await approved(first._id)).status).toBe(200)
    expect(await approved(second._id)).toMatchObject({ status: 409, reason: 'investment_waits' })
    await verified(investor)
    expect((await approved(second._id)).status).toBe(200)
    expect(await approved(third._id)).toMatchObject({
      reason: 'investment_waits',
      message: expect.stringContaining('proof of the source of funds'),
    })
    expect((await world.call(getInvestment, investor, { params: { id: third._id } })).data.waitsFor).toBe(
      'funds',
    )
    const { data: funds } = await sendFunds(investor)
    await decideOpened(funds._id, 'verified')
    expect((await own(investor)).level).toBe('funds')
    expect((await approved(third._id)).status).toBe(200)
  })

  test('the limit without identity cannot be above the one without source of funds', async () => {
    const body = { ...settingsBody, identityLimit: 2_000, fundsLimit: 1_999.99 }
    expect(await world.call(proposeSettings, world.admin, { body })).toMatchObject({
      status: 400,
      fields: { identityLimit: expect.stringContaining('cannot be higher') },
    })
  })

  test('a limit for the source of funds alone also asks for identity first', async () => {
    await setLimits(null, 1_000)
    await world.fund(investor, 500_000n)
    const { _id } = (await ask(investor, 1_000.01)).data
    expect(await approve(_id)).toMatchObject({ message: expect.stringContaining('proof of identity') })
    await verified(investor)
    expect(await approve(_id)).toMatchObject({
      message: expect.stringContaining('proof of the source of funds'),
    })
  })

  test('without limits nothing waits', async () => {
    await world.fund(investor, 500_000n)
    expect((await approve((await ask(investor, 5_000)).data._id)).status).toBe(200)
  })

  test('the database approves nothing that lacks a proof, even for its owner', async () => {
    await setLimits(0, 0)
    await world.fund(investor, 500_000n)
    const { _id } = (await ask(investor, 100)).data
    const invested = await invest(500)
    await world.owner(
      `INSERT INTO app.withdrawal_approvals (withdrawal_id, admin_id, created_at) VALUES ('${_id}', '${world.admin.id}', now())`,
    )
    await expect(
      world.owner(`UPDATE app.withdrawals SET status = 'approved', approved_at = now() WHERE id = '${_id}'`),
    ).rejects.toMatchObject({ code: 'PB914', message: expect.stringContaining('waits for proof') })
    await expect(
      world.owner(
        `UPDATE app.investments SET status = 'active', approved_at = now(), ending_at = now() + interval '30 days'
          WHERE id = '${invested._id}'`,
      ),
    ).rejects.toMatchObject({ code: 'PB914', message: expect.stringContaining('waits for proof') })
  })
})

describe('a proof', () => {
  test('is stored so that the database alone shows nothing of it', async () => {
    const { data } = await send(investor)
    const { rows } = await world.owner(`
      SELECT c.sealed_answers::text AS answers, f.sealed_content AS content
        FROM app.identity_checks c JOIN app.identity_files f ON f.check_id = c.id`)
    const dump = await world.owner('SELECT c::text AS row FROM app.identity_checks c')
    const text = JSON.stringify([rows, dump.rows])
    for (const value of [identityAnswers.name, identityAnswers.number, identityAnswers.birth]) {
      expect(text).not.toContain(value)
      expect(text).not.toContain(Buffer.from(value).toString('hex'))
    }
    for (const { content } of rows) expect(content.includes(Buffer.from('IHDR'))).toBe(false)
    const opened = await open(data._id, officer)
    expect(opened.data).toEqual({ identity: identityAnswers, funds: null })
  })

  test('moved to another row, it cannot be opened', async () => {
    const { data: one } = await send(investor)
    const other = await world.person('Olga Other')
    const { data: two } = await send(other, { name: 'Olga Other' })
    await backdate(
      `sealed_answers = (SELECT sealed_answers FROM app.identity_checks WHERE id = '${two._id}') WHERE id = '${one._id}'`,
    )
    expect((await open(one._id, officer)).status).toBe(500)
  })

  test('needs each of its files, and says which is missing', async () => {
    const body = { ...identityAnswers, document: 'identity_card' } as const
    for (const kind of ['front', 'selfie'] as const) await uploadProof(world, investor, kind)
    expect(await world.call(sendIdentity, investor, { body })).toMatchObject({
      status: 409,
      reason: 'file_missing',
      fields: { back: expect.stringContaining('Back of the document') },
    })
    expect((await own(investor)).checks).toEqual([])
    await uploadProof(world, investor, 'back')
    expect(await world.call(sendIdentity, investor, { body })).toMatchObject({
      status: 200,
      data: { kind: 'identity', status: 'waiting' },
    })
    expect(await send(investor)).toMatchObject({ status: 409, reason: 'check_waiting' })
  })

  test.each([
    ['in the future', { birth: '2099-01-01' }, 'birth'],
    ['of a child', { birth: new Date(Date.now() - 17 * 31_557_600_000).toISOString().slice(0, 10) }, 'birth'],
    ['of another century', { birth: '1850-01-01' }, 'birth'],
    ['of an ended document', { ends: '2020-01-01' }, 'ends'],
  ])('is refused with a date %s', async (_of, change, field) => {
    expect(await send(investor, change)).toMatchObject({
      status: 400,
      fields: { [field]: expect.anything() },
    })
  })

  test('a file replaces one of its kind, and can be removed until it is sent', async () => {
    const { data: first } = await uploadProof(world, investor, 'front')
    const { data: second } = await uploadProof(world, investor, 'front')
    expect((await own(investor)).files).toEqual([second])
    expect((await world.call(removeIdentityFile, investor, { params: { id: first._id } })).status).toBe(403)
    const other = await world.person('Olga Other')
    expect((await world.call(removeIdentityFile, other, { params: { id: second._id } })).status).toBe(403)
    expect((await world.call(removeIdentityFile, investor, { params: { id: second._id } })).status).toBe(200)
    expect((await own(investor)).files).toEqual([])
    expect(await uploadProof(world, investor, 'front', { type: 'application/pdf' })).toMatchObject({
      status: 400,
    })
    for (let n = 0; n < 3; n++) await uploadProof(world, investor, 'funds')
    expect(await uploadProof(world, investor, 'funds')).toMatchObject({ status: 409, reason: 'files_full' })
  })

  test('cancelled by its owner is deleted at once, and can be sent anew', async () => {
    const { data } = await send(investor)
    const other = await world.person('Olga Other')
    expect((await world.call(cancelCheck, other, { params: { id: data._id } })).status).toBe(403)
    expect(await world.call(cancelCheck, investor, { params: { id: data._id } })).toMatchObject({
      message: 'Cancelled. We have deleted what you sent',
      data: { status: 'cancelled' },
    })
    const { rows } = await world.owner(
      'SELECT sealed_answers, sealed_content FROM app.identity_checks c JOIN app.identity_files f ON f.check_id = c.id',
    )
    expect(rows).toEqual([1, 2].map(() => ({ sealed_answers: null, sealed_content: null })))
    expect(await open(data._id, officer)).toMatchObject({ status: 409, reason: 'check_erased' })
    expect((await send(investor)).status).toBe(200)
  })

  test('of funds comes after that of identity', async () => {
    expect(await sendFunds(investor)).toMatchObject({ status: 409, reason: 'identity_first' })
  })

  test('still opens once TOKEN_SECRET was replaced and all is resealed', async () => {
    const { data } = await send(investor)
    const token = world.tokenOf(officer)
    const { tokenSecret } = world.services.config
    Object.assign(world.services.config, { tokenSecret: 'y'.repeat(32), formerSecrets: [tokenSecret] })
    expect(await resealAll(world.services)).toBeGreaterThanOrEqual(3)
    Object.assign(world.services.config, { formerSecrets: [] })
    const params = { id: data._id }
    const opened = await world.call(openCheck, officer, { params }, { token })
    expect(opened.data.identity).toEqual(identityAnswers)
    const { files } = (await world.call(getCheck, officer, { params }, { token })).data
    expect((await file(files[0]!._id, token)).statusCode).toBe(200)
  })
})

describe('staff', () => {
  test('[N-12] see what was sent only by opening it, which the audit log keeps', async () => {
    const { data } = await send(investor)
    const before = await detail(data._id)
    expect(JSON.stringify(before)).not.toContain(identityAnswers.number)
    expect(before).toMatchObject({
      opened: false,
      views: [],
      person: { level: 'none', email: investor.email },
    })
    expect(await decide(data._id, 'verified', officer)).toMatchObject({
      status: 409,
      reason: 'check_unopened',
    })
    await open(data._id, officer)
    const picture = before.files.find(({ kind }) => kind === 'selfie')!
    const response = await file(picture._id, officer)
    expect(response.headers['content-type']).toBe('image/png')
    expect(response.rawPayload.subarray(1, 4).toString()).toBe('PNG')
    expect(await detail(data._id)).toMatchObject({
      opened: true,
      views: [
        { by: 'Cora Compliance', what: 'selfie' },
        { by: 'Cora Compliance', what: 'answers' },
      ],
    })
    expect((await detail(data._id, world.admin)).opened).toBe(false)
    expect(await decide(data._id, 'verified', officer)).toMatchObject({ data: { status: 'verified' } })
  })

  test.each(['support', 'finance', 'auditor'] as const)('with the role %s see nothing of it', async role => {
    const { data } = await send(investor)
    const other = await world.person('Otto Other', role)
    const { _id } = (await detail(data._id)).files[0]!
    expect((await open(data._id, other)).status).toBe(403)
    expect((await file(_id, other)).statusCode).toBe(403)
    expect((await world.call(listChecks, other, {})).status).toBe(403)
    expect((await decide(data._id, 'verified', other)).status).toBe(403)
  })

  test('never see or decide their own', async () => {
    const { data } = await send(officer)
    expect((await open(data._id, officer)).status).toBe(404)
    expect((await decide(data._id, 'verified', officer)).status).toBe(404)
    const { data: another } = await world.call(getCheck, world.admin, { params: { id: data._id } })
    expect((await file(another.files[0]!._id, officer)).statusCode).toBe(404)
  })

  test('are notified of what waits, and see it with the person', async () => {
    await send(investor)
    await tellStaff(world.services)
    const { data } = await world.call(listNotifications, officer, {})
    expect(data).toMatchObject([{ kind: 'check.waiting', text: 'Ines Investor has sent proof of identity.' }])
    expect((await world.call(consoleSummary, officer)).data.waiting.checks.count).toBe(1)
    const { data: user } = await world.call(getUser, officer, { params: { id: investor.id } })
    expect(user.identity).toEqual({ level: 'none', expiresOn: null, refused: false, waiting: 1 })
  })

  test('give a reason for what they return, which its owner reads', async () => {
    const { data } = await send(investor)
    await open(data._id, officer)
    expect(await decide(data._id, 'returned', officer, '')).toMatchObject({ status: 400 })
    await decide(data._id, 'returned', officer)
    const mine = await own(investor)
    expect(mine.checks).toMatchObject([{ status: 'returned', reason: 'The picture is blurred' }])
    const { data: told } = await world.call(listNotifications, investor, {})
    expect(told[0]).toMatchObject({
      kind: 'check.returned',
      details: expect.arrayContaining(['Reason: The picture is blurred']),
    })
    expect((await send(investor)).status).toBe(200)
    expect(await decide(data._id, 'verified', officer)).toMatchObject({ reason: 'check_decided' })
  })

  test.each([
    ['verified', 'returned'],
    ['verified', 'verified'],
    ['refused', 'returned'],
  ] as const)('who decide at once, %s and %s, decide once', async (one, two) => {
    const { data } = await send(investor)
    await open(data._id, officer)
    await open(data._id, world.admin)
    const answers = await Promise.all([decide(data._id, one, officer), decide(data._id, two, world.admin)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(answers.find(({ status }) => status === 409)).toMatchObject({ reason: 'check_decided' })
    const won = answers.find(({ status }) => status === 200)!
    expect(await detail(data._id)).toMatchObject({
      status: won.data.status,
      decidedBy: won.data.decidedBy,
    })
    expect((await own(investor)).checks).toHaveLength(1)
  })

  test('verify no one whose account has another name by now', async () => {
    const { data } = await send(investor)
    await world.owner(`UPDATE app.users SET name = 'Ina Other' WHERE id = '${investor.id}'`)
    expect(await decideOpened(data._id, 'verified')).toMatchObject({ reason: 'name_changed' })
  })

  test('verify until the last day of the document, and none that has ended', async () => {
    const other = await world.person('Olga Other')
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
    const { data: ending } = await send(other, { ends: tomorrow })
    expect(await decideOpened(ending._id, 'verified')).toMatchObject({ data: { expiresOn: tomorrow } })
    const { data: late } = await send(await world.person('Otto Other'), { ends: tomorrow })
    world.clock.pass({ days: 2 })
    expect(await decideOpened(late._id, 'verified')).toMatchObject({ reason: 'document_ended' })
  })
})

describe('what was returned', () => {
  const returned = async (kind: 'identity' | 'funds' = 'identity', by = investor) =>
    (await world.call(returnedCheck, by, { query: { kind } })).data
  const nothing = { identity: null, funds: null, files: [] }
  const again = (kept: string[], changes: object = {}) =>
    world.call(sendIdentity, investor, { body: { ...identityAnswers, ...changes, kept } })

  test('is opened for its owner alone, and only while it is returned', async () => {
    expect(await returned()).toEqual(nothing)
    const { data } = await send(investor)
    expect(await returned()).toEqual(nothing)
    await decideOpened(data._id, 'returned')
    expect(await returned()).toMatchObject({
      identity: identityAnswers,
      funds: null,
      files: [{ kind: 'front' }, { kind: 'selfie' }],
    })
    expect(await returned('funds')).toEqual(nothing)
    expect(await returned('identity', officer)).toEqual(nothing)
    const { data: second } = await send(investor)
    expect(await returned()).toEqual(nothing)
    await world.call(cancelCheck, investor, { params: { id: second._id } })
    expect((await returned()).identity).toEqual(identityAnswers)
  })

  test('[N-12] leaves a line in the audit log each time its owner opens it', async () => {
    const { data } = await send(investor)
    await decideOpened(data._id, 'returned')
    await returned()
    const { rows } = await world.owner(
      "SELECT actor_id, details ->> 'check' AS check FROM app.audit_log WHERE action = 'identity.returned_opened'",
    )
    expect(rows).toEqual([{ actor_id: investor.id, check: data._id }])
  })

  test('of funds begins anew with the answers given before', async () => {
    await verified(investor)
    const { data } = await sendFunds(investor)
    await decideOpened(data._id, 'returned')
    expect(await returned('funds')).toMatchObject({ funds: fundsAnswers, files: [{ kind: 'funds' }] })
  })

  test('is no more once it was deleted', async () => {
    const { data } = await send(investor)
    await decideOpened(data._id, 'returned')
    const { files } = await returned()
    await backdate("decided_at = now() - interval '31 days'")
    await eraseDueProofs(world.services)
    expect(await returned()).toEqual(nothing)
    expect(await again(files.map(({ _id }) => _id))).toMatchObject({ status: 409, reason: 'kept_deleted' })
  })

  test('is sent again with its files, but with the new one of a kind', async () => {
    const { data } = await send(investor)
    await decideOpened(data._id, 'returned')
    const { files } = await returned()
    const [front, selfie] = files.map(({ _id }) => _id)
    expect(await again([])).toMatchObject({ status: 409, reason: 'file_missing' })
    const { data: newer } = await uploadProof(world, investor, 'selfie')
    const { data: second } = await again([front!, selfie!], { number: 'PA7654321' })
    const { files: sent } = await detail(second._id)
    expect(sent.map(({ kind }) => kind).toSorted()).toEqual(['front', 'selfie'])
    expect(sent.find(({ kind }) => kind === 'selfie')!._id).toBe(newer._id)
    const copy = sent.find(({ kind }) => kind === 'front')!._id
    expect(copy).not.toBe(front)
    expect((await file(copy, officer)).rawPayload).toEqual((await file(front!, officer)).rawPayload)
    expect((await open(second._id, officer)).data.identity).toEqual({
      ...identityAnswers,
      number: 'PA7654321',
    })
  })

  test('keeps each proof of funds beside new ones, up to the most', async () => {
    await verified(investor)
    for (let n = 1; n < mostFundsFiles; n++) await uploadProof(world, investor, 'funds')
    const { data } = await sendFunds(investor)
    await decideOpened(data._id, 'returned')
    const ids = (await returned('funds')).files.map(({ _id }) => _id)
    expect(ids).toHaveLength(mostFundsFiles)
    const { data: newer } = await uploadProof(world, investor, 'funds')
    const resend = (kept: string[]) =>
      world.call(sendFundsCall, investor, { body: { ...fundsAnswers, kept } })
    expect(await resend(ids)).toMatchObject({ status: 409, reason: 'files_full' })
    const { data: second } = await resend(ids.slice(1))
    const { files: sent } = await detail(second._id)
    expect(sent.map(({ kind }) => kind)).toEqual(ids.map(() => 'funds'))
    expect(sent.map(({ _id }) => _id)).toContain(newer._id)
  })

  test('gives no files to anybody else', async () => {
    const { data } = await send(investor)
    await decideOpened(data._id, 'returned')
    const ids = (await returned()).files.map(({ _id }) => _id)
    const other = await world.person('Olga Other')
    const before = await world.state()
    const body = { ...identityAnswers, kept: ids }
    expect(await world.call(sendIdentity, other, { body })).toMatchObject({ reason: 'kept_deleted' })
    expect(await world.state()).toEqual(before)
  })
})

describe('what was verified', () => {
  test('counts three years at most, and for the name of the account alone', async () => {
    const { data } = await verified(investor)
    const years = Number(data.expiresOn!.slice(0, 4)) - new Date().getUTCFullYear()
    expect(years).toBe(3)
    expect((await own(investor)).level).toBe('identity')
    const body = { name: 'Ina Other', email: investor.email, phone: '+61400000000', country: 'Australia' }
    await world.call(updateProfile, investor, { body })
    expect((await own(investor)).level).toBe('none')
  })

  test('ends on its day: its owner is reminded before, told after, once each', async () => {
    await verified(investor)
    expect(await remindOfProofs(world.services)).toBe(0)
    await backdate("expires_on = (now() AT TIME ZONE 'UTC')::date + 29")
    expect(await remindOfProofs(world.services)).toBe(1)
    expect(await remindOfProofs(world.services)).toBe(0)
    expect((await own(investor)).level).toBe('identity')
    await backdate("expires_on = (now() AT TIME ZONE 'UTC')::date - 1")
    expect((await own(investor)).level).toBe('none')
    expect(await remindOfProofs(world.services)).toBe(1)
    expect(await remindOfProofs(world.services)).toBe(0)
    const { data } = await world.call(listNotifications, investor, {})
    expect(data.map(({ kind }) => kind)).toEqual(['check.ended', 'check.ending', 'check.verified'])
  })

  test('is renewed before its end, without a reminder of the former one', async () => {
    await verified(investor)
    await backdate("expires_on = (now() AT TIME ZONE 'UTC')::date + 5")
    await verified(investor)
    expect(await remindOfProofs(world.services)).toBe(0)
    expect((await own(investor)).expiresOn).not.toBeNull()
  })
})

describe('a refusal', () => {
  test('returns the money: investments are declined, withdrawals have no limit', async () => {
    await setLimits(100, 200)
    await world.fund(investor, 500_000n)
    const invested = await invest(600)
    const asked = (await ask(investor, 500)).data
    const { data } = await send(investor)
    expect(await decideOpened(data._id, 'refused')).toMatchObject({
      message: 'Refused. Their pending investments are declined, and they can withdraw everything',
    })
    expect((await world.call(getInvestment, investor, { params: { id: invested._id } })).data).toMatchObject({
      status: 'declined',
      declineReason: 'The picture is blurred',
    })
    expect((await world.balances(investor)).available).toBe(450_000n)
    expect((await approve(asked._id)).status).toBe(200)
    expect((await approve((await ask(investor, 4_500)).data._id)).status).toBe(200)
    expect((await own(investor)).refused).toMatchObject({ reason: 'The picture is blurred' })
    const body = { method: 'usdt', amount: 100 } as const
    expect(await world.call(newDeposit, investor, { body })).toMatchObject({ reason: 'identity_refused' })
    const again = { method: 'balance', plan: 'Basic', amount: 500 } as const
    expect(await world.call(newInvestment, investor, { body: again })).toMatchObject({
      reason: 'identity_refused',
    })
    expect(await send(investor)).toMatchObject({ reason: 'identity_refused' })
  })

  test('[D-07] reinvests no principal, which returns to the balance', async () => {
    await world.fund(investor, 100_000n)
    const { _id } = await invest(600)
    await world.call(approveInvestment, world.admin, { params: { id: _id } })
    const asked = { params: { id: _id }, body: { reinvest: true } }
    expect((await world.call(reinvestInvestment, investor, asked)).status).toBe(200)
    const { data } = await send(investor)
    await decideOpened(data._id, 'refused')
    world.clock.pass({ days: 400 })
    await world.call(closeInvestment, world.admin, { params: { id: _id } })
    expect((await world.call(getInvestment, investor, { params: { id: _id } })).data).toMatchObject({
      status: 'inactive',
      reinvestment: 'identity_refused',
    })
    expect((await world.balances(investor)).available).toBe(100_000n)
  })

  test('is corrected by another person, so that its owner can try again', async () => {
    const { data } = await send(investor)
    await decideOpened(data._id, 'refused', officer)
    expect(await decide(data._id, 'returned', officer)).toMatchObject({ reason: 'own_refusal' })
    expect(await correct(data._id, world.admin)).toMatchObject({ reason: 'check_unopened' })
    expect(await decideOpened(data._id, 'verified')).toMatchObject({ reason: 'check_decided' })
    expect(await correct(data._id, world.admin)).toMatchObject({ data: { status: 'returned' } })
    expect((await send(investor)).status).toBe(200)
  })
})

describe('documents are deleted', () => {
  const left = async () =>
    (await world.owner('SELECT count(*)::int AS n FROM app.identity_files WHERE sealed_content IS NOT NULL'))
      .rows[0].n

  test('a day after they were uploaded, unless they were sent', async () => {
    await uploadProof(world, investor, 'front')
    await eraseDueProofs(world.services)
    expect(await left()).toBe(1)
    await world.owner('ALTER TABLE app.identity_files DISABLE TRIGGER USER')
    await world.owner("UPDATE app.identity_files SET uploaded_at = now() - interval '25 hours'")
    await world.owner('ALTER TABLE app.identity_files ENABLE TRIGGER USER')
    await eraseDueProofs(world.services)
    expect(await left()).toBe(0)
  })

  test.each([
    ['returned', '29 days', '31 days'],
    ['refused', '4 years 11 months', '5 years 1 day'],
  ] as const)('%s: not after %s, but after %s', async (decision, early, late) => {
    const { data } = await send(investor)
    await decideOpened(data._id, decision)
    await backdate(`decided_at = now() - interval '${early}'`)
    expect(await eraseDueProofs(world.services)).toBe(0)
    await backdate(`decided_at = now() - interval '${late}'`)
    expect(await eraseDueProofs(world.services)).toBe(1)
    expect(await left()).toBe(0)
    expect(await detail(data._id)).toMatchObject({
      files: [],
      erasedAt: expect.any(String),
      status: decision,
    })
  })

  test('those of a closed account: as many years after it as two admins decided', async () => {
    await verified(investor)
    const body = { ...settingsBody, documentYears: 2 }
    await world.call(proposeSettings, world.admin, { body })
    const { data } = await world.call(listProposals, world.admin, {})
    await world.call(approveProposal, world.secondAdmin, { params: { id: data[0]!._id } })
    await backdate("decided_at = now() - interval '4 years'")
    const closed = async (age: string) => {
      await world.owner('ALTER TABLE app.users DISABLE TRIGGER USER')
      await world.owner(`
        UPDATE app.users SET closed_at = now() - interval '${age}', frozen_at = now(), frozen_by = id, freeze_reason = 'x'
         WHERE id = '${investor.id}'`)
      await world.owner('ALTER TABLE app.users ENABLE TRIGGER USER')
    }
    await closed('1 year 11 months')
    expect(await eraseDueProofs(world.services)).toBe(0)
    await closed('2 years 1 day')
    expect(await eraseDueProofs(world.services)).toBe(1)
    expect(await left()).toBe(0)
  })

  test('verified ones: some years after they stopped counting', async () => {
    await verified(investor)
    await backdate(
      "decided_at = now() - interval '9 years', expires_on = (now() - interval '4 years 11 months')::date",
    )
    expect(await eraseDueProofs(world.services)).toBe(0)
    await backdate("expires_on = (now() - interval '5 years 2 days')::date")
    expect(await eraseDueProofs(world.services)).toBe(1)
    expect(await left()).toBe(0)
  })
})

describe('the database', () => {
  test('lets nobody decide who may not, did not open it, or owns it', async () => {
    const { data } = await send(investor)
    const run = (set: string) =>
      expect(world.ownerPool.query(`UPDATE app.identity_checks SET ${set} WHERE id = '${data._id}'`)).rejects
    const by = (id: string, expires = 'now()::date + 10') =>
      `decision = 'verified', decided_at = now(), decided_by = '${id}', expires_on = ${expires}`
    const support = await world.person('Sue Support', 'support')
    await run(by(officer.id)).toMatchObject({ code: 'PB914' })
    await run(by(support.id)).toMatchObject({ code: 'PB914' })
    await run(by(investor.id)).toMatchObject({ code: 'PB914' })
    await open(data._id, officer)
    await run(by(officer.id, 'now()::date + 1200')).toMatchObject({ code: 'PB914' })
    await run(`${by(officer.id)}, user_name = 'Another'`).toMatchObject({ code: 'PB912' })
    await run("sealed_answers = 'x'").toMatchObject({ code: 'PB912' })
    await decide(data._id, 'refused', officer)
    await run("decision = 'verified', expires_on = now()::date + 10, reason = NULL").toMatchObject({
      code: 'PB914',
    })
    await run('sealed_answers = NULL, erased_at = now()').toMatchObject({ code: 'PB912' })
    await expect(world.ownerPool.query('DELETE FROM app.identity_checks')).rejects.toThrow()
    await expect(world.ownerPool.query('DELETE FROM app.identity_files')).rejects.toThrow()
    await expect(
      world.ownerPool.query('UPDATE app.identity_files SET sealed_content = NULL'),
    ).rejects.toMatchObject({ code: 'PB912' })
  })
})
