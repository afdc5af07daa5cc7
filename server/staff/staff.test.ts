import { beforeEach, describe, expect, test } from 'vitest'
import { sampleFirm } from '#server/demo/firm.ts'
import { login, me, signup } from '#shared/contract/accounts.ts'
import type { CallDefinition, CallInput } from '#shared/contract/define.ts'
import * as proposals from '#shared/contract/proposals.ts'
import { listAudit } from '#shared/contract/site.ts'
import * as call from '#shared/contract/staff.ts'
import { type Role, roles } from '#shared/roles.ts'
import { type Accounts, openAccounts } from '#test/support/accounts.ts'
import type { Person } from '#test/support/world.ts'
import { createAdmin } from './first-admin.ts'

let accounts: Accounts
let admin: Person
let secondAdmin: Person
beforeEach(async () => {
  accounts = await openAccounts({ rateLimit: false })
  ;({ admin, secondAdmin } = accounts.world)
})

const as = <C extends CallDefinition>(who: Person, definition: C, input: Partial<CallInput<C>> = {}) =>
  accounts.world.call(definition, who, input)
const password = 'correct horse battery'
const reason = 'For a good reason'

const invite = (role: Role, { email = accounts.newEmail(), by = admin } = {}) =>
  as(by, call.inviteStaff, { body: { name: 'Nora New', email, role, reason } }).then(answer => ({
    ...answer,
    email,
  }))
const accept = (token: string) => accounts.call(call.acceptInvitation, null, { body: { token, password } })
const acceptOf = async (email: string) => accept(await accounts.resetTokenOf(email))
const logIn = (email: string) => accounts.call(login, null, { body: { email, password } })
const approve = (id: string | null, by = secondAdmin) =>
  as(by, proposals.approveProposal, { params: { id: id! } })
const changeRole = (id: string, role: Role, by = admin) =>
  as(by, call.changeRole, { params: { id }, body: { role, reason } })
const end = (id: string, by = admin) => as(by, call.endAccess, { params: { id }, body: { reason } })
const staff = async () => (await as(admin, call.listStaff, { query: {} })).data
const pending = async (by = admin) =>
  (await as(by, proposals.listProposals, { query: { status: 'pending' } })).data
const subjectsTo = async ({ email }: Person) => (await accounts.emailsTo(email)).map(({ subject }) => subject)

const factors = async (id: string) => {
  const { rows } = await accounts.owner(
    `SELECT (SELECT count(*)::int FROM app.second_factors WHERE user_id = '${id}')
          + (SELECT count(*)::int FROM app.passkeys WHERE user_id = '${id}')
          + (SELECT count(*)::int FROM app.recovery_codes WHERE user_id = '${id}') AS left`,
  )
  return rows[0].left
}
const giveFactors = (id: string) =>
  accounts.owner(`
    INSERT INTO app.second_factors (user_id, sealed_secret, started_at, confirmed_at, last_used_step)
    VALUES ('${id}', '\\x00', now(), now(), 1);
    INSERT INTO app.recovery_codes (user_id, code_hash, sealed_code) VALUES ('${id}', '\\x01', '\\x01');
    INSERT INTO app.passkeys (id, user_id, credential_id, public_key, counter, transports, name, created_at)
    VALUES (uuidv7(), '${id}', '${id}'::text::bytea, '\\x00', 0, '{}', 'Laptop', now())`)

/** Turns the second admin into an investor, so that the first has always been alone. */
const neverAnAdmin = ({ id }: Person) =>
  accounts.owner(`UPDATE app.users SET type = 'investor', role = NULL WHERE id = '${id}'`)

describe('inviting someone', () => {
  test('[W-02, N-12] the mailed link sets a password once and makes a verified staff account', async () => {
    const { email, status, data } = await invite('support')
    expect([status, data]).toEqual([200, { proposal: null }])
    const text = (await accounts.emailsTo(email))[0]!.text
    expect(text).toContain('with the role Support')
    const { publicUrl } = accounts.services.config
    expect(text.match(/http\S+/g)).toEqual([expect.stringContaining(`${publicUrl}/invitation#token=`)])
    const token = await accounts.resetTokenOf(email)
    expect((await accept(token)).status).toBe(200)
    const { data: session } = await logIn(email)
    expect(session.user).toMatchObject({ type: 'admin', role: 'support', emailVerified: true })
    expect(await accept(token)).toMatchObject({ status: 400, code: 'invalid_reset_token' })
    expect(await subjectsTo(secondAdmin)).toEqual([
      'Nora New was invited to the team',
      'Nora New has joined the team',
    ])
    const { data: log } = await as(admin, listAudit, { query: { q: 'staff.' } })
    expect(log.map(({ action, reason: why, actorName }) => [action, why, actorName])).toEqual([
      ['staff.joined', null, 'Nora New'],
      ['staff.invited', reason, admin.name],
    ])
  })

  test('[W-02] one of twenty parallel acceptances counts', async () => {
    const { email } = await invite('auditor')
    const token = await accounts.resetTokenOf(email)
    const answers = await Promise.all(Array.from({ length: 20 }, () => accept(token)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await staff()).filter(member => member.email === email)).toHaveLength(1)
  })

  test('[W-04, D7] inviting someone who decides or manages needs two admins', async () => {
    for (const role of ['admin', 'finance'] as const) {
      const { email, data, message } = await invite(role)
      expect(message).toBe('Proposed. Another admin must approve it')
      expect(await accounts.emailsTo(email)).toEqual([])
      expect(await approve(data.proposal, admin)).toMatchObject({ status: 409, code: 'same_approver' })
      expect((await approve(data.proposal)).status).toBe(200)
      await acceptOf(email)
      expect((await logIn(email)).data.user.role).toBe(role)
    }
  })

  test('[W-04] an only admin left behind cannot grant powerful roles alone', async () => {
    const support = await accounts.world.person('Sam Support', 'support')
    await end(secondAdmin.id)
    const alone = { status: 409, code: 'wrong_state', reason: 'only_admin_left' }
    const refused = async () => {
      for (const role of ['admin', 'finance'] as const) {
        expect(await invite(role)).toMatchObject(alone)
        expect(await changeRole(support.id, role)).toMatchObject(alone)
      }
    }
    await refused()
    // Nor after the other one returns with a lesser role: the audit log still has the earlier one.
    const { email } = await invite('support', { email: secondAdmin.email })
    await acceptOf(email)
    await refused()
    expect((await invite('auditor')).data).toEqual({ proposal: null })
    expect(await changeRole(support.id, 'auditor')).toMatchObject({ status: 200 })
  })

  test('[W-04] the first admin invites a second one alone, which voids other links', async () => {
    await neverAnAdmin(secondAdmin)
    const [first, other, finance, support] = [
      await invite('admin'),
      await invite('admin'),
      await invite('finance'),
      await invite('support'),
    ]
    expect(first.data.proposal).toBeNull()
    expect((await acceptOf(first.email)).status).toBe(200)
    for (const { email } of [other, finance]) {
      expect((await acceptOf(email)).code).toBe('invalid_reset_token')
    }
    expect((await acceptOf(support.email)).status).toBe(200)
    expect((await invite('finance')).data.proposal).toEqual(expect.any(String))
  })

  test('[W-04] so does the first admin by promoting a member of staff', async () => {
    await neverAnAdmin(secondAdmin)
    const member = await accounts.world.person('Mia Member', 'support')
    const { email } = await invite('admin')
    expect((await changeRole(member.id, 'admin')).data).toEqual({ proposal: null })
    expect((await acceptOf(email)).code).toBe('invalid_reset_token')
  })

  test("[W-07] the operator's command appoints a second admin only if one of several is left", async () => {
    const olga = { name: 'Olga Operator', email: accounts.newEmail() }
    const make = () => createAdmin(accounts.services, olga)
    await expect(make()).rejects.toThrow('Admins invite others in the console')
    await end(secondAdmin.id)
    const token = new URL((await make())!).hash.replace('#token=', '')
    expect(await subjectsTo(admin)).toEqual(['The operator made Olga Operator an admin'])
    expect((await accept(token)).status).toBe(200)
    expect((await logIn(olga.email)).data.user.role).toBe('admin')
    expect((await invite('finance')).data.proposal).toEqual(expect.any(String))
  })

  test('[W-02] refuses an email with an account; former staff get theirs back', async () => {
    const investor = await accounts.registerVerified('Ines')
    expect(await invite('support', { email: investor.email })).toMatchObject({
      status: 409,
      code: 'email_taken',
    })
    const { email } = await invite('support')
    await acceptOf(email)
    expect(await invite('auditor', { email })).toMatchObject({ status: 409, code: 'email_taken' })
    const id = (await staff()).find(member => member.email === email)!._id
    const { sessionId } = (await accounts.world.signIn({ ...admin, id })).caller
    await end(id)
    await accounts.owner(
      `UPDATE app.users SET name = 'Former Holder', pending_email = 'new.address@probity.test' WHERE id = '${id}'`,
    )
    await giveFactors(id)
    await invite('auditor', { email })
    await acceptOf(email)
    expect((await staff()).filter(member => member.email === email)).toMatchObject([
      { _id: id, name: 'Nora New', role: 'auditor', accessEndedAt: null, secondFactor: false },
    ])
    // The address may have a new holder: none of the former holder's factors opens the account.
    expect(await factors(id)).toBe(0)
    const { rows } = await accounts.owner(`SELECT u.pending_email, s.revoked_at IS NOT NULL AS ended
      FROM app.users u JOIN app.sessions s ON s.user_id = u.id WHERE s.id = '${sessionId}'`)
    expect(rows).toEqual([{ pending_email: null, ended: true }])
    const { data: log } = await as(admin, listAudit, { query: { status: 'staff.joined' } })
    expect(log[0]).toMatchObject({ details: { role: 'auditor', nameBefore: 'Former Holder' } })
  })

  test('[W-02] a withdrawn, replaced or expired link does not work', async () => {
    const first = await invite('support')
    const token = await accounts.resetTokenOf(first.email)
    await invite('support', { email: first.email })
    expect((await accept(token)).code).toBe('invalid_reset_token')
    const { data } = await as(admin, call.listInvitations, { query: {} })
    expect(data.map(({ email }) => email)).toEqual([first.email])
    const of = { params: { id: data[0]!._id }, body: { reason } }
    expect((await as(secondAdmin, call.withdrawInvitation, of)).status).toBe(200)
    expect(await as(admin, call.withdrawInvitation, of)).toMatchObject({ reason: 'invitation_closed' })
    expect((await acceptOf(first.email)).code).toBe('invalid_reset_token')
    const late = await invite('support')
    accounts.clock.pass({ days: 3, minutes: 1 })
    expect((await acceptOf(late.email)).code).toBe('invalid_reset_token')
    expect((await as(admin, call.listInvitations, { query: {} })).data).toEqual([])
  })

  test('[W-02] someone who signs up with the email meanwhile stays an investor', async () => {
    const { email } = await invite('support')
    const body = { name: 'Quick', email, phone: '+61 2 1234 5678', country: 'Australia', password }
    expect((await accounts.call(signup, null, { body })).status).toBe(200)
    expect(await acceptOf(email)).toMatchObject({ status: 409, code: 'email_taken' })
    expect((await logIn(email)).data.user).toMatchObject({ type: 'investor', role: null })
  })
})

describe('changing a role', () => {
  let member: Person
  beforeEach(async () => {
    member = await accounts.world.person('Mia Member', 'support')
  })

  test("[W-03, N-12] ends the member's sessions, is audited with its reason and notified", async () => {
    expect((await as(member, me)).status).toBe(200)
    expect((await changeRole(member.id, 'auditor')).data).toEqual({ proposal: null })
    expect(await as(member, me)).toMatchObject({ status: 401, code: 'token_invalid' })
    expect((await staff()).find(({ _id }) => _id === member.id)?.role).toBe('auditor')
    expect(await subjectsTo(member)).toEqual(['Your role was changed'])
    expect(await subjectsTo(secondAdmin)).toEqual(['The role of Mia Member was changed'])
    const { data: log } = await as(admin, listAudit, { query: { status: 'staff.role_changed' } })
    expect(log).toMatchObject([
      { actor: admin.id, subject: member.id, reason, details: { before: 'support', after: 'auditor' } },
    ])
  })

  test('[W-04, D7] needs two admins to a powerful role, one to a lesser role', async () => {
    const { data } = await changeRole(member.id, 'finance')
    expect((await staff()).find(({ _id }) => _id === member.id)?.role).toBe('support')
    expect(await changeRole(member.id, 'finance', secondAdmin)).toMatchObject({ reason: 'already_proposed' })
    expect((await approve(data.proposal)).status).toBe(200)
    expect((await staff()).find(({ _id }) => _id === member.id)?.role).toBe('finance')
    expect((await changeRole(member.id, 'support')).data.proposal).toBeNull()
  })

  test("[W-03] refuses one's own role and an investor's", async () => {
    for (const role of roles) {
      expect(await changeRole(admin.id, role)).toMatchObject({ status: 409, code: 'own_request' })
    }
    const investor = await accounts.world.person('Ines')
    expect(await changeRole(investor.id, 'support')).toMatchObject({ status: 404, code: 'not_found' })
  })

  test('[W-03] of two admins who demote each other in parallel one stays an admin', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [one, other] = [
        await accounts.world.person('Otto One', 'admin'),
        await accounts.world.person('Ole Other', 'admin'),
      ]
      const answers = await Promise.all([changeRole(one.id, 'support', other), end(other.id, one)])
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, expect.toBeOneOf([401, 403])])
    }
  })
})

describe('ending access', () => {
  test('[W-03, N-12] ends their sessions at once and refuses their login', async () => {
    const { email } = await invite('support')
    await acceptOf(email)
    const { accessToken } = (await logIn(email)).data.token
    const id = (await staff()).find(member => member.email === email)!._id
    expect((await end(id)).status).toBe(200)
    expect(await accounts.call(me, null, {}, { token: accessToken })).toMatchObject({ status: 401 })
    expect(await logIn(email)).toMatchObject({
      status: 403,
      message: 'Your access has ended. Ask an admin.',
    })
    expect(await end(id)).toMatchObject({ status: 409, code: 'wrong_state', reason: 'access_ended' })
    const { data: log } = await as(admin, listAudit, { query: { status: 'staff.access_ended' } })
    expect(log).toMatchObject([{ actor: admin.id, subject: id, reason, details: { role: 'support' } }])
    expect((await accounts.emailsTo(email)).map(({ subject }) => subject)).toContain(
      'Your access to the console has ended',
    )
  })

  test('[W-03] the last admin cannot leave; with another one they can', async () => {
    await end(secondAdmin.id)
    expect(await end(admin.id)).toMatchObject({ status: 409, code: 'wrong_state', reason: 'last_admin' })
    const other = await accounts.world.person('Olga Other', 'admin')
    expect((await end(admin.id)).status).toBe(200)
    expect((await as(other, call.listStaff, { query: {} })).status).toBe(200)
    expect((await as(admin, call.listStaff, { query: {} })).status).toBe(401)
  })

  test('[W-03] withdraws their proposals and open invitations', async () => {
    const proposed = await invite('finance', { by: secondAdmin })
    const { email } = await invite('support', { by: secondAdmin })
    await end(secondAdmin.id)
    expect(await pending()).toEqual([])
    expect((await acceptOf(email)).code).toBe('invalid_reset_token')
    const third = await accounts.world.person('Theo Third', 'admin')
    expect(await approve(proposed.data.proposal, third)).toMatchObject({ reason: 'proposal_closed' })
  })
})

describe('lost two-factor authentication', () => {
  let person: Person
  const propose = (email = person.email, by = admin) =>
    as(by, call.resetSecondFactors, { body: { email, reason } })
  beforeEach(async () => {
    person = await accounts.world.person('Lotte Lost')
    await giveFactors(person.id)
  })

  test('[W-05, N-12] two admins reset it; the owner is notified twice and logged out', async () => {
    const { data } = await propose()
    expect(await subjectsTo(person)).toEqual(['A reset of your two-factor authentication was proposed'])
    expect(await factors(person.id)).toBe(3)
    expect(await approve(data.proposal, admin)).toMatchObject({ status: 409, code: 'same_approver' })
    expect((await approve(data.proposal)).status).toBe(200)
    expect(await factors(person.id)).toBe(0)
    expect((await subjectsTo(person)).at(-1)).toBe('Your two-factor authentication was reset')
    expect((await as(person, me)).status).toBe(401)
    const { data: log } = await as(admin, listAudit, { query: { status: 'second_factors.reset' } })
    expect(log).toMatchObject([{ actor: secondAdmin.id, subject: person.id, reason }])
  })

  test('[W-05] in live mode not within a day, in which the owner can object', async () => {
    accounts = await openAccounts({ rateLimit: false, mode: 'live', firm: sampleFirm })
    ;({ admin, secondAdmin } = accounts.world)
    person = await accounts.world.person('Lotte Lost')
    await giveFactors(person.id)
    const { data } = await propose()
    expect(await approve(data.proposal)).toMatchObject({
      status: 409,
      reason: 'objection_period',
    })
    expect(await factors(person.id)).toBe(3)
    accounts.clock.pass({ days: 1, minutes: 1 })
    expect((await approve(data.proposal)).status).toBe(200)
    expect(await factors(person.id)).toBe(0)
  })

  test("[W-05] refuses one's own, an account without any, and the only admin", async () => {
    expect(await propose(admin.email)).toMatchObject({ code: 'own_request' })
    expect(await propose(secondAdmin.email)).toMatchObject({ reason: 'no_factors' })
    expect(await propose('nobody@probity.test')).toMatchObject({ status: 404 })
    await giveFactors(secondAdmin.id)
    const { data } = await propose(secondAdmin.email)
    expect(await approve(data.proposal)).toMatchObject({ status: 409, code: 'own_request' })
    await end(secondAdmin.id)
    expect(await propose()).toMatchObject({
      status: 409,
      reason: 'needs_second_admin',
    })
    expect(await factors(person.id)).toBe(3)
  })

  test('[W-05] an admin may reject a reset that concerns them', async () => {
    await giveFactors(secondAdmin.id)
    const third = await accounts.world.person('Theo Third', 'admin')
    const { data } = await propose(secondAdmin.email)
    const objection = { params: { id: data.proposal }, body: { reason: 'I have not lost anything' } }
    expect((await as(secondAdmin, proposals.rejectProposal, objection)).status).toBe(200)
    expect(await approve(data.proposal, third)).toMatchObject({ status: 409, reason: 'proposal_closed' })
    expect(await factors(secondAdmin.id)).toBe(3)
  })

  test('[W-05] a rejected or withdrawn proposal has no effect and cannot be approved', async () => {
    const first = await propose()
    const of = (id: string) => ({ params: { id }, body: { reason: 'They found their phone' } })
    expect((await as(admin, proposals.rejectProposal, of(first.data.proposal))).code).toBe('same_approver')
    expect((await as(secondAdmin, proposals.withdrawProposal, of(first.data.proposal))).code).toBe(
      'own_request',
    )
    expect((await as(secondAdmin, proposals.rejectProposal, of(first.data.proposal))).status).toBe(200)
    const second = await propose()
    expect((await as(admin, proposals.withdrawProposal, of(second.data.proposal))).status).toBe(200)
    for (const { data } of [first, second]) expect((await approve(data.proposal)).code).toBe('wrong_state')
    expect(await factors(person.id)).toBe(3)
    const { data } = await as(admin, proposals.listProposals, { query: { kind: 'staff' } })
    expect(
      data.map(({ status, decidedByName, decisionReason }) => [status, decidedByName, decisionReason]),
    ).toEqual([
      ['withdrawn', admin.name, null],
      ['rejected', secondAdmin.name, 'They found their phone'],
    ])
  })
})
