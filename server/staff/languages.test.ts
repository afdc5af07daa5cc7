import { beforeAll, expect, test } from 'vitest'
import { tellStaff } from '#server/notifications/alerts/raise.ts'
import { approveDeposit, getDeposit, newDeposit } from '#shared/contract/deposits.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import { getReturn, newReturn } from '#shared/contract/returns.ts'
import * as call from '#shared/contract/staff.ts'
import { approveWithdrawal, newWithdrawal } from '#shared/contract/withdrawals.ts'
import { type Accounts, openAccounts } from '#test/support/accounts.ts'
import { addresses } from '#test/support/withdrawals.ts'
import type { Person } from '#test/support/world.ts'

let accounts: Accounts
let german: Person
let english: Person
let investor: Person
beforeAll(async () => {
  accounts = await openAccounts({ rateLimit: false })
  const { admin, secondAdmin } = accounts.world
  ;[german, english] = [admin, secondAdmin]
  await accounts.owner(`UPDATE app.users SET language = 'de' WHERE id = '${german.id}'`)
  investor = await accounts.world.person('Ines Investor')
})

const deposit = async () =>
  (await accounts.world.call(newDeposit, investor, { body: { method: 'usdt', amount: 500 } })).data
const plain = (text: string) => text.replaceAll('\u00a0', ' ')

test('a refusal of staff is in the language of the request', async () => {
  const { _id: id, invoiceId } = await deposit()
  const approve = (language: string) =>
    accounts.world.call(approveDeposit, german, { params: { id } }, { language })
  expect((await approve('de')).message).toBe('Einzahlung genehmigt')
  const { message, reason } = await approve('de')
  expect([reason, message]).toEqual([
    'wrong_status',
    'Diese Einzahlung ist bereits gezahlt. Nur ausstehende Einzahlungen können genehmigt werden.',
  ])
  expect((await approve('en')).message).toBe(
    'This deposit is already paid. Only pending deposits can be approved.',
  )
  expect(invoiceId).toMatch(/^DEP-/)
})

test('a message of a field is in the language of the request', async () => {
  const body = { name: '', email: 'new@probity.test', role: 'support', reason: 'So' } as const
  const answer = await accounts.world.call(call.inviteStaff, german, { body }, { language: 'ar' })
  expect(answer.fields).toEqual({ name: 'الحقل «الاسم» مطلوب' })
})

test('each asker of a group is refused in their own language', async () => {
  await accounts.world.fund(investor, 100_000n)
  const body = { amount: 20, wallet: 'USDT ERC-20', walletAddress: addresses['USDT ERC-20'] } as const
  const { data } = await accounts.world.call(newWithdrawal, investor, { body })
  const approve = (by: Person, language: string) =>
    accounts.world.call(approveWithdrawal, by, { params: { id: data._id } }, { language })
  await approve(english, 'en')
  const refused = await Promise.all([approve(german, 'de'), approve(english, 'en'), approve(english, 'es')])
  expect(refused.map(({ message }) => message)).toEqual([
    'Diese Auszahlung ist bereits genehmigt. Nur ausstehende Auszahlungen können genehmigt werden.',
    'This withdrawal is already approved. Only pending withdrawals can be approved.',
    'Este retiro ya está aprobado. Solo los retiros pendientes se pueden aprobar.',
  ])
})

test('the history of a record is in the language of the request', async () => {
  const { _id: id } = await deposit()
  await accounts.world.call(approveDeposit, german, { params: { id } })
  const { data } = await accounts.world.call(getDeposit, german, { params: { id } }, { language: 'de' })
  expect(data.history.map(({ action }) => action)).toEqual(['Einzahlung beantragt', 'Einzahlung genehmigt'])
  const realised = { amount: 70, realisedAt: '2026-01-31', source: 'Rent', evidence: 'https://a.test/b' }
  const { data: proof } = await accounts.world.call(newReturn, german, { body: realised })
  const shown = await accounts.world.call(
    getReturn,
    german,
    { params: { id: proof._id } },
    { language: 'es' },
  )
  expect(shown.data.history[0]!.action).toBe('Rendimiento registrado')
})

test('each admin is notified of what another one does in their language', async () => {
  const third = await accounts.world.person('Tia Third', 'admin')
  const body = { name: 'Nora New', email: accounts.newEmail(), role: 'support', reason: 'So' } as const
  const answer = await accounts.world.call(call.inviteStaff, third, { body }, { language: 'es' })
  expect(answer.message).toBe('Invitación enviada')
  const lastTo = async (email: string) => (await accounts.emailsTo(email)).at(-1)!
  const [toGerman, toEnglish, toNora] = await Promise.all(
    [german.email, english.email, body.email].map(lastTo),
  )
  expect(toGerman!.subject).toBe('Nora New wurde ins Team eingeladen')
  expect(toGerman!.text).toContain(
    `Tia Third hat Nora New (${body.email}) mit der Rolle Support eingeladen.\n\nGrund: So`,
  )
  expect(toGerman!.html).toContain('<html lang="de" dir="ltr">')
  expect(toEnglish!.subject).toBe('Nora New was invited to the team')
  // Of whom we know no language yet: that of the admin who invites.
  expect(toNora!.subject).toMatch(/^Su invitación a /)
})

test('who accepts an invitation has the language of the page from then on', async () => {
  const email = accounts.newEmail()
  const body = { name: 'Omar New', email, role: 'support', reason: 'So' } as const
  await accounts.world.call(call.inviteStaff, english, { body })
  const token = await accounts.resetTokenOf(email)
  const accepted = { body: { token, password: 'correct horse battery' } }
  expect((await accounts.call(call.acceptInvitation, null, accepted, { language: 'ar' })).status).toBe(200)
  const { rows } = await accounts.owner(`SELECT language FROM app.users WHERE email = '${email}'`)
  expect(rows).toEqual([{ language: 'ar' }])
})

test('alerts are in the language of the page, and their email in that of the person', async () => {
  const { invoiceId } = await deposit()
  await accounts.owner(
    `INSERT INTO app.staff_alert_choices (user_id, kind, bell, email, only_assigned)
     SELECT id, 'deposit.waiting', true, true, false FROM app.users WHERE type = 'admin' AND role = 'admin'`,
  )
  await tellStaff(accounts.services)
  const { data } = await accounts.world.call(listNotifications, german, {}, { language: 'de' })
  expect(data.map(({ text }) => plain(text))).toContain(
    `Einzahlung ${invoiceId} über 500,00 $ von Ines Investor wartet auf Genehmigung.`,
  )
  const subjectTo = async ({ email }: Person) => (await accounts.emailsTo(email)).at(-1)!.subject
  expect(await subjectTo(german)).toBe('1 Einzahlung wartet auf Genehmigung')
  expect(await subjectTo(english)).toBe('1 deposit waits for approval')
})
