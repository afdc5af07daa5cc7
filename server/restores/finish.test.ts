import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { lastMark } from '#server/deposits/address-marks.ts'
import { railOf } from '#server/rails/rails.ts'
import { forgotPassword, refresh, resetPassword, verifyEmail } from '#shared/contract/accounts.ts'
import { newDeposit, quoteDeposit } from '#shared/contract/deposits.ts'
import { acceptInvitation, inviteStaff } from '#shared/contract/staff.ts'
import { type Accounts, openAccounts } from '#test/support/accounts.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { openWatchedWorld } from '#test/support/watched.ts'
import type { World } from '#test/support/world.ts'
import { beat, isRestored, requireFinished } from './beat.ts'
import { finishRestore } from './finish.ts'
import { readMark } from './mark.ts'

let accounts: Accounts
let world: World
beforeEach(async () => {
  accounts = await openAccounts()
  world = accounts.world
  await world.owner("INSERT INTO app.installation (mode) VALUES ('demo')")
  await beat(world.services)
})

/** The database loses the latest beats of every machine, as by a restore. */
const loseBeats = () => world.owner('UPDATE app.machines SET beat = 0')
const restores = async () => (await world.owner('SELECT * FROM app.restores')).rows
const depositNumber = async () => {
  const body = { method: 'usdt', amount: 150 } as const
  const { data } = await world.call(newDeposit, await world.person('Ida'), { body })
  return Number(data.invoiceId.split('-').at(-1))
}

test('[S-04] nothing that was issued before works after the restore is finished', async () => {
  const { answer, email } = await accounts.register('Rhea')
  const otp = await accounts.codeOf(email)
  const { email: forgetful } = await accounts.registerVerified('Fay')
  await accounts.call(forgotPassword, null, { body: { email: forgetful } })
  const token = await accounts.resetTokenOf(forgetful)
  const invited = { name: 'Nora New', email: 'nora@example.com', role: 'support', reason: 'needed' } as const
  await world.call(inviteStaff, world.admin, { body: invited })
  const [invitation] = (await accounts.emailsTo(invited.email)).map(
    ({ text }) => /#token=([\w-]+)/.exec(text)![1]!,
  )
  await loseBeats()
  await finishRestore(world.services)
  const { refreshToken } = answer.data.token
  const password = 'another horse battery'
  expect((await accounts.call(refresh, null, { body: { refreshToken } })).status).toBe(401)
  expect((await accounts.call(verifyEmail, null, { body: { otp, email } })).status).toBe(400)
  expect((await accounts.call(resetPassword, null, { body: { token, password } })).status).toBe(400)
  expect(
    (await accounts.call(acceptInvitation, null, { body: { token: invitation!, password } })).status,
  ).toBe(400)
})

test('[S-04] it is not served before, and payouts stay paused after', async () => {
  await requireFinished(world.services)
  await loseBeats()
  await expect(requireFinished(world.services)).rejects.toMatchObject({
    exitCode: 78,
    message: expect.stringContaining('npm run restore:finish'),
  })
  await finishRestore(world.services)
  await requireFinished(world.services)
  expect(await isRestored(world.services)).toBe(true)
  const { rows } = await world.owner("SELECT details FROM app.audit_log WHERE action = 'restore.finished'")
  expect(rows).toMatchObject([{ details: { sessions: expect.any(Number) } }])
})

test('[S-04] a second run finds nothing to finish, and changes nothing', async () => {
  await loseBeats()
  expect((await finishRestore(world.services))?.done.length).toBeGreaterThan(0)
  const [before, number] = [await world.state(), await depositNumber()]
  expect(before).not.toBe('')
  expect(await finishRestore(world.services)).toBeUndefined()
  expect(await depositNumber()).toBe(number + 1)
  expect(await restores()).toHaveLength(1)
})

test('[S-04] without a mark it needs the word of an operator', async () => {
  await world.owner('SELECT app.skip_numbers(5000)')
  rmSync(join(world.services.config.dataDir, 'database-mark.json'))
  expect(await finishRestore(world.services)).toBeUndefined()
  expect(await restores()).toEqual([])
  await finishRestore(world.services, { anyway: true })
  expect(await restores()).toMatchObject([{ finished_at: expect.any(Date), resolved_at: null }])
  expect(await depositNumber()).toBeGreaterThan(6000)
})

test('[S-04] other machines take it for no second restore, and no number is given twice', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'probity-other-'))
  atEnd(() => rmSync(dataDir, { recursive: true }))
  const other = { ...world.services, config: { ...world.services.config, dataDir } }
  await world.owner('SELECT app.skip_numbers(7000)')
  await beat(other)
  await loseBeats()
  await world.owner("SELECT setval('app.invoice_number', 5)")
  await finishRestore(world.services)
  await requireFinished(other)
  await beat(other)
  expect(await restores()).toHaveLength(1)
  expect(await depositNumber()).toBeGreaterThan((await readMark(dataDir))!.number)
  expect(await depositNumber()).toBeGreaterThan(8000)
})

test('[S-04] a later restore to a time before the first was finished is found', async () => {
  await loseBeats()
  await beat(world.services)
  const { beat: before } = (await readMark(world.services.config.dataDir))!
  await finishRestore(world.services)
  await requireFinished(world.services)
  // As late as can be: after the last beat before it was finished.
  await world.owner(`DELETE FROM app.restores; UPDATE app.machines SET beat = ${before + 1}`)
  await expect(requireFinished(world.services)).rejects.toMatchObject({ exitCode: 78 })
})

test('[S-04, D-15] new addresses go on beyond those that may have been shown', async () => {
  const watched = await openWatchedWorld('usdt')
  const quote = async (name: string) =>
    watched.call(quoteDeposit, await watched.person(name), { query: { method: 'usdt', amount: '150' } })
  await quote('Ann')
  const { receiving } = railOf(watched.services.config, 'usdt')!
  const { account } = receiving as { account: string }
  const before = (await lastMark(watched.services.config.dataDir, account))!
  const { done } = (await finishRestore(watched.services, { anyway: true }))!
  expect(done.join('\n')).toContain(`New addresses on usdt go on after index ${before + 100}`)
  expect((await quote('Ben')).status).toBe(200)
  expect(await lastMark(watched.services.config.dataDir, account)).toBe(before + 101)
})

test('[S-04, D-15] without a mark of the addresses, an operator has to name the last one', async () => {
  const watched = await openWatchedWorld('usdt')
  const quote = async (name: string) =>
    watched.call(quoteDeposit, await watched.person(name), { query: { method: 'usdt', amount: '150' } })
  await quote('Ann')
  rmSync(join(watched.services.config.dataDir, 'addresses'), { recursive: true })
  const { review } = (await finishRestore(watched.services, { anyway: true }))!
  expect(review.join('\n')).toContain('npm run addresses:resume -- usdt <index>')
  expect((await quote('Ben')).code).toBe('method_paused')
})
