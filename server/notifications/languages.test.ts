import PostalMime from 'postal-mime'
import { beforeAll, expect, test } from 'vitest'
import { noticeWriter } from '#server/notifications/deliver.ts'
import { newId } from '#server/platform/id.ts'
import { mailerOf } from '#server/platform/mail/mailer.ts'
import { chooseLanguage, forgotPassword, me } from '#shared/contract/accounts.ts'
import { newDeposit } from '#shared/contract/deposits.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import { newContactMessage } from '#shared/contract/site.ts'
import { type Accounts, openAccounts } from '#test/support/accounts.ts'
import { startMailServer } from '#test/support/mail-server.ts'
import { until } from '#test/support/processes.ts'

let accounts: Accounts

beforeAll(async () => {
  accounts = await openAccounts()
})

const register = (name: string, language?: string) => accounts.register(name, {}, undefined, language)
const tokenOf = ({ answer }: Awaited<ReturnType<typeof register>>) => ({
  token: answer.data.token.accessToken,
})
const mailsTo = (email: string) => accounts.emailsTo(email)

test('[A-11] an account gets its emails in the language in which it registered', async () => {
  const person = await register('Ada', 'de-AT,de;q=0.9,en;q=0.5')
  expect((await accounts.call(me, null, {}, tokenOf(person))).data.language).toBe('de')
  const [mail] = await mailsTo(person.email)
  expect(mail!.subject).toMatch(/^\d{6} ist Ihr Bestätigungscode$/)
  expect(mail!.text).toContain('Guten Tag\n\nGeben Sie diesen Code ein')
  expect(mail!.html).toContain('<html lang="de" dir="ltr">')
})

test('an unknown language is English', async () => {
  const person = await register('Zoe', 'fr,nl')
  expect((await accounts.call(me, null, {}, tokenOf(person))).data.language).toBe('en')
  expect((await mailsTo(person.email))[0]!.subject).toMatch(/ is your verification code$/)
})

test('a changed language is that of the next email, whatever the request prefers', async () => {
  const person = await register('Ines')
  const answer = await accounts.call(chooseLanguage, null, { body: { language: 'es' } }, tokenOf(person))
  expect(answer.data.user.language).toBe('es')
  await accounts.call(forgotPassword, null, { body: { email: person.email } }, { language: 'de' })
  const mail = (await mailsTo(person.email)).at(-1)!
  expect(mail.subject).toBe('Establecer una contraseña nueva')
  expect(mail.text).toMatch(/^Hola:\n\nSiga este enlace/)
  expect(mail.text).toMatch(/:\/\/[^/]+\/es\/reset-password#token=/)
  const { rows } = await accounts.owner(
    `SELECT details FROM app.audit_log WHERE action = 'profile.updated' AND actor_id = '${person.answer.data.user._id}'`,
  )
  expect(rows).toEqual([{ details: { fields: ['language'] } }])
})

test('a language that we do not have is refused', async () => {
  const person = await register('Otto')
  const body = { language: 'fr' as never }
  expect((await accounts.call(chooseLanguage, null, { body }, tokenOf(person))).status).toBe(400)
})

test('an Arabic email runs from right to left for a mail program', async () => {
  const person = await register('Amal', 'ar')
  const [mail] = await mailsTo(person.email)
  const server = await startMailServer({ authOptional: true, disabledCommands: ['STARTTLS'] })
  const smtp = { url: `smtp://127.0.0.1:${server.port}`, from: 'noreply@example.com' }
  const mailer = mailerOf(
    { ...accounts.services.config, smtp: { ...smtp, connections: 1 } as never },
    accounts.services.db,
    1,
  )
  try {
    await mailer.send(mail!, '019ac000-0000-7000-8000-000000000000')
    await until(async () => server.received.length > 0)
    const { subject, html, text } = await PostalMime.parse(server.received[0]!.content)
    expect(subject).toMatch(/^رمز التحقق الخاص بك هو \d{6}$/)
    expect(html).toContain('<html lang="ar" dir="rtl">')
    expect(html).toMatch(/<body class="body" dir="rtl"/)
    expect(html).toMatch(/<p dir="ltr"[^>]*>\d{6}<\/p>/)
    expect(text).toContain('صالح لمدة 10 دقائق.')
  } finally {
    mailer.close()
    await server.stop()
  }
})

test('a notice has the words, the amounts and the pages of its reader', async () => {
  const person = await register('Karl', 'de')
  await accounts.verify(person.email)
  const { data } = await accounts.call(
    newDeposit,
    null,
    { body: { method: 'usdt', amount: 1500 } },
    { ...tokenOf(person), idempotencyKey: 'a-deposit-in-german' },
  )
  const mail = await noticeWriter(accounts.services)({ notice: 'deposit.unpaid', id: data._id })
  expect(mail).toMatchObject({
    subject: `Ihre Einzahlung ${data.invoiceId} wurde nicht rechtzeitig bezahlt`,
    push: { words: 'Eine Einzahlung wurde nicht rechtzeitig bezahlt.' },
  })
  expect(mail!.text.replaceAll('\u00a0', ' ')).toContain(
    `Ihre Einzahlung ${data.invoiceId} über 1.500,00 $ wurde`,
  )
  expect(mail!.text).toMatch(/:\/\/[^/]+\/de\/dashboard\/deposit\?deposit=/)
})

test('the bell is in the language of the page', async () => {
  const person = await register('Mia', 'de')
  await accounts.verify(person.email)
  await accounts.owner(
    `INSERT INTO app.notifications (id, kind, user_id, subject_id, created_at)
     VALUES ('${newId(new Date())}', 'password.changed', '${person.answer.data.user._id}', '${person.answer.data.user._id}', now())`,
  )
  const textIn = async (language: string) => {
    const { data } = await accounts.call(listNotifications, null, {}, { ...tokenOf(person), language })
    return data[0]!.text
  }
  expect(await textIn('en')).toBe('Your password was changed.')
  expect(await textIn('es')).toBe('Se ha cambiado su contraseña.')
  expect(await textIn('ar')).toBe('تم تغيير كلمة مرورك.')
})

test('staff get their emails in their language, and the mailbox of the team in English', async () => {
  const { services, owner } = accounts
  const email = 'support.of.languages@probity.test'
  const { rows } = await owner(
    `UPDATE app.users SET language = 'de' WHERE type = 'admin' RETURNING id, email`,
  )
  expect(rows.length).toBeGreaterThan(0)
  await accounts.call(forgotPassword, null, { body: { email: rows[0].email } }, { language: 'es' })
  expect((await mailsTo(rows[0].email)).at(-1)!.subject).toBe('Neues Passwort festlegen')
  const body = { name: 'Eva', email, subject: 'Frage', message: 'Guten Tag' }
  await accounts.call(newContactMessage, null, { body }, { language: 'de' })
  const message = await owner(`SELECT id, language FROM app.contact_messages WHERE email = '${email}'`)
  expect(message.rows[0].language).toBe('de')
  const received = await noticeWriter(services)({ notice: 'contact.received', id: message.rows[0].id })
  expect(received!.subject).toBe('Message from Eva: Frage')
  expect(received!.html).toContain('<html lang="en" dir="ltr">')
})
