import { beforeEach, expect, test } from 'vitest'
import { noticeWriter } from '#server/notifications/deliver.ts'
import { tellOfTerms } from '#server/policies/tell.ts'
import { newDeposit } from '#shared/contract/deposits.ts'
import { newInvestment } from '#shared/contract/investments.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import * as call from '#shared/contract/policies.ts'
import { approveProposal, listProposals } from '#shared/contract/proposals.ts'
import { listAudit, site } from '#shared/contract/site.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { leastAge, shownPolicyVersions, termsNoticeDays } from '#shared/limits.ts'
import type { PolicyKind } from '#shared/policies.ts'
import { type Accounts, openAccounts } from '#test/support/accounts.ts'
import { publishPolicy } from '#test/support/policies.ts'
import type { Person, World } from '#test/support/world.ts'

let accounts: Accounts
let world: World
beforeEach(async () => {
  accounts = await openAccounts({ rateLimit: false })
  world = accounts.world
})

const day = (days: number) =>
  new Date(world.clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10)
const first = () => ({
  kind: 'terms' as PolicyKind,
  text: '## Terms\n\nWe pay out.',
  changes: null as string | null,
  from: day(0),
  version: 0,
  reason: 'Our lawyer wrote it',
})
const propose = (changes: Partial<ReturnType<typeof first>> = {}, by = world.admin) =>
  world.call(call.proposePolicy, by, { body: { ...first(), ...changes } })
const approve = (id: string, by: Person = world.secondAdmin) =>
  world.call(approveProposal, by, { params: { id } })
const publish = (changes: Partial<ReturnType<typeof first>> = {}) =>
  publishPolicy(world, { ...first(), ...changes })
const changed = (days: number) => ({
  text: '## Terms\n\nWe pay out at once.',
  changes: 'Faster payouts.',
  from: day(days),
  version: 1,
})
const versions = async (kind: PolicyKind = 'terms', version?: number) =>
  world.call(call.getPolicy, null, { params: { kind }, query: version === undefined ? {} : { version } })
const statuses = async () => (await versions()).data.map(({ version, status }) => [version, status])
const own = async (by: Person) => (await world.call(call.ownTerms, by)).data
const accept = (by: Person, version: number) => world.call(call.acceptTerms, by, { body: { version } })
const deposit = (by: Person) => world.call(newDeposit, by, { body: { method: 'usdt', amount: 500 } })
/** Registers, having been shown this version; refused or not. */
const register = async (terms?: number) =>
  (await accounts.register('Nia New', terms === undefined ? {} : { terms: { version: terms } })).answer
const nia = (answer: Awaited<ReturnType<typeof register>>) =>
  world.call(call.ownTerms, null, {}, { token: answer.data.token.accessToken })

test('[P-17] two admins publish a policy, which everybody then reads', async () => {
  expect(await versions()).toMatchObject({ status: 404 })
  const { data } = await propose()
  expect(await versions()).toMatchObject({ status: 404 })
  expect(await approve(data.proposal, world.admin)).toMatchObject({ status: 409, code: 'same_approver' })
  expect(await approve(data.proposal)).toMatchObject({ status: 200 })
  expect((await versions()).data).toMatchObject([
    { version: 1, from: day(0), changes: null, text: first().text, status: 'current' },
  ])
  const { policies } = (await world.call(site, null)).data
  expect(policies).toEqual([{ kind: 'terms', version: 1, from: day(0), nextFrom: null, translations: {} }])
  const log = await world.call(listAudit, world.admin, { query: { limit: 1 } })
  expect(log.data).toMatchObject([{ action: 'policy.published', reason: 'Our lawyer wrote it' }])
  const [listed] = (await world.call(call.listPolicies, world.admin, { query: { status: 'current' } })).data
  expect(listed).toMatchObject({
    kind: 'terms',
    proposedBy: world.admin.name,
    approvedBy: world.secondAdmin.name,
    acceptances: 0,
  })
})

test('[P-17] changed terms come into force on their day, and earlier ones stay readable', async () => {
  await publish()
  await publish(changed(termsNoticeDays + 1))
  expect(await statuses()).toEqual([
    [2, 'upcoming'],
    [1, 'current'],
  ])
  const policies = async () => (await world.call(site, null)).data.policies
  expect(await policies()).toMatchObject([{ version: 1, nextFrom: day(termsNoticeDays + 1) }])
  world.clock.pass({ days: termsNoticeDays + 1 })
  expect(await statuses()).toEqual([
    [2, 'current'],
    [1, 'past'],
  ])
  expect(await policies()).toMatchObject([{ version: 2, nextFrom: null }])
  expect((await versions('terms', 1)).data).toMatchObject([{ version: 1, text: first().text }])
  expect(await versions('terms', 3)).toMatchObject({ status: 404 })
})

test('[P-17] a page shows the last versions, and the API every one', async () => {
  for (let version = 0; version < shownPolicyVersions + 3; version++) {
    const next = { text: `Words ${version}`, changes: version === 0 ? null : 'All', from: day(0), version }
    await publish({ kind: 'cookies', ...next })
    world.clock.pass({ days: 1 })
  }
  const newest = shownPolicyVersions + 3
  const shown = (await versions('cookies')).data.map(({ version }) => version)
  expect(shown).toEqual(Array.from({ length: shownPolicyVersions + 1 }, (_, place) => newest - place))
  expect((await versions('cookies', 1)).data).toMatchObject([{ text: 'Words 0', status: 'past' }])
})

test.each([
  ['a day in the past', () => ({ from: day(-1) }), 'from', /past/],
  ['a day far ahead', () => ({ from: day(400) }), 'from', /at most 366 days/],
])('[P-17] a version with %s is refused', async (_what, change, field, words) => {
  const refused = await propose(change())
  expect(refused).toMatchObject({ status: 400, code: 'invalid_input' })
  expect(refused.fields?.[field]).toMatch(words)
})

test('[P-17] changed terms need notice, words about the change, and a change', async () => {
  await publish()
  expect((await propose(changed(termsNoticeDays - 1))).fields?.from).toMatch(/14 days/)
  expect((await propose({ ...changed(30), changes: null })).fields?.changes).toBe('Say what changes')
  expect(await propose({ ...changed(30), text: first().text })).toMatchObject({ reason: 'policy_unchanged' })
  expect(await propose({ ...changed(30), version: 0 })).toMatchObject({ reason: 'changed_meanwhile' })
})

test('[P-17] an approval that comes too late for the day is refused', async () => {
  await publish({ kind: 'privacy' })
  await publish()
  const late = (await propose({ ...changed(1), kind: 'privacy' })).data.proposal
  const short = (await propose(changed(termsNoticeDays + 1))).data.proposal
  world.clock.pass({ days: 2 })
  expect(await approve(late)).toMatchObject({ status: 409, reason: 'day_passed' })
  expect(await approve(short)).toMatchObject({ status: 409, reason: 'notice_too_short' })
  const pending = await world.call(listProposals, world.admin, {
    query: { kind: 'policies', status: 'pending' },
  })
  expect(pending.data).toHaveLength(2)
  expect(await statuses()).toEqual([[1, 'current']])
})

test('[A-03, P-17] registering states an age and accepts the terms in force', async () => {
  await publish()
  expect((await register(2)).reason).toBe('terms_changed_since')
  expect((await nia(await register(1))).data).toMatchObject({
    accepted: [{ version: 1 }],
    due: null,
    statedAge: leastAge,
  })
  expect((await nia(await register())).data.accepted).toMatchObject([{ version: 1 }])
})

test('[A-03, P-17] without terms nobody accepts any', async () => {
  expect((await register(1)).reason).toBe('terms_changed_since')
  expect((await nia(await register())).data).toMatchObject({ accepted: [], due: null })
})

test('[P-17] unaccepted terms stop money that comes in, never what goes out', async () => {
  const ada = await world.person('Ada Asked')
  await world.fund(ada, 100_000n)
  await publish()
  expect(await own(ada)).toMatchObject({ due: { version: 1, needed: true } })
  expect(await deposit(ada)).toMatchObject({ status: 409, reason: 'terms_not_accepted' })
  const invest = (method: 'balance' | 'usdt') =>
    world.call(newInvestment, ada, { body: { method, plan: 'Basic', amount: 500 } })
  expect(await invest('balance')).toMatchObject({ status: 409, reason: 'terms_not_accepted' })
  expect(await invest('usdt')).toMatchObject({ status: 409, reason: 'terms_not_accepted' })
  const address = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
  const body = { amount: 100, wallet: 'Bitcoin (BTC)', address } as const
  expect(await world.call(newWithdrawal, ada, { body })).toMatchObject({ status: 200 })
  expect(await accept(ada, 1)).toMatchObject({ status: 200 })
  expect(await deposit(ada)).toMatchObject({ status: 200 })
})

test('[P-17] upcoming terms can be accepted early, and bind only from their day', async () => {
  await publish()
  const ada = await world.person('Ada Early')
  const bob = await world.person('Bob Late')
  for (const person of [ada, bob]) await accept(person, 1)
  await publish(changed(termsNoticeDays + 1))
  expect(await own(ada)).toMatchObject({ due: { version: 2, changes: 'Faster payouts.', needed: false } })
  expect(await accept(ada, 1)).toMatchObject({ status: 409, reason: 'terms_superseded' })
  expect(await accept(ada, 3)).toMatchObject({ status: 404 })
  await accept(ada, 2)
  await accept(ada, 2)
  expect(await own(ada)).toMatchObject({ accepted: [{ version: 2 }, { version: 1 }], due: null })
  expect(await deposit(bob)).toMatchObject({ status: 200 })
  world.clock.pass({ days: termsNoticeDays + 1 })
  expect(await deposit(ada)).toMatchObject({ status: 200 })
  expect(await deposit(bob)).toMatchObject({ status: 409, reason: 'terms_not_accepted' })
})

test('[P-17] investors who have not accepted changed terms are notified once', async () => {
  await publish()
  const told = async (by: Person) =>
    (await world.call(listNotifications, by, { query: {} })).data.filter(
      ({ kind }) => kind === 'terms.changed',
    )
  const [ada, eve] = [await world.person('Ada Asked'), await world.person('Eve Eager')]
  world.clock.pass({ minutes: 1 })
  await publish(changed(termsNoticeDays + 1))
  await accept(eve, 2)
  world.clock.pass({ minutes: 1 })
  const lea = await world.person('Lea Late')
  expect(await tellOfTerms(world.services)).toBe(1)
  expect(await tellOfTerms(world.services)).toBe(0)
  expect(await told(ada)).toMatchObject([
    { text: expect.stringMatching(/^Version 2 of our terms comes into force on /), subject: null },
  ])
  expect([...(await told(eve)), ...(await told(lea))]).toEqual([])
  const { rows } = await world.owner(`
    SELECT payload ->> 'id' AS id FROM graphile_worker._private_jobs
     WHERE payload ->> 'notice' = 'terms.changed'`)
  expect(rows).toEqual([{ id: ada.id }])
  const mail = await noticeWriter(world.services)({ notice: 'terms.changed', id: ada.id })
  expect(mail).toMatchObject({ to: ada.email, subject: expect.stringMatching(/^Our terms change on /) })
  expect(mail?.text).toContain('Faster payouts.')
  expect(mail?.text).toContain('/dashboard/terms')
})

test("[P-17] the application's own login publishes nothing that two admins did not approve", async () => {
  await publish()
  const { rows } = await world.owner(`SELECT id FROM app.proposals WHERE kind = 'policy'`)
  const insert = (values: string) =>
    world.database.app.query(`INSERT INTO app.policies (id, kind, version, text, changes, in_force_from, proposal_id, created_at)
      VALUES (gen_random_uuid(), ${values}, '${rows[0]!.id}', now())`)
  await expect(insert(`'terms', 2, 'Ours now', 'All', current_date + 20`)).rejects.toThrow(/approved/)
  await expect(insert(`'privacy', 1, '${first().text}', NULL, current_date`)).rejects.toThrow(/approved/)
  await expect(world.database.app.query(`UPDATE app.policies SET text = 'Ours now'`)).rejects.toThrow()
  await expect(world.database.app.query('DELETE FROM app.term_acceptances')).rejects.toThrow()
})
